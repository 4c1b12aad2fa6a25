import { z } from 'zod';
import { defineStrategy } from '#sdk';

/**
 * Quotes both sides around the middle of the book, as far as it can pay, and leans against what it has
 * gathered.
 */
export default defineStrategy({
  name: 'market-maker',
  params: z.strictObject({
    /** Distance of each quote from the middle, in hundredths of a percent. */
    spreadBps: z.number().positive().default(1.5),
    /** Value of each quote as a share of the free quote currency at the start. */
    share: z.number().positive().max(1).default(0.01),
    /** Inventory, in quotes, at which only the side that reduces it is quoted. */
    maxQuotes: z.number().positive().default(10),
    /** The quotes are renewed when the middle has moved by this much, in hundredths of a percent. */
    moveBps: z.number().positive().default(2),
  }),
  state: z.strictObject({
    middle: z.number().default(0),
    amount: z.number().default(0),
    quoted: z.int().default(0),
  }),
  data: ({ market }) => ({ book: market.book() }),
  on: {
    book({ state, params, orders, position, freeBase, freeQuote, setState, quotes }, { bestBid, bestAsk }) {
      if (bestBid === null || bestAsk === null) return;
      const middle = (bestBid.price + bestAsk.price) / 2;
      const moved = Math.abs(middle - state.middle) / middle;
      if (moved * 10_000 < params.moveBps && orders.length >= state.quoted) return;
      const amount =
        state.amount > 0 ? state.amount : Number(((freeQuote * params.share) / middle).toFixed(8));
      if (amount === 0) return;
      // Between -1 and 1: a long position moves both quotes down, so that it is more likely to be sold than
      // added to.
      const inventory = Math.min(1, Math.max(-1, position / amount / params.maxQuotes));
      const at = (sign: number): number => middle * (1 + ((sign - inventory) * params.spreadBps) / 10_000);
      const resting = orders.map((one) => (one.side === 'sell' ? one.amount - one.matchedAmount : 0));
      const coins = resting.reduce((sum, one) => sum + one, freeBase);
      const sides = (['buy', 'sell'] as const).filter((side) =>
        side === 'buy' ? inventory < 1 : inventory > -1 && coins >= amount,
      );
      setState({ middle, amount, quoted: sides.length });
      quotes(sides.map((side) => ({ side, amount, price: at(side === 'buy' ? -1 : 1) })));
    },
  },
});
