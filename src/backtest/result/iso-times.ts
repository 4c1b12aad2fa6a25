const DAY_MS = 86_400_000;

const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

/**
 * Writes moments as ISO 8601 in UTC, such as `2024-01-31T12:00:00.000Z`. It remembers the day of the one before, which makes a million of them in
 * order several times as fast as `toISOString`. The function throws a RangeError for what is no time.
 */
export function isoTimes(): (timeMs: number) => string {
  let dayStartMs = Number.NaN;
  let prefix = '';
  return (timeMs) => {
    const start = Math.floor(timeMs / DAY_MS) * DAY_MS;
    if (start !== dayStartMs) {
      prefix = new Date(start).toISOString().slice(0, -13);
      dayStartMs = start;
    }
    const within = Math.floor(timeMs - start);
    const minutes = Math.floor(within / 60_000);
    const hour = TWO_DIGITS[Math.floor(minutes / 60)];
    const second = TWO_DIGITS[Math.floor(within / 1_000) % 60];
    return `${prefix}${hour}:${TWO_DIGITS[minutes % 60]}:${second}.${String(within % 1_000).padStart(3, '0')}Z`;
  };
}
