import { z } from 'zod';

/** Positions that a trial held, market by market, as JSON. */
export const heldSchema = z.array(
  z.strictObject({
    market: z.string(),
    positions: z.array(z.strictObject({ heldBars: z.int().positive(), share: z.number() })),
  }),
);
