import { finishRun } from '../src/backtest/finish-run.ts';
import { runBacktest } from '../src/backtest/run-backtest.ts';
import { createBarRules } from '../src/venues/fill-rules.ts';
import { createBacktest } from '../src/backtest/candle-backtest.ts';
import { readConfig } from '../src/cli/read-config.ts';
import { limitHeap } from '../src/cli/end-signal.ts';
import { MARKET } from './bar-walk.ts';

/**
 * Runs what `sarraf backtest` runs on a named catalogue, in its own process; prints the count of bars and the
 * peak memory in KiB.
 */
limitHeap();
const [catalogue = ''] = process.argv.slice(2);
const params = { fast: 10, slow: 30, share: 0.01 };
const config = readConfig(null, [
  ['strategies', JSON.stringify([{ plugin: 'ma-cross', market: MARKET.symbol, timeframe: '1m', params }])],
  ['paper.balances', '{ "usdt": "10000" }'],
]);
const { backtest } = await createBacktest({
  config,
  timeframe: '1m',
  csv: [],
  currency: null,
  catalogue,
  fromMs: null,
  toMs: null,
  steps: { price: '0.01', amount: '0.000001' },
  rules: createBarRules({}),
});
const { summary, timing } = finishRun(runBacktest(backtest)).head;
console.log(
  JSON.stringify({ bars: timing.events, orders: summary.orders, kib: process.resourceUsage().maxRSS }),
);
