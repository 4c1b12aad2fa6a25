import type { BacktestRun } from '../../backtest/backtest-run.ts';
import { summaryOf } from '../../backtest/result/finish-run.ts';
import { roundTrips, type RoundTrip } from '../../backtest/metrics/round-trips.ts';
import { valuedFills } from '../../backtest/metrics/valued-fills.ts';
import { runBacktest } from '../../backtest/run-backtest.ts';
import { createBacktest, marketFor, type BacktestRequest } from '../../backtest/setup/candle-backtest.ts';
import type { BotConfig } from '../../daemon/settings/create-bot-config.ts';
import type { CandleColumns } from '../../domain/candle-columns.ts';
import { SarrafError } from '../../domain/errors.ts';
import { present } from '../../domain/invariant.ts';
import { createRandom } from '../../domain/random.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import { failureReason } from '../trials/failure-reason.ts';
import { trialMetrics } from '../trials/trial-metrics.ts';
import { withParams, type TrialSetup } from '../trials/trial-setup.ts';
import { doubledCosts } from './doubled-costs.ts';
import { heldPositions } from './held-positions.ts';
import { randomEntryPlan } from './random-entry-plan.ts';
import { randomEntryStrategy } from './random-entry-strategy.ts';
import { redrawnBars } from './redrawn-bars.ts';
import type { StressReport, StressTask, TradesAgain } from './stress-task.ts';
import { tradeChanges } from './trade-changes.ts';

/** Where trials run, and the bot that runs them. */
interface StressPlace {
  readonly setup: TrialSetup;
  readonly config: BotConfig;
}

/** The run of a trial with one thing changed. Throws as `createBacktest` does. */
export async function runStressTask(task: StressTask, of: StressPlace): Promise<StressReport> {
  const { backtest } = await createBacktest(requestOf(task, of));
  const run = runBacktest(backtest);
  const stopped = run.strategies.find(({ failure }) => failure !== null);
  if (stopped !== undefined)
    return { kind: 'failed', failure: 'stopped', reason: failureReason(stopped.failure) };
  const valued = valuedFills(run);
  const all = roundTrips(valued.moved, valued.markets);
  const metrics = trialMetrics(summaryOf(run, all, valued.traded));
  return { kind: 'ran', metrics, trades: task.what === 'again' ? tradesOf(run, all.trips) : null };
}

function requestOf(task: StressTask, { setup, config }: StressPlace): BacktestRequest {
  const { overrides: _read, ...rest } = setup;
  const request = { ...rest, csv: [], catalogue: null };
  if (task.what === 'entries') return { ...request, config: withRandomEntries(config, task, setup) };
  const own = { ...request, config: withParams(config, task.params) };
  if (task.what === 'bars') return { ...own, candles: redrawn(task, { setup, config }) };
  return task.what === 'costs' ? withDoubledCosts(own, task.doubled) : own;
}

function withDoubledCosts(
  request: BacktestRequest,
  doubled: Extract<StressTask, { what: 'costs' }>['doubled'],
): BacktestRequest {
  const { config, rules } = request;
  const { paper } = config;
  const costs = doubledCosts({ fees: paper.fees, rules }, doubled);
  return { ...request, rules: costs.rules, config: { ...config, paper: { ...paper, fees: costs.fees } } };
}

function redrawn(
  { meanBlock, seed }: Extract<StressTask, { what: 'bars' }>,
  { setup, config }: StressPlace,
): readonly CandleColumns[] {
  const { candles, fromMs, steps } = setup;
  const markets = candles.map((columns) => ({
    columns,
    priceStep: marketFor(columns.market, { config, steps }).priceStep,
  }));
  return redrawnBars(markets, { fromMs, meanBlock, random: createRandom(seed) });
}

/** One strategy in all markets that were traded, so that it has the whole account. */
function withRandomEntries(
  config: BotConfig,
  { held, seed }: Extract<StressTask, { what: 'entries' }>,
  { candles: bars, fromMs }: TrialSetup,
): BotConfig {
  const plan = randomEntryPlan(held, { bars, fromMs, random: createRandom(seed) });
  if (plan.kind === 'unknown') throw new SarrafError('INVARIANT', plan.message);
  const definition = randomEntryStrategy(plan.value);
  const first = present(config.strategies[0], 'a strategy');
  const market = parseMarket(present(plan.value[0], 'a market that was traded').market).symbol;
  const { name } = definition;
  const plugin = { kind: 'definition', definition } as const;
  return { ...config, strategies: [{ ...first, plugin, name, market, params: {} }] };
}

function tradesOf(run: BacktestRun, trips: readonly RoundTrip[]): TradesAgain {
  const { markets, quote, curve, initialEquity } = run;
  const isOneCurrency = markets.every(({ market }) => market.quote === quote);
  const bars = markets.map(({ candles }) => candles);
  return {
    changes: tradeChanges(trips, initialEquity),
    held: isOneCurrency ? heldPositions(trips, { bars, curve, initialEquity }) : null,
  };
}
