import { messageOf } from '../domain/errors.ts';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { ownModule } from '../plugins/own-files.ts';
import type { RunRange, FailedReport, TrialReport } from './objectives.ts';
import type { Params } from '../search/params-of-point.ts';
import type {
  AccountReport,
  AccountTask,
  BenchReport,
  BenchReports,
  BenchTask,
  StudyRunner,
} from './trial-runner.ts';
import type { StressReport, StressTask } from './stress/stress-task.ts';
import type { TrialSetup } from './trials/trial-setup.ts';

/** Maximum number of threads of a study. */
export const MOST_WORKERS = 256;

/** Time limit of a trial in ms, including its wait for a thread: a longer one probably never ends. */
const LONGEST_TRIAL_MS = 3_600_000;

/** Attempts at a trial whose thread dies, perhaps killed because another one used too much memory. */
const ATTEMPTS = 2;

/**
 * Memory limits of a thread: a strategy that uses too much ends its thread, not the study. Young objects die
 * at once, so a small space for them costs no time, and saves memory.
 */
const LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 8, stackSizeMb: 4 };

interface ThreadRunnerOptions {
  readonly setup: TrialSetup;
  /** Number of threads, 1 to `MOST_WORKERS`. */
  readonly workers: number;
  readonly longestTrialMs?: number;
}

/** Runs trials in threads of this process, which share the candles. */
export class ThreadRunner implements StudyRunner {
  /** Number of trials at once: two for each thread, so that one that ends a trial has the next one ready. */
  readonly width: number;
  private readonly options: ThreadRunnerOptions;
  /** Thread pool; null until there is a trial to run: a study that has ended needs no threads. */
  private pool: Piscina<BenchTask, BenchReport> | null = null;
  private isClosed = false;

  constructor(options: ThreadRunnerOptions) {
    this.options = options;
    this.width = options.workers * 2;
  }

  async run(params: Params, range?: RunRange): Promise<TrialReport> {
    return this.perform({ kind: 'trial', params, stretch: range ?? null });
  }

  async account(task: AccountTask): Promise<AccountReport> {
    return this.perform({ kind: 'account', ...task });
  }

  async stress(task: StressTask): Promise<StressReport> {
    return this.perform({ kind: 'stress', task });
  }

  async perform<Kind extends BenchTask['kind']>(
    task: BenchTask & { readonly kind: Kind },
  ): Promise<BenchReports[Kind] | FailedReport> {
    const { longestTrialMs = LONGEST_TRIAL_MS } = this.options;
    this.pool ??= this.begin();
    let reason = '';
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const limit = AbortSignal.timeout(longestTrialMs);
      try {
        return (await this.pool.run(task, { signal: limit })) as BenchReports[Kind];
      } catch (error) {
        if (this.isClosed) throw error;
        if (limit.aborted) {
          const text = `expected its end within ${longestTrialMs / 1_000} s, found it running`;
          return { kind: 'failed', failure: 'too long', reason: text };
        }
        reason = messageOf(error);
      }
    }
    return { kind: 'failed', failure: 'died', reason: `its thread ended ${ATTEMPTS} times: ${reason}` };
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.pool?.destroy();
  }

  private begin(): Piscina<BenchTask, BenchReport> {
    const { setup, workers } = this.options;
    const pool = new Piscina<BenchTask, BenchReport>({
      filename: fileURLToPath(ownModule('study/trials/trial-worker')),
      workerData: setup,
      minThreads: workers,
      maxThreads: workers,
      maxQueue: this.width * ATTEMPTS,
      idleTimeout: Number.POSITIVE_INFINITY,
      resourceLimits: LIMITS,
      recordTiming: false,
    });
    // A thread that ends between two trials is replaced; if that does not help, the next trial fails.
    pool.on('error', () => undefined);
    return pool;
  }
}
