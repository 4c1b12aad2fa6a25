import { SMA } from 'trading-signals';
import { SarrafError } from '../domain/errors.ts';

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

/** Candles that an indicator may look back over: as many as the exchange gives at once, the one that is not closed yet left out. */
const LONGEST = 499;

/** Throws `INVALID_STRATEGY` for a length that is no whole number from 1 to 499. */
export function createIndicator(spec: IndicatorSpec): Indicator {
  // Authors may write JavaScript, so the types are not believed.
  const { kind, length } = Object(spec) as IndicatorSpec;
  if (kind !== 'sma' || !Number.isInteger(length) || length < 1 || length > LONGEST) {
    throw new SarrafError(
      'INVALID_STRATEGY',
      `expected an indicator such as sma(20), of 1 to ${LONGEST} candles, was ${JSON.stringify(spec)}`,
    );
  }
  const average = new SMA(length);
  return { add: (close) => average.update(close, false) };
}
