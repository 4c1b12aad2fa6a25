import { expect, test } from 'vitest';
import { SharedSnapshot } from '../../../src/dashboard/server/handlers.ts';

test('all who ask within a moment share one look, and an error is not shared', () => {
  let nowMs = 0;
  let looks = 0;
  const shared = new SharedSnapshot(
    () => {
      looks += 1;
      if (looks === 2) throw new Error('locked');
      return looks;
    },
    { forMs: 250, nowMs: () => nowMs },
  );
  expect([shared.get(), shared.get()]).toEqual([1, 1]);
  nowMs = 249;
  expect(shared.get()).toBe(1);
  nowMs = 250;
  expect(() => shared.get()).toThrow('locked');
  expect(shared.get()).toBe(3);
});
