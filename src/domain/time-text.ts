import { gregorianOf } from './calendar-day.ts';

/** Spans of time, in ms. */
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** Times and lengths of time for people. Times are ms since 1970 and are shown in UTC. */

/** The Gregorian day of a number of days since 1970. */
function dayText(days: number): string {
  const { year, month, day } = gregorianOf(days);
  return `${digits(year, 4)}-${digits(month)}-${digits(day)}`;
}

const digits = (value: number, width = 2): string => String(value).padStart(width, '0');

/** `2024-01-31T09:00:00Z`, with milliseconds where it has some. What is no time is said as it is. */
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

/** `2024-01-31 09:00:00`. */
export function secondText(timeMs: number): string {
  return isoText(timeMs).slice(0, 19).replace('T', ' ');
}

/** The day, and the minute where it is not midnight: `2024-01-31 09:00`. */
export function minuteText(timeMs: number): string {
  const text = secondText(timeMs).slice(0, 16);
  return text.endsWith(' 00:00') ? text.slice(0, 10) : text;
}

/** The second of a time of today, else day and minute: `09:00:00`, `2024-01-31 09:00`. */
export function clockText(timeMs: number, nowMs: number): string {
  const isToday = Math.floor(timeMs / DAY_MS) === Math.floor(nowMs / DAY_MS);
  return isToday ? secondText(timeMs).slice(11) : secondText(timeMs).slice(0, 16);
}

/**
 * Returns the age of a time: `5 s ago`. A time ahead of the clock, such as one of a faster clock, is shown as
 * a time.
 */
export function agoText(timeMs: number | null, nowMs: number): string {
  if (timeMs === null) return 'never';
  return timeMs > nowMs + 1_000 ? clockText(timeMs, nowMs) : `${lengthText(Math.max(0, nowMs - timeMs))} ago`;
}

/**
 * A length of time in one unit, rounded up, so that what is said to be the most is never passed: `4.2 s`, `90
 * min`, `3 days`.
 */
export function lengthText(lengthMs: number): string {
  if (!Number.isFinite(lengthMs)) return 'never';
  if (lengthMs < 10_000) return `${roundedUp(lengthMs / 1_000)} s`;
  if (lengthMs < 300_000) return `${Math.ceil(lengthMs / 1_000)} s`;
  if (lengthMs < 7_200_000) return `${roundedUp(lengthMs / 60_000)} min`;
  return lengthMs < 2 * DAY_MS
    ? `${roundedUp(lengthMs / 3_600_000)} h`
    : `${Math.ceil(lengthMs / DAY_MS)} days`;
}

/** To a tenth. */
function roundedUp(value: number): string {
  return String(Math.ceil(Number((value * 10).toFixed(6))) / 10);
}

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** A length of time by its two largest units: `3 d 4 h`. */
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
