import { z } from 'zod';
import { defineStrategy, search, sma } from '#sdk';

/** Holds the coin while the fast moving average is above the slow one, and nothing while it is below. */
export default defineStrategy({
  name: 'ma-cross',
  params: z.strictObject({
    /** Number of candles in the fast average. */
    fast: search(z.int().positive().default(2), { max: 50 }),
    /** Number of candles in the slow average. */
    slow: search(z.int().positive().default(4), { min: 2, max: 200 }),
    /** Share of the free quote currency that one entry spends. */
    share: z.number().positive().max(1).default(0.1),
    /** Candle length; by default that of the run. */
    timeframe: z.enum(['1m', '5m', '15m', '30m', '1h', '3h', '4h', '6h', '12h', '1d', '2d', '3d']).optional(),
  }),
  data: ({ market, params, timeframe }) => ({ bars: market.candles(params.timeframe ?? timeframe) }),
  indicators: ({ bars }, { params }) => ({ fast: sma(bars, params.fast), slow: sma(bars, params.slow) }),
  on: {
    bars(ctx, { close }) {
      const { fast, slow } = ctx.indicators;
      ctx.plot('fast', fast);
      ctx.plot('slow', slow);
      // A sale is rounded down to the market's step: the dust that is left does not count as a holding.
      const holds = ctx.isTradable(ctx.position, close);
      if (fast === slow || fast > slow === holds || ctx.orders.length > 0) return;
      const value = ctx.freeQuote * ctx.params.share;
      if (holds) ctx.sell({ amount: ctx.position });
      else if (ctx.isTradable(value / close, close)) ctx.buy({ value });
    },
  },
});
