import type { BacktestRun } from './backtest-run.ts';
import { runBacktest } from './run-backtest.ts';
import { createBacktest, type BacktestRequest } from './candle-backtest.ts';
import type { BacktestChecks } from './check-backtest.ts';
import type { ApartRun } from './setup/run-apart.ts';
import type { RunMarket } from './candle-runner.ts';
import { runPollBacktest, type PollRequest } from './poll-backtest.ts';

/** Backtest of a configuration: on candles, or of the whole bot on recorded books and trades. */
export type ConfiguredBacktest =
  | ({
      readonly fidelity: 'candles';
      /** Called once the candles are loaded. */
      readonly onLoaded?: () => void;
    } & BacktestRequest)
  | ({ readonly fidelity: 'poll' } & PollRequest);

/** Outcome of a configured run. */
export interface ConfiguredRun {
  readonly run: BacktestRun;
  /** One line for each strategy that cannot run, and for each market whose step does not fit its bars. */
  readonly problems: readonly string[];
  /** Checks the run as `checkBacktest` and `checkPollBacktest` do; each repeated run has its own process. */
  readonly check: (checks: BacktestChecks) => Promise<readonly string[]>;
}

/** Loads the data of a backtest and runs it. Throws as `createBacktest` and `runPollBacktest` do. */
export async function runConfigured(configured: ConfiguredBacktest): Promise<ConfiguredRun> {
  if (configured.fidelity === 'poll') {
    const { recordings, onProgress: _shown, ...task } = configured;
    const done = await runPollBacktest(configured);
    const runUntil = async (toMs: number | null): Promise<ApartRun> =>
      (await import('./setup/run-apart.ts')).runApart({
        ...task,
        catalogue: recordings.name,
        toMs: toMs ?? configured.toMs,
      });
    return {
      ...done,
      check: async (checks) =>
        (await import('./check-backtest.ts')).checkPollBacktest(done.run, { ...checks, runUntil }),
    };
  }
  const created = await createBacktest(configured);
  configured.onLoaded?.();
  const run = runBacktest(created.backtest);
  const { onLoaded: _loaded, onProgress: _shown, csv: _csv, catalogue: _catalogue, ...task } = configured;
  const runOn = async (markets: readonly RunMarket[]): Promise<ApartRun> =>
    (await import('./setup/run-apart.ts')).runApart({
      ...task,
      candles: markets.map(({ columns }) => columns),
      ...(task.detail && {
        detail: { ...task.detail, candles: markets.flatMap(({ detail }) => detail ?? []) },
      }),
    });
  return {
    run,
    problems: created.problems,
    check: async (checks) =>
      (await import('./check-backtest.ts')).checkBacktest(created, run, { ...checks, runOn }),
  };
}
