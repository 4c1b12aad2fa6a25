import { z } from 'zod';
import { atr, defineRules, donchian } from '#sdk';

/**
 * Buys a close above the highest price of some candles, risks a fixed share of the equity, and lets its stop
 * follow the price. It loses where prices go sideways: then most breakouts fail, and each costs the risk.
 */
export default defineRules({
  name: 'breakout',
  params: z.strictObject({
    /** Number of candles whose highest price must be exceeded. */
    length: z.int().min(2).default(48),
    /** Number of candles in the average true range. */
    ranges: z.int().min(1).default(14),
    /** Distance of the stop below the highest close, in average true ranges. */
    trailRanges: z.number().positive().default(3),
    /** Share of the equity that is lost if the first stop fills. */
    risk: z.number().positive().max(1).default(0.01),
    /** Maximum share of the free money that one entry spends. */
    most: z.number().positive().max(1).default(0.5),
  }),
  data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
  indicators: ({ bars }, { params }) => ({
    channel: donchian(bars, params.length),
    range: atr(bars, params.ranges),
  }),
  enter: ({ bars, channel, range }) => bars.close.isAbove(channel.upper.before(1)).and(range.isAbove(0)),
  size: ({ bars, range }, { params, account }) => ({
    amount: account.equity
      .times(params.risk)
      .over(range.times(params.trailRanges))
      .atMost(account.freeQuote.times(params.most).over(bars.close)),
  }),
  bracket: ({ range }, { params }) => ({ trail: { by: { distance: range.times(params.trailRanges) } } }),
  trailing: { most: 1 },
});
