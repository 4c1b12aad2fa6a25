import { z } from 'zod';
import { atr, defineStrategy, donchian, size } from '#sdk';

/**
 * Buys a close above the highest price of some candles, risks a fixed share of the equity, and lets its stop
 * follow the price. It loses where prices go sideways: then most breakouts fail, and each costs the risk.
 */
export default defineStrategy({
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
  /** The highest price of these candles, without the current one. */
  state: z.strictObject({ highest: z.number().nullable().default(null) }),
  data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
  indicators: ({ bars }, { params }) => ({
    channel: donchian(bars, params.length),
    range: atr(bars, params.ranges),
  }),
  trailing: { most: 1 },
  on: {
    bars(ctx, { close }) {
      const { equity, params, state } = ctx;
      const { channel, range } = ctx.indicators;
      ctx.setState({ highest: channel.upper });
      const isHeld = ctx.isTradable(ctx.position, close) || ctx.orders.length > 0;
      if (equity === null || range === 0 || close <= (state.highest ?? Infinity) || isHeld) return;
      const stopDistance = params.trailRanges * range;
      const wanted = Number(size.riskPerTrade({ equity, share: params.risk, stopDistance }).amount);
      const amount = Math.min(wanted, (ctx.freeQuote * params.most) / close);
      if (ctx.isTradable(amount, close))
        ctx.bracket({ entry: { amount }, trail: { by: { distance: stopDistance } } });
    },
  },
});
