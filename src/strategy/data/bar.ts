import type { DecimalText } from '../../domain/decimal-text.ts';
import { closeNumber, ohlcvOf } from '../column-candle.ts';
import type { ClosedCandle } from '../strategy-event.ts';
import type { Timeframe, BarValues } from '../../domain/candle.ts';

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
