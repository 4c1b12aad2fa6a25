import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  deepestDrawdowns,
  type ValuesOverTime,
  maximumDrawdown,
} from '../../../../src/backtest/metrics/equity-metrics.ts';

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
