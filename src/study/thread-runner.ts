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

/** Threads of a study at most. */
export const MOST_WORKERS = 256;

/**
 * A trial that takes longer, with its wait for a thread, has failed: a loop without an end looks like that.
 */
const LONGEST_TRIAL_MS = 3_600_000;

/** Runs of a trial whose thread ends: it may have been killed for the memory that another one took. */
const ATTEMPTS = 2;

/**
 * A bound of what one thread's heap may take, so that a strategy that hoards ends its thread and not the
 * study. Young objects die at once: a small space for them costs no time, and keeps a thread small.
 */
const LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 8, stackSizeMb: 4 };

interface ThreadRunnerOptions {
  readonly setup: TrialSetup;
  /** Threads, 1 to `MOST_WORKERS`. */
  readonly workers: number;
  readonly longestTrialMs?: number;
}

/** Runs trials in threads of this process, which share the bars. */
export class ThreadRunner implements StudyRunner {
  /** One more for each thread waits in line, so that a thread that ends a trial has the next one. */
  readonly width: number;
  private readonly options: ThreadRunnerOptions;
  /** Null until there is a trial to run: a study that has ended needs no threads. */
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
    // A thread that ends between two trials is replaced; the next trial tells if that does not help.
    pool.on('error', () => undefined);
    return pool;
  }
}
