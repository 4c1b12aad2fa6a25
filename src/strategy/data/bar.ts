import type { DecimalText } from '../../domain/decimal-text.ts';
import { closeNumber, ohlcvOf } from '../column-candle.ts';
import type { ClosedCandle } from '../strategy-event.ts';
import type { Timeframe, BarValues } from '../../domain/candle.ts';
import type { OrderBook } from '../../domain/order-book.ts';

/**
 * A closed candle: it will not change any more. Prices are in the quote currency. It is read by its fields; a
 * copy of all of them is `JSON.parse(JSON.stringify(bar))`, since what is made when it is looked at can not
 * be spread.
 */
export interface Bar extends BarValues<number> {
  /** Such as `BTCIRT`. */
  readonly market: string;
  readonly timeframe: Timeframe;
  /** Start time, in ms since 1970. */
  readonly openTimeMs: number;
  /**
   * End time, in ms since 1970, which is the start of the next one. Bars need not begin at multiples of their
   * length, and a day in which clocks are set has 23 or 25 hours.
   */
  readonly closeTimeMs: number;
  /** Time at which the bot read it, in ms since 1970. */
  readonly seenAtMs: number;
  /** Bars missing directly before it: nothing was traded, or they could not be read. */
  readonly missedBefore: number;
  /** The same numbers with every digit. */
  readonly exact: BarValues<DecimalText>;
}

/** The name under which the console of Node looks for what to show of an object. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/**
 * A bar whose numbers and texts are made when they are looked at: a backtest shows millions, of which most
 * are hardly read.
 */
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
 * The bar that a strategy is shown of a candle. What is shown again and again is frozen by its keeper:
 * freezing each takes longer than making it.
 */
export function barOf(candle: ClosedCandle): Bar {
  return new ShownBar(candle);
}

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
