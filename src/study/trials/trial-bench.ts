import { botConfigOf } from '../../backtest/run-setup.ts';
import { numberOf, dailyReturns } from '../../backtest/statistics.ts';
import { runSummary } from '../../backtest/finish-run.ts';
import { SarrafError } from '../../domain/errors.ts';
import type { BotConfig } from '../../daemon/create-bot-config.ts';
import { type RunRange, trialMetrics, type FailedReport, type TrialReport } from '../objectives.ts';
import type { Params } from '../../search/params-of-point.ts';
import type { StressReport, StressTask } from '../stress/stress-task.ts';
import { runAccount, type AccountReport, type AccountTask, failureReason } from '../trial-runner.ts';
import { createdOf, runOfSetup, withParams, type TrialSetup } from './trial-setup.ts';

/** Runs trials of one study, one at a time, in the thread that created it. */
export class TrialBench {
  private readonly setup: TrialSetup;
  private readonly config: BotConfig;

  /**
   * @throws SarrafError `INVALID_OPTIONS` for a setup without a valid bot
   */
  constructor(setup: TrialSetup) {
    this.setup = setup;
    this.config = botConfigOf(setup.overrides);
  }

  /** Runs one trial and never throws: faults are in its report. `range`: replaces that of the setup. */
  async run(params: Params, range: RunRange | null = null): Promise<TrialReport> {
    const { fromMs, toMs } = range ?? this.setup;
    return this.reported(async (): Promise<TrialReport> => {
      const run = await runOfSetup({ ...this.setup, fromMs, toMs }, withParams(this.config, params));
      const stopped = run.strategies.find(({ failure }) => failure !== null);
      if (stopped !== undefined)
        return { kind: 'failed', failure: 'stopped', reason: failureReason(stopped.failure) };
      const daily = dailyReturns(run.curve, numberOf(run.initialEquity));
      return { kind: 'ran', metrics: trialMetrics(runSummary(run)), daily };
    });
  }

  /** Runs one account with several params in turn. */
  async account(task: AccountTask): Promise<AccountReport> {
    const { setup } = this;
    if (setup.fidelity === 'poll') throw new SarrafError('INVARIANT', 'expected candles for an account');
    return this.reported(async () =>
      runAccount(task, async (params, range) =>
        createdOf({ ...setup, ...range }, withParams(this.config, params)),
      ),
    );
  }

  /** Runs a trial under other conditions. */
  async stress(task: StressTask): Promise<StressReport> {
    // Few tasks are of this kind, and a thread starts sooner without their code.
    const { runStressTask } = await import('../stress/stress-run.ts');
    return this.reported(async () => runStressTask(task, { setup: this.setup, config: this.config }));
  }

  private async reported<Report>(run: () => Promise<Report>): Promise<Report | FailedReport> {
    try {
      return await run();
    } catch (error) {
      const failure = error instanceof SarrafError && error.code === 'INVALID_STRATEGY' ? 'refused' : 'threw';
      return { kind: 'failed', failure, reason: failureReason(error) };
    }
  }
}
