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

/** Poll interval, in ms, for results that no event announced. */
const POLL_INTERVAL_MS = 1_000;
/** Number of polls after which jobs without results are added again: Redis may have lost them. */
const ADD_AGAIN_EVERY = 3;
/** Failures of a job after which it is not tried again. */
const MOST_FAILURES = 3;

/** Task for a worker: a trial, an account or a run under stress. */
interface OpenTask {
  readonly key: string;
  readonly task: BenchTask;
  readonly ended: PromiseWithResolvers<BenchReport>;
}

interface RedisRunnerOptions {
  readonly link: RedisLink;
  /** Key of the inputs that its trials share. */
  readonly source: string;
  readonly offered: OfferedStudy;
  /** Signal to stop: once it is aborted, no task waits for missing workers. */
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
  /** Stops the servers that workers use. */
  readonly release: () => Promise<void>;
}

/**
 * Runs trials, accounts and runs under stress on workers of other machines, through jobs in Redis. A task has
 * ended once its result is in Redis; its job may be lost, doubled or repeated.
 */
export class RedisRunner implements StudyRunner {
  private readonly options: RedisRunnerOptions;
  private readonly queue: TrialQueue;
  private readonly results: StoredResults;
  /** Tasks without a result, by key. */
  private readonly open = new Map<string, OpenTask>();
  /** Open tasks that are not in a job yet. */
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
      // Tasks requested in the same turn of the event loop are put into jobs together.
      if (this.fresh.length === 0) setImmediate(() => void this.hand());
      this.fresh.push(asked);
    }
    return (await asked.ended.promise) as BenchReports[Kind];
  }

  /** Makes jobs of the new tasks, except those whose results are stored already. */
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
      // A later poll adds them again.
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

  /** Applies the results that are stored. A call during another one makes that one poll once more. */
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

/** Weight of a new duration in the mean: about the last 20 decide it. */
const WEIGHT = 0.1;

/** Moving mean of durations. */
class MeanDuration {
  private mean: number | null = null;

  /** Mean in ms; null before the first duration. */
  get ms(): number | null {
    return this.mean;
  }

  add(ms: number): void {
    this.mean = this.mean === null ? ms : this.mean + (ms - this.mean) * WEIGHT;
  }
}

/** Target duration of a job in ms. Shorter ones cost more to hand over; a worker may lose longer ones. */
const TARGET_MS = 2_000;
/** Maximum number of trials in a job, however short they are. */
const MOST_OF_BATCH = 200;

/** Maximum number of trials that are requested at once. */
const MOST_AT_ONCE = 2_000;
/** Number of trials that are requested before the number of workers is known. */
const AT_ONCE_UNKNOWN = 16;

/**
 * Returns the number of trials in a job: as many as run in 2 s, but few enough to give every thread some. It
 * is 1 at first, when the duration of a trial is unknown.
 */
export function batchSize(of: {
  /** Mean duration of a trial; null if none has ended. */
  readonly trialMs: number | null;
  /** Number of trials that are ready to be handed out. */
  readonly ready: number;
  /** Number of threads of all workers. */
  readonly threads: number;
}): number {
  const fair = Math.ceil(of.ready / Math.max(1, of.threads));
  return Math.max(1, Math.min(sizeByTime(of.trialMs), fair));
}

/** Returns how many trials to request at once: two jobs for each thread, one to compute and one to follow. */
export function trialsAtOnce(of: { readonly trialMs: number | null; readonly threads: number }): number {
  if (of.threads === 0) return AT_ONCE_UNKNOWN;
  return Math.min(MOST_AT_ONCE, of.threads * 2 * sizeByTime(of.trialMs));
}

function sizeByTime(trialMs: number | null): number {
  if (trialMs === null) return 1;
  return Math.min(MOST_OF_BATCH, Math.max(1, Math.round(TARGET_MS / Math.max(1, trialMs))));
}

/** Maximum number of events that Redis keeps. A client that misses one still polls the results. */
const MOST_EVENTS = 1_000;
/** Expiry of the queue's keys in Redis, in seconds: one day without use. */
const RETAINED_S = 86_400;
/** Time limit of closing, in ms: Redis may be lost. */
const CLOSES_WITHIN_MS = 2_000;

interface QueuedBatch {
  readonly id: string;
  readonly tasks: readonly BenchTask[];
}

/** Job queue of one source, as its coordinators use it. */
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
    // The version of Redis was checked before, with our own messages.
    const options = { connection: link.client, prefix: PREFIX, skipVersionCheck: true };
    this.queue = new Queue<Batch>(source, { ...options, streams: { events: { maxLen: MOST_EVENTS } } });
    this.events = new QueueEvents(source, options);
    this.queue.on('error', (error) => link.failed(error));
    this.events.on('error', (error) => link.failed(error));
    this.events.on('completed', on.ended);
    this.events.on('failed', ({ jobId, failedReason }) => on.failed(jobId, failedReason));
  }

  /** Adds jobs; those that are in the queue already stay as they are. */
  async add(batches: readonly QueuedBatch[]): Promise<void> {
    if (batches.length === 0) return;
    await this.queue.addBulk(
      batches.map(({ id, tasks }) => ({
        name: 'tasks',
        data: writeBatch(tasks),
        // Results show which tasks are done: a job that is added again finds them.
        opts: { jobId: id, removeOnComplete: true, removeOnFail: true },
      })),
    );
  }

  /** Returns the ids of those jobs that are not in the queue: they ended or were lost. */
  async missing(ids: readonly string[]): Promise<readonly string[]> {
    const asked = this.link.client.pipeline();
    for (const id of ids) asked.exists(this.queue.toKey(id));
    const answers = (await asked.exec()) ?? [];
    return ids.filter((_, index) => answers[index]?.[1] === 0);
  }

  /** Renews the expiry of the queue's keys, so that nothing stays in Redis for ever. */
  async renew(): Promise<void> {
    const renewal = this.link.client.pipeline();
    // Without "stalled-check": while that key exists, BullMQ does not search for jobs of lost workers.
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
