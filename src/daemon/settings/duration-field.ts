import { z } from 'zod';

const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

const DURATION = /^(\d{1,9})(ms|s|m|h|d)$/;

/** The longest time that may be written where no other bound is given. */
const LONGEST_MS = 366 * 86_400_000;

/** Milliseconds of a text such as `250ms`, `30s`, `5m`, `2h` or `1d`; null for anything else. */
export function parseDuration(text: string): number | null {
  const parts = DURATION.exec(text);
  const unit = UNITS_MS[parts?.[2] ?? ''];
  return parts === null || unit === undefined ? null : Number(parts[1]) * unit;
}

/** Milliseconds as the shortest text that `parseDuration` reads back. */
export function formatDuration(durationMs: number): string {
  if (durationMs === 0) return '0s';
  const [unit, length] = Object.entries(UNITS_MS).findLast(([, length]) => durationMs % length === 0) ?? [
    'ms',
    1,
  ];
  return `${durationMs / length}${unit}`;
}

/** A length of time as text, read to milliseconds, within the bounds (both included). */
export const duration = (bounds: { readonly leastMs?: number; readonly mostMs?: number } = {}) =>
  z
    .string({ error: 'expected a length of time with its unit, such as 30s, 5m or 2h' })
    .meta({ pattern: DURATION.source })
    .transform((text, context) => {
      const { leastMs = 1, mostMs = LONGEST_MS } = bounds;
      const read = parseDuration(text);
      if (read !== null && read >= leastMs && read <= mostMs) return read;
      const range = `${formatDuration(leastMs)} to ${formatDuration(mostMs)}`;
      const message = `expected a length of time from ${range}, such as 30s, 5m or 2h, was ${JSON.stringify(text)}`;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    });
