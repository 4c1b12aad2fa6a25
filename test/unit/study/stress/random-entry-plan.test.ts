import { describe, expect, test } from 'vitest';
import { createRandom } from '../../../../src/domain/random.ts';
import type { PastPosition } from '../../../../src/study/stress/stress-task.ts';
import { randomEntryPlan } from '../../../../src/study/stress/stress-runs.ts';
import { FROM_MS, TETHER, walkOf } from '../../backtest/candle-run.ts';
import { knownValue } from '../statistics/known-value.ts';

const HOUR_MS = 3_600_000;
const BARS = 120;
const bars = [walkOf(TETHER, { bars: BARS, seed: 1, price: 500 })];
const positions: readonly PastPosition[] = Array.from({ length: 16 }, (_, index) => ({
  heldBars: 1 + (index % 5),
  share: 0.1 + index / 100,
}));

const planOf = (seed: number, of: readonly PastPosition[] = positions, fromMs: number | null = null) =>
  randomEntryPlan([{ market: 'BTCUSDT', positions: of }], { bars, fromMs, random: createRandom(seed) });

/** Returns the planned entries as bars: bought at the open of one, sold at the open of another. */
const placesOf = (seed: number, fromMs: number | null = null) =>
  (knownValue(planOf(seed, positions, fromMs))[0]?.entries ?? []).map(({ buyAtMs, sellAtMs, share }) => ({
    from: (buyAtMs - FROM_MS) / HOUR_MS,
    to: sellAtMs === null ? BARS : (sellAtMs - FROM_MS) / HOUR_MS,
    share,
  }));

const sorted = (of: readonly PastPosition[]): readonly PastPosition[] =>
  of.toSorted((left, right) => left.heldBars - right.heldBars || left.share - right.share);

describe('a plan of random entries', () => {
  test('has the same positions in other places, with a bar between two of them', () => {
    const starts = new Map<number, number>();
    for (let seed = 0; seed < 200; seed += 1) {
      const places = placesOf(seed);
      const held = places.map(({ from, to, share }) => ({ heldBars: to - from, share }));
      expect(sorted(held)).toEqual(sorted(positions));
      let free = 1;
      for (const { from, to } of places) {
        expect(from).toBeGreaterThanOrEqual(free);
        expect(to).toBeLessThanOrEqual(BARS);
        free = to + 1;
      }
      const first = places[0]?.from ?? 0;
      starts.set(first, (starts.get(first) ?? 0) + 1);
    }
    // An entry can be in the first bar after a decision, and mostly comes later.
    expect(starts.get(1)).toBeGreaterThan(10);
    expect(starts.size).toBeGreaterThan(8);
  });

  test('is in its range, and the same for the same seed', () => {
    const fromMs = FROM_MS + 40 * HOUR_MS;
    expect(Math.min(...placesOf(2, fromMs).map(({ from }) => from))).toBeGreaterThan(40);
    expect(placesOf(3)).toEqual(placesOf(3));
    expect(placesOf(3)).not.toEqual(placesOf(4));
  });

  test('is unknown for few positions, and where they do not fit', () => {
    expect(planOf(1, positions.slice(0, 9))).toMatchObject({
      message: 'expected at least 10 positions, was 9',
    });
    const many = positions.map((position) => ({ ...position, heldBars: 7 }));
    expect(planOf(1, many)).toMatchObject({
      message:
        'expected room for 16 positions of 112 bars with one between them in 120 bars of BTCUSDT, found none',
    });
  });
});
