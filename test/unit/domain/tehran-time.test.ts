import { describe, expect, test } from 'vitest';
import { readDay } from '../../../src/domain/calendar-day.ts';
import {
  bothTimesText,
  readClock,
  readTehranTime,
  tehranInstant,
  tehranOffsetMs,
  tehranText,
} from '../../../src/domain/zone-time.ts';
import { isoText } from '../../../src/domain/time-text.ts';

const instant = (date: string, minute: number): number => {
  const read = readDay(date);
  if (!read.ok) throw new Error(read.problem);
  return tehranInstant(read.day, minute);
};

const hours = (iso: string): number => tehranOffsetMs(Date.parse(iso)) / 3_600_000;

describe("Tehran's clock", () => {
  test('is three and a half hours ahead, and four and a half in the summers until 1401', () => {
    expect(hours('2026-07-01T12:00:00Z')).toBe(3.5);
    expect(hours('2022-07-01T12:00:00Z')).toBe(4.5);
    expect(hours('2022-12-01T12:00:00Z')).toBe(3.5);
    expect(hours('2007-07-01T12:00:00Z')).toBe(3.5);
  });

  test.each([
    // The clock goes from 24:00 of 1 Farvardin 1401 to 01:00 of the next day.
    ['1401/01/01', 23 * 60 + 30, '2022-03-21T20:00:00Z', '1401/01/01 23:30'],
    ['1401/01/02', 0, '2022-03-21T20:30:00Z', '1401/01/02 01:00'],
    ['1401/01/02', 30, '2022-03-21T20:30:00Z', '1401/01/02 01:00'],
    ['1401/01/02', 60, '2022-03-21T20:30:00Z', '1401/01/02 01:00'],
    // It goes back from 24:00 of 30 Shahrivar 1401 to 23:00: the hour before midnight is there twice.
    ['1401/06/30', 23 * 60 + 30, '2022-09-21T19:00:00Z', '1401/06/30 23:30'],
    ['1401/06/31', 0, '2022-09-21T20:30:00Z', '1401/06/31 00:00'],
  ])('%s at minute %i is %s', (date, minute, utc, shown) => {
    const atMs = instant(date, minute);
    expect([isoText(atMs), tehranText(atMs)]).toEqual([utc, shown]);
  });
});

test.each([
  ['1405/01/13 14:30', '2026-04-02T11:00:00Z'],
  ['2026-04-02T14:30', '2026-04-02T11:00:00Z'],
  ['2026-04-02T11:00:00Z', '2026-04-02T11:00:00Z'],
  ['۱۴۰۵/۰۱/۱۳ ۱۴:۳۰', '2026-04-02T11:00:00Z'],
  ['1405/01/13', '2026-04-01T20:30:00Z'],
])('%s is read as %s', (text, utc) => {
  const read = readTehranTime(text);
  expect(read.ok ? isoText(read.atMs) : read.problem).toBe(utc);
});

test.each(['1404/12/30 10:00', '1405/01/13 25:00', '1405/01/13 10:00 20:00', '2026-04-02T25:00:00Z', ''])(
  '"%s" is no time',
  (text) => {
    expect(readTehranTime(text).ok).toBe(false);
  },
);

test('a time is said in UTC and in Tehran', () => {
  expect(bothTimesText(Date.UTC(2026, 3, 2, 11))).toBe('2026-04-02T11:00:00Z (1405/01/13 14:30 in Tehran)');
  expect([readClock('24:00'), readClock('9:05'), readClock('24:01'), readClock('9.5')]).toEqual([
    1_440,
    545,
    null,
    null,
  ]);
});
