import { DAY_MS, HOUR_MS, MINUTE_MS, dayOfGregorian, dayOfJalali } from '../domain/time-text.ts';
import { tehranDay, tehranInstant } from '../domain/zone-time.ts';
import { formatTime, localDigits, monthName, tehranParts } from './format-time.ts';
import type { CalendarSystem, Locale } from './locale.ts';

/** Possible distances of ticks: in minutes within a day, and beyond it in days and months. */
const MINUTE_STEPS = [1, 5, 15, 30, 60, 180, 360, 720];
const DAY_STEPS = [1, 2, 5, 10];
const MONTH_STEPS = [1, 2, 3, 6, 12, 24, 60, 120];
const MONTH_DAYS = 30.4;

/**
 * Returns at most `most` ticks of a time axis from `fromMs` to `toMs` (inclusive), as times in ms, at full
 * hours, days and months of Tehran's clock and the calendar.
 */
export function calendarTicks(
  { fromMs, toMs, most }: { readonly fromMs: number; readonly toMs: number; readonly most: number },
  calendar: CalendarSystem,
): readonly number[] {
  const lengthMs = toMs - fromMs;
  if (!(lengthMs > 0) || most < 1) return [];
  const isFine = (stepMs: number): boolean => lengthMs / stepMs <= most;
  const minutes = MINUTE_STEPS.find((step) => isFine(step * MINUTE_MS));
  if (minutes !== undefined) return ticksOfMinutes(fromMs, toMs, minutes);
  const days = DAY_STEPS.find((step) => isFine(step * DAY_MS));
  if (days !== undefined) return ticksOfDays(fromMs, toMs, days, calendar);
  const months = MONTH_STEPS.find((step) => isFine(step * MONTH_DAYS * DAY_MS)) ?? MONTH_STEPS.at(-1) ?? 1;
  return ticksOfMonths(fromMs, toMs, months, calendar);
}

const between = (fromMs: number, toMs: number, times: readonly number[]): readonly number[] =>
  times.filter((atMs, index) => atMs >= fromMs && atMs <= toMs && atMs !== times[index - 1]);

function ticksOfMinutes(fromMs: number, toMs: number, step: number): readonly number[] {
  const times: number[] = [];
  for (let day = tehranDay(fromMs); day <= tehranDay(toMs); day += 1)
    for (let minute = 0; minute < 1_440; minute += step) times.push(tehranInstant(day, minute));
  return between(fromMs, toMs, times);
}

/** Returns days 1, 1 + step, … of each month, without one that is too close to the next month. */
function ticksOfDays(
  fromMs: number,
  toMs: number,
  step: number,
  calendar: CalendarSystem,
): readonly number[] {
  const times: number[] = [];
  for (let day = tehranDay(fromMs); day <= tehranDay(toMs); day += 1) {
    const atMs = tehranInstant(day, 0);
    const ofMonth = tehranParts(atMs + 12 * HOUR_MS, calendar).day;
    const isClose = step > 1 && ofMonth > 30 - step / 2;
    if ((ofMonth - 1) % step === 0 && !isClose) times.push(atMs);
  }
  return between(fromMs, toMs, times);
}

function ticksOfMonths(
  fromMs: number,
  toMs: number,
  step: number,
  calendar: CalendarSystem,
): readonly number[] {
  const dayOf = calendar === 'jalali' ? dayOfJalali : dayOfGregorian;
  const monthsOf = (atMs: number): number => {
    const { year, month } = tehranParts(atMs, calendar);
    return year * 12 + month - 1;
  };
  const times: number[] = [];
  for (let month = Math.floor(monthsOf(fromMs) / step) * step; month <= monthsOf(toMs); month += step) {
    const date = { year: Math.floor(month / 12), month: (month % 12) + 1, day: 1 };
    times.push(tehranInstant(dayOf(date), 0));
  }
  return between(fromMs, toMs, times);
}

/** Largest unit that begins at a tick, which its label shows. */
export type TickKind = 'year' | 'month' | 'day' | 'minute';

export function tickKind(atMs: number, calendar: CalendarSystem): TickKind {
  const { month, day, minuteOfDay } = tehranParts(atMs, calendar);
  if (minuteOfDay !== 0) return 'minute';
  if (day !== 1) return 'day';
  return month === 1 ? 'year' : 'month';
}

/** Returns the label of a tick: `1405`, `Apr`, `13`, `14:30`. */
export function tickLabel(atMs: number, kind: TickKind, locale: Locale): string {
  const { year, month, day } = tehranParts(atMs, locale.calendar);
  switch (kind) {
    case 'year':
      return localDigits(locale.language, String(year));
    case 'month':
      return monthName(month, locale);
    case 'day':
      return localDigits(locale.language, String(day));
    case 'minute':
      return formatTime(atMs, locale, 'clock');
  }
}
