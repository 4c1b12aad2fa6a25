import { describe, expect, test } from 'vitest';
import { createRandom } from '../../../../src/domain/random.ts';
import { InvalidSample } from '../../../../src/statistics/estimate.ts';
import { tradeOrderRisk, randomEntries } from '../../../../src/statistics/trade-order-risk.ts';
import { drawnReturns } from './drawn-returns.ts';
import { knownValue } from './known-value.ts';
import fc from 'fast-check';

const CHANGES = drawnReturns({ seed: 1, count: 80, mean: 0.002 });
const of = (changes: Float64Array, options: { runs?: number; draw?: 'reorder' | 'resample' } = {}) =>
  knownValue(tradeOrderRisk(changes, { random: createRandom(1), runs: 400, ...options }));

describe('the order of trades', () => {
  test('changes the drawdown, and not the end', () => {
    const { drawdown, finalEquity, observedFinalEquity } = of(CHANGES);
    const product = CHANGES.reduce((equity, change) => equity * (1 + change), 1);
    expect(observedFinalEquity).toBeCloseTo(product, 12);
    for (const end of Object.values(finalEquity)) expect(end).toBeCloseTo(product, 12);
    expect(drawdown.p05).toBeLessThan(drawdown.p50);
    expect(drawdown.p50).toBeLessThan(drawdown.p95);
  });

  test('was lucky where losses and gains took turns', () => {
    const turns = Float64Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? 0.02 : -0.018));
    const found = of(turns);
    expect(found.observedDrawdown).toBeCloseTo(0.018, 12);
    expect(found.asDeep).toBe(1);
    expect(found.drawdown.p50).toBeGreaterThan(0.05);
  });

  test('was unlucky where all losses came first', () => {
    expect(of(CHANGES.toSorted())).toMatchObject({ asDeep: 0 });
  });

  test('ends with nothing after a loss of all, in any order', () => {
    const changes = Float64Array.from([...CHANGES, -1]);
    const { finalEquity, lossShare, drawdown } = of(changes);
    expect(finalEquity.p95).toBe(0);
    expect({ lossShare, p05: drawdown.p05 }).toEqual({ lossShare: 1, p05: 1 });
  });

  test('is drawn evenly: a gain falls between two losses once in three times', () => {
    const changes = Float64Array.from([-0.1, 0, 0, 0, 0, -0.1, 0, 0, 0, 0.5]);
    const runs = 6_000;
    let together = 0;
    for (let seed = 0; seed < runs; seed += 1) {
      const { asDeep } = knownValue(tradeOrderRisk(changes, { random: createRandom(seed * 7_919), runs: 1 }));
      together += asDeep;
    }
    expect(Math.abs(together / runs - 2 / 3)).toBeLessThan(0.02);
  });

  test('leaves the trades that it was given as they are', () => {
    const changes = CHANGES.slice();
    of(changes);
    of(changes, { draw: 'resample' });
    expect(changes).toEqual(CHANGES);
  });
});

test('trades drawn anew change the end, too, about the same middle', () => {
  const { finalEquity, observedFinalEquity, lossShare } = of(CHANGES, { draw: 'resample' });
  expect(finalEquity.p05).toBeLessThan(observedFinalEquity);
  expect(finalEquity.p95).toBeGreaterThan(observedFinalEquity);
  expect(Math.abs(finalEquity.p50 / observedFinalEquity - 1)).toBeLessThan(0.03);
  expect(lossShare).toBeGreaterThan(0);
  expect(lossShare).toBeLessThan(0.5);
});

test('the quantiles are the same for the same seed', () => {
  expect(of(CHANGES)).toEqual(of(CHANGES));
});

test('few trades are unknown, and bad ones refused', () => {
  const random = createRandom(1);
  expect(tradeOrderRisk(CHANGES.slice(0, 9), { random })).toMatchObject({ reason: 'too-few-observations' });
  expect(() => tradeOrderRisk(new Float64Array(20).fill(Number.NaN), { random })).toThrow(InvalidSample);
  expect(() => tradeOrderRisk(new Float64Array(200).fill(20), { random })).toThrow('1e+100');
  for (const runs of [0, 2.5, Number.NaN])
    expect(() => tradeOrderRisk(CHANGES, { random, runs })).toThrow(InvalidSample);
});

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
