import type { BacktestRun } from '../../backtest/backtest-run.ts';
import { runBacktest } from '../../backtest/run-backtest.ts';
import { createBacktest, type CreatedBacktest } from '../../backtest/candle-backtest.ts';
import { runPollBacktest } from '../../backtest/poll-backtest.ts';
import { packedRecordings } from '../../backtest/recordings.ts';
import type { BotConfig } from '../../daemon/create-bot-config.ts';
import type { CandleSetup, TrialSetup } from './trial-setup.ts';

/** Runs the bot of a trial on the data of a setup. Throws as `createBacktest` and `runPollBacktest` do. */
export async function runOfSetup(setup: TrialSetup, config: BotConfig): Promise<BacktestRun> {
  if (setup.fidelity === 'candles') return runBacktest((await createdOf(setup, config)).backtest);
  const { markets, signals, rules, currency, steps, fromMs, toMs } = setup;
  const recordings = packedRecordings(markets);
  const of = { rules, currency, steps, fromMs, toMs, signals };
  const { run } = await runPollBacktest({ config, recordings, ...of });
  return run;
}

/** A backtest on the candles of a setup, and on no others. */
export async function createdOf(setup: CandleSetup, config: BotConfig): Promise<CreatedBacktest> {
  const { overrides: _read, fidelity: _fidelity, ...request } = setup;
  return createBacktest({ ...request, config, csv: [], catalogue: null });
}
