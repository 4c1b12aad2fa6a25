import { z } from 'zod';
import { defineRules, search, sma } from '#sdk';

/** Holds the coin while the fast moving average is above the slow one, and nothing while it is below. */
export default defineRules({
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
  enter: ({ fast, slow }) => fast.isAbove(slow),
  exit: ({ fast, slow }) => fast.isBelow(slow),
  size: (_, { params, account }) => ({ value: account.freeQuote.times(params.share) }),
});
