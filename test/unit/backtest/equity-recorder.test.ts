import { expect, test } from 'vitest';
import { EquityRecorder } from '../../../src/backtest/run-records.ts';

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
