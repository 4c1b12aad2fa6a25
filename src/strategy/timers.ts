import { Cron } from 'croner';
import { SarrafError } from '../domain/errors.ts';

/** No pattern that means something is longer. */
const LONGEST_PATTERN = 100;

/**
 * Returns the next due time of a timer: the first moment after `afterMs` that its cron pattern names, in UTC.
 * A pattern has five fields (minute, hour, day of the month, month, day of the week) or six, with the second
 * before them, so nothing is due more often than once a second. `@daily` and its like work too.
 * @throws SarrafError `INVALID_STRATEGY` for an invalid pattern, or one that no day ever fits.
 */
export function nextDueMs(cron: string, afterMs: number): number {
  const next = nextOf(cron, afterMs);
  if (next === null) {
    throw new SarrafError(
      'INVALID_STRATEGY',
      `expected a cron pattern that comes to be due, was ${JSON.stringify(cron)}, which never does`,
    );
  }
  return next;
}

function nextOf(cron: string, afterMs: number): number | null {
  // The library takes whatever holds a colon for a date.
  if (typeof cron !== 'string' || cron.length > LONGEST_PATTERN || cron.includes(':'))
    throw refusalOf(cron, null);
  try {
    const pattern = new Cron(cron, { mode: '5-or-6-parts', utcOffset: 0 });
    // An injected time, in the form that the library wants it; nothing is read from a clock.
    // oxlint-disable-next-line no-restricted-globals
    return pattern.nextRun(new Date(afterMs))?.getTime() ?? null;
  } catch (error) {
    throw refusalOf(cron, error);
  }
}

function refusalOf(cron: unknown, cause: unknown): SarrafError {
  const why = cause instanceof Error ? ` (${cause.message.replace(/^CronPattern: /, '')})` : '';
  return new SarrafError(
    'INVALID_STRATEGY',
    `expected a cron pattern of five or six fields such as "0 9 * * 1-5", in UTC, was ${JSON.stringify(cron)}${why}`,
    { cause },
  );
}
