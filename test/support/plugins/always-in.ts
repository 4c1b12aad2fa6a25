import { z } from 'zod';
import { defineStrategy } from '#sdk';

/** Places one bracket after the other: its entry fills in parts, and its stop follows the price. */
export default defineStrategy({
  name: 'always-in',
  params: z.strictObject({}),
  data: ({ market }) => ({ book: market.book() }),
  trailing: { most: 1, everyMs: 10_000 },
  on: {
    book(ctx, { bestBid, bestAsk }) {
      if (bestBid === null || bestAsk === null || ctx.orders.length > 0) return;
      if (ctx.isTradable(ctx.position, bestBid.price)) return;
      ctx.bracket({
        entry: { amount: 0.4, price: bestBid.price, expireAfterMs: 120_000 },
        takeProfit: { percent: 0.6 },
        stopLoss: { percent: 0.4 },
        trail: { by: { percent: 0.3 }, minStep: 0.01, on: 'poll' },
      });
    },
  },
});
