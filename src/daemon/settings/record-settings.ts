import { z } from 'zod';

/** Recording what a run sees of its markets. Absent, nothing is recorded. */
export const recordSettings = z
  .strictObject({
    folder: z
      .string()
      .min(1)
      .optional()
      .describe('The catalogue of recordings; catalogue below data.folder by default.'),
    raw: z.boolean().prefault(false).describe('Whether every reply with market data is kept whole as well.'),
  })
  .nullable()
  .prefault(null);
