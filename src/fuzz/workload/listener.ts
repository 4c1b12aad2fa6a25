import { z } from 'zod';
import { defineStrategy } from '../../strategy/definition.ts';

/** Ids that it remembers, the last ones: what was told is held against them. */
export const MOST_TOLD = 400;

/** Schema of its state. */
export const LISTENER_STATE = z.strictObject({ told: z.array(z.string()).default([]) });

/** Does what signals say, far from the market, and remembers each in its state. */
export const LISTENER = defineStrategy({
  name: 'listener',
  params: z.strictObject({ everyMs: z.int() }),
  state: LISTENER_STATE,
  data: ({ market, params, signal }) => ({
    book: market.book({ everyMs: params.everyMs, maxAgeMs: 120_000 }),
    alert: signal(z.strictObject({ share: z.number().min(0).max(1).nullable() })),
  }),
  on: {
    alert(ctx, { id, payload: { share } }) {
      ctx.setState({ told: [...ctx.state.told, id].slice(-MOST_TOLD) });
      const price = ctx.data.book?.bestBid?.price ?? null;
      // Some are only listened to: nothing else makes their step be on the disk at once.
      if (share === null || price === null || ctx.freeQuote * share === 0) return;
      ctx.buy({ value: ctx.freeQuote * share * 0.01, price: price * 0.9, expireAfterMs: 60_000 });
    },
  },
});
