import { z } from 'zod';
import { defineStrategy } from '#sdk';

/**
 * Trades one coin over three markets whose prices do not agree. It needs some of each currency for the three
 * legs: rial, tether, and the coin as its inventory.
 */
export default defineStrategy({
  name: 'triangle',
  params: z.strictObject({
    /** Amount of tether in one round. */
    size: z.number().positive().default(100),
    /** Minimum gain of a round as a share of it, before three fees; 0.01 is one percent. */
    edge: z.number().positive().max(1).default(0.01),
    /** Minimum time between two rounds, in ms. */
    pauseMs: z.int().positive().default(60_000),
  }),
  state: z.strictObject({ lastMs: z.number().default(0) }),
  data({ market, markets }) {
    const coin = market.base.toUpperCase();
    return { prices: [`${coin}IRT`, `${coin}USDT`, 'USDTIRT'].map((symbol) => markets.of(symbol).ticker()) };
  },
  on: {
    prices({ params: { size, edge, pauseMs }, state, setState, data, markets, orders, nowMs }) {
      const [rial, dollar, bridge] = data.prices;
      if (!rial || !dollar || !bridge || orders.length > 0 || nowMs < state.lastMs + pauseMs) return;
      // Prices from candles can be compared only if they are of the same time.
      if (rial.source === 'candles' && new Set(data.prices.map((one) => one?.timeMs)).size > 1) return;
      const brings = (dollar.bid * bridge.bid) / rial.ask - 1 >= edge;
      const takes = rial.bid / (bridge.ask * dollar.ask) - 1 >= edge;
      const amount = size / dollar.ask;
      const spent = brings ? amount * rial.ask : size * bridge.ask;
      const [inRial, inTether] = [markets.of(rial.market), markets.of(dollar.market)];
      const rounds = Math.min(inRial.freeQuote / spent, inRial.freeBase / amount, inTether.freeQuote / size);
      if ((!brings && !takes) || rounds <= 1.01) return;
      setState({ lastMs: nowMs });
      inRial[brings ? 'buy' : 'sell']({ amount });
      inTether[brings ? 'sell' : 'buy']({ amount });
      markets.of(bridge.market)[brings ? 'sell' : 'buy']({ amount: size });
    },
  },
});
