import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatDuration, parseDuration } from '../../../../src/daemon/duration-text.ts';

test('a length of time that is written is read back the same', () => {
  fc.assert(
    fc.property(
      fc.nat({ max: 999_999 }),
      fc.constantFrom(1, 1_000, 60_000, 3_600_000, 86_400_000),
      (count, unitMs) => {
        expect(parseDuration(formatDuration(count * unitMs))).toBe(count * unitMs);
      },
    ),
  );
});

test.each([
  ['250ms', 250],
  ['30s', 30_000],
  ['5m', 300_000],
  ['2h', 7_200_000],
  ['1d', 86_400_000],
  ['0s', 0],
  ['30', null],
  ['30 s', null],
  ['-1s', null],
  ['1.5h', null],
  ['1h30m', null],
  ['1e3s', null],
  ['', null],
] as const)('"%s" is %s ms', (text, expected) => {
  expect(parseDuration(text)).toBe(expected);
});
