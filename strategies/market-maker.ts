import { z } from 'zod';
import { defineStrategy } from '#sdk';

/**
 * Quotes both sides around the middle price, or that of another venue. What it has gathered moves both quotes,
 * so that it is traded away. It sells what it has bought; to quote sales at once it needs an inventory.
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
    /** Another venue and its market in tether, to quote around its price; while that is late, nothing rests. */
    world: z.strictObject({ venue: z.string(), symbol: z.string() }).nullable().default(null),
  }),
  state: z.strictObject({ middle: z.number().default(0), quoted: z.int().default(0) }),
  data: ({ market, markets, venue, params: { world } }) => ({
    price: market.ticker(),
    world: world === null ? [] : [venue(world.venue).ticker(world.symbol, { maxAgeMs: 10_000 })],
    rate: world === null || market.quote === 'usdt' ? [] : [markets.of('USDTIRT').ticker()],
  }),
  on: {
    price({ params, data, state, setState, position, inventory, equity, freeBase, orders, quotes }, own) {
      const prices = params.world === null ? [own] : [...data.world, ...data.rate];
      const middle = prices.reduce((product, price) => product * (price?.middle ?? Number.NaN), 1);
      if (Number.isNaN(middle) && orders.length > 0) quotes([]);
      const hasMoved = Math.abs(middle - state.middle) * 10_000 >= params.moveBps * middle;
      if (equity === null || !(equity * middle > 0) || (!hasMoved && orders.length >= state.quoted)) return;
      const amount = (equity * params.share) / middle;
      // A long position moves both quotes down, so that it is more likely to be sold than added to.
      const lean = Math.min(1, Math.max(-1, (position - inventory) / amount / params.maxQuotes));
      const away = (middle * params.spreadBps) / 10_000;
      const center = middle - lean * away;
      const sales = orders.filter(({ side }) => side === 'sell');
      const coins = sales.reduce((sum, { remainingAmount }) => sum + remainingAmount, freeBase);
      const bids = lean < 1 ? [{ side: 'buy' as const, price: center - away, amount }] : [];
      const hasCoins = lean > -1 && coins >= amount;
      const asks = hasCoins ? [{ side: 'sell' as const, price: center + away, amount }] : [];
      setState({ middle, quoted: bids.length + asks.length });
      quotes([...bids, ...asks]);
    },
  },
});
