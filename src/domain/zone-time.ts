import { DAY_MS } from './durations.ts';
import { dayOfGregorian } from './calendar-day.ts';

/**
 * The clocks of time zones, by the tz database that is part of the runtime. They depend on nothing of the
 * machine: the zone is named, and the time is given.
 */

/** A clock: how to read it, and its offsets by day of UTC, null for days in which it is set. */
interface ZoneClock {
  readonly format: Intl.DateTimeFormat;
  readonly offsetOfDay: Map<number, number | null>;
}

/** Made at first use: most runs have no zone. */
const clocks = new Map<string, ZoneClock>();
/** Zones that are remembered, and days of each; then they begin anew. */
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
    const first = lookUpOffset(format, day * DAY_MS);
    offsetMs = first === lookUpOffset(format, (day + 1) * DAY_MS) ? first : null;
    if (offsetOfDay.size >= MOST_DAYS) offsetOfDay.clear();
    offsetOfDay.set(day, offsetMs);
  }
  return offsetMs ?? lookUpOffset(format, atMs);
}

/**
 * The first moment at which the clock of a zone shows a time, or a later one where it skips that. A time that
 * it shows twice is the first of the two. `localMs`: what it shows, in ms since 1970-01-01 00:00 of its own.
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

function lookUpOffset(format: Intl.DateTimeFormat, atMs: number): number {
  const second = Math.floor(atMs / 1_000) * 1_000;
  const parts = new Map(format.formatToParts(second).map(({ type, value }) => [type, Number(value)]));
  const of = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? Number.NaN;
  const days = dayOfGregorian({ year: of('year'), month: of('month'), day: of('day') });
  return days * DAY_MS + of('hour') * 3_600_000 + of('minute') * 60_000 + of('second') * 1_000 - second;
}
