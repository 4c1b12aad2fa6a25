import { z } from 'zod';
import { book, buy, Decimal, defineStrategy, oco } from '#sdk';

/** Buys once, protects what it got by an OCO far from the market, and has a purchase below the market that is none of its ways out. */
export default defineStrategy({
  name: 'protected',
  params: z.strictObject({}),
  subscribe: ({ market }) => [book(market)],
  init: () => ({ hasBought: false, price: '0' }),
  onBook({ state, market }, { asks, bids }) {
    const [ask] = asks[0] ?? [];
    const [bid] = bids[0] ?? [];
    if (state.hasBought || ask === undefined || bid === undefined) return {};
    const low = new Decimal(bid).mul('0.95').toFixed(2);
    return {
      state: { hasBought: true, price: ask },
      intents: [buy(market, { amount: '0.01' }), buy(market, { amount: '0.002', price: low })],
    };
  },
  onFill({ market, state, position }, { side }) {
    if (side !== 'buy' || new Decimal(position).lt('0.0099')) return {};
    const at = (factor: string): string => new Decimal(state.price).mul(factor).toFixed(2);
    const wish = { price: at('1.04'), stopPrice: at('0.97'), stopLimitPrice: at('0.96') };
    return { intents: [oco(market, 'sell', { amount: '0.0099', ...wish })] };
  },
});
