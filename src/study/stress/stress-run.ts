import type { BacktestRun } from '../../backtest/backtest-run.ts';
import { summaryOf } from '../../backtest/result/finish-run.ts';
import { roundTrips } from '../../backtest/metrics/round-trips.ts';
import { valuedFills } from '../../backtest/metrics/valued-fills.ts';
import { runBacktest } from '../../backtest/run-backtest.ts';
import { createBacktest, type BacktestRequest } from '../../backtest/setup/candle-backtest.ts';
import type { BotConfig } from '../../daemon/settings/create-bot-config.ts';
import { failureReason } from '../trials/failure-reason.ts';
import { trialMetrics } from '../trials/trial-metrics.ts';
import { withParams, type TrialSetup } from '../trials/trial-setup.ts';
import { doubledCosts } from './doubled-costs.ts';
import type { StressReport, StressTask } from './stress-task.ts';
import { tradeChanges } from './trade-changes.ts';

/** The run of a trial with one thing changed. Throws as `createBacktest` does. */
export async function runStressTask(
  task: StressTask,
  of: { readonly setup: TrialSetup; readonly config: BotConfig },
): Promise<StressReport> {
  const { backtest } = await createBacktest(requestOf(task, of));
  return reportOf(task, runBacktest(backtest));
}

function requestOf(
  task: StressTask,
  { setup, config }: { readonly setup: TrialSetup; readonly config: BotConfig },
): BacktestRequest {
  const { overrides: _read, ...rest } = setup;
  const request = { ...rest, config: withParams(config, task.params), csv: [], catalogue: null };
  if (task.what === 'again') return request;
  const { paper } = request.config;
  const { fees, rules } = doubledCosts({ fees: paper.fees, rules: request.rules }, task.doubled);
  return { ...request, rules, config: { ...request.config, paper: { ...paper, fees } } };
}

function reportOf({ what }: StressTask, run: BacktestRun): StressReport {
  const stopped = run.strategies.find(({ failure }) => failure !== null);
  if (stopped !== undefined)
    return { kind: 'failed', failure: 'stopped', reason: failureReason(stopped.failure) };
  const valued = valuedFills(run);
  const all = roundTrips(valued.moved, valued.markets);
  const metrics = trialMetrics(summaryOf(run, all, valued.traded));
  const trades = what === 'again' ? { changes: tradeChanges(all.trips, run.initialEquity) } : null;
  return { kind: 'ran', metrics, trades };
}
