import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { SlidingLog } from '../../../../src/simulator/gate/subject-logs.ts';

test('admits the limit within a window and the next one exactly a window after the first', () => {
  const log = new SlidingLog(2, 1000);
  expect([
    log.tryAdd(0),
    log.tryAdd(400),
    log.tryAdd(999),
    log.tryAdd(1000),
    log.tryAdd(1399),
    log.tryAdd(1400),
  ]).toEqual([true, true, false, true, false, true]);
});

test('says how long until a request is admitted', () => {
  const log = new SlidingLog(1, 1000);
  expect(log.waitMs(0)).toBe(0);
  log.tryAdd(100);
  expect(log.waitMs(300)).toBe(800);
  expect(log.waitMs(1100)).toBe(0);
});

test('admits nothing at a limit of zero', () => {
  const log = new SlidingLog(0, 1000);
  expect(log.tryAdd(5)).toBe(false);
  expect(log.waitMs(5)).toBe(1000);
});

test('admits exactly what a list of all admitted times would admit', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 300 });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 500 }),
      gaps,
      (limit, windowMs, steps) => {
        const log = new SlidingLog(limit, windowMs);
        const admitted: number[] = [];
        let timeMs = 0;
        for (const step of steps) {
          timeMs += step;
          const expected = admitted.filter((at) => timeMs - at < windowMs).length < limit;
          expect(log.tryAdd(timeMs)).toBe(expected);
          if (expected) admitted.push(timeMs);
        }
      },
    ),
  );
});
