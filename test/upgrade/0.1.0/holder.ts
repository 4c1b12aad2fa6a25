import { z } from 'zod';
import { defineStrategy } from '#sdk';

/** Buys once with a bracket, sells slices by TWAP on a signal, and remembers how many candles it saw. */
export default defineStrategy({
  name: 'holder',
  params: z.strictObject({ amount: z.number().positive().default(0.01) }),
  state: z.strictObject({ candles: z.number().int().default(0), bought: z.boolean().default(false) }),
  data: ({ market, timeframe, signal }) => ({
    bars: market.candles(timeframe),
    slice: signal(z.strictObject({ amount: z.number().positive() })),
  }),
  on: {
    bars(ctx) {
      ctx.setState({ candles: ctx.state.candles + 1, bought: true });
      if (ctx.state.bought) return;
      ctx.bracket({
        entry: { amount: ctx.params.amount },
        stopLoss: { percent: 3 },
        takeProfit: { percent: 4 },
        whenCanceled: 'leave',
      });
    },
    slice({ twap }, { payload }) {
      twap('buy', { amount: payload.amount, overMs: 3_600_000, slices: 12 });
    },
  },
});
