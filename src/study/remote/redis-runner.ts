import { SarrafError } from '../../domain/errors.ts';
import type { Stretch } from '../data/stretch.ts';
import type { Params } from '../space/params-of-point.ts';
import type { TrialReport } from '../trials/trial-report.ts';
import type { TrialRunner } from '../trials/trial-runner.ts';
import type { AskedTrial } from './batch.ts';
import { batchSize, trialsAtOnce } from './batch-size.ts';
import { KeptResults } from './kept-results.ts';
import { MeanDuration } from './mean-duration.ts';
import type { OfferedStudy } from './offered-study.ts';
import type { RedisLink } from './redis-link.ts';
import { readReport } from './report-json.ts';
import { batchKey, trialKey } from './trial-key.ts';
import { TrialQueue } from './trial-queue.ts';

/** How often it looks after what no event told. */
const LOOK_EVERY_MS = 1_000;
/** Jobs without results are added again at every so many looks: Redis may have lost them. */
const ADD_AGAIN_EVERY = 3;
/** A job that failed so often is not tried any more. */
const MOST_FAILURES = 3;

interface OpenTrial extends AskedTrial {
  readonly key: string;
  readonly ended: PromiseWithResolvers<TrialReport>;
}

export interface RedisRunnerOptions {
  readonly link: RedisLink;
  /** What its trials have in common. */
  readonly source: string;
  readonly offered: OfferedStudy;
  /** Once it is aborted, nobody waits for workers that are not there. */
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  /** Ends what serves the workers. */
  readonly release: () => Promise<void>;
}

/**
 * Has trials run by workers on other machines, through jobs in Redis. A trial has ended once its result is in
 * Redis; jobs only say what is to be done, and may be lost, doubled or repeated.
 */
export class RedisRunner implements TrialRunner {
  private readonly options: RedisRunnerOptions;
  private readonly queue: TrialQueue;
  private readonly results: KeptResults;
  /** Trials without a result, by their keys. */
  private readonly open = new Map<string, OpenTrial>();
  /** Those among them that are in no job yet. */
  private fresh: OpenTrial[] = [];
  private readonly batches = new Map<string, readonly OpenTrial[]>();
  private readonly failures = new Map<string, number>();
  private readonly trial = new MeanDuration();
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
    return trialsAtOnce({ trialMs: this.trial.ms, threads: this.options.offered.threads });
  }

  async run(params: Params, stretch: Stretch | null = null): Promise<TrialReport> {
    if (this.failure !== null) throw this.failure;
    const key = trialKey(this.options.source, params, stretch);
    const before = this.open.get(key);
    if (before !== undefined) return before.ended.promise;
    const trial = { key, params, stretch, ended: Promise.withResolvers<TrialReport>() };
    this.open.set(key, trial);
    // All that are asked for in one turn are shared out together.
    if (this.fresh.length === 0) setImmediate(() => void this.hand());
    this.fresh.push(trial);
    return trial.ended.promise;
  }

  async close(): Promise<void> {
    clearInterval(this.ticker);
    this.failure ??= new SarrafError('CLOSED', 'the runner of trials was closed');
    await this.options.offered.withdraw();
    await this.queue.close();
    await this.options.release();
    this.options.link.close();
  }

  /** Makes jobs of the trials that were asked for, but of those whose results are there already. */
  private async hand(): Promise<void> {
    const asked = this.fresh;
    this.fresh = [];
    await this.settleKnown(asked);
    const left = asked.filter(({ key }) => this.open.has(key));
    const { threads } = this.options.offered;
    const size = batchSize({ trialMs: this.trial.ms, ready: left.length, threads });
    const ids: string[] = [];
    for (let from = 0; from < left.length; from += size) {
      const trials = left.slice(from, from + size);
      const id = batchKey(trials.map(({ key }) => key));
      this.batches.set(id, trials);
      ids.push(id);
    }
    await this.add(ids);
  }

  private async add(ids: Iterable<string>): Promise<void> {
    const batches = [...ids].map((id) => ({
      id,
      trials: (this.batches.get(id) ?? []).map(({ params, stretch }) => ({ params, stretch })),
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
      this.fail(`expected ${who} for ${this.open.size} trials under way, found none as the study was to end`);
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
      await this.collect();
      if (this.looks % ADD_AGAIN_EVERY !== 0) return;
      await this.add([...this.batches.keys()]);
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
        for (const [id, trials] of this.batches)
          if (!trials.some(({ key }) => this.open.has(key))) this.forget(id);
      }
    } finally {
      this.isCollecting = false;
    }
  }

  private forget(id: string): void {
    this.batches.delete(id);
    this.failures.delete(id);
  }

  private async settleKnown(trials: readonly OpenTrial[]): Promise<void> {
    let texts: ReadonlyMap<string, string>;
    try {
      texts = await this.results.read(trials.map(({ key }) => key));
    } catch (error) {
      this.options.link.failed(error);
      return;
    }
    for (const { key, ended } of trials) {
      const text = texts.get(key);
      if (text === undefined || !this.open.has(key)) continue;
      const read = readReport(text);
      if (read === null) {
        this.options.say(`expected the result of a trial in Redis, found something else: it runs again`);
        await this.results.drop(key);
        continue;
      }
      this.open.delete(key);
      this.trial.add(read.tookMs);
      ended.resolve(read.report);
    }
  }

  private batchFailed(id: string, reason: string): void {
    const trials = this.batches.get(id);
    if (trials === undefined) return;
    const failures = (this.failures.get(id) ?? 0) + 1;
    this.failures.set(id, failures);
    if (failures < MOST_FAILURES) return;
    this.fail(
      `expected a worker to end ${trials.length} trials, found that ${failures} could not: ${reason}`,
    );
  }

  private fail(what: string): void {
    this.failure = new SarrafError('QUEUE_UNUSABLE', `${what}: what has ended is kept, and resume goes on`);
    for (const { ended } of this.open.values()) ended.reject(this.failure);
    this.open.clear();
    this.batches.clear();
  }
}
