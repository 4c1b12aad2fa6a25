import { z } from 'zod';
import { defineStrategy } from '#sdk';

/**
 * Quotes both sides around the middle price. What it has gathered moves both quotes, so that it is traded
 * away. It sells what it has bought; to quote sales from the start it needs an inventory.
 */
export default defineStrategy({
  name: 'market-maker',
  params: z.strictObject({
    /** Distance of each quote from the middle, in hundredths of a percent. */
    spreadBps: z.number().positive().default(1.5),
    /** Value of each quote, as a share of the equity. */
    share: z.number().positive().max(1).default(0.01),
    /** Maximum position beyond its inventory, in quotes; then only the side that reduces it is quoted. */
    maxQuotes: z.number().positive().default(10),
    /** Move of the middle at which the quotes are renewed, in hundredths of a percent. */
    moveBps: z.number().positive().default(2),
  }),
  state: z.strictObject({ middle: z.number().default(0), quoted: z.int().default(0) }),
  data: ({ market }) => ({ price: market.ticker() }),
  on: {
    price({ params, state, setState, position, inventory, equity, freeBase, orders, quotes }, { middle }) {
      const hasMoved = Math.abs(middle - state.middle) * 10_000 >= params.moveBps * middle;
      if (equity === null || equity <= 0 || (!hasMoved && orders.length >= state.quoted)) return;
      const amount = (equity * params.share) / middle;
      // A long position moves both quotes down, so that it is more likely to be sold than added to.
      const gathered = (position - inventory) / amount / params.maxQuotes;
      const lean = Math.min(1, Math.max(-1, gathered));
      const away = (middle * params.spreadBps) / 10_000;
      const center = middle - lean * away;
      const coins = orders.reduce(
        (sum, { side, remainingAmount }) => (side === 'sell' ? sum + remainingAmount : sum),
        freeBase,
      );
      const bids = lean < 1 ? [{ side: 'buy' as const, price: center - away, amount }] : [];
      const asks =
        lean > -1 && coins >= amount ? [{ side: 'sell' as const, price: center + away, amount }] : [];
      setState({ middle, quoted: bids.length + asks.length });
      quotes([...bids, ...asks]);
    },
  },
});
