import { z } from 'zod';
import { createRandom } from '../../domain/random.ts';
import { defineStrategy } from '../../strategy/definition.ts';
import { Dice } from '../dice.ts';
import { FAR, NEAR } from './situation.ts';

/** Range of the time its orders rest: others can use the money in between. */
const LEAST_REST_MS = 5_000;
const MOST_REST_MS = 60_000;

/** Probability that it requests two orders in one call. */
const TWICE = 0.15;

/**
 * Wants most of all the money or coins that it may spend, for a short time. Two of them in one market would
 * spend the same money, if they saw the same.
 */
export const SPENDER = defineStrategy({
  name: 'spender',
  params: z.strictObject({ seed: z.int(), activity: z.number().positive().max(1), everyMs: z.int() }),
  state: z.strictObject({ random: z.number().nullable().default(null) }),
  data: ({ market, params }) => ({ book: market.book({ everyMs: params.everyMs, maxAgeMs: 120_000 }) }),
  on: {
    book(ctx, { bestBid, bestAsk }) {
      const random = createRandom(ctx.state.random ?? ctx.params.seed);
      const dice = new Dice(Math.floor(random.next() * 0x1_0000_0000));
      ctx.setState({ random: random.state });
      if (bestBid === null || bestAsk === null || !dice.happens(ctx.params.activity)) return;
      const isBuy = dice.happens(0.5);
      // Of two in one call the second is more than there is left, which a handler does not see.
      for (let orders = dice.happens(TWICE) ? 2 : 1; orders > 0; orders -= 1) {
        const part = dice.between(0.55, 1);
        const away = dice.logUniform(NEAR * 4, FAR);
        const expireAfterMs = dice.integer(LEAST_REST_MS, MOST_REST_MS);
        const [value, amount] = [ctx.freeQuote * part, ctx.freeBase * part];
        if (isBuy && value > 0) ctx.buy({ value, price: bestBid.price * (1 - away), expireAfterMs });
        else if (!isBuy && amount > 0) ctx.sell({ amount, price: bestAsk.price * (1 + away), expireAfterMs });
      }
    },
  },
});
