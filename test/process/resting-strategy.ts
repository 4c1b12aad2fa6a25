import { z } from 'zod';
import { defineStrategy } from '#sdk';

/** Keeps some orders far below the price, until it may not place any more. */
export default defineStrategy({
  name: 'resting',
  params: z.strictObject({ orders: z.int().positive() }),
  data: ({ market }) => ({ book: market.book({ everyMs: 1_000, maxAgeMs: 60_000 }) }),
  on: {
    book(ctx, { bestBid }) {
      if (bestBid === null) return;
      for (let index = ctx.orders.length; index < ctx.params.orders; index += 1)
        ctx.buy({ amount: 0.0001, price: bestBid.price * (0.9 - index * 0.001) });
    },
  },
});
