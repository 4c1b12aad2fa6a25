import { z } from 'zod';
import {
  book,
  buy,
  candles,
  cancel,
  defineStrategy,
  sell,
  sma,
  stats,
  timer,
  trades,
  type HandlerResult,
  type StrategyContext,
} from '#sdk';

interface State {
  readonly calls: number;
}

type Context = StrategyContext<{ readonly amount: string }, State>;

/** All that a context shows, of its own market and of another one. */
function everything(context: Context): Readonly<Record<string, unknown>> {
  const { market, nowMs, position, free, equity, orders, book, stats, rules, ages, indicators, history } = context;
  const other = 'ETHIRT';
  return {
    own: { market, nowMs, position, free, equity, orders, book, stats, rules, ages: { ...ages }, indicators, history },
    agesTold: [ages.book, ages.stats, ages.trades, ages.candles, ages.orders, ages.fills, ages.balances],
    values: { ...indicators },
    others: [context.positionOf(other), context.equityOf(other), context.bookOf(other), context.statsOf(other)],
    rules: [context.rulesOf(other), context.rulesOf('NONE')],
    history: context.historyOf(market, '5m'),
  };
}

/** A short text that differs wherever what was seen differs. */
function fingerprint(seen: unknown): string {
  let hash = 0;
  const text = JSON.stringify(seen);
  for (let at = 0; at < text.length; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return `${text.length} ${hash}`;
}

/** Looks at everything with each event, logs what it saw, and trades a little. */
export default defineStrategy({
  name: 'nosy',
  params: z.strictObject({ amount: z.string().default('0.002') }),
  subscribe: ({ market }) => [
    candles(market, '1m', { warmUp: 5 }),
    candles(market, '5m', { warmUp: 2 }),
    book(market),
    trades(market),
    stats(market),
    timer('minute', '* * * * *'),
  ],
  indicators: () => ({ average: sma(3), slow: sma(2, { timeframe: '5m' }) }),
  init: (): State => ({ calls: 0 }),
  onStart: (context, what) => look(context, 'start', what),
  onStop: (context, what) => look(context, 'stop', what),
  onCandle: (context, what) => look(context, 'candle', what),
  onBook: (context, what) => look(context, 'book', what),
  onTrades: (context, what) => look(context, 'trades', what),
  onStats: (context, what) => look(context, 'stats', what),
  onTimer: (context, what) => look(context, 'timer', what),
  onFill: (context, what) => look(context, 'fill', what),
  onOrder: (context, what) => look(context, 'order', what),
  onReject: (context, what) => look(context, 'reject', what),
});

function look(context: Context, kind: string, what: unknown): HandlerResult<State> {
  const { state, market, params, orders, book: seen, log } = context;
  const calls = state.calls + 1;
  log(kind, { calls, saw: fingerprint(everything(context)), told: fingerprint(what) });
  const next = { calls };
  const oldest = orders.find((order) => order.state === 'open');
  if (kind !== 'book' || seen === null) return { state: next };
  if (calls % 7 === 0 && oldest !== undefined) return { state: next, intents: [cancel(oldest.clientOrderId)] };
  const [bid] = seen.bids;
  const [ask] = seen.asks;
  if (calls % 3 !== 0 || bid === undefined || ask === undefined || orders.length > 4) return { state: next };
  const order = calls % 2 === 0 ? buy(market, { amount: params.amount, price: ask[0] }) : null;
  return { state: next, intents: [order ?? sell(market, { amount: params.amount, price: bid[0], tag: `t${calls}` })] };
}
