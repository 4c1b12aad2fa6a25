import {
  DAY_MS,
  MINUTE_MS,
  dayOfGregorian,
  dayOfJalali,
  gregorianOf,
  jalaliOf,
  type CalendarDate,
} from '../domain/time-text.ts';
import { tehranOffsetMs } from '../domain/zone-time.ts';
import { asIsland } from './format-number.ts';
import { intlTag, type CalendarSystem, type Language, type Locale } from './locale.ts';

/** A time on Tehran's clock and in a calendar. */
interface TehranParts extends CalendarDate {
  readonly minuteOfDay: number;
  readonly second: number;
}

/** Returns the time on Tehran's clock and in a calendar, by the tz database. */
export function tehranParts(atMs: number, calendar: CalendarSystem): TehranParts {
  const local = atMs + tehranOffsetMs(atMs);
  const day = Math.floor(local / DAY_MS);
  const date = calendar === 'jalali' ? jalaliOf(day) : gregorianOf(day);
  const rest = local - day * DAY_MS;
  return {
    ...date,
    minuteOfDay: Math.floor(rest / MINUTE_MS),
    second: Math.floor((rest % MINUTE_MS) / 1_000),
  };
}

const PERSIAN_ZERO = 0x6f0;

/** Returns a text with its ASCII digits replaced by those of the language. */
export function localDigits(language: Language, text: string): string {
  if (language === 'en') return text;
  return text.replaceAll(/\d/g, (digit) => String.fromCodePoint(PERSIAN_ZERO + Number(digit)));
}

/** Parts of a time to write: `14:30`, `14:30:05`, `2026-04-02`, date and minute, or date and second. */
export type TimeStyle = 'clock' | 'clock-seconds' | 'day' | 'minute' | 'second';

const two = (value: number): string => String(value).padStart(2, '0');

/**
 * Writes a time in Tehran in numbers: `2026-04-02 14:30`, or `۱۴۰۵/۰۱/۱۳ ۱۴:۳۰` in the Jalali calendar in
 * Persian. Null or an invalid time is a dash.
 */
export function formatTime(atMs: number | null, locale: Locale, style: TimeStyle = 'minute'): string {
  if (atMs === null || !Number.isFinite(atMs)) return '–';
  const { year, month, day, minuteOfDay, second } = tehranParts(atMs, locale.calendar);
  const date = [String(year), two(month), two(day)].join(locale.calendar === 'jalali' ? '/' : '-');
  const minute = `${two(Math.floor(minuteOfDay / 60))}:${two(minuteOfDay % 60)}`;
  const text = {
    clock: minute,
    'clock-seconds': `${minute}:${two(second)}`,
    day: date,
    minute: `${date} ${minute}`,
    second: `${date} ${minute}:${two(second)}`,
  }[style];
  return asIsland(locale.language, localDigits(locale.language, text));
}

/** Writes the month of a time in Tehran, with its year: `Apr 2026`, or in Persian the Jalali one. */
export function formatMonth(atMs: number, locale: Locale): string {
  const { year, month } = tehranParts(atMs, locale.calendar);
  return `${monthName(month, locale)} ${localDigits(locale.language, String(year))}`;
}

const monthNames = new Map<string, readonly string[]>();

/** Returns the name of a month (1 to 12) of the locale's calendar: `Apr`, `فروردین`. */
export function monthName(month: number, { language, calendar }: Locale): string {
  const key = `${language} ${calendar}`;
  const known = monthNames.get(key);
  if (known !== undefined) return known[month - 1] ?? '';
  const isJalali = calendar === 'jalali';
  const format = new Intl.DateTimeFormat(`${intlTag(language)}-ca-${isJalali ? 'persian' : 'gregory'}`, {
    month: language === 'en' ? 'short' : 'long',
    timeZone: 'UTC',
  });
  const names = Array.from({ length: 12 }, (_, index) => {
    const date = { year: isJalali ? 1405 : 2026, month: index + 1, day: 15 };
    return format.format((isJalali ? dayOfJalali(date) : dayOfGregorian(date)) * DAY_MS);
  });
  monthNames.set(key, names);
  return names[month - 1] ?? '';
}
