import type { Resolution } from '../domain/candle.ts';

/** Lengths of candles, as people write them, and the exchange's own words for them. */
export const SPANS = {
  '1m': '1',
  '5m': '5',
  '15m': '15',
  '30m': '30',
  '1h': '60',
  '3h': '180',
  '4h': '240',
  '6h': '360',
  '12h': '720',
  '1d': 'D',
  '2d': '2D',
  '3d': '3D',
} as const satisfies Record<string, Resolution>;

export type Span = keyof typeof SPANS;

/** Data that a strategy wants. `market` is a symbol such as `BTCIRT`. */
export type Subscription =
  | { readonly kind: 'candles'; readonly market: string; readonly span: Span }
  | { readonly kind: 'book'; readonly market: string };

/** Closed candles, in order, each once. */
export function candles(market: string, span: Span): Subscription {
  return { kind: 'candles', market, span };
}

/** The order book, as often as the limits give it. */
export function book(market: string): Subscription {
  return { kind: 'book', market };
}
