import { dayOfGregorian, jalaliText, latinDigits, readDay } from './calendar-day.ts';
import { isoText } from './time-text.ts';

/**
 * Tehran's clock, by the tz database that is part of the runtime. It depends on nothing of the machine: the
 * zone is named, and the time is given. Daylight saving time was kept there until 2022, so backtests of older
 * data need it.
 */

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Made at first use: most runs have no lock by the clock. */
let format: Intl.DateTimeFormat | null = null;

function formatOfTehran(): Intl.DateTimeFormat {
  format ??= new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
    timeZone: 'Asia/Tehran',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return format;
}

/** Offsets of days of UTC in which the clock is not set; null for the others. */
const offsetOfDay = new Map<number, number | null>();
/** Days that are remembered; then it begins anew. */
const MOST_DAYS = 4_096;

/** How far Tehran's clock is ahead of UTC at a time, in milliseconds. */
export function tehranOffsetMs(atMs: number): number {
  const day = Math.floor(atMs / DAY_MS);
  let offsetMs = offsetOfDay.get(day);
  if (offsetMs === undefined) {
    const first = lookUpOffset(day * DAY_MS);
    offsetMs = first === lookUpOffset((day + 1) * DAY_MS) ? first : null;
    if (offsetOfDay.size >= MOST_DAYS) offsetOfDay.clear();
    offsetOfDay.set(day, offsetMs);
  }
  return offsetMs ?? lookUpOffset(atMs);
}

function lookUpOffset(atMs: number): number {
  const second = Math.floor(atMs / 1_000) * 1_000;
  const parts = new Map(
    formatOfTehran()
      .formatToParts(second)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const of = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? Number.NaN;
  const days = dayOfGregorian({ year: of('year'), month: of('month'), day: of('day') });
  return days * DAY_MS + of('hour') * 3_600_000 + of('minute') * MINUTE_MS + of('second') * 1_000 - second;
}

/** The day of Tehran's calendar at a time, in days since 1970. */
export function tehranDay(atMs: number): number {
  return Math.floor((atMs + tehranOffsetMs(atMs)) / DAY_MS);
}

/**
 * The first moment at which Tehran's clock shows a time of a day, or a later one where it skips that. A time
 * that it shows twice is the first of the two.
 */
export function tehranInstant(day: number, minuteOfDay: number): number {
  const local = day * DAY_MS + minuteOfDay * MINUTE_MS;
  const [before, after] = [tehranOffsetMs(local - DAY_MS), tehranOffsetMs(local + DAY_MS)];
  const [early, late] = [local - Math.max(before, after), local - Math.min(before, after)];
  if (tehranOffsetMs(early) === local - early) return early;
  if (tehranOffsetMs(late) === local - late) return late;
  // Skipped: the clock went forward between the two.
  let [low, high] = [early, late];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (middle + tehranOffsetMs(middle) >= local) high = middle;
    else low = middle;
  }
  return high;
}

const CLOCK = /^(\d{1,2}):(\d{2})$/;

/** Minutes of a day of a text such as `09:30`; `24:00` is its end. Null for anything else. */
export function readClock(text: string): number | null {
  const parts = CLOCK.exec(latinDigits(text.trim()));
  if (parts === null) return null;
  const [hour, minute] = [Number(parts[1]), Number(parts[2])];
  const minutes = hour * 60 + minute;
  return minute < 60 && minutes <= 1_440 ? minutes : null;
}

export type ReadTime =
  | { readonly ok: true; readonly atMs: number }
  | { readonly ok: false; readonly problem: string };

const INSTANT = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2}))?Z$/;

/**
 * Reads a time: a date of either calendar with a time of Tehran's clock (`1405/01/13 14:30`,
 * `2026-04-02T14:30`), the date alone for its beginning, or UTC as `2026-04-02T11:00:00Z`.
 */
export function readTehranTime(text: string): ReadTime {
  const plain = latinDigits(text.trim());
  const utc = INSTANT.exec(plain);
  if (utc !== null) {
    const read = readDay(`${utc[1]}-${utc[2]}-${utc[3]}`);
    const minutes = readClock(`${utc[4]}:${utc[5]}`);
    const seconds = Number(utc[6] ?? 0);
    if (!read.ok) return read;
    if (minutes !== null && seconds < 60)
      return { ok: true, atMs: read.day * DAY_MS + minutes * MINUTE_MS + seconds * 1_000 };
  }
  const [date = '', clock, more] = plain.split(/[ T]+/);
  const minutes = clock === undefined ? 0 : readClock(clock);
  if (minutes === null || more !== undefined) {
    return {
      ok: false,
      problem: `expected a time such as 1405/01/13 14:30 or 2026-04-02T14:30 (Tehran), or 2026-04-02T11:00:00Z, was "${text}"`,
    };
  }
  const read = readDay(date);
  return read.ok ? { ok: true, atMs: tehranInstant(read.day, minutes) } : read;
}

/** `1405/01/13 14:30`, the time on Tehran's clock by the Jalali calendar. */
export function tehranText(atMs: number): string {
  const local = atMs + tehranOffsetMs(atMs);
  return `${jalaliText(Math.floor(local / DAY_MS))} ${isoText(local).slice(11, 16)}`;
}

/** A time in UTC and in Tehran: `2026-04-02T11:00:00Z (1405/01/13 14:30 in Tehran)`. */
export function bothTimesText(atMs: number): string {
  return `${isoText(atMs)} (${tehranText(atMs)} in Tehran)`;
}
