import { z } from 'zod';
import { atr, bollinger, defineRules, search } from '#sdk';

/**
 * Buys what has fallen far below its average, and sells at the average. It loses where prices go on falling:
 * then many small wins are followed by stops, each worth several of them.
 */
export default defineRules({
  name: 'reversion',
  params: z.strictObject({
    /** Number of candles in the average and its bands. */
    length: search(z.int().min(2).default(20), { min: 10, max: 100, step: 5 }),
    /** Distance below the average at which it buys, in standard deviations. */
    deviations: search(z.number().positive().default(2), { min: 1, max: 3.5, step: 0.25 }),
    /** Distance from the entry to the stop, in average true ranges. */
    stopRanges: search(z.number().positive().default(2), { min: 1, max: 5, step: 0.5 }),
    /** Number of candles in the average true range. */
    ranges: z.int().min(1).default(14),
    /** Share of the equity that one entry spends. */
    share: z.number().positive().max(1).default(0.1),
    /** Hours after which a position that has not come back is sold. */
    hours: search(z.number().positive().default(48), { min: 12, max: 96, step: 12 }),
  }),
  data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
  indicators: ({ bars }, { params }) => ({
    bands: bollinger(bars, params.length, params.deviations),
    range: atr(bars, params.ranges),
  }),
  enter: ({ bars, bands }) => bars.close.isBelow(bands.lower),
  size: (_, { params }) => ({ equityShare: params.share }),
  bracket: ({ bars, bands, range }, { params }) => ({
    takeProfit: { distance: bands.middle.minus(bars.close) },
    stopLoss: { distance: range.times(params.stopRanges) },
    timeStopMs: Math.round(params.hours * 3_600_000),
  }),
});
