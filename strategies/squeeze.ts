import { z } from 'zod';
import { bollinger, defineRules, search } from '#sdk';

/**
 * Waits until the bands are as narrow as they have been for long, and buys when the price leaves them upwards.
 * It loses where the price leaves them and comes back: each false start costs a part of the bands' width.
 */
export default defineRules({
  name: 'squeeze',
  params: z.strictObject({
    /** Number of candles in the bands. */
    length: search(z.int().min(2).default(20), { min: 10, max: 50 }),
    /** Number of candles of which the bands must have been the narrowest. */
    quiet: search(z.int().min(2).default(100), { min: 20, max: 300 }),
    /** Candles after that in which it may buy. */
    within: search(z.int().min(1).max(400).default(10), { min: 3, max: 30 }),
    /** Share of the equity that one entry spends. */
    share: z.number().positive().max(1).default(0.2),
    /** Distance of the stop below the entry, in percent. */
    stop: search(z.number().positive().default(3), { min: 1, max: 8, step: 0.5 }),
  }),
  data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
  indicators: ({ bars }, { params }) => ({ band: bollinger(bars, params.length, 2) }),
  enter: ({ bars, band }, { params }) => {
    const width = band.upper.minus(band.lower);
    const isNarrowest = width.isBelow(width.lowest(params.quiet).before(1));
    return bars.close.crossesAbove(band.upper).and(isNarrowest.barsSince(params.within).isAbove(0));
  },
  exit: ({ bars, band }) => bars.close.isBelow(band.middle),
  size: (_, { params }) => ({ equityShare: params.share }),
  bracket: (_, { params }) => ({ stopLoss: { percent: params.stop } }),
});
