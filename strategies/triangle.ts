import { z } from 'zod';
import { defineStrategy } from '#sdk';

/**
 * Trades a coin around BTCIRT, BTCUSDT and USDTIRT when they do not agree: three legs at once, so it needs
 * some of each currency.
 */
export default defineStrategy({
  name: 'triangle',
  params: z.strictObject({
    /** Tether of one round. */
    size: z.number().positive().default(100),
    /** The least gain of a round as a share of it, before three fees: 0.01 is one percent. */
    edge: z.number().positive().max(1).default(0.01),
    /** The least time between two rounds. */
    pauseMs: z.int().positive().default(60_000),
  }),
  state: z.strictObject({ lastMs: z.number().default(0) }),
  data({ market, markets }) {
    const coin = market.base.toUpperCase();
    return { prices: [`${coin}IRT`, `${coin}USDT`, 'USDTIRT'].map((symbol) => markets.of(symbol).ticker()) };
  },
  on: {
    prices(ctx, { timeMs, source }) {
      const { size, edge, pauseMs } = ctx.params;
      const [rial, dollar, bridge] = ctx.data.prices;
      // Only candles of one time can be compared.
      const isMixed = source === 'candles' && ctx.data.prices.some((one) => one?.timeMs !== timeMs);
      if (!rial || !dollar || !bridge || isMixed) return;
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
