import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shareBudget, type PaceDemand } from '../../../src/scheduler/plan-polls.ts';

const demand = fc
  .tuple(
    fc.integer({ min: 1, max: 60_000 }),
    fc.integer({ min: 0, max: 600_000 }),
    fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 250 })),
  )
  .map(([wantedMs, more, weight]): PaceDemand => ({ wantedMs, longestMs: wantedMs + more, weight }));
const demands = fc.array(demand, { minLength: 1, maxLength: 40 });
/** Rate in requests per minute. */
const rate = fc.double({ min: 0.01, max: 2_000, noNaN: true });

const rateOf = (intervalsMs: readonly number[], wanted: readonly PaceDemand[]): number =>
  intervalsMs.reduce((sum, ms, index) => sum + (wanted[index]?.weight ?? 1) / ms, 0);

describe('sharing a budget', () => {
  test.each([
    ['gives each what it wants where that fits', ['1500 30000', '10000 30000'], 57, [1_500, 10_000], 1],
    ['stretches all alike', ['1000 30000', '2000 30000'], 45, [2_000, 4_000], 2],
    [
      'takes from who has slack where one is at its longest',
      ['1000 1500', '1000 30000'],
      50,
      [1_500, 6_000],
      6,
    ],
    [
      'leaves all at their longest where only these fit',
      ['1000 4000', '1000 12000'],
      20,
      [4_000, 12_000],
      12,
    ],
    [
      'stretches the longest alike where not even these fit',
      ['1000 4000', '1000 12000'],
      10,
      [8_000, 24_000],
      24,
    ],
    ['gives nothing of nothing', ['1000 4000'], 0, [Infinity], Infinity],
    ['has nothing to give to nobody', [], 10, [], 1],
  ])('%s', (_, wanted, perMinute, intervalsMs, stretch) => {
    const asked = wanted.map((text): PaceDemand => {
      const [wantedMs = 0, longestMs = 0] = text.split(' ').map(Number);
      return { wantedMs, longestMs, weight: 1 };
    });
    const shares = shareBudget(asked, perMinute / 60_000);
    expect(shares.intervalsMs).toEqual(intervalsMs);
    expect(shares.slowdown).toBeCloseTo(stretch, 9);
  });

  test('never gives more than there is', () => {
    fc.assert(
      fc.property(demands, rate, (wanted, perMinute) => {
        const { intervalsMs } = shareBudget(wanted, perMinute / 60_000);
        expect(rateOf(intervalsMs, wanted)).toBeLessThanOrEqual((perMinute / 60_000) * (1 + 1e-9));
      }),
    );
  });

  test('gives nobody less than its longest interval where these fit, and nobody more than it wants', () => {
    fc.assert(
      fc.property(demands, rate, (wanted, perMinute) => {
        const { intervalsMs, leastRate } = shareBudget(wanted, perMinute / 60_000);
        for (const [index, { wantedMs, longestMs }] of wanted.entries()) {
          expect(intervalsMs[index]).toBeGreaterThanOrEqual(wantedMs);
          if (leastRate <= perMinute / 60_000) expect(intervalsMs[index]).toBeLessThanOrEqual(longestMs);
        }
      }),
    );
  });

  test('stretches nobody more when there is more', () => {
    fc.assert(
      fc.property(demands, rate, rate, (wanted, one, other) => {
        const [less, more] = [Math.min(one, other), Math.max(one, other)].map((perMinute) =>
          shareBudget(wanted, perMinute / 60_000),
        );
        expect(more!.slowdown).toBeLessThanOrEqual(less!.slowdown * (1 + 1e-9));
      }),
    );
  });

  test('has no smaller stretch that would do', () => {
    fc.assert(
      fc.property(demands, rate, (wanted, perMinute) => {
        const perMs = perMinute / 60_000;
        const { slowdown: stretch, leastRate } = shareBudget(wanted, perMs);
        fc.pre(leastRate <= perMs && stretch > 1.001);
        const smaller = wanted.map(({ wantedMs, longestMs }) =>
          Math.min((wantedMs * stretch) / 1.001, longestMs),
        );
        expect(rateOf(smaller, wanted)).toBeGreaterThan(perMs * (1 - 1e-9));
      }),
    );
  });
});
