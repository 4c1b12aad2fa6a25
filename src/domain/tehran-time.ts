import { DAY_MS, MINUTE_MS } from './durations.ts';
import { jalaliText, latinDigits, readDay } from './calendar-day.ts';
import { isoText } from './time-text.ts';
import { zoneInstant, zoneOffsetMs } from './zone-time.ts';

/**
 * Tehran's clock: times of it are read and written here. Daylight saving time was kept there until 2022, so
 * backtests of older data need it.
 */

const TEHRAN = 'Asia/Tehran';

/** Returns the offset of Tehran's clock ahead of UTC at a time, in milliseconds. */
export function tehranOffsetMs(atMs: number): number {
  return zoneOffsetMs(TEHRAN, atMs);
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
  return zoneInstant(TEHRAN, day * DAY_MS + minuteOfDay * MINUTE_MS);
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

type ReadTime =
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
