import { z } from 'zod';
import { defineStrategy } from '#sdk';

/**
 * Keeps a share of its equity in the coin: checks on a schedule, trades when the share is out of its band.
 */
export default defineStrategy({
  name: 'rebalance',
  params: z.strictObject({
    /** Target share of the equity in the coin, 0 to 1. */
    share: z.number().min(0).max(1).default(0.5),
    /** Maximum distance from the target share, in hundredths of a percent of the equity. */
    bandBps: z.number().positive().default(200),
    /** When it checks, in UTC. */
    cron: z.string().default('0 * * * *'),
  }),
  data: ({ market, params, timer }) => ({
    look: timer(params.cron),
    price: market.ticker({ everyMs: 10_000, maxAgeMs: 60_000 }),
  }),
  on: {
    look({ data: { price }, equity, position, params, target }) {
      if (price === null || equity === null || equity <= 0) return;
      const distance = Math.abs(position * price.middle - equity * params.share);
      if (distance * 10_000 > params.bandBps * equity) target({ equityShare: params.share });
    },
  },
});
