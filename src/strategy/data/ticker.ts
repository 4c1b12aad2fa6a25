import type { DecimalText } from '../../domain/decimal-text.ts';
import type { OrderBook } from '../../domain/order-book.ts';
import type { Bar } from './bar.ts';

/** The best prices of a market: of its book, or of its last bar where a run has candles alone. */
export interface Ticker {
  readonly market: string;
  /** The highest offer to buy, in the quote currency. On candles the last close. */
  readonly bid: number;
  /** The lowest offer to sell, in the quote currency. On candles the last close. */
  readonly ask: number;
  /** Halfway between both, in the quote currency. */
  readonly middle: number;
  /** `candles` in a run that has no books. */
  readonly source: 'book' | 'candles';
  /**
   * The exchange's time of the book, or when the bar opened, in ms since 1970; null where it does not say.
   */
  readonly timeMs: number | null;
  /** The same numbers with every digit. */
  readonly exact: { readonly bid: DecimalText; readonly ask: DecimalText };
}

/** Null while a side of the book is empty. Of a book its best prices are read, and nothing more. */
export function tickerOfBook(market: string, { bids, asks, updatedAtMs }: OrderBook): Ticker | null {
  const bestBid = bids[0]?.[0];
  const bestAsk = asks[0]?.[0];
  if (bestBid === undefined || bestAsk === undefined) return null;
  const [bid, ask] = [Number(bestBid), Number(bestAsk)];
  const exact = Object.freeze({ bid: bestBid, ask: bestAsk });
  return Object.freeze({
    market,
    bid,
    ask,
    middle: (bid + ask) / 2,
    source: 'book',
    timeMs: updatedAtMs,
    exact,
  });
}

export function tickerOfBar(bar: Bar): Ticker {
  const { market, close, openTimeMs } = bar;
  const text = bar.exact.close;
  const exact = Object.freeze({ bid: text, ask: text });
  return Object.freeze({
    market,
    bid: close,
    ask: close,
    middle: close,
    source: 'candles',
    timeMs: openTimeMs,
    exact,
  });
}
