import type { Candle } from '../domain/candle.ts';
import { cellText, type CandleColumns } from '../domain/candle-columns.ts';
import type { DecimalText } from '../domain/decimal-text.ts';
import type { Timeframe } from '../domain/timeframe.ts';
import type { ClosedCandle } from './definition.ts';
import type { Bar } from './indicators/series.ts';

/** Where bars of one market and length come from, which is the same for all of them. */
export interface BarSource {
  readonly columns: CandleColumns;
  readonly timeframe: Timeframe;
  /** The length of each. */
  readonly barMs: number;
}

/** The name under which the console of Node looks for what to show of an object. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/**
 * A bar that is still in its columns: its texts are made when they are looked at, and its numbers need none. A backtest makes millions, of which most
 * are only fed to averages.
 */
export class ColumnCandle implements ClosedCandle {
  readonly missedBefore: number;
  /** Out of everybody's reach: the columns hold what is later, too. */
  readonly #source: BarSource;
  readonly #index: number;

  constructor(source: BarSource, index: number, missedBefore: number) {
    this.#source = source;
    this.#index = index;
    this.missedBefore = missedBefore;
  }

  get market(): string {
    return this.#source.columns.market;
  }

  get timeframe(): Timeframe {
    return this.#source.timeframe;
  }

  get openTimeMs(): number {
    return this.#source.columns.openTimeMs[this.#index] ?? Number.NaN;
  }

  get seenAtMs(): number {
    return this.openTimeMs + this.#source.barMs;
  }

  get open(): DecimalText {
    return this.price(this.#source.columns.open);
  }

  get high(): DecimalText {
    return this.price(this.#source.columns.high);
  }

  get low(): DecimalText {
    return this.price(this.#source.columns.low);
  }

  get close(): DecimalText {
    return this.price(this.#source.columns.close);
  }

  get volume(): DecimalText {
    const { volume, volumeDecimals } = this.#source.columns;
    return cellText(volume[this.#index] ?? Number.NaN, volumeDecimals);
  }

  /** The number that `Number(close)` is: both are the float nearest to the decimal. */
  get closeNumber(): number {
    const { close, priceDecimals } = this.#source.columns;
    return (close[this.#index] ?? Number.NaN) / (POWERS[priceDecimals] ?? 1);
  }

  /** All five, as numbers. */
  get bar(): Bar {
    const { open, high, low, close, volume, priceDecimals, volumeDecimals } = this.#source.columns;
    const [index, scale] = [this.#index, POWERS[priceDecimals] ?? 1];
    return {
      open: (open[index] ?? Number.NaN) / scale,
      high: (high[index] ?? Number.NaN) / scale,
      low: (low[index] ?? Number.NaN) / scale,
      close: (close[index] ?? Number.NaN) / scale,
      volume: (volume[index] ?? Number.NaN) / (POWERS[volumeDecimals] ?? 1),
    };
  }

  /** What `console.log` and `util.inspect` show, which look behind a proxy. */
  [INSPECT](): ClosedCandle {
    return shownFields(this);
  }

  private price(column: Float64Array): DecimalText {
    return cellText(column[this.#index] ?? Number.NaN, this.#source.columns.priceDecimals);
  }
}

/** Exact as floats, so that a whole number divided by one is rounded once. */
const POWERS: readonly number[] = Array.from({ length: 11 }, (_, power) => 10 ** power);

/** The close of a bar as a number, for averages. */
export function closeNumber(candle: { readonly close: DecimalText }): number {
  return candle instanceof ColumnCandle ? candle.closeNumber : Number(candle.close);
}

/** A bar as numbers, for formulas. */
export function barOf(candle: Candle): Bar {
  if (candle instanceof ColumnCandle) return candle.bar;
  const { open, high, low, close, volume } = candle;
  return {
    open: Number(open),
    high: Number(high),
    low: Number(low),
    close: Number(close),
    volume: Number(volume),
  };
}

const FIELDS = [
  'openTimeMs',
  'open',
  'high',
  'low',
  'close',
  'volume',
  'market',
  'timeframe',
  'seenAtMs',
  'missedBefore',
] as const;

const NAMES: ReadonlySet<string | symbol> = new Set(FIELDS);

function shownFields(candle: ClosedCandle): ClosedCandle {
  const { openTimeMs, open, high, low, close, volume, market, timeframe, seenAtMs, missedBefore } = candle;
  return { openTimeMs, open, high, low, close, volume, market, timeframe, seenAtMs, missedBefore };
}

/** By names that are written out, since looking a field up by any name takes longer than making its text. */
function fieldOf(candle: ColumnCandle, name: string | symbol): unknown {
  switch (name) {
    case 'close':
      return candle.close;
    case 'open':
      return candle.open;
    case 'high':
      return candle.high;
    case 'low':
      return candle.low;
    default:
      return Reflect.get(NAMES.has(name) ? candle : Object.prototype, name) as unknown;
  }
}

/** Shows a bar as a plain object that can not be changed. */
const PLAINLY: ProxyHandler<ColumnCandle> = {
  get: (candle, name) => fieldOf(candle, name),
  has: (_, name) => NAMES.has(name) || name in Object.prototype,
  ownKeys: () => [...FIELDS],
  getOwnPropertyDescriptor: (candle, name) =>
    NAMES.has(name)
      ? { value: Reflect.get(candle, name) as unknown, enumerable: true, configurable: true, writable: false }
      : undefined,
  getPrototypeOf: () => Object.prototype,
  set: () => false,
  defineProperty: () => false,
  deleteProperty: () => false,
  setPrototypeOf: () => false,
  preventExtensions: () => false,
};

/** The bar as authors expect it: an object that can be spread, copied and stored, whose texts are made when they are looked at. */
export function plainCandle(candle: ClosedCandle): ClosedCandle {
  return candle instanceof ColumnCandle ? new Proxy(candle, PLAINLY) : Object.freeze({ ...candle });
}
