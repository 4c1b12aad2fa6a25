import type { BacktestRun } from '../backtest-run.ts';
import { runBacktest } from '../run-backtest.ts';
import { createBacktest, type BacktestRequest } from './candle-backtest.ts';
import { checkBacktest, type BacktestChecks } from './check-backtest.ts';
import { runPollBacktest, type PollRequest } from './poll-backtest.ts';

/** A backtest of a configuration: on candles, or of the whole bot on recorded books and trades. */
export type ConfiguredBacktest =
  | ({
      readonly fidelity: 'candles';
      /** Called once the candles are there. */
      readonly onLoaded?: () => void;
    } & BacktestRequest)
  | ({ readonly fidelity: 'poll' } & PollRequest);

/** What came of it. */
export interface ConfiguredRun {
  readonly run: BacktestRun;
  /** A line for each strategy that can not run, and for a market whose step is not that of its bars. */
  readonly problems: readonly string[];
  /** Runs it again as `checkBacktest` does; on a recording there is nothing to check. */
  readonly check: (checks: BacktestChecks) => Promise<readonly string[]>;
}

/** Loads what it needs and runs it. Throws what `createBacktest` and `runPollBacktest` throw. */
export async function runConfigured(configured: ConfiguredBacktest): Promise<ConfiguredRun> {
  if (configured.fidelity === 'poll') {
    const done = await runPollBacktest(configured);
    return { ...done, check: async () => [] };
  }
  const created = await createBacktest(configured);
  configured.onLoaded?.();
  const run = runBacktest(created.backtest);
  return { run, problems: created.problems, check: async (checks) => checkBacktest(created, run, checks) };
}
