import { z } from 'zod';
import { book, currenciesOf, Decimal, decimal, defineStrategy, quotes } from '#sdk';

/** Quotes both sides around the middle of the book, as far as it can pay for them, leaning against the inventory that it has gathered. */
export default defineStrategy({
  name: 'market-maker',
  params: z.strictObject({
    /** Distance of each quote from the middle, in hundredths of a percent. */
    spreadBps: z.number().positive().default(1.5),
    /** Value of each quote as a share of the free quote currency at the start. */
    share: decimal().prefault('0.01'),
    /** Inventory, in quotes, at which only the side that reduces it is quoted. */
    maxQuotes: z.number().positive().default(10),
    /** The quotes are renewed when the middle has moved by this much, in hundredths of a percent. */
    moveBps: z.number().positive().default(2),
  }),
  subscribe: ({ market }) => [book(market)],
  init: () => ({ middle: null as string | null, amount: null as string | null, quoted: 0 }),
  onBook({ state, params, market, position, free, orders }, { bids, asks }) {
    const [bid] = bids;
    const [ask] = asks;
    if (bid === undefined || ask === undefined) return {};
    const middle = new Decimal(bid[0]).plus(ask[0]).div(2);
    const movedBps = middle
      .minus(state.middle ?? 0)
      .abs()
      .div(middle)
      .times(10_000);
    if (movedBps.lessThan(params.moveBps) && orders.length >= state.quoted) return {};
    const { base, quote } = currenciesOf(market);
    const money = new Decimal(free[quote] ?? 0);
    const amount = state.amount ?? money.times(params.share).div(middle).toFixed(8);
    if (new Decimal(amount).isZero()) return {};
    // Between -1 and 1: a long position moves both quotes down, so that it is more likely to be sold than added to.
    const inventory = new Decimal(position).div(amount).div(params.maxQuotes).clampedTo(-1, 1);
    const at = (bps: Decimal): string =>
      middle.times(bps.minus(inventory.times(params.spreadBps)).div(10_000).plus(1)).toFixed(10);
    // What is set aside for its own orders is there for the new ones.
    const coins = orders
      .filter(({ side }) => side === 'sell')
      .reduce((sum, order) => sum.plus(order.amount).minus(order.matchedAmount), new Decimal(free[base] ?? 0));
    const wanted = [
      { side: 'buy' as const, price: at(new Decimal(-params.spreadBps)), amount },
      { side: 'sell' as const, price: at(new Decimal(params.spreadBps)), amount },
    ].filter(({ side }) =>
      side === 'buy' ? inventory.lessThan(1) : inventory.greaterThan(-1) && coins.greaterThanOrEqualTo(amount),
    );
    return { state: { middle: middle.toFixed(), amount, quoted: wanted.length }, intents: [quotes(market, wanted)] };
  },
});
