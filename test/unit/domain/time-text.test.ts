import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  agoText,
  clockText,
  durationText,
  isoText,
  lengthText,
  minuteText,
  secondText,
} from '../../../src/domain/time-text.ts';

const NOON_MS = Date.UTC(2024, 1, 29, 12);

describe('a time', () => {
  test('is said as ISO 8601 by the calendar, from the year 1 to 9999', () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }), (timeMs) => {
        expect(isoText(timeMs)).toBe(new Date(timeMs).toISOString().replace('.000Z', 'Z'));
      }),
    );
  });

  test('is said by day and second, by day and minute, or by the day alone', () => {
    expect(secondText(NOON_MS + 1_500)).toBe('2024-02-29 12:00:01');
    expect(minuteText(NOON_MS + 59_999)).toBe('2024-02-29 12:00');
    expect(minuteText(Date.UTC(2024, 1, 29))).toBe('2024-02-29');
  });

  test('of today is said without its day', () => {
    expect(clockText(NOON_MS, NOON_MS + 3_600_000)).toBe('12:00:00');
    expect(clockText(NOON_MS, NOON_MS + 86_400_000)).toBe('2024-02-29 12:00');
  });

  test('that is none is said as it is', () => {
    expect(isoText(Number.NaN)).toBe('NaN');
  });

  test('is so long ago, and never where there is none', () => {
    expect(agoText(NOON_MS, NOON_MS + 42_000)).toBe('42 s ago');
    expect(agoText(NOON_MS + 500, NOON_MS)).toBe('0 s ago');
    expect(agoText(NOON_MS + 5_000, NOON_MS)).toBe('12:00:05');
    expect(agoText(null, NOON_MS)).toBe('never');
  });
});

describe('a length of time', () => {
  test.each([
    [0, '0 s'],
    [4_120, '4.2 s'],
    [11_001, '12 s'],
    [300_000, '5 min'],
    [5_400_000, '90 min'],
    [7_260_000, '2.1 h'],
    [172_800_000, '2 days'],
    [Number.POSITIVE_INFINITY, 'never'],
  ])('of %i ms is rounded up to %s', (lengthMs, text) => {
    expect(lengthText(lengthMs)).toBe(text);
  });

  test.each([
    [0, '0 s'],
    [400, '< 1 s'],
    [61_000, '1 min 1 s'],
    [7_200_000, '2 h'],
    [90_061_000, '1 d 1 h'],
    [-7_200_000, '-2 h'],
  ])('of %i ms is said by its two largest units as %s', (lengthMs, text) => {
    expect(durationText(lengthMs)).toBe(text);
  });
});
