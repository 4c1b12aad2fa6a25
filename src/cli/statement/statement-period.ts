import {
  DAY_MS,
  isoText,
  dayOfGregorian,
  dayOfJalali,
  gregorianOf,
  jalaliOf,
  jalaliText,
  latinDigits,
  readDay,
} from '../../domain/time-text.ts';
import { tehranDay, tehranInstant } from '../../domain/zone-time.ts';
import { wrongInput } from '../command-error.ts';

export const CALENDARS = ['jalali', 'gregorian'] as const;

export type Calendar = (typeof CALENDARS)[number];

/** Period requested by a person. */
interface WantedPeriod {
  readonly year?: string;
  readonly from?: string;
  readonly to?: string;
  readonly calendar?: Calendar;
}

/** Whole days of Tehran. */
export interface ReadPeriod {
  readonly calendar: Calendar;
  readonly fromMs: number;
  /** The first moment that is not in it. */
  readonly toMs: number;
  /** `1405`, or its first and last day. */
  readonly title: string;
}

/** A year up to this is Jalali, as in dates. */
const LAST_JALALI = 1500;

/**
 * Reads a year, or days of which the last is in it; this Jalali year where nothing is said. Throws what ends
 * the command with exit code 2.
 */
export function readPeriod(wanted: WantedPeriod, nowMs: number): ReadPeriod {
  const { year, from, to } = wanted;
  if (year !== undefined && (from !== undefined || to !== undefined))
    throw wrongInput('expected --year, or --from and --to, were both');
  if (from !== undefined || to !== undefined) return ofDays(wanted, nowMs);
  const calendar = wanted.calendar ?? (year === undefined ? 'jalali' : calendarOf(year));
  const today = tehranDay(nowMs);
  const thisYear = (calendar === 'jalali' ? jalaliOf(today) : gregorianOf(today)).year;
  const number = year === undefined ? thisYear : yearOf(year, calendar);
  const first = { year: number, month: 1, day: 1 };
  const next = { year: number + 1, month: 1, day: 1 };
  const dayOf = calendar === 'jalali' ? dayOfJalali : dayOfGregorian;
  return { calendar, ...between(dayOf(first), dayOf(next)), title: String(number) };
}

function ofDays({ from, to, calendar }: WantedPeriod, nowMs: number): ReadPeriod {
  if (from === undefined) throw wrongInput('expected --from with --to, was none');
  const first = dayOf(from, '--from');
  const last = to === undefined ? tehranDay(nowMs) : dayOf(to, '--to');
  if (last < first)
    throw wrongInput(`expected a last day that is not before the first, was ${to ?? 'today'} after ${from}`);
  const shown = calendar ?? calendarOf(latinDigits(from).slice(0, 4));
  const title = `${dayText(first, shown)} to ${dayText(last, shown)}`;
  return { calendar: shown, ...between(first, last + 1), title };
}

function between(first: number, end: number): { readonly fromMs: number; readonly toMs: number } {
  return { fromMs: tehranInstant(first, 0), toMs: tehranInstant(end, 0) };
}

function dayOf(text: string, option: string): number {
  const read = readDay(text);
  if (read.ok) return read.day;
  throw wrongInput(`${option}: ${read.problem}`);
}

function calendarOf(year: string): Calendar {
  return Number(latinDigits(year)) > LAST_JALALI ? 'gregorian' : 'jalali';
}

function yearOf(text: string, calendar: Calendar): number {
  const plain = latinDigits(text.trim());
  const firstDay = readDay(`${plain}-01-01`);
  if (!firstDay.ok) throw wrongInput(`--year: expected a year such as 1405 or 2026, was "${text}"`);
  if (calendarOf(plain) !== calendar)
    throw wrongInput(`expected a ${calendar} year with --calendar ${calendar}, was ${plain}`);
  return Number(plain);
}

/** A day as its calendar writes it. */
export function dayText(day: number, calendar: Calendar): string {
  return calendar === 'jalali' ? jalaliText(day) : isoText(day * DAY_MS).slice(0, 10);
}

/** The month of a time in Tehran: `1405/01`, `2026-03`. The last answer is remembered. */
export function monthReader(calendar: Calendar): (atMs: number) => string {
  let [day, month] = [Number.NaN, ''];
  return (atMs) => {
    const at = tehranDay(atMs);
    if (at !== day) [day, month] = [at, dayText(at, calendar).slice(0, 7)];
    return month;
  };
}
