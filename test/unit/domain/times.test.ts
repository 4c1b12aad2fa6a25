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
  isoText,
  agoText,
  clockText,
  durationText,
  lengthText,
  minuteText,
  secondText,
} from '../../../src/domain/time-text.ts';
import {
  bothTimesText,
  readClock,
  readTehranTime,
  tehranInstant,
  tehranOffsetMs,
  tehranText,
} from '../../../src/domain/zone-time.ts';
import fc from 'fast-check';

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
    // The clock jumps from 24:00 of 1 Farvardin 1401 to 01:00 of the next day.
    ['1401/01/01', 23 * 60 + 30, '2022-03-21T20:00:00Z', '1401/01/01 23:30'],
    ['1401/01/02', 0, '2022-03-21T20:30:00Z', '1401/01/02 01:00'],
    ['1401/01/02', 30, '2022-03-21T20:30:00Z', '1401/01/02 01:00'],
    ['1401/01/02', 60, '2022-03-21T20:30:00Z', '1401/01/02 01:00'],
    // The clock goes back from 24:00 of 30 Shahrivar 1401 to 23:00: the hour before midnight comes twice.
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

const DAY_MS = 86_400_000;

const persian = new Intl.DateTimeFormat('en-US-u-ca-persian-nu-latn', {
  timeZone: 'UTC',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
});

/** Returns a day in the Persian calendar of the runtime, to compare with ours. */
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
