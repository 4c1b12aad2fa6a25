import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRandom } from '../../../../src/domain/random.ts';
import { InvalidSample } from '../../../../src/statistics/estimate.ts';
import { randomEntries } from '../../../../src/statistics/trade-order-risk.ts';
import { knownValue } from './known-value.ts';

const ascending = (one: number, other: number): number => one - other;

describe('random entries', () => {
  test('hold as often and as long as the trades did, within the range and never twice at once', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 30 }),
        fc.nat(200),
        fc.nat(),
        (heldBars, idle, seed) => {
          const bars = heldBars.reduce((sum, held) => sum + held, idle);
          const plan = knownValue(randomEntries({ bars, heldBars, random: createRandom(seed) }));
          const lengths = plan.map(({ entryBar, exitBar }) => exitBar - entryBar);
          expect(lengths.toSorted(ascending)).toEqual(heldBars.toSorted(ascending));
          let before = 0;
          for (const { entryBar, exitBar } of plan) {
            expect(entryBar).toBeGreaterThanOrEqual(before);
            before = exitBar;
          }
          expect(before).toBeLessThanOrEqual(bars);
        },
      ),
      { numRuns: 100, seed: 1 },
    );
  });

  test('are each as likely: two trades of one bar in four bars have six plans', () => {
    const random = createRandom(3);
    const counts = new Map<string, number>();
    for (let run = 0; run < 3_000; run += 1) {
      const plan = knownValue(randomEntries({ bars: 4, heldBars: [1, 1], random }));
      const key = plan.map(({ entryBar }) => entryBar).join();
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    expect([...counts.keys()].toSorted()).toEqual(['0,1', '0,2', '0,3', '1,2', '1,3', '2,3']);
    for (const count of counts.values()) expect(Math.abs(count - 500)).toBeLessThan(80);
  });

  test('come in any order of holding times', () => {
    const random = createRandom(5);
    const firsts = Array.from({ length: 2_000 }, () => {
      const [first] = knownValue(randomEntries({ bars: 6, heldBars: [3, 1], random }));
      return first!.exitBar - first!.entryBar;
    });
    expect(Math.abs(firsts.filter((held) => held === 3).length - 1_000)).toBeLessThan(120);
  });

  test('are unknown without trades, and where they do not fit', () => {
    const random = createRandom(1);
    expect(randomEntries({ bars: 10, heldBars: [], random })).toMatchObject({ reason: 'no-trades' });
    expect(randomEntries({ bars: 10, heldBars: [6, 5], random })).toMatchObject({ reason: 'no-room' });
  });

  test.each([
    { bars: 0, heldBars: [1] },
    { bars: 2.5, heldBars: [1] },
    { bars: 10, heldBars: [0] },
    { bars: 10, heldBars: [Number.NaN] },
  ])('are refused with counts that are none: $bars, $heldBars', (of) => {
    expect(() => randomEntries({ ...of, random: createRandom(1) })).toThrow(InvalidSample);
  });
});
