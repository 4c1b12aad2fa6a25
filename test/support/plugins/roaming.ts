import { z } from 'zod';
import { defineStrategy, sma } from '#sdk';

/** Follows the markets with the least spread, logs all it sees, and ends its thread at a given minute. */
export default defineStrategy({
  name: 'roaming',
  params: z.strictObject({ exitsAtMs: z.number().nullable().default(null) }),
  data: ({ universe, market, markets, timer }) => {
    const members = universe({ quote: 'rls', rankBy: 'spread', take: 2, refreshMs: 60_000, hysteresis: 0 });
    return {
      members,
      bars: members.candles('1m', { history: 3 }),
      // Bars of two candidates are wanted anyway: of one more than members have, of the other fewer.
      other: markets.of('BTCIRT').candles('1m'),
      own: market.candles('1m', { history: 60 }),
      prices: members.ticker({ everyMs: 10_000 }),
      minute: timer('* * * * *'),
    };
  },
  indicators: ({ bars }) => ({ average: sma(bars, 3) }),
  on: {
    start(ctx) {
      ctx.log('start');
    },
    members(ctx, { entered, left, members }) {
      ctx.log('members', {
        entered,
        left,
        members,
        known: ctx.data.members.members.map(({ market }) => market),
      });
    },
    bars(ctx, { market, close }) {
      ctx.log('bar', {
        market,
        close,
        average: ctx.indicators.average.of(market),
        history: ctx.history.bars.of(market).map((bar) => bar.close),
        bid: ctx.data.prices.of(market)?.bid,
        own: ctx.history.own.map((bar) => bar.close),
        isMember: ctx.data.members.isMember(market),
      });
    },
    minute(ctx) {
      if (ctx.nowMs === ctx.params.exitsAtMs) process.exit(4);
    },
  },
});
