import type { Candle, BarGrid, Timeframe } from '../domain/candle.ts';
import { cellText, type CandleColumns } from '../domain/candle-columns.ts';
import type { DecimalText } from '../domain/decimal-text.ts';
import { SarrafError } from '../domain/errors.ts';
import type { ClosedCandle } from './strategy-event.ts';
import type { Ohlcv } from './indicators/series.ts';

/** Source of the bars of one market and timeframe, shared by all of them. */
export interface BarSource {
  readonly columns: CandleColumns;
  readonly timeframe: Timeframe;
  /** Start and end times of the bars. */
  readonly grid: BarGrid;
  /** Time at which the end of each bar was known, in ms since 1970; null if that is always its end. */
  readonly seenAtMs: Float64Array | null;
}

/** Rows of the columns of a source, from `from` up to `to`, which is not included. */
export interface BarRows {
  readonly source: BarSource;
  readonly from: number;
  readonly to: number;
}

/** Maximum number of bars that indicators are fed ahead of the bar that strategies see. */
export const MOST_AHEAD = 4_096;

/** Rows that were read ahead, with the slot in which indicators stored the first one. */
export interface StoredRows extends BarRows {
  readonly slot: number;
}

/** Name of the method that Node's console calls to show an object. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/**
 * A bar that is read from columns: its texts are made when they are read, and its numbers need none. A
 * backtest makes millions of them, and most only feed averages.
 */
export class ColumnCandle implements ClosedCandle {
  /** Private, so that a strategy can not read later bars in the columns. */
  readonly #source: BarSource;
  readonly #index: number;

  constructor(source: BarSource, index: number) {
    this.#source = source;
    this.#index = index;
  }

  /** Returns the row of a candle in the columns of a source; -1 for a candle that is not from there. */
  static rowOf(candle: Candle, source: BarSource): number {
    return candle instanceof ColumnCandle && candle.#source === source ? candle.#index : -1;
  }

  /** Returns the source and the row of a candle; null for one that is not of columns. */
  static placeOf(candle: Candle): { readonly source: BarSource; readonly row: number } | null {
    return candle instanceof ColumnCandle ? { source: candle.#source, row: candle.#index } : null;
  }

  get market(): string {
    return this.#source.columns.market;
  }

  get timeframe(): Timeframe {
    return this.#source.timeframe;
  }

  get openTimeMs(): number {
    return cellAt(this.#source.columns.openTimeMs, this.#index);
  }

  get closeTimeMs(): number {
    return this.#source.grid.endOf(this.openTimeMs);
  }

  get seenAtMs(): number {
    const { seenAtMs } = this.#source;
    return seenAtMs === null ? this.closeTimeMs : cellAt(seenAtMs, this.#index);
  }

  get missedBefore(): number {
    const { columns, grid } = this.#source;
    const index = this.#index;
    if (index === 0) return 0;
    const [beforeMs, openMs] = [cellAt(columns.openTimeMs, index - 1), cellAt(columns.openTimeMs, index)];
    const endMs = grid.endOf(beforeMs);
    return endMs === openMs ? 0 : grid.count(endMs, openMs);
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
    return cellText(cellAt(volume, this.#index), volumeDecimals);
  }

  /** The close as a number, equal to `Number(close)`: both are the float nearest to the decimal. */
  get closeNumber(): number {
    const { close, priceDecimals } = this.#source.columns;
    return cellAt(close, this.#index) / powerOfTen(priceDecimals);
  }

  /** All five values as numbers. */
  get bar(): Ohlcv {
    const { open, high, low, close, volume, priceDecimals, volumeDecimals } = this.#source.columns;
    const [index, scale] = [this.#index, powerOfTen(priceDecimals)];
    return {
      open: cellAt(open, index) / scale,
      high: cellAt(high, index) / scale,
      low: cellAt(low, index) / scale,
      close: cellAt(close, index) / scale,
      volume: cellAt(volume, index) / powerOfTen(volumeDecimals),
    };
  }

  /** Returns the object that `console.log` and `util.inspect` show. */
  [INSPECT](): ClosedCandle {
    return plainCandle(this);
  }

  private price(column: Float64Array): DecimalText {
    return cellText(cellAt(column, this.#index), this.#source.columns.priceDecimals);
  }
}

/** Powers of ten that are exact as floats, so that a whole number divided by one is rounded once. */
const POWERS: readonly number[] = Array.from({ length: 11 }, (_, power) => 10 ** power);

/** Returns the value of a row. The row exists, so a missing value means that the columns differ in length. */
function cellAt(column: Float64Array, index: number): number {
  const value = column[index];
  if (value !== undefined) return value;
  throw new SarrafError('INVARIANT', `expected a bar in row ${index}, found ${column.length} rows`);
}

function powerOfTen(decimals: number): number {
  const power = POWERS[decimals];
  if (power !== undefined) return power;
  throw new SarrafError('INVARIANT', `expected at most ${POWERS.length - 1} decimals, found ${decimals}`);
}

/** Returns the close of a bar as a number, for averages. */
export const closeNumber = (candle: { readonly close: DecimalText }): number =>
  candle instanceof ColumnCandle ? candle.closeNumber : Number(candle.close);

/** Returns a bar as numbers, for formulas. */
export function ohlcvOf(candle: Candle): Ohlcv {
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

/** Returns a candle as plain fields, for another thread or a person. */
export function plainCandle(candle: ClosedCandle): ClosedCandle {
  const { openTimeMs, closeTimeMs, open, high, low, close, volume } = candle;
  const { market, timeframe, seenAtMs, missedBefore } = candle;
  return {
    openTimeMs,
    closeTimeMs,
    open,
    high,
    low,
    close,
    volume,
    market,
    timeframe,
    seenAtMs,
    missedBefore,
  };
}
