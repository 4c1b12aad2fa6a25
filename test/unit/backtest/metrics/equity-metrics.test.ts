import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  DrawdownMeter,
  YEAR_MS,
  calmarRatio,
  compoundAnnualGrowth,
  maximumDrawdown,
  omegaRatio,
  returnsOf,
  returnsPerYear,
  sharpeRatio,
  sortinoRatio,
  totalReturn,
  volatility,
  deepestDrawdowns,
  type ValuesOverTime,
} from '../../../../src/backtest/metrics/equity-metrics.ts';
import { rollingFigures } from '../../../../src/backtest/report/sections/return-sections.ts';
import { EquityRecorder } from '../../../../src/backtest/backtest-run.ts';
import { dailyReturns } from '../../../../src/backtest/statistics.ts';

const HOUR_MS = 3_600_000;
function dailyCurveOf(points: readonly (readonly [timeMs: number, equity: number])[]) {
  return {
    length: points.length,
    // The columns of a run may be longer than the run.
    timeMs: Float64Array.from([...points.map(([timeMs]) => timeMs), 0]),
    equity: Float64Array.from([...points.map(([, equity]) => equity), 0]),
  };
}

describe('daily returns', () => {
  test('go from the end of a day to the end of the next, the first from the initial equity', () => {
    const curve = dailyCurveOf([
      [10 * DAY_MS + HOUR_MS, 105],
      [10 * DAY_MS + 2 * HOUR_MS, 110],
      [11 * DAY_MS + HOUR_MS, 121],
      [11 * DAY_MS + 2 * HOUR_MS, 99],
    ]);
    const { firstDay, returns } = dailyReturns(curve, 100);
    expect(firstDay).toBe(10);
    expect([...returns]).toEqual([110 / 100 - 1, 99 / 110 - 1]);
  });

  test('count the bar that closes at midnight to the day that ends', () => {
    const { firstDay, returns } = dailyReturns(dailyCurveOf([[11 * DAY_MS, 110]]), 100);
    expect([firstDay, returns.length]).toEqual([10, 1]);
  });

  test('are 0 on a day without bars', () => {
    const curve = dailyCurveOf([
      [DAY_MS + 1, 110],
      [3 * DAY_MS + 1, 121],
    ]);
    expect([...dailyReturns(curve, 110).returns]).toEqual([0, 0, 121 / 110 - 1]);
  });

  test('are 0 after a total loss', () => {
    const curve = dailyCurveOf([
      [DAY_MS + 1, 0],
      [2 * DAY_MS + 1, 5],
    ]);
    expect([...dailyReturns(curve, 100).returns]).toEqual([-1, 0]);
  });

  test('are none of a run without bars', () => {
    expect(dailyReturns(dailyCurveOf([]), 100).returns).toHaveLength(0);
  });
});

/** Makes a curve that starts with 100 at time 0 and has one value for each ms. */
const curveOf = (values: readonly number[]): ValuesOverTime => ({
  startMs: 0,
  startValue: 100,
  timeMs: Float64Array.from(values, (_, index) => index + 1),
  value: new Float64Array(values),
});

const shown = (values: readonly number[], most = 10) =>
  deepestDrawdowns(curveOf(values), most).map(({ depth, peakMs, troughMs, endMs, isOver }) => [
    Math.round(depth * 1e9) / 1e9,
    peakMs,
    troughMs,
    endMs,
    isOver,
  ]);

describe('the deepest drawdowns', () => {
  test.each([
    ['a rise has none', [101, 102, 150], []],
    ['one from the start', [90, 80, 100], [[0.2, 0, 2, 3, true]]],
    ['the bottom is the first of equal ones', [80, 90, 80, 100], [[0.2, 0, 1, 4, true]]],
    ['one that is not over', [200, 150], [[0.25, 1, 2, 2, false]]],
    [
      'the deeper one is first',
      [90, 100, 50, 100],
      [
        [0.5, 2, 3, 4, true],
        [0.1, 0, 1, 2, true],
      ],
    ],
    [
      'the older one is first of equal ones',
      [90, 100, 90, 100],
      [
        [0.1, 0, 1, 2, true],
        [0.1, 2, 3, 4, true],
      ],
    ],
    ['nothing is left', [0], [[1, 0, 1, 1, false]]],
  ] as const)('%s', (_, values, expected) => {
    expect(shown(values)).toEqual(expected);
  });

  test('are at most as many as asked for, and those', () => {
    expect(shown([90, 100, 50, 100, 80, 100], 2).map(([depth]) => depth)).toEqual([0.5, 0.2]);
  });

  test('begin with the maximum drawdown, and follow one another in time', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 200 }), { minLength: 1 }), (values) => {
        const curve = curveOf(values);
        const all = deepestDrawdowns(curve, Infinity);
        const { depth, lengthMs, longestMs } = maximumDrawdown(curve);
        const lengths = all.map(({ peakMs, endMs }) => endMs - peakMs);
        expect([all[0]?.depth ?? 0, lengths[0] ?? 0, Math.max(0, ...lengths)]).toEqual([
          depth,
          lengthMs,
          longestMs,
        ]);
        const ordered = all.toSorted((left, right) => left.peakMs - right.peakMs);
        for (const [index, { peakMs, troughMs, endMs }] of ordered.entries()) {
          expect(peakMs < troughMs && troughMs <= endMs).toBe(true);
          expect(peakMs).toBeGreaterThanOrEqual(ordered[index - 1]?.endMs ?? 0);
        }
      }),
    );
  });
});

const DAY_MS = 86_400_000;

/** Returns of +10 %, -10 % and +10 % on daily bars, from an equity of 100 -> 110 -> 99 -> 108.9. */
const returns = returnsOf(100, Float64Array.of(110, 99, 108.9), 365);
const YEAR_ROOT = Math.sqrt(365);

/** Computes the number of returns in a year, from seven bars without a gap. */
const inYear = (barMs: number): number => returnsPerYear({ barMs, count: 7, spanMs: 7 * barMs });

describe('returns by bar', () => {
  test('begin at the initial equity', () => {
    const { mean, gains, losses } = returns;
    expect(mean).toBeCloseTo(0.1 / 3, 12);
    expect([gains, losses].map((sum) => sum.toFixed(12))).toEqual(['0.200000000000', '0.100000000000']);
  });

  test('are 0 when there is nothing left', () => {
    expect(returnsOf(100, Float64Array.of(0, 0), 365)).toMatchObject({ mean: -0.5, gains: 0, losses: 1 });
  });

  test('are annualised for a market that is open every hour of 365 days', () => {
    expect([inYear(60_000), inYear(3_600_000), inYear(DAY_MS)]).toEqual([525_600, 8_760, 365]);
    // A run may end in the middle of a bar.
    expect(returnsPerYear({ barMs: DAY_MS, count: 7, spanMs: 7.4 * DAY_MS })).toBe(365);
  });

  test('are annualised by the bars that there are where some are missing', () => {
    expect(returnsPerYear({ barMs: DAY_MS, count: 5, spanMs: 10 * DAY_MS })).toBe(182.5);
    // Two bars of one minute, a year apart, are two returns in a year.
    expect(returnsPerYear({ barMs: 60_000, count: 2, spanMs: YEAR_MS })).toBe(2);
  });

  test('give about the volatility of the whole walk where nine of ten of its bars are taken out', () => {
    let value = 100;
    let state = 7;
    const walk = Float64Array.from({ length: 40_000 }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      value *= 1 + (state / 2 ** 32 - 0.5) * 0.002;
      return value;
    });
    const volatilityOf = (points: Float64Array): number =>
      volatility(
        returnsOf(
          100,
          points,
          returnsPerYear({ barMs: 60_000, count: points.length, spanMs: walk.length * 60_000 }),
        ),
      ) ?? Number.NaN;
    // Blocks of twenty bars, each followed by a gap nine times as long.
    const gapped = walk.filter((_, index) => index % 200 < 20);
    expect(volatilityOf(gapped) / volatilityOf(walk)).toBeGreaterThan(0.9);
    expect(volatilityOf(gapped) / volatilityOf(walk)).toBeLessThan(1.1);
  });
});

describe('ratios of returns, worked out by hand', () => {
  // mean = 0.1 / 3; squares about it = 2 (0.2 / 3)^2 + (0.4 / 3)^2 = 0.08 / 3; over n - 1 = 2: 0.04 / 3.
  const mean = 0.1 / 3;
  const deviation = Math.sqrt(0.04 / 3);

  test('volatility is the sample deviation by the root of the bars in a year', () => {
    expect(volatility(returns)).toBeCloseTo(deviation * YEAR_ROOT, 12);
    expect(volatility(returns)).toBeCloseTo(2.2060522, 6);
  });

  test('Sharpe is mean by deviation', () => {
    expect(sharpeRatio(returns)).toBeCloseTo((mean / deviation) * YEAR_ROOT, 10);
    expect(sharpeRatio(returns)).toBeCloseTo(5.5151304, 6);
  });

  test('Sortino divides by the root mean square of the losses over all bars', () => {
    // sqrt(0.1^2 / 3) = 0.0577350; 0.0333333 / 0.0577350 x 19.1049732 = 11.0302614.
    expect(sortinoRatio(returns)).toBeCloseTo(11.0302614, 6);
  });

  test('Omega is gains by losses: 0.2 / 0.1', () => {
    expect(omegaRatio(returns)).toBeCloseTo(2, 10);
  });

  test('have no value where they would divide by nothing', () => {
    const flat = returnsOf(100, Float64Array.of(100, 100, 100), 365);
    expect([sharpeRatio(flat), sortinoRatio(flat), omegaRatio(flat)]).toEqual([null, null, null]);
    expect(volatility(flat)).toBe(0);
    const one = returnsOf(100, Float64Array.of(110), 365);
    expect([volatility(one), sharpeRatio(one), sortinoRatio(one), omegaRatio(one)]).toEqual([
      null,
      null,
      null,
      null,
    ]);
    const none = returnsOf(100, new Float64Array(), 365);
    expect([volatility(none), sharpeRatio(none), sortinoRatio(none), omegaRatio(none)]).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  test('take the noise of floats for no deviation at all', () => {
    const steady = Float64Array.from({ length: 50 }, (_, index) => 100 * 1.01 ** (index + 1));
    expect(sharpeRatio(returnsOf(100, steady, 365))).toBeNull();
  });
});

describe('growth', () => {
  test('over two years of 21 % is 10 % a year', () => {
    const growth = { initialEquity: 1_000, finalEquity: 1_210, spanMs: 2 * YEAR_MS };
    expect(totalReturn(growth)).toBeCloseTo(0.21, 12);
    expect(compoundAnnualGrowth(growth)).toBeCloseTo(0.1, 12);
    expect(calmarRatio(0.1, 0.05)).toBeCloseTo(2, 12);
  });

  test('has no value without a start, a span or a drawdown', () => {
    expect(totalReturn({ initialEquity: 0, finalEquity: 1, spanMs: 1 })).toBeNull();
    expect(compoundAnnualGrowth({ initialEquity: 1, finalEquity: 2, spanMs: 0 })).toBeNull();
    expect(compoundAnnualGrowth({ initialEquity: 1, finalEquity: 2, spanMs: 1_000 })).toBeNull();
    expect(calmarRatio(0.1, 0)).toBeNull();
    expect(calmarRatio(null, 0.1)).toBeNull();
  });

  test('is -100 % a year when all is lost', () => {
    expect(compoundAnnualGrowth({ initialEquity: 10, finalEquity: 0, spanMs: 1_000 })).toBe(-1);
  });
});

const curve = (...value: number[]) => ({
  startMs: 0,
  startValue: 100,
  timeMs: Float64Array.from(value, (_, index) => index + 1),
  value: Float64Array.from(value),
});

describe('a drawdown', () => {
  test.each([
    // The deepest fall is from the peak of 120 at 2 to 90 at 4: 30 / 120. It is regained at 6.
    { value: [110, 120, 100, 90, 110, 120, 130], depth: 0.25, lengthMs: 4, longestMs: 4 },
    // The deepest fall is the one from 100 to 50 at once; the longest, from 100 again, takes 4 ms.
    { value: [50, 100, 99, 95, 99, 100], depth: 0.5, lengthMs: 2, longestMs: 4 },
    // The fall lasts from the start at 0 to the end at 3.
    { value: [99, 80, 90], depth: 0.2, lengthMs: 3, longestMs: 3 },
    { value: [100, 101, 101, 102], depth: 0, lengthMs: 0, longestMs: 0 },
    { value: [0], depth: 1, lengthMs: 1, longestMs: 1 },
    { value: [], depth: 0, lengthMs: 0, longestMs: 0 },
  ])('of $value is $depth deep and $lengthMs long', ({ value, depth, lengthMs, longestMs }) => {
    expect(maximumDrawdown(curve(...value))).toEqual({ depth, lengthMs, longestMs });
  });

  test('is a fraction, and the deepest of all moments', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1e9, noNaN: true })), (value) => {
        const drawdown = new DrawdownMeter(100);
        const depths = value.map((one) => drawdown.next(one));
        const { depth, lengthMs, longestMs } = maximumDrawdown(curve(...value));
        expect(depths.every((one) => one >= 0 && one <= 1)).toBe(true);
        expect(depth).toBe(Math.max(0, ...depths));
        expect(lengthMs).toBeLessThanOrEqual(longestMs);
        expect(longestMs).toBeLessThanOrEqual(value.length);
      }),
    );
  });
});

const daily = (returns: readonly number[]) => ({ firstDay: 100, returns: new Float64Array(returns) });

test('figures of the last days are those of these days alone', () => {
  const { firstDay, sharpe, volatility } = rollingFigures(daily([0.5, 0.01, 0.03, -0.01]), 3);
  expect(firstDay).toBe(102);
  expect(sharpe).toHaveLength(2);
  // Returns of 0.01, 0.03 and -0.01 have mean 0.01 and deviation 0.02.
  expect(volatility[1]).toBeCloseTo(0.02 * Math.sqrt(365), 12);
  expect(sharpe[1]).toBeCloseTo(0.5 * Math.sqrt(365), 12);
});

test('days that all returned the same have no Sharpe ratio', () => {
  expect(rollingFigures(daily([0, 0, 0]), 3)).toMatchObject({ sharpe: [null], volatility: [0] });
});

test('fewer days than a window have no figures', () => {
  expect(rollingFigures(daily([0.1, 0.2]), 3)).toMatchObject({ sharpe: [], volatility: [] });
});

test('keeps every moment, also where there are more than were expected', () => {
  let now = 0;
  const recorder = new EquityRecorder(2, { number: () => 100 + now, isExposed: () => now % 3 === 0 });
  for (now = 0; now < 20; now += 1) recorder.add(now * 60_000);
  const { length, timeMs, equity, isExposed } = recorder.curve;
  expect(length).toBe(20);
  expect([...timeMs.subarray(0, length)]).toEqual(Array.from({ length }, (_, place) => place * 60_000));
  expect([...equity.subarray(0, length)]).toEqual(Array.from({ length }, (_, place) => 100 + place));
  expect([...isExposed.subarray(0, length)]).toEqual(
    Array.from({ length }, (_, place) => Number(place % 3 === 0)),
  );
});
