import type { DecimalText } from './decimal-text.ts';

/** The prices and the volume of a bar, or columns of them. */
export interface BarValues<Value> {
  /** Price of its first trade, in the quote currency. */
  readonly open: Value;
  /** Highest price, in the quote currency. */
  readonly high: Value;
  /** Lowest price, in the quote currency. */
  readonly low: Value;
  /** Price of its last trade, in the quote currency. */
  readonly close: Value;
  /** Traded volume, in the base currency. */
  readonly volume: Value;
}

/** The same for all of them, such as a schema. */
export function eachBarValue<Value>(value: Value): BarValues<Value> {
  return { open: value, high: value, low: value, close: value, volume: value };
}

/** One bar. `openTimeMs` is the start of the bar, UTC; low <= open, close <= high. */
export interface Candle extends BarValues<DecimalText> {
  readonly openTimeMs: number;
}
