import { ATR, BollingerBands, EMA, getStandardDeviation, RSI, SMA, WMA } from 'trading-signals';
import type { Candle } from '../domain/candle.ts';
import { SarrafError } from '../domain/errors.ts';
import { LONGEST_WARM_UP } from './check-subscriptions.ts';
import { closeNumber } from './column-candle.ts';
import type { BollingerValue, IndicatorSpec, IndicatorValue, LengthSpec, MacdSpec } from './indicator-specs.ts';

/** One running indicator: takes closed candles in order, and answers its value as of each. */
export interface Indicator {
  /** Candles after which its value no longer depends on where it began: less than a thousandth of what came before is left in it. */
  readonly settledAfter: number;
  add(candle: Candle): IndicatorValue | null;
}

/** An average with the weight 2 / (n + 1) has forgotten its beginning after this many times n + 1 bars, one of Wilder's after twice as many times n. */
const EXPONENTIAL_MEMORY = 3.5;
const WILDER_MEMORY = 7;

/** Throws `INVALID_STRATEGY` for what is no indicator, or looks back over more candles than the exchange gives at once. */
export function createIndicator(spec: IndicatorSpec): Indicator {
  if (!isSpec(spec)) {
    throw new SarrafError(
      'INVALID_STRATEGY',
      `expected an indicator such as sma(20), of 1 to ${LONGEST_WARM_UP} candles, was ${JSON.stringify(spec)}`,
    );
  }
  if (spec.kind === 'macd') return createMacd(spec);
  if (spec.kind === 'bollinger') {
    const bands = new BollingerBands(spec.length, spec.deviations);
    return { settledAfter: spec.length, add: (candle) => frozen(bands.update(closeNumber(candle), false)) };
  }
  return createAverage(spec);
}

function createAverage({ kind, length }: LengthSpec): Indicator {
  switch (kind) {
    case 'sma':
      return ofCloses(length, new SMA(length));
    case 'wma':
      return ofCloses(length, new WMA(length));
    case 'ema': {
      const average = createEma(length);
      return { settledAfter: memory(EXPONENTIAL_MEMORY * (length + 1)), add: (candle) => average(closeNumber(candle)) };
    }
    case 'rsi':
      return ofCloses(memory(WILDER_MEMORY * length + 1), new RSI(length));
    case 'atr': {
      const range = new ATR(length);
      const add = ({ high, low, close }: Candle): number | null =>
        range.update({ high: Number(high), low: Number(low), close: Number(close) }, false);
      return { settledAfter: memory(WILDER_MEMORY * length), add };
    }
    case 'stdev':
      return createDeviation(length);
  }
}

function ofCloses(settledAfter: number, series: { update(close: number, replace: boolean): number | null }): Indicator {
  return { settledAfter, add: (candle) => series.update(closeNumber(candle), false) };
}

function createDeviation(length: number): Indicator {
  const closes: number[] = [];
  return {
    settledAfter: length,
    add(candle) {
      closes.push(closeNumber(candle));
      if (closes.length > length) closes.shift();
      return closes.length < length ? null : getStandardDeviation(closes);
    },
  };
}

/** The library begins with the first value; the textbook, as here, with the simple average of the first `length`. */
function createEma(length: number): (value: number) => number | null {
  const first = new SMA(length);
  const average = new EMA(length);
  let hasBegun = false;
  return (value) => {
    if (hasBegun) return average.update(value, false);
    const begin = first.update(value, false);
    if (begin === null) return null;
    hasBegun = true;
    return average.update(begin, false);
  };
}

function createMacd({ fast, slow, signal }: MacdSpec): Indicator {
  const [short, long, trigger] = [createEma(fast), createEma(slow), createEma(signal)];
  return {
    settledAfter: memory(EXPONENTIAL_MEMORY * (slow + signal + 2)),
    add(candle) {
      const close = closeNumber(candle);
      const [above, below] = [short(close), long(close)];
      if (above === null || below === null) return null;
      const line = above - below;
      const level = trigger(line);
      return level === null ? null : Object.freeze({ line, signal: level, histogram: line - level });
    },
  };
}

/** The library's own record, which it may read again, as one of ours. */
function frozen(value: BollingerValue | null): BollingerValue | null {
  return value === null ? null : Object.freeze({ lower: value.lower, middle: value.middle, upper: value.upper });
}

function memory(candles: number): number {
  return Math.min(LONGEST_WARM_UP, Math.ceil(candles));
}

/** Authors may write JavaScript, so the types are not believed. */
function isSpec(spec: IndicatorSpec): boolean {
  const fields = Object(spec) as Partial<Readonly<Record<string, unknown>>>;
  const { kind, length, of, fast, slow, signal, deviations } = fields;
  if (typeof of !== 'object' || of === null) return false;
  if (kind === 'macd') {
    return isLength(fast) && isLength(slow) && isLength(signal) && fast < slow && isLength(slow + signal - 1);
  }
  if (!isLength(length)) return false;
  if (kind === 'bollinger') return typeof deviations === 'number' && deviations > 0 && Number.isFinite(deviations);
  // Of one change alone there is no relative strength.
  if (kind === 'rsi') return length >= 2 && isLength(length + 1);
  return kind === 'sma' || kind === 'ema' || kind === 'wma' || kind === 'atr' || kind === 'stdev';
}

function isLength(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= LONGEST_WARM_UP;
}
