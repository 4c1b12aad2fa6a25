import { z } from 'zod';
import { defineStrategy } from '#sdk';

/** Buys at each price of an even grid below the market, highest first, and sells it one price higher. */
export default defineStrategy({
  name: 'grid',
  params: z.strictObject({
    /** Lowest price to buy at, and highest to sell at; by default 2 % below and above the first price. */
    low: z.number().positive().optional(),
    high: z.number().positive().optional(),
    /** Number of prices in the grid, and the share of the first equity that each purchase spends. */
    levels: z.int().min(2).max(50).default(10),
    equityShare: z.number().positive().max(1).default(0.02),
  }),
  state: z.strictObject({ first: z.number(), lot: z.number(), top: z.number() }).partial(),
  data: ({ market }) => ({ price: market.ticker({ everyMs: 3_000, maxAgeMs: 60_000 }) }),
  on: {
    price({ params, state, setState, position, equity, isTradable, quotes }, { ask, middle }) {
      if (equity === null) return;
      const { first = middle, lot = (equity * params.equityShare) / middle, top: before = 0 } = state;
      const { low = first * 0.98, high = first * 1.02 } = params;
      if (low >= high) throw new Error(`expected low below high, was ${low} and ${high}`);
      // While it holds nothing, its highest purchase rises with the market.
      const top = isTradable(position, middle) ? before : Math.max(before, ask);
      setState({ first, lot, top });
      const step = (high - low) / (params.levels - 1);
      const prices = Array.from({ length: params.levels - 1 }, (_, index) => high - step * (index + 1));
      const below = prices.filter((price) => price < top);
      const wanted = below.flatMap((price, index) => {
        const held = Math.min(lot, Math.max(0, position - lot * index));
        return [
          { side: 'sell', price: price + step, amount: held },
          { side: 'buy', price, amount: lot - held },
        ] as const;
      });
      quotes(wanted.filter(({ amount, price }) => isTradable(amount, price)));
    },
  },
});
