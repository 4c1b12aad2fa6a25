import { SarrafError } from '../../domain/errors.ts';
import { countText } from '../../domain/money.ts';
import type { RunRange, TrialReport } from '../objectives.ts';
import type { Params } from '../../search/params-of-point.ts';
import type { StressReport, StressTask } from '../stress/stress-task.ts';
import type {
  AccountReport,
  AccountTask,
  BenchReport,
  BenchReports,
  BenchTask,
  StudyRunner,
} from '../trial-runner.ts';
import { StoredResults, readReport, writeBatch, type Batch, PREFIX } from './batch.ts';
import { type OfferedStudy, batchKey, taskKey } from './offered-study.ts';
import type { RedisLink } from '../redis-link.ts';
import { Queue, QueueEvents } from 'bullmq';

/** Interval at which it polls for results that no event announced. */
const POLL_INTERVAL_MS = 1_000;
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

interface RedisRunnerOptions {
  readonly link: RedisLink;
  /** Key of the data that its trials have in common. */
  readonly source: string;
  readonly offered: OfferedStudy;
  /** Once it is aborted, nobody waits for workers that are not there. */
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
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
  private readonly results: StoredResults;
  /** Tasks without a result, by their keys. */
  private readonly open = new Map<string, OpenTask>();
  /** Those among them that are in no job yet. */
  private fresh: OpenTask[] = [];
  private readonly batches = new Map<string, readonly OpenTask[]>();
  private readonly failures = new Map<string, number>();
  private readonly duration = new MeanDuration();
  private readonly ticker: NodeJS.Timeout;
  private failure: SarrafError | null = null;
  private polls = 0;
  private isPolling = false;
  private isCollecting = false;
  private hasMore = false;

  constructor(options: RedisRunnerOptions) {
    this.options = options;
    const { link, source } = options;
    this.results = new StoredResults(link.client);
    this.queue = new TrialQueue(link, source, {
      ended: () => void this.collect(),
      failed: (id, reason) => {
        const tasks = this.batches.get(id);
        if (tasks === undefined) return;
        const failures = (this.failures.get(id) ?? 0) + 1;
        this.failures.set(id, failures);
        if (failures < MOST_FAILURES) return;
        this.fail(
          `expected a worker to end ${countText(tasks.length, 'run')}, found that ${failures} could not: ${reason}`,
        );
      },
    });
    this.ticker = setInterval(() => this.tick(), POLL_INTERVAL_MS);
  }

  get width(): number {
    return trialsAtOnce({ trialMs: this.duration.ms, threads: this.options.offered.threads });
  }

  async run(params: Params, range: RunRange | null = null): Promise<TrialReport> {
    return this.perform({ kind: 'trial', params, stretch: range });
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
    if (this.isPolling) return;
    this.isPolling = true;
    void this.poll().finally(() => {
      this.isPolling = false;
    });
  }

  private async poll(): Promise<void> {
    this.polls += 1;
    try {
      await this.options.offered.renew();
      this.options.link.worked();
      await this.collect();
      if (this.polls % ADD_AGAIN_EVERY !== 0) return;
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
        this.options.log(`expected a result in Redis, found something else: it runs again`);
        await this.results.drop(key);
        continue;
      }
      this.open.delete(key);
      this.duration.add(read.tookMs);
      ended.resolve(read.report);
    }
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

/** Weight of a new duration: the last 20 make up most of the mean. */
const WEIGHT = 0.1;

/** A mean of durations that follows the last ones. */
class MeanDuration {
  private mean: number | null = null;

  /** In ms; null before the first. */
  get ms(): number | null {
    return this.mean;
  }

  add(ms: number): void {
    this.mean = this.mean === null ? ms : this.mean + (ms - this.mean) * WEIGHT;
  }
}

/** Target duration of one job. Shorter jobs cost more to hand over; longer ones are lost with a worker. */
const TARGET_MS = 2_000;
/** Trials of one job at most: what a job holds has a bound, however short they are. */
const MOST_OF_BATCH = 200;

/** Trials that are asked for at once at most. */
const MOST_AT_ONCE = 2_000;
/** So many are asked for before it is known who computes. */
const AT_ONCE_UNKNOWN = 16;

/**
 * Returns the number of trials in a job: as many as last 2 s, and so few that every thread gets some. One at
 * first, because the duration of a trial is not known.
 */
export function batchSize(of: {
  /** Mean duration of a trial; null if none has ended. */
  readonly trialMs: number | null;
  /** Trials that are ready to be handed out. */
  readonly ready: number;
  /** Of all workers. */
  readonly threads: number;
}): number {
  const fair = Math.ceil(of.ready / Math.max(1, of.threads));
  return Math.max(1, Math.min(sizeByTime(of.trialMs), fair));
}

/** Two jobs for each thread: one that it computes, and one that it takes next. */
export function trialsAtOnce(of: { readonly trialMs: number | null; readonly threads: number }): number {
  if (of.threads === 0) return AT_ONCE_UNKNOWN;
  return Math.min(MOST_AT_ONCE, of.threads * 2 * sizeByTime(of.trialMs));
}

function sizeByTime(trialMs: number | null): number {
  if (trialMs === null) return 1;
  return Math.min(MOST_OF_BATCH, Math.max(1, Math.round(TARGET_MS / Math.max(1, trialMs))));
}

/** Events that Redis keeps: who misses one looks at the results all the same. */
const MOST_EVENTS = 1_000;
/** Expiry of the queue's own keys in Redis: one day without use. */
const RETAINED_S = 86_400;
/** Time limit of closing: Redis may be gone. */
const CLOSES_WITHIN_MS = 2_000;

interface QueuedBatch {
  readonly id: string;
  readonly tasks: readonly BenchTask[];
}

/** The jobs of one source, as its coordinators see them. */
class TrialQueue {
  private readonly queue: Queue<Batch>;
  private readonly events: QueueEvents;
  private readonly link: RedisLink;
  private readonly source: string;

  constructor(
    link: RedisLink,
    source: string,
    on: { readonly ended: () => void; readonly failed: (id: string, reason: string) => void },
  ) {
    this.link = link;
    this.source = source;
    // The kind of Redis was checked before, with messages of our own.
    const options = { connection: link.client, prefix: PREFIX, skipVersionCheck: true };
    this.queue = new Queue<Batch>(source, { ...options, streams: { events: { maxLen: MOST_EVENTS } } });
    this.events = new QueueEvents(source, options);
    this.queue.on('error', (error) => link.failed(error));
    this.events.on('error', (error) => link.failed(error));
    this.events.on('completed', on.ended);
    this.events.on('failed', ({ jobId, failedReason }) => on.failed(jobId, failedReason));
  }

  /** Adds jobs; those that are there already stay as they are. */
  async add(batches: readonly QueuedBatch[]): Promise<void> {
    if (batches.length === 0) return;
    await this.queue.addBulk(
      batches.map(({ id, tasks }) => ({
        name: 'tasks',
        data: writeBatch(tasks),
        // What is done is known by its results: a job that is added again finds them.
        opts: { jobId: id, removeOnComplete: true, removeOnFail: true },
      })),
    );
  }

  /** Those of the jobs that are not there: ended, or lost. */
  async missing(ids: readonly string[]): Promise<readonly string[]> {
    const asked = this.link.client.pipeline();
    for (const id of ids) asked.exists(this.queue.toKey(id));
    const answers = (await asked.exec()) ?? [];
    return ids.filter((_, index) => answers[index]?.[1] === 0);
  }

  /** Keeps from leaving anything in Redis for ever. */
  async renew(): Promise<void> {
    const renewal = this.link.client.pipeline();
    // Not "stalled-check": as long as that is there, nobody looks for jobs of lost workers.
    for (const part of ['meta', 'id', 'events', 'marker'])
      renewal.expire(`${PREFIX}:${this.source}:${part}`, RETAINED_S);
    await renewal.exec();
  }

  async close(): Promise<void> {
    const closed = Promise.allSettled([this.events.close(), this.queue.close()]);
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, CLOSES_WITHIN_MS);
    await Promise.race([closed, late]);
    clearTimeout(timer);
  }
}
