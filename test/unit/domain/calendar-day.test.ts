import { describe, expect, test } from 'vitest';
import {
  dayOfGregorian,
  dayOfJalali,
  gregorianOf,
  jalaliOf,
  jalaliText,
  readDay,
  weekdayOf,
  WEEKDAYS,
} from '../../../src/domain/calendar-day.ts';

const DAY_MS = 86_400_000;

const persian = new Intl.DateTimeFormat('en-US-u-ca-persian-nu-latn', {
  timeZone: 'UTC',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
});

/** What the runtime's own calendar says of a day. */
function byIntl(day: number): { readonly year: number; readonly month: number; readonly day: number } {
  const parts = new Map(persian.formatToParts(day * DAY_MS).map(({ type, value }) => [type, value]));
  const of = (type: Intl.DateTimeFormatPartTypes): number => Number.parseInt(parts.get(type) ?? '', 10);
  return { year: of('year'), month: of('month'), day: of('day') };
}

describe('a Jalali date', () => {
  test('is that of the runtime on every first and last day of a month from 1300 to 1500', () => {
    for (let year = 1300; year <= 1500; year += 1) {
      for (let month = 1; month <= 12; month += 1) {
        const first = dayOfJalali({ year, month, day: 1 });
        expect(jalaliOf(first)).toEqual({ year, month, day: 1 });
        expect(byIntl(first)).toEqual({ year, month, day: 1 });
        expect(byIntl(first - 1)).toEqual(jalaliOf(first - 1));
      }
    }
  });

  test('goes there and back on each day of forty years', () => {
    for (let day = dayOfJalali({ year: 1380, month: 1, day: 1 }); day < 25_000; day += 1)
      expect(dayOfJalali(jalaliOf(day))).toBe(day);
  });

  test.each([
    ['1403/01/01', '2024-03-20'],
    ['1403/12/30', '2025-03-20'],
    ['1404/01/01', '2025-03-21'],
    ['1405/01/13', '2026-04-02'],
    ['۱۴۰۵/۰۱/۱۳', '2026-04-02'],
    ['١٤٠٥-١-١٣', '2026-04-02'],
  ])('%s is %s', (jalali, gregorian) => {
    const days = [readDay(jalali), readDay(gregorian)].map((read) => (read.ok ? read.day : read.problem));
    expect(days[0]).toBe(days[1]);
  });
});

test('a Gregorian date is that of Date', () => {
  for (let day = -20_000; day < 60_000; day += 13) {
    const date = new Date(day * DAY_MS);
    const expected = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
    expect(gregorianOf(day)).toEqual(expected);
    expect(dayOfGregorian(expected)).toBe(day);
  }
});

test.each([
  ['1404/12/30', 'expected a date that exists in the Jalali calendar, was "1404/12/30"'],
  ['1405/07/31', 'expected a date that exists in the Jalali calendar, was "1405/07/31"'],
  ['2026-02-29', 'expected a date that exists in the Gregorian calendar, was "2026-02-29"'],
  ['1405/01-13', 'expected a date such as 2026-04-02 or 1405/01/13, was "1405/01-13"'],
  ['tomorrow', 'expected a date such as 2026-04-02 or 1405/01/13, was "tomorrow"'],
  ['1600/01/01', 'expected a year from 1300 to 1500 (Jalali) or 1922 to 2120, was 1600 in "1600/01/01"'],
])('%s is refused', (text, problem) => {
  expect(readDay(text)).toEqual({ ok: false, problem });
});

test('days of the week begin with Saturday', () => {
  const names = ['2026-04-04', '2026-04-05', '2026-04-03'].map((text) => {
    const read = readDay(text);
    return read.ok ? WEEKDAYS[weekdayOf(read.day)] : null;
  });
  expect(names).toEqual(['sat', 'sun', 'fri']);
  expect(jalaliText(0)).toBe('1348/10/11');
});
