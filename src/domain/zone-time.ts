import { DAY_MS, MINUTE_MS, isoText, dayOfGregorian, jalaliText, latinDigits, readDay } from './time-text.ts';

/**
 * Clocks of time zones, by the tz database that is part of the runtime. They do not depend on the machine's
 * settings: the zone is named, and the time is given.
 */

/** Clock of a zone: how to read it, and its offset for each UTC day; null for a day when it changes. */
interface ZoneClock {
  readonly format: Intl.DateTimeFormat;
  readonly offsetOfDay: Map<number, number | null>;
}

/** Clocks by zone, made at first use: most runs have no zone. */
const clocks = new Map<string, ZoneClock>();
/** Maximum number of zones in the cache, and most days for each; a full cache is emptied. */
const MOST_ZONES = 16;
const MOST_DAYS = 8_192;

/** True if the runtime knows a zone, such as `Asia/Tehran`. */
export function isZone(zone: string): boolean {
  try {
    return zone === 'UTC' || clockOf(zone).format.resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Returns the offset of a zone's clock ahead of UTC at a time, in milliseconds. */
export function zoneOffsetMs(zone: string, atMs: number): number {
  if (zone === 'UTC') return 0;
  const { format, offsetOfDay } = clockOf(zone);
  const day = Math.floor(atMs / DAY_MS);
  let offsetMs = offsetOfDay.get(day);
  if (offsetMs === undefined) {
    const first = readOffset(format, day * DAY_MS);
    offsetMs = first === readOffset(format, (day + 1) * DAY_MS) ? first : null;
    if (offsetOfDay.size >= MOST_DAYS) offsetOfDay.clear();
    offsetOfDay.set(day, offsetMs);
  }
  return offsetMs ?? readOffset(format, atMs);
}

/**
 * Returns the first time at which the clock of a zone shows `localMs`, or a later time if it skips that. A
 * time that is shown twice means the first of the two. `localMs`: ms since 1970-01-01 00:00 on that clock.
 */
export function zoneInstant(zone: string, localMs: number): number {
  const [before, after] = [zoneOffsetMs(zone, localMs - DAY_MS), zoneOffsetMs(zone, localMs + DAY_MS)];
  const [early, late] = [localMs - Math.max(before, after), localMs - Math.min(before, after)];
  if (zoneOffsetMs(zone, early) === localMs - early) return early;
  if (zoneOffsetMs(zone, late) === localMs - late) return late;
  // Skipped: the clock went forward between the two.
  let [low, high] = [early, late];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (middle + zoneOffsetMs(zone, middle) >= localMs) high = middle;
    else low = middle;
  }
  return high;
}

function clockOf(zone: string): ZoneClock {
  let clock = clocks.get(zone);
  if (clock !== undefined) return clock;
  const format = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  clock = { format, offsetOfDay: new Map() };
  if (clocks.size >= MOST_ZONES) clocks.clear();
  clocks.set(zone, clock);
  return clock;
}

function readOffset(format: Intl.DateTimeFormat, atMs: number): number {
  const second = Math.floor(atMs / 1_000) * 1_000;
  const parts = new Map(format.formatToParts(second).map(({ type, value }) => [type, Number(value)]));
  const of = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? Number.NaN;
  const days = dayOfGregorian({ year: of('year'), month: of('month'), day: of('day') });
  return days * DAY_MS + of('hour') * 3_600_000 + of('minute') * 60_000 + of('second') * 1_000 - second;
}

/**
 * Tehran's clock: its times are read and written here. Daylight saving time was in use there until 2022, so
 * backtests of older data need it.
 */

const TEHRAN = 'Asia/Tehran';

/** Returns the offset of Tehran's clock ahead of UTC at a time, in milliseconds. */
export const tehranOffsetMs = (atMs: number): number => zoneOffsetMs(TEHRAN, atMs);

/** Returns the day of Tehran's calendar at a time, in days since 1970. */
export const tehranDay = (atMs: number): number => Math.floor((atMs + tehranOffsetMs(atMs)) / DAY_MS);

/**
 * Returns the first time at which Tehran's clock shows a time of day, or a later time if it skips that. A
 * time that is shown twice means the first of the two.
 */
export const tehranInstant = (day: number, minuteOfDay: number): number =>
  zoneInstant(TEHRAN, day * DAY_MS + minuteOfDay * MINUTE_MS);

const CLOCK = /^(\d{1,2}):(\d{2})$/;

/** Reads a text such as `09:30` as minutes since midnight; `24:00` ends the day. Null if invalid. */
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
 * Reads a time: a date of either calendar with a time on Tehran's clock (`1405/01/13 14:30`,
 * `2026-04-02T14:30`), a date alone for its beginning, or UTC as `2026-04-02T11:00:00Z`.
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
  if (minutes === null || more !== undefined)
    return {
      ok: false,
      problem: `expected a time such as 1405/01/13 14:30 or 2026-04-02T14:30 (Tehran), or 2026-04-02T11:00:00Z, was "${text}"`,
    };
  const read = readDay(date);
  return read.ok ? { ok: true, atMs: tehranInstant(read.day, minutes) } : read;
}

/** Writes `1405/01/13 14:30`: the time on Tehran's clock in the Jalali calendar. */
export function tehranText(atMs: number): string {
  const local = atMs + tehranOffsetMs(atMs);
  return `${jalaliText(Math.floor(local / DAY_MS))} ${isoText(local).slice(11, 16)}`;
}

/** Writes a time in UTC and in Tehran: `2026-04-02T11:00:00Z (1405/01/13 14:30 in Tehran)`. */
export const bothTimesText = (atMs: number): string => `${isoText(atMs)} (${tehranText(atMs)} in Tehran)`;
