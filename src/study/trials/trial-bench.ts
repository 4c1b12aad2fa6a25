import type { BacktestRun } from '../../backtest/backtest-run.ts';
import { numberOf } from '../../backtest/metrics/statistics.ts';
import { runSummary } from '../../backtest/result/finish-run.ts';
import type { BacktestSummary } from '../../backtest/result/result-schema.ts';
import { runBacktest } from '../../backtest/run-backtest.ts';
import { createBacktest } from '../../backtest/setup/candle-backtest.ts';
import { SarrafError } from '../../domain/errors.ts';
import type { BotConfig } from '../../daemon/settings/create-bot-config.ts';
import type { TrialMetrics } from '../goals/objectives.ts';
import type { Params } from '../space/params-of-point.ts';
import { dailyReturns } from './daily-returns.ts';
import type { TrialReport } from './trial-report.ts';
import { botConfigOf, withParams, type TrialSetup } from './trial-setup.ts';

/** Runs trials of one study, one at a time, in the thread that it was made in. */
export class TrialBench {
  private readonly setup: TrialSetup;
  private readonly config: BotConfig;

  /** @throws SarrafError `INVALID_OPTIONS` for a setup that no bot can be made of */
  constructor(setup: TrialSetup) {
    this.setup = setup;
    this.config = botConfigOf(setup.overrides);
  }

  /** Runs one. What goes wrong is part of its report: nothing is thrown. */
  async run(params: Params): Promise<TrialReport> {
    try {
      return reportOf(await this.backtest(params));
    } catch (error) {
      const failure = error instanceof SarrafError && error.code === 'INVALID_STRATEGY' ? 'refused' : 'threw';
      return { kind: 'failed', failure, reason: reasonOf(error) };
    }
  }

  private async backtest(params: Params): Promise<BacktestRun> {
    const { overrides: _read, ...request } = this.setup;
    const { backtest } = await createBacktest({
      ...request,
      config: withParams(this.config, params),
      csv: [],
      catalogue: null,
    });
    return runBacktest(backtest);
  }
}

function reportOf(run: BacktestRun): TrialReport {
  const stopped = run.strategies.find(({ failure }) => failure !== null);
  if (stopped !== undefined) return { kind: 'failed', failure: 'stopped', reason: reasonOf(stopped.failure) };
  const daily = dailyReturns(run.curve, numberOf(run.initialEquity));
  return { kind: 'ran', metrics: metricsOf(runSummary(run)), daily };
}

/** The figures of a summary as numbers. Money becomes the float next to it. */
function metricsOf({ quote: _quote, ...figures }: BacktestSummary): TrialMetrics {
  return Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [name, value === null ? null : Number(value)]),
  );
}

/** Reasons are shown in one line, and kept for every trial that failed. */
const LONGEST_REASON = 300;

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const line = text.replaceAll(/\s*\n\s*/g, '; ');
  return line.length <= LONGEST_REASON ? line : `${line.slice(0, LONGEST_REASON - 1)}…`;
}
