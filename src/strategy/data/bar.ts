import type { DecimalText } from '../../domain/decimal-text.ts';
import { closeNumber, ohlcvOf } from '../column-candle.ts';
import type { ClosedCandle } from '../strategy-event.ts';
import type { Timeframe, BarValues } from '../../domain/candle.ts';
import type { OrderBook } from '../../domain/order-book.ts';

/**
 * A closed candle: it will not change any more. Prices are in the quote currency. Its fields are getters and
 * can not be spread: `JSON.parse(JSON.stringify(bar))` copies them all.
 */
export interface Bar extends BarValues<number> {
  /** Symbol of the market, such as `BTCIRT`. */
  readonly market: string;
  readonly timeframe: Timeframe;
  /** Start time, in ms since 1970. */
  readonly openTimeMs: number;
  /**
   * End time, in ms since 1970, which is the start of the next one. Bars need not begin at multiples of their
   * length, and a day in which clocks are changed has 23 or 25 hours.
   */
  readonly closeTimeMs: number;
  /** Time at which the bot read it, in ms since 1970. */
  readonly seenAtMs: number;
  /** Number of bars missing directly before it: nothing was traded, or they could not be read. */
  readonly missedBefore: number;
  /** These numbers as exact decimals. */
  readonly exact: BarValues<DecimalText>;
}

/** Name of the method that Node's console calls to show an object. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** A bar whose numbers and texts are made when they are read: most of a backtest's bars hardly are. */
class ShownBar implements Bar {
  readonly #candle: ClosedCandle;

  constructor(candle: ClosedCandle) {
    this.#candle = candle;
  }

  get market(): string {
    return this.#candle.market;
  }

  get timeframe(): Timeframe {
    return this.#candle.timeframe;
  }

  get openTimeMs(): number {
    return this.#candle.openTimeMs;
  }

  get closeTimeMs(): number {
    return this.#candle.closeTimeMs;
  }

  get open(): number {
    return ohlcvOf(this.#candle).open;
  }

  get high(): number {
    return ohlcvOf(this.#candle).high;
  }

  get low(): number {
    return ohlcvOf(this.#candle).low;
  }

  get close(): number {
    return closeNumber(this.#candle);
  }

  get volume(): number {
    return ohlcvOf(this.#candle).volume;
  }

  get seenAtMs(): number {
    return this.#candle.seenAtMs;
  }

  get missedBefore(): number {
    return this.#candle.missedBefore;
  }

  get exact(): BarValues<DecimalText> {
    const { open, high, low, close, volume } = this.#candle;
    return Object.freeze({ open, high, low, close, volume });
  }

  toJSON(): Bar {
    const { market, timeframe, openTimeMs, closeTimeMs, seenAtMs, missedBefore } = this.#candle;
    const { open, high, low, close, volume } = ohlcvOf(this.#candle);
    const numbers = { open, high, low, close, volume };
    const times = { openTimeMs, closeTimeMs };
    return { market, timeframe, ...times, ...numbers, seenAtMs, missedBefore, exact: this.exact };
  }

  [INSPECT](): Bar {
    return this.toJSON();
  }
}

Object.freeze(ShownBar.prototype);

/**
 * Returns a candle as strategies see it. It is not frozen here, because that takes longer than making it;
 * whoever shows it repeatedly freezes it.
 */
export const barOf = (candle: ClosedCandle): Bar => new ShownBar(candle);

/** The best prices of a market: from its book, or from its last bar in a run that has only candles. */
export interface Ticker {
  readonly market: string;
  /** The highest offer to buy, in the quote currency. Without books: the last close. */
  readonly bid: number;
  /** The lowest offer to sell, in the quote currency. Without books: the last close. */
  readonly ask: number;
  /** Price halfway between `bid` and `ask`, in the quote currency. */
  readonly middle: number;
  /** Source of the prices: `candles` in a run without books. */
  readonly source: 'book' | 'candles';
  /** The exchange's time of the book, or the start of the bar, in ms since 1970; null if unknown. */
  readonly timeMs: number | null;
  /** These numbers as exact decimals. */
  readonly exact: { readonly bid: DecimalText; readonly ask: DecimalText };
}

/** Returns the best prices of a book; null while one side is empty. Reads nothing else of the book. */
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
