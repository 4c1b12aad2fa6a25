import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Bar } from '../../../src/strategy/data/bar.ts';
import { volumeProfile } from '../../../src/strategy/sdk/volume-profile.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const barAt = (hour: number, volume: number): Bar => ({
  market: 'BTCUSDT',
  timeframe: '1h',
  openTimeMs: hour * HOUR_MS,
  closeTimeMs: (hour + 1) * HOUR_MS,
  open: 1,
  high: 1,
  low: 1,
  close: 1,
  volume,
  seenAtMs: 0,
  missedBefore: 0,
  exact: { open: '1', high: '1', low: '1', close: '1', volume: String(volume) } as Bar['exact'],
});

const hours = (volumes: readonly number[]): readonly Bar[] =>
  volumes.map((volume, hour) => barAt(hour, volume));

describe('a profile of volumes', () => {
  test('is the average of the same time of day on the days before', () => {
    const days = hours([
      ...Array.from({ length: 24 }, (_, hour) => hour),
      ...Array.from({ length: 24 }, (_, hour) => 3 * hour),
    ]);
    const time = { fromMs: 2 * DAY_MS + 8 * HOUR_MS, overMs: 2 * HOUR_MS, slices: 2 };
    expect(volumeProfile(days, time)).toEqual([0.47058824, 0.52941176]);
  });

  test('takes the part of a bar that lies in a slice', () => {
    const time = { fromMs: DAY_MS + 0.5 * HOUR_MS, overMs: HOUR_MS, slices: 1 };
    expect(volumeProfile(hours([4, 2]), { ...time, slices: 2 })).toEqual([0.66666667, 0.33333333]);
  });

  test('goes over midnight', () => {
    const volumes = Array.from({ length: 48 }, (_, hour) => (hour === 23 || hour === 47 ? 3 : 1));
    const time = { fromMs: 2 * DAY_MS - HOUR_MS, overMs: 2 * HOUR_MS, slices: 2 };
    expect(volumeProfile(hours(volumes), time)).toEqual([0.75, 0.25]);
  });

  test.each([
    ['a slice has no bar', hours([1, 1]), { fromMs: DAY_MS, overMs: 3 * HOUR_MS, slices: 3 }],
    ['nothing was traded', hours([0, 0]), { fromMs: DAY_MS, overMs: 2 * HOUR_MS, slices: 2 }],
    ['there are no bars', [], { fromMs: DAY_MS, overMs: HOUR_MS, slices: 1 }],
  ])('is null where %s', (_, bars, time) => {
    expect(volumeProfile(bars, time)).toBeNull();
  });

  test('is the same whatever bars come after its begin', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(100), { minLength: 24, maxLength: 24 }), fc.nat(1_000), (day, later) => {
        const time = { fromMs: DAY_MS + 30 * 60_000, overMs: 4 * HOUR_MS, slices: 3 };
        const past = hours(day);
        expect(volumeProfile([...past, barAt(24, later), barAt(25, later)], time)).toEqual(
          volumeProfile(past, time),
        );
      }),
      { numRuns: 30 },
    );
  });

  test.each([
    ['slices: expected 1 to 1000, was 0', { slices: 0 }],
    ['overMs: expected 2 to 86400000, was 86400001', { overMs: DAY_MS + 1 }],
  ])('is refused with %s', (message, fields) => {
    const time = { fromMs: DAY_MS, overMs: HOUR_MS, slices: 2, ...fields };
    expect(() => volumeProfile([], time)).toThrow(message);
  });
});
