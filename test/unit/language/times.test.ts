import { describe, expect, test } from 'vitest';
import { calendarTicks, tickKind, tickLabel } from '../../../src/language/calendar-ticks.ts';
import { formatLength } from '../../../src/language/format-number.ts';
import { formatTime, monthName } from '../../../src/language/format-time.ts';
import { withoutDirectionMarks } from '../../../src/language/isolate.ts';
import { localeOf, type Locale } from '../../../src/language/locale.ts';

const english = localeOf('en');
const persian = localeOf('fa');
const MIDNIGHT_MS = Date.parse('2026-03-20T20:30:00Z'); // 1 Farvardin 1405 begins in Tehran
const DAY_MS = 86_400_000;

describe('a time', () => {
  test('is of Tehran, Gregorian in English and Jalali in Persian', () => {
    expect(formatTime(MIDNIGHT_MS, english)).toBe('2026-03-21 00:00');
    expect(withoutDirectionMarks(formatTime(MIDNIGHT_MS - 1_000, persian, 'second'))).toBe(
      '۱۴۰۴/۱۲/۲۹ ۲۳:۵۹:۵۹',
    );
    expect(formatTime(MIDNIGHT_MS, { ...english, calendar: 'jalali' }, 'day')).toBe('1405/01/01');
  });

  test('follows the summer time of older years', () => {
    expect(formatTime(Date.parse('2021-07-01T00:00:00Z'), english, 'clock')).toBe('04:30');
    expect(formatTime(Date.parse('2026-07-01T00:00:00Z'), english, 'clock')).toBe('03:30');
  });

  test('that is none is a dash', () => {
    expect(formatTime(null, english)).toBe('–');
  });

  test('has months with the names of its calendar', () => {
    expect(monthName(1, persian)).toBe('فروردین');
    expect(monthName(12, persian)).toBe('اسفند');
    expect(monthName(12, english)).toBe('Dec');
    expect(new Set(Array.from({ length: 12 }, (_, month) => monthName(month + 1, persian))).size).toBe(12);
  });
});

test.each([
  [0, '0s', '۰ ثانیه'],
  [59_400, '59s', '۵۹ ثانیه'],
  [90_000, '1m 30s', '۱ دقیقه و ۳۰ ثانیه'],
  [2 * DAY_MS + 5_000, '2d', '۲ روز'],
  [3 * DAY_MS + 4 * 3_600_000, '3d 4h', '۳ روز و ۴ ساعت'],
])('%d ms are %s', (ms, en, fa) => {
  expect(formatLength('en', ms)).toBe(en);
  expect(formatLength('fa', ms)).toBe(fa);
});

const labels = (days: number, most: number, locale: Locale): string[] =>
  calendarTicks({ fromMs: MIDNIGHT_MS, toMs: MIDNIGHT_MS + days * DAY_MS, most }, locale.calendar).map(
    (atMs) => tickLabel(atMs, tickKind(atMs, locale.calendar), locale),
  );

describe('the ticks of an axis', () => {
  test('stand at the first days of Jalali months', () => {
    expect(labels(200, 8, persian)).toEqual(['۱۴۰۵', 'اردیبهشت', 'خرداد', 'تیر', 'مرداد', 'شهریور', 'مهر']);
  });

  test('stand at the first days of Gregorian months', () => {
    expect(labels(120, 6, english)).toEqual(['Apr', 'May', 'Jun', 'Jul']);
  });

  test('stand at days, and at hours of Tehran', () => {
    expect(labels(20, 11, english)).toEqual(['21', '23', '25', '27', '29', 'Apr', '3', '5', '7', '9']);
    expect(labels(0.25, 7, english)).toEqual(['21', '01:00', '02:00', '03:00', '04:00', '05:00', '06:00']);
  });

  test('are never more than asked for, and rise', () => {
    for (const days of [0.01, 0.3, 2, 9, 40, 300, 2_000, 9_000])
      for (const calendar of ['gregorian', 'jalali'] as const) {
        const toMs = MIDNIGHT_MS + days * DAY_MS;
        const ticks = calendarTicks({ fromMs: MIDNIGHT_MS, toMs, most: 6 }, calendar);
        expect(ticks.length).toBeGreaterThan(0);
        expect(ticks.length).toBeLessThanOrEqual(8);
        expect(ticks.every((atMs, index) => index === 0 || atMs > (ticks[index - 1] ?? 0))).toBe(true);
      }
  });

  test('of no length are none', () => {
    expect(calendarTicks({ fromMs: 5, toMs: 5, most: 5 }, 'jalali')).toEqual([]);
  });
});
