import { z } from 'zod';
import { defineStrategy } from '#sdk';

/** Buys again and again, in parts if nobody sells more, each time with an exit close to the price. */
export default defineStrategy({
  name: 'bracketed',
  params: z.strictObject({ everyMs: z.int().positive().default(500) }),
  data: ({ market, params }) => ({ book: market.book({ everyMs: params.everyMs, maxAgeMs: 60_000 }) }),
  trailing: { most: 1, everyMs: 3_000 },
  on: {
    book(ctx, { bestBid, bestAsk }) {
      if (bestBid === null || bestAsk === null || ctx.orders.length > 0) return;
      if (ctx.isTradable(ctx.position, bestBid.price)) return;
      ctx.bracket({
        entry: { amount: 0.01, price: bestAsk.price, expireAfterMs: 3_000 },
        takeProfit: { percent: 0.3 },
        stopLoss: { percent: 0.2 },
        trail: { by: { percent: 0.15 }, minStep: 0.01, on: 'poll' },
        timeStopMs: 60_000,
        tag: 'killed',
      });
    },
  },
});
