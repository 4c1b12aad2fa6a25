import { z } from 'zod';
import { defineStrategy } from '#sdk';

/** Quotes both sides around the middle price, and leans against what it has gathered. */
export default defineStrategy({
  name: 'market-maker',
  params: z.strictObject({
    /** Distance of each quote from the middle, in hundredths of a percent. */
    spreadBps: z.number().positive().default(1.5),
    /** Share of the equity that each quote is worth. */
    share: z.number().positive().max(1).default(0.01),
    /** Inventory, in quotes, at which only the side that reduces it is quoted. */
    maxQuotes: z.number().positive().default(10),
    /** The quotes are renewed when the middle has moved by this much, in hundredths of a percent. */
    moveBps: z.number().positive().default(2),
  }),
  state: z.strictObject({ middle: z.number().default(0), quoted: z.int().default(0) }),
  data: ({ market }) => ({ price: market.ticker() }),
  on: {
    price({ params, state, setState, position, equity, freeBase, orders, quotes }, { middle }) {
      const hasMoved = Math.abs(middle - state.middle) * 10_000 >= params.moveBps * middle;
      if (equity === null || equity <= 0 || (!hasMoved && orders.length >= state.quoted)) return;
      const amount = (equity * params.share) / middle;
      // A long position moves both quotes down, so that it is more likely to be sold than added to.
      const inventory = Math.min(1, Math.max(-1, position / amount / params.maxQuotes));
      const away = (middle * params.spreadBps) / 10_000;
      const center = middle - inventory * away;
      const coins = orders.reduce(
        (sum, { side, remainingAmount }) => (side === 'sell' ? sum + remainingAmount : sum),
        freeBase,
      );
      const bids = inventory < 1 ? [{ side: 'buy' as const, price: center - away, amount }] : [];
      const asks =
        inventory > -1 && coins >= amount ? [{ side: 'sell' as const, price: center + away, amount }] : [];
      setState({ middle, quoted: bids.length + asks.length });
      quotes([...bids, ...asks]);
    },
  },
});
