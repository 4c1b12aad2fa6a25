/** Lengths of time in ms. */
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** Texts for times and lengths of time, for people. Times are ms since 1970 and are shown in UTC. */

/** Writes the Gregorian date of a number of days since 1970. */
function dayText(days: number): string {
  const { year, month, day } = gregorianOf(days);
  return `${digits(year, 4)}-${digits(month)}-${digits(day)}`;
}

const digits = (value: number, width = 2): string => String(value).padStart(width, '0');

/** Writes `2024-01-31T09:00:00Z`, with milliseconds unless they are 0; `Infinity` or `NaN` as it is. */
export function isoText(timeMs: number): string {
  if (!Number.isFinite(timeMs)) return String(timeMs);
  const days = Math.floor(timeMs / DAY_MS);
  const ms = timeMs - days * DAY_MS;
  const clock = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1_000) % 60].map((part) =>
    digits(Math.floor(part)),
  );
  const part = ms % 1_000 === 0 ? '' : `.${digits(ms % 1_000, 3)}`;
  return `${dayText(days)}T${clock.join(':')}${part}Z`;
}

/** Writes `2024-01-31 09:00:00`. */
export const secondText = (timeMs: number): string => isoText(timeMs).slice(0, 19).replace('T', ' ');

/** Writes the date, and the time unless it is midnight: `2024-01-31 09:00`. */
export function minuteText(timeMs: number): string {
  const text = secondText(timeMs).slice(0, 16);
  return text.endsWith(' 00:00') ? text.slice(0, 10) : text;
}

/** Writes only the time if it is today (`09:00:00`), else date and minute (`2024-01-31 09:00`). */
export function clockText(timeMs: number, nowMs: number): string {
  const isToday = Math.floor(timeMs / DAY_MS) === Math.floor(nowMs / DAY_MS);
  return isToday ? secondText(timeMs).slice(11) : secondText(timeMs).slice(0, 16);
}

/** Returns the age of a time: `5 s ago`. A time in the future, as of a faster clock, is shown as a time. */
export function agoText(timeMs: number | null, nowMs: number): string {
  if (timeMs === null) return 'never';
  return timeMs > nowMs + 1_000 ? clockText(timeMs, nowMs) : `${lengthText(Math.max(0, nowMs - timeMs))} ago`;
}

/** Writes a length of time in one unit, rounded up as maxima must be: `4.2 s`, `90 min`, `3 days`. */
export function lengthText(lengthMs: number): string {
  if (!Number.isFinite(lengthMs)) return 'never';
  if (lengthMs < 10_000) return `${roundedUp(lengthMs / 1_000)} s`;
  if (lengthMs < 300_000) return `${Math.ceil(lengthMs / 1_000)} s`;
  if (lengthMs < 7_200_000) return `${roundedUp(lengthMs / 60_000)} min`;
  return lengthMs < 2 * DAY_MS
    ? `${roundedUp(lengthMs / 3_600_000)} h`
    : `${Math.ceil(lengthMs / DAY_MS)} days`;
}

/** Rounds up to a tenth. */
const roundedUp = (value: number): string => String(Math.ceil(Number((value * 10).toFixed(6))) / 10);

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** Writes a length of time in its two largest units: `3 d 4 h`. */
export function durationText(lengthMs: number): string {
  if (lengthMs < 0) return `-${durationText(-lengthMs)}`;
  const seconds = Math.round(lengthMs / 1_000);
  if (seconds === 0) return lengthMs > 0 ? '< 1 s' : '0 s';
  const first = UNITS.findIndex(([, size]) => seconds >= size);
  let left = seconds;
  const parts = UNITS.slice(first, first + 2).map(([unit, size]) => {
    const whole = Math.floor(left / size);
    left -= whole * size;
    return whole === 0 ? '' : `${whole} ${unit}`;
  });
  return parts.filter((part) => part !== '').join(' ');
}

/** Dates of the Gregorian and the Jalali calendar (Iran's, solar Hijri), as whole days since 1970-01-01. */

/** A date in one of the calendars; months and days count from 1. */
export interface CalendarDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

const DAYS_PER_ERA = 146_097;
/** Days from 1 March of the year 0 to 1970-01-01. */
const ERA_TO_1970 = 719_468;

/** Returns the days since 1970 of an existing Gregorian date. Source: Hinnant, "chrono-compatible". */
export function dayOfGregorian({ year, month, day }: CalendarDate): number {
  // Years begin in March here, so that the day that comes every four years is their last.
  const fromMarch = month > 2 ? month - 3 : month + 9;
  const shifted = month > 2 ? year : year - 1;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * fromMarch + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * DAYS_PER_ERA + dayOfEra - ERA_TO_1970;
}

/** Returns the Gregorian date of a number of days since 1970. */
export function gregorianOf(days: number): CalendarDate {
  const shifted = days + ERA_TO_1970;
  const era = Math.floor(shifted / DAYS_PER_ERA);
  const dayOfEra = shifted - era * DAYS_PER_ERA;
  const leapDays =
    Math.floor(dayOfEra / 1_460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / (DAYS_PER_ERA - 1));
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return { year, month, day: dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1 };
}

/** Days from the day before 1 Farvardin of the year 1 to 1970-01-01, by the rule of 33 years. */
const JALALI_TO_1970 = 492_268;
/** Days in the first six months of a Jalali year, which have 31 days each; later months have 30. */
const LONG_MONTHS_DAYS = 186;

/** Returns the first day of a Jalali year: eight years of 33 have a leap day. It holds from 1300 to 1500. */
const firstDayOfJalali = (year: number): number =>
  365 * (year - 1) + Math.floor((8 * year + 21) / 33) - JALALI_TO_1970;

/** Returns the days since 1970 of a Jalali date, which must exist. */
export function dayOfJalali({ year, month, day }: CalendarDate): number {
  const before = month <= 7 ? 31 * (month - 1) : LONG_MONTHS_DAYS + 30 * (month - 7);
  return firstDayOfJalali(year) + before + day - 1;
}

/** Returns the Jalali date of a number of days since 1970. */
export function jalaliOf(days: number): CalendarDate {
  let year = Math.floor((days + JALALI_TO_1970) / 365.242) + 1;
  while (firstDayOfJalali(year) > days) year -= 1;
  while (firstDayOfJalali(year + 1) <= days) year += 1;
  const dayOfYear = days - firstDayOfJalali(year);
  if (dayOfYear < LONG_MONTHS_DAYS)
    return { year, month: Math.floor(dayOfYear / 31) + 1, day: (dayOfYear % 31) + 1 };
  const late = dayOfYear - LONG_MONTHS_DAYS;
  return { year, month: Math.floor(late / 30) + 7, day: (late % 30) + 1 };
}

/** Years that a date may have: the rule of 33 years holds in them, and any other year is a typing error. */
const JALALI_YEARS = { first: 1300, last: 1500 } as const;
const GREGORIAN_YEARS = { first: 1922, last: 2120 } as const;

type ReadDay = { readonly ok: true; readonly day: number } | { readonly ok: false; readonly problem: string };

const DATE = /^(\d{4})([-/])(\d{1,2})\2(\d{1,2})$/;

/**
 * Reads a date: `2026-04-02`, or Jalali `1405/01/13`, with hyphens or slashes, in Latin, Persian or Arabic
 * digits. A year up to 1500 is Jalali. A date that does not exist, such as 1404/12/30, is refused.
 */
export function readDay(text: string): ReadDay {
  const parts = DATE.exec(latinDigits(text.trim()));
  if (parts === null)
    return { ok: false, problem: `expected a date such as 2026-04-02 or 1405/01/13, was "${text}"` };
  const date = { year: Number(parts[1]), month: Number(parts[3]), day: Number(parts[4]) };
  const isJalali = date.year <= JALALI_YEARS.last;
  const { first, last } = isJalali ? JALALI_YEARS : GREGORIAN_YEARS;
  if (date.year < first || date.year > last) {
    const years = `${JALALI_YEARS.first} to ${JALALI_YEARS.last} (Jalali) or ${GREGORIAN_YEARS.first} to ${GREGORIAN_YEARS.last}`;
    return { ok: false, problem: `expected a year from ${years}, was ${date.year} in "${text}"` };
  }
  const day = isJalali ? dayOfJalali(date) : dayOfGregorian(date);
  const back = isJalali ? jalaliOf(day) : gregorianOf(day);
  const exists = back.year === date.year && back.month === date.month && back.day === date.day;
  if (exists) return { ok: true, day };
  const name = isJalali ? 'Jalali' : 'Gregorian';
  return { ok: false, problem: `expected a date that exists in the ${name} calendar, was "${text}"` };
}

/** Returns the text with Persian and Arabic digits replaced by Latin ones. */
export function latinDigits(text: string): string {
  return text.replaceAll(/[\u{6F0}-\u{6F9}\u{660}-\u{669}]/gu, (digit) =>
    String((digit.codePointAt(0) ?? 0) & 0xf),
  );
}

const two = (value: number): string => String(value).padStart(2, '0');

/** Writes a Jalali date: `1405/01/13`. */
export function jalaliText(days: number): string {
  const { year, month, day } = jalaliOf(days);
  return `${year}/${two(month)}/${two(day)}`;
}

/** Days of the week, beginning with the first one in Iran. */
export const WEEKDAYS = ['sat', 'sun', 'mon', 'tue', 'wed', 'thu', 'fri'] as const;

/** Returns the index in `WEEKDAYS` of a number of days since 1970. */
export function weekdayOf(days: number): number {
  // 1970-01-01 was a Thursday.
  return (((days + 5) % 7) + 7) % 7;
}
