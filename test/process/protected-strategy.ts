import { z } from 'zod';
import { defineStrategy } from '#sdk';

/**
 * Buys once, protects the purchase by an OCO far from the market, and has one more purchase below the market,
 * which is not an exit.
 */
export default defineStrategy({
  name: 'protected',
  params: z.strictObject({}),
  state: z.strictObject({
    price: z.number().nullable().default(null),
    isProtected: z.boolean().default(false),
  }),
  data: ({ market }) => ({ price: market.ticker() }),
  on: {
    price({ state, setState, buy }, { bid, ask }) {
      if (state.price !== null) return;
      setState({ price: ask, isProtected: false });
      buy({ amount: 0.01 });
      buy({ amount: 0.002, price: bid * 0.95 });
    },
    fill({ state: { price, isProtected }, setState, position, oco }, { side }) {
      // The purchase may fill in parts; the handler gets them when all of them are read.
      if (side !== 'buy' || price === null || isProtected || position < 0.0099) return;
      setState({ price, isProtected: true });
      oco('sell', {
        amount: 0.0099,
        price: price * 1.04,
        stopPrice: price * 0.97,
        stopLimitPrice: price * 0.96,
      });
    },
  },
});
