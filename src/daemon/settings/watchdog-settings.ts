import { DAY_MS } from '../../domain/durations.ts';
import { z } from 'zod';
import { duration } from '../duration-field.ts';

/** Conditions for `sarraf watchdog` to report a silent bot, and its actions then. */
export const watchdogSettings = z
  .strictObject({
    silentAfter: duration({ leastMs: 5_000, mostMs: DAY_MS })
      .prefault('60s')
      .describe('How long the loop of the bot may stand still before it is reported.'),
    cancelEntriesAfter: duration({ leastMs: 5_000, mostMs: DAY_MS })
      .nullable()
      .prefault(null)
      .describe(
        'How long it stands still before the watchdog cancels its open orders that are no exits. Without it none is canceled.',
      ),
  })
  .transform(({ silentAfter, cancelEntriesAfter }) => ({
    silentAfterMs: silentAfter,
    cancelEntriesAfterMs: cancelEntriesAfter,
  }))
  .prefault({});
