import { z } from 'zod';
import { defineRules, ema, rsi, search } from '#sdk';

/**
 * Buys weakness within a rise: the strength index falls below a floor while the price is above its long average.
 * It loses where a rise turns into a fall: then it buys on the way down, and its stop is hit.
 */
export default defineRules({
  name: 'dip',
  params: z.strictObject({
    /** Number of candles in the strength index. */
    length: search(z.int().min(2).default(14), { min: 5, max: 50 }),
    /** Value of the index below which it buys, and above which it sells. */
    floor: search(z.number().min(0).max(100).default(30), { min: 10, max: 45 }),
    ceiling: search(z.number().min(0).max(100).default(70), { min: 50, max: 90 }),
    /** Number of candles in the long average. */
    trend: search(z.int().min(2).default(200), { min: 50, max: 400 }),
    /** Candles after which a position is sold. */
    bars: search(z.int().min(1).default(48), { min: 12, max: 96 }),
    /** Share of the equity that one entry spends. */
    share: z.number().positive().max(1).default(0.1),
    /** Distances of the stop and of the target from the entry, in percent. */
    stop: search(z.number().positive().default(2), { min: 0.5, max: 5, step: 0.5 }),
    target: search(z.number().positive().default(4), { min: 1, max: 10, step: 0.5 }),
  }),
  data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
  indicators: ({ bars }, { params }) => ({
    strength: rsi(bars, params.length),
    trend: ema(bars, params.trend),
  }),
  enter: ({ bars, strength, trend }, { params }) =>
    strength.crossesBelow(params.floor).and(bars.close.isAbove(trend)),
  exit: ({ strength }, { params, position }) =>
    strength.isAbove(params.ceiling).or(position.barsHeld.isAbove(params.bars)),
  size: (_, { params }) => ({ equityShare: params.share }),
  bracket: (_, { params }) => ({
    stopLoss: { percent: params.stop },
    takeProfit: { percent: params.target },
  }),
});
