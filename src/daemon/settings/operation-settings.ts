import { HOUR_MS, SECOND_MS } from '../../domain/durations.ts';
import { z } from 'zod';
import { DEFAULT_ENGINE_TIMES, DEFAULT_RECONCILIATION } from '../../engine/engine-settings.ts';
import { DRAIN_POLICIES } from '../../engine/engine-event.ts';
import { duration } from '../duration-field.ts';
import { formatDuration } from '../duration-text.ts';

/** Settings for sending orders, and for missing answers. */
export const executionSettings = z
  .strictObject({
    lateArrival: duration({ leastMs: SECOND_MS, mostMs: HOUR_MS })
      .prefault(formatDuration(DEFAULT_ENGINE_TIMES.lateArrivalMs))
      .describe('How long after it was sent a request may still arrive. Before that, no absence is proven.'),
    absencePassesApart: duration({ leastMs: SECOND_MS, mostMs: HOUR_MS })
      .prefault(formatDuration(DEFAULT_ENGINE_TIMES.absencePassesApartMs))
      .describe('Shortest time between the two complete readings of the lists that prove an absence.'),
    resendUnknown: z
      .boolean()
      .prefault(DEFAULT_ENGINE_TIMES.resendUnknown)
      .describe(
        'Whether to send an order again, once and under its own id, if it is proven that it never arrived.',
      ),
    placeWithin: duration({ leastMs: 100, mostMs: HOUR_MS })
      .prefault(formatDuration(DEFAULT_ENGINE_TIMES.placeWithinMs))
      .describe('How long an order may wait for its rate limit before the bot gives it up.'),
  })
  .transform((read) => ({
    lateArrivalMs: read.lateArrival,
    absencePassesApartMs: read.absencePassesApart,
    resendUnknown: read.resendUnknown,
    placeWithinMs: read.placeWithin,
  }))
  .prefault({});

/** Schedule of comparing the books with those of the exchange. */
export const reconciliationSettings = z
  .strictObject({
    every: duration({ leastMs: SECOND_MS, mostMs: 24 * HOUR_MS })
      .prefault(formatDuration(DEFAULT_RECONCILIATION.everyMs))
      .describe('How often balances and orders are compared.'),
    lag: duration({ leastMs: 0, mostMs: HOUR_MS })
      .prefault(formatDuration(DEFAULT_RECONCILIATION.lagMs))
      .describe('How far the lists of the exchange may lag: a difference that lasts longer is a break.'),
    alertAfter: duration({ leastMs: SECOND_MS, mostMs: 24 * HOUR_MS })
      .prefault(formatDuration(DEFAULT_RECONCILIATION.alertAfterMs))
      .describe('How long comparisons may have no result before new orders stop and the bot reports it.'),
  })
  .transform(({ every, lag, alertAfter }) => ({ everyMs: every, lagMs: lag, alertAfterMs: alertAfter }))
  .prefault({});

/** Settings for the run's end. */
export const drainSettings = z
  .strictObject({
    openOrders: z
      .enum(DRAIN_POLICIES)
      .prefault('keep-exits')
      .describe(
        "What happens to the bot's open orders when it ends. keep-exits: those that only reduce a position of their strategy stay, such as its stop orders; the others are canceled. cancel: none stays. keep: all stay.",
      ),
    within: duration({ leastMs: SECOND_MS, mostMs: HOUR_MS })
      .prefault('60s')
      .describe('How long the end may take. The next start does the rest.'),
  })
  .transform(({ openOrders, within }) => ({ openOrders, withinMs: within }))
  .prefault({});

/** The small server that says whether the bot is well. */
export const healthSettings = z
  .strictObject({
    host: z
      .string()
      .min(1)
      .prefault('127.0.0.1')
      .describe('Address that it listens at. Other machines can reach it only at 0.0.0.0.'),
    port: z
      .int()
      .min(0)
      .max(65_535)
      .nullable()
      .prefault(null)
      .describe('Its port; 0 takes a free one. Without a port there is no such server.'),
  })
  .prefault({});

/** Content and destination of the log. */
export const logSettings = z
  .strictObject({
    level: z
      .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
      .prefault('info')
      .describe('The lowest level that is logged.'),
    pretty: z
      .union([z.boolean(), z.literal('auto')], { error: 'expected true, false or auto' })
      .prefault('auto')
      .describe('Readable lines instead of JSON. auto: on a terminal only.'),
    file: z
      .string()
      .min(1)
      .optional()
      .describe(
        'A file that gets the JSON lines as well. At 50 MB it is renamed to end in .1, and replaces the older one.',
      ),
  })
  .transform(({ file = null, ...rest }) => ({ ...rest, file }))
  .prefault({});
