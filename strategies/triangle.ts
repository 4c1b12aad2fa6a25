import { z } from 'zod';
import { defineStrategy } from '#sdk';

/**
 * Buys a coin where it is cheap and sells it where it is dear, when BTCIRT, BTCUSDT and USDTIRT do not agree. All three legs go out at
 * once, so the account needs rial, tether and the coin. `edge` has to be well above three fees. Its own market is the coin's in rial.
 */
export default defineStrategy({
  name: 'triangle',
  params: z.strictObject({
    /** Tether of one round. */
    size: z.number().positive().default(100),
    /** The least gain of a round as a share of it, before fees: 0.01 is one percent. */
    edge: z.number().positive().max(1).default(0.01),
    /** The least time between two rounds. */
    pauseMs: z.int().positive().default(60_000),
    /** Candle length where there are only candles; the run's own without it. */
    timeframe: z.enum(['1m', '5m', '15m', '30m', '1h']).optional(),
  }),
  state: z.strictObject({ lastMs: z.number().default(0) }),
  data({ market, markets, params, timeframe }) {
    const coin = market.base.toUpperCase();
    const symbols = [`${coin}IRT`, `${coin}USDT`, 'USDTIRT'];
    return { prices: symbols.map((one) => markets.of(one).ticker({ timeframe: params.timeframe ?? timeframe })) };
  },
  on: {
    prices(ctx, { timeMs, source }) {
      const [rial, dollar, bridge] = ctx.data.prices;
      if (!rial || !dollar || !bridge) return;
      // Only candles of one time can be compared: where one is missing, nothing is done.
      if (source === 'candles' && [rial, dollar, bridge].some((one) => one.timeMs !== timeMs)) return;
      const { size, edge, pauseMs } = ctx.params;
      const brings = (dollar.bid * bridge.bid) / rial.ask - 1 >= edge;
      const takes = rial.bid / (bridge.ask * dollar.ask) - 1 >= edge;
      if ((!brings && !takes) || ctx.orders.length > 0 || ctx.nowMs < ctx.state.lastMs + pauseMs) return;
      const amount = size / dollar.ask;
      const [inRial, inTether, tether] = [rial, dollar, bridge].map(({ market }) => ctx.markets.of(market));
      const spent = brings ? amount * rial.ask : size * bridge.ask;
      if (!inRial || !inTether || !tether || inRial.freeQuote <= spent * 1.01) return;
      if (inRial.freeBase <= amount * 1.01 || inTether.freeQuote <= size * 1.01) return;
      ctx.setState({ lastMs: ctx.nowMs });
      inRial[brings ? 'buy' : 'sell']({ amount });
      inTether[brings ? 'sell' : 'buy']({ amount });
      tether[brings ? 'sell' : 'buy']({ amount: size });
    },
  },
});
