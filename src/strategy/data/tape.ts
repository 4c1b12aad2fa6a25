import type { PublicTrade } from '../../domain/trade.ts';

export interface TapeTrade extends Pick<PublicTrade, 'timeMs' | 'side'> {
  /** In the quote currency. */
  readonly price: number;
  /** In the base currency. */
  readonly amount: number;
  /** The same numbers with every digit. */
  readonly exact: Pick<PublicTrade, 'price' | 'amount'>;
}

/** New trades of the public tape. */
export interface Tape {
  readonly market: string;
  /** Oldest first. */
  readonly trades: readonly TapeTrade[];
  /** True if trades may be missing before these. */
  readonly hasGap: boolean;
  /** Time at which the bot read them, in ms since 1970. */
  readonly seenAtMs: number;
}

export function tapeOf(of: {
  readonly market: string;
  readonly trades: readonly PublicTrade[];
  readonly hasGap: boolean;
  readonly seenAtMs: number;
}): Tape {
  const { market, hasGap, seenAtMs } = of;
  const trades = Object.freeze(of.trades.map(tradeOf));
  return Object.freeze({ market, trades, hasGap, seenAtMs });
}

function tradeOf({ timeMs, side, price, amount }: PublicTrade): TapeTrade {
  const exact = Object.freeze({ price, amount });
  return Object.freeze({ timeMs, side, price: Number(price), amount: Number(amount), exact });
}
