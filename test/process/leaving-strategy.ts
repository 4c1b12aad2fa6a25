import { z } from 'zod';
import { defineStrategy } from '#sdk';

/** Wants to hold some of the coin at all times, but none of it while a lock holds. */
export default defineStrategy({
  name: 'leaving',
  params: z.strictObject({}),
  data: ({ market }) => ({ book: market.book({ everyMs: 500, maxAgeMs: 60_000 }) }),
  on: {
    book(ctx, { bestBid, bestAsk }) {
      if (bestBid === null || bestAsk === null || ctx.orders.length > 0) return;
      const hasCoin = ctx.isTradable(ctx.position, bestBid.price);
      if (!hasCoin) ctx.buy({ amount: 0.01, price: bestAsk.price * 1.01 });
      else if (ctx.locks.length > 0) ctx.sell({ amount: ctx.exact.position, price: bestBid.price * 0.99 });
    },
  },
});
