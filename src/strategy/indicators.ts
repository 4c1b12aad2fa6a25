import { SMA } from 'trading-signals';

/** An indicator that a strategy declares; the runner owns it, feeds it with closed candles and hands out its value. */
export interface IndicatorSpec {
  readonly kind: 'sma';
  /** Candles it looks back over. */
  readonly length: number;
}

/** Simple moving average of the last `length` closes; null until there are so many. */
export function sma(length: number): IndicatorSpec {
  return { kind: 'sma', length };
}

/** One running indicator. Values are floats: they are read by decisions, never by the books. */
export interface Indicator {
  add(close: number): number | null;
}

export function createIndicator(spec: IndicatorSpec): Indicator {
  const average = new SMA(spec.length);
  return { add: (close) => average.update(close, false) };
}
