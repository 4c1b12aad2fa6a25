import { z } from 'zod';
import { book, candles, Decimal, decimal, defineStrategy, target, timer } from '#sdk';

/**
 * Keeps a share of its equity in the coin: looks now and then, and trades when the share has left its band. Where there are only candles, the last close stands for the
 * middle of the book.
 */
export default defineStrategy({
  name: 'rebalance',
  params: z.strictObject({
    /** Share of the equity that is to be in the coin, 0 to 1. */
    share: decimal()
      .refine((share) => new Decimal(share).gte(0) && new Decimal(share).lte(1), 'expected a share from 0 to 1')
      .prefault('0.5'),
    /** How far the share may be from it, in hundredths of a percent of the equity. */
    bandBps: z.number().positive().default(200),
    /** When it looks; UTC. */
    cron: z.string().default('0 * * * *'),
  }),
  subscribe: ({ market, params, timeframe, hasBooks }) => [
    timer('rebalance', params.cron),
    hasBooks ? book(market, { everyMs: 10_000, maxAgeMs: 60_000 }) : candles(market, timeframe, { warmUp: 1 }),
  ],
  init: () => null,
  onTimer({ params, market, position, equity, book, history }) {
    const close = history.at(-1)?.close;
    const [bid, ask] = [book?.bids[0]?.[0] ?? close, book?.asks[0]?.[0] ?? close];
    if (equity === null || bid === undefined || ask === undefined || !new Decimal(equity).gt(0)) return {};
    const middle = new Decimal(bid).plus(ask).div(2);
    const distance = new Decimal(position).times(middle).div(equity).minus(params.share);
    if (distance.abs().times(10_000).lte(params.bandBps)) return {};
    return { intents: [target(market, { equityShare: params.share })] };
  },
});
