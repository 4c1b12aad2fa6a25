import { expect, test } from 'vitest';
import { WorldClock } from '../../../../src/simulator-server/world-clock.ts';

function clockAt(startMs: number): { readonly clock: WorldClock; readonly wall: { nowMs: number } } {
  const wall = { nowMs: startMs };
  return { clock: new WorldClock(() => wall.nowMs), wall };
}

test('follows the wall and never goes back', () => {
  const { clock, wall } = clockAt(1_000);
  const seen = [1_000, 1_500, 1_200, 1_600].map((nowMs) => {
    wall.nowMs = nowMs;
    return clock.nowMs();
  });
  expect(seen).toEqual([1_000, 1_500, 1_500, 1_600]);
});

test('stands still while it is frozen, can be moved on, and goes on from there', () => {
  const { clock, wall } = clockAt(1_000);
  clock.freeze();
  wall.nowMs = 5_000;
  expect(clock.nowMs()).toBe(1_000);
  clock.advance(250);
  expect(clock.nowMs()).toBe(1_250);
  clock.unfreeze();
  wall.nowMs = 5_100;
  expect(clock.nowMs()).toBe(1_350);
});

test('is moved on while it runs', () => {
  const { clock, wall } = clockAt(1_000);
  clock.advance(10_000);
  wall.nowMs = 1_001;
  expect(clock.nowMs()).toBe(11_001);
});

test('does not begin before a stored time, nor go back when a skew ends', () => {
  const { clock } = clockAt(1_000);
  clock.startAt(3_000);
  expect(clock.nowMs()).toBe(3_000);
  clock.skewMs = 9_000;
  expect(clock.nowMs()).toBe(12_000);
  clock.skewMs = 0;
  expect(clock.nowMs()).toBe(12_000);
});

test('goes on from a stored time that is far ahead of the wall, rather than standing still until the wall is there', () => {
  const { clock, wall } = clockAt(1_000);
  clock.skewMs = 500;
  clock.startAt(86_400_000);
  wall.nowMs = 1_250;
  expect(clock.nowMs()).toBe(86_400_250);
});
