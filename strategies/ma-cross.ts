import { z } from 'zod';
import { buy, candles, currenciesOf, Decimal, decimal, defineStrategy, isTradable, sell, sma } from '#sdk';

/** Holds the coin while the fast moving average is above the slow one, and nothing while it is below. */
export default defineStrategy({
  name: 'ma-cross',
  params: z.strictObject({
    /** Candles of the fast average. */
    fast: z.int().positive().default(2),
    /** Candles of the slow average. */
    slow: z.int().positive().default(4),
    /** Share of the free quote currency that one entry spends. */
    share: decimal().prefault('0.1'),
    /** Candle length; the run's own without it. */
    timeframe: z.enum(['1m', '5m', '15m', '30m', '1h', '3h', '4h', '6h', '12h', '1d', '2d', '3d']).optional(),
  }),
  subscribe: ({ market, params, timeframe }) => [candles(market, params.timeframe ?? timeframe)],
  indicators: ({ params }) => ({ fast: sma(params.fast), slow: sma(params.slow) }),
  init: () => ({}),
  onCandle(context, candle) {
    const { market, indicators, position, rules } = context;
    const { fast, slow } = indicators;
    if (fast === null || slow === null || fast === slow) return {};
    // A sale is rounded down to the market's step: the dust that it leaves behind is no holding.
    const holds = isTradable(rules, position, candle.close);
    if (fast > slow === holds || context.orders.length > 0) return {};
    if (holds) return { intents: [sell(market, { amount: position })] };
    const money = context.free[currenciesOf(market).quote] ?? '0';
    const wished = (Number(money) * Number(context.params.share)) / Number(candle.close);
    if (!isTradable(rules, wished, candle.close)) return {};
    return { intents: [buy(market, { amount: new Decimal(money).times(context.params.share).div(candle.close) })] };
  },
});
