import { z } from 'zod';
import { DURATION, formatDuration, parseDuration } from './duration-text.ts';

/** The longest time that may be written where no other bound is given. */
const LONGEST_MS = 366 * 86_400_000;

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
