import { SarrafError } from '../../domain/errors.ts';
import { countText } from '../../domain/money-text.ts';
import type { Stretch } from '../data/stretch.ts';
import type { Params } from '../space/params-of-point.ts';
import type { StressReport, StressTask } from '../stress/stress-task.ts';
import type { AccountReport, AccountTask } from '../trials/account-run.ts';
import type { BenchReport, BenchReports, BenchTask } from '../trials/bench-task.ts';
import type { TrialReport } from '../trials/trial-report.ts';
import type { StudyRunner } from '../trials/trial-runner.ts';
import { batchSize, trialsAtOnce } from './batch-size.ts';
import { KeptResults } from './kept-results.ts';
import { MeanDuration } from './mean-duration.ts';
import type { OfferedStudy } from './offered-study.ts';
import type { RedisLink } from './redis-link.ts';
import { readReport } from './report-json.ts';
import { batchKey, taskKey } from './trial-key.ts';
import { TrialQueue } from './trial-queue.ts';

/** Interval at which it polls for results that no event announced. */
const LOOK_EVERY_MS = 1_000;
/** Jobs without results are added again at every so many looks: Redis may have lost them. */
const ADD_AGAIN_EVERY = 3;
/** A job that failed so often is not tried any more. */
const MOST_FAILURES = 3;

/** A task for a worker: a trial, an account or a run under stress. */
interface OpenTask {
  readonly key: string;
  readonly task: BenchTask;
  readonly ended: PromiseWithResolvers<BenchReport>;
}

export interface RedisRunnerOptions {
  readonly link: RedisLink;
  /** Key of the data that its trials have in common. */
  readonly source: string;
  readonly offered: OfferedStudy;
  /** Once it is aborted, nobody waits for workers that are not there. */
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  /** Ends what serves the workers. */
  readonly release: () => Promise<void>;
}

/**
 * Has trials, accounts and runs under stress run by workers on other machines, through jobs in Redis. Each
 * has ended once its result is in Redis; jobs only say what is to be done, and may be lost, doubled or
 * repeated.
 */
export class RedisRunner implements StudyRunner {
  private readonly options: RedisRunnerOptions;
  private readonly queue: TrialQueue;
  private readonly results: KeptResults;
  /** Tasks without a result, by their keys. */
  private readonly open = new Map<string, OpenTask>();
  /** Those among them that are in no job yet. */
  private fresh: OpenTask[] = [];
  private readonly batches = new Map<string, readonly OpenTask[]>();
  private readonly failures = new Map<string, number>();
  private readonly duration = new MeanDuration();
  private readonly ticker: NodeJS.Timeout;
  private failure: SarrafError | null = null;
  private looks = 0;
  private isLooking = false;
  private isCollecting = false;
  private hasMore = false;

  constructor(options: RedisRunnerOptions) {
    this.options = options;
    const { link, source } = options;
    this.results = new KeptResults(link.client);
    this.queue = new TrialQueue(link, source, {
      ended: () => void this.collect(),
      failed: (id, reason) => this.batchFailed(id, reason),
    });
    this.ticker = setInterval(() => this.tick(), LOOK_EVERY_MS);
  }

  get width(): number {
    return trialsAtOnce({ trialMs: this.duration.ms, threads: this.options.offered.threads });
  }

  async run(params: Params, stretch: Stretch | null = null): Promise<TrialReport> {
    return this.perform({ kind: 'trial', params, stretch });
  }

  async account(task: AccountTask): Promise<AccountReport> {
    return this.perform({ kind: 'account', ...task });
  }

  async stress(task: StressTask): Promise<StressReport> {
    return this.perform({ kind: 'stress', task });
  }

  async close(): Promise<void> {
    clearInterval(this.ticker);
    this.failure ??= new SarrafError('CLOSED', 'the runner of trials was closed');
    await this.options.offered.withdraw();
    await this.queue.close();
    await this.options.release();
    this.options.link.close();
  }

  private async perform<Kind extends BenchTask['kind']>(
    task: BenchTask & { readonly kind: Kind },
  ): Promise<BenchReports[Kind]> {
    if (this.failure !== null) throw this.failure;
    const key = taskKey(this.options.source, task);
    let asked = this.open.get(key);
    if (asked === undefined) {
      asked = { key, task, ended: Promise.withResolvers<BenchReport>() };
      this.open.set(key, asked);
      // All that are asked for in one turn are shared out together.
      if (this.fresh.length === 0) setImmediate(() => void this.hand());
      this.fresh.push(asked);
    }
    return (await asked.ended.promise) as BenchReports[Kind];
  }

  /** Makes jobs of the tasks that were asked for, but of those whose results are there already. */
  private async hand(): Promise<void> {
    const asked = this.fresh;
    this.fresh = [];
    await this.settleKnown(asked);
    const left = asked.filter(({ key }) => this.open.has(key));
    const { threads } = this.options.offered;
    const size = batchSize({ trialMs: this.duration.ms, ready: left.length, threads });
    const ids: string[] = [];
    for (let from = 0; from < left.length; from += size) {
      const some = left.slice(from, from + size);
      const id = batchKey(some.map(({ key }) => key));
      this.batches.set(id, some);
      ids.push(id);
    }
    await this.add(ids);
  }

  private async add(ids: Iterable<string>): Promise<void> {
    const batches = [...ids].map((id) => ({
      id,
      tasks: (this.batches.get(id) ?? []).map(({ task }) => task),
    }));
    try {
      await this.queue.add(batches);
    } catch (error) {
      // They are added again at a later look.
      this.options.link.failed(error);
    }
  }

  private tick(): void {
    const { signal, link, offered } = this.options;
    if (signal.aborted && this.open.size > 0 && (!link.isReady || offered.threads === 0)) {
      const who = link.isReady ? 'a worker' : 'Redis';
      this.fail(
        `expected ${who} for ${countText(this.open.size, 'run')} under way, found none as the study was to end`,
      );
    }
    if (this.isLooking) return;
    this.isLooking = true;
    void this.look().finally(() => {
      this.isLooking = false;
    });
  }

  private async look(): Promise<void> {
    this.looks += 1;
    try {
      await this.options.offered.renew();
      this.options.link.worked();
      await this.collect();
      if (this.looks % ADD_AGAIN_EVERY !== 0) return;
      await this.add(await this.queue.missing([...this.batches.keys()]));
      await this.queue.renew();
    } catch (error) {
      this.options.link.failed(error);
    }
  }

  /** Takes the results that are there. Called again meanwhile, it looks once more. */
  private async collect(): Promise<void> {
    this.hasMore = true;
    if (this.isCollecting) return;
    this.isCollecting = true;
    try {
      while (this.hasMore) {
        this.hasMore = false;
        await this.settleKnown([...this.open.values()]);
        for (const [id, tasks] of this.batches)
          if (!tasks.some(({ key }) => this.open.has(key))) this.forget(id);
      }
    } finally {
      this.isCollecting = false;
    }
  }

  private forget(id: string): void {
    this.batches.delete(id);
    this.failures.delete(id);
  }

  private async settleKnown(tasks: readonly OpenTask[]): Promise<void> {
    let texts: ReadonlyMap<string, string>;
    try {
      texts = await this.results.read(tasks.map(({ key }) => key));
    } catch (error) {
      this.options.link.failed(error);
      return;
    }
    for (const { key, task, ended } of tasks) {
      const text = texts.get(key);
      if (text === undefined || !this.open.has(key)) continue;
      const read = readReport(task.kind, text);
      if (read === null) {
        this.options.say(`expected a result in Redis, found something else: it runs again`);
        await this.results.drop(key);
        continue;
      }
      this.open.delete(key);
      this.duration.add(read.tookMs);
      ended.resolve(read.report);
    }
  }

  private batchFailed(id: string, reason: string): void {
    const tasks = this.batches.get(id);
    if (tasks === undefined) return;
    const failures = (this.failures.get(id) ?? 0) + 1;
    this.failures.set(id, failures);
    if (failures < MOST_FAILURES) return;
    this.fail(
      `expected a worker to end ${countText(tasks.length, 'run')}, found that ${failures} could not: ${reason}`,
    );
  }

  private fail(what: string): void {
    this.failure = new SarrafError(
      'QUEUE_UNUSABLE',
      `${what}: what has ended is kept, run it again to go on`,
    );
    for (const { ended } of this.open.values()) ended.reject(this.failure);
    this.open.clear();
    this.batches.clear();
  }
}
