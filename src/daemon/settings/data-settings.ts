import { z } from 'zod';
import { DEFAULT_RETENTION, RETENTION_BOUNDS, type RetentionLimits } from '../../mirror/retention.ts';

const rows = (name: keyof RetentionLimits, meaning: string) => {
  const [least, most] = RETENTION_BOUNDS[name];
  return z.int().min(least).max(most).prefault(DEFAULT_RETENTION[name]).describe(meaning);
};

/** Place of the bot's stored data, and its amount. */
export const dataSettings = z
  .strictObject({
    folder: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Folder of the mirror and of other data of the bot; data in the working directory by default. Each bot needs its own.',
      ),
    retention: z
      .strictObject({
        journalRows: rows('journalRows', 'Lines of the journal.'),
        candlesPerSeries: rows(
          'candlesPerSeries',
          'Candles of each market and length, and values of each plot.',
        ),
        publicTradesPerMarket: rows('publicTradesPerMarket', 'Public trades of each market.'),
        finalOrders: rows('finalOrders', 'Orders that are closed.'),
        fills: rows('fills', "Trades of the account, and lines of each wallet's history."),
        intents: rows('intents', 'Intents that are done or refused.'),
      })
      .prefault({})
      .describe(
        'Rows kept of each kind. Rows that are still needed, such as an open order, are kept in addition.',
      ),
  })
  .prefault({});

/** Recording what a run sees of its markets. Absent, nothing is recorded. */
export const recordSettings = z
  .strictObject({
    folder: z
      .string()
      .min(1)
      .optional()
      .describe('The catalogue of recordings; catalogue below data.folder by default.'),
    raw: z
      .boolean()
      .prefault(false)
      .describe('Whether every reply with market data is stored whole as well.'),
  })
  .nullable()
  .prefault(null);
