import { z } from 'zod';
import { book, buy, candles, currenciesOf, Decimal, decimal, defineStrategy, timer } from '#sdk';

/** What is spent where nobody said how much, in each quote currency. */
const SPEND = { rls: '20000000', usdt: '20' } as const;

/** Buys for the same money again and again, whatever the price is. Where there are only candles, the last close stands for the best price. */
export default defineStrategy({
  name: 'dca',
  params: z.strictObject({
    /** What each purchase costs, in the quote currency. */
    spend: decimal().optional(),
    /** When it buys; UTC. What falls due while nothing runs is not made up for. */
    cron: z.string().default('0 9 * * *'),
  }),
  subscribe: ({ market, params, timeframe, hasBooks }) => [
    timer('buy', params.cron),
    hasBooks ? book(market, { everyMs: 10_000, maxAgeMs: 60_000 }) : candles(market, timeframe, { warmUp: 1 }),
  ],
  init: () => ({ isDue: false }),
  onTimer({ params, market, book, history }) {
    return purchase(market, params.spend, book?.asks[0]?.[0] ?? history.at(-1)?.close);
  },
  onBook({ state, params, market }, { asks }) {
    return state.isDue ? purchase(market, params.spend, asks[0]?.[0]) : {};
  },
  onCandle({ state, params, market }, { close }) {
    return state.isDue ? purchase(market, params.spend, close) : {};
  },
});

/** A market order for the money at the best price, or a purchase that stays due until there is a price. */
function purchase(market: string, spend: string | undefined, price: string | undefined) {
  if (price === undefined) return { state: { isDue: true } };
  const money = spend ?? SPEND[currenciesOf(market).quote];
  const amount = new Decimal(money).div(price).toFixed(10, Decimal.ROUND_DOWN);
  if (new Decimal(amount).isZero()) return { state: { isDue: false } };
  return { state: { isDue: false }, intents: [buy(market, { amount })] };
}
