import { WaitingError, Worker, type Job } from 'bullmq';
import { codeHash } from '../data/code-hash.ts';
import { ThreadRunner } from '../thread-runner.ts';
import type { BenchReport, BenchTask } from '../trials/bench-task.ts';
import { readBatch } from './batch.ts';
import { KeptResults } from './kept-results.ts';
import { PREFIX } from './queue-names.ts';
import type { RedisLink } from '../redis-link.ts';
import { writeReport } from './report-json.ts';
import type { TakenOffer } from './take-offer.ts';
import { taskKey } from './trial-key.ts';

/** A job belongs to nobody any more once its worker has not been heard of for so long. */
const LOCK_MS = 15_000;
const LOOK_FOR_LOST_EVERY_MS = 5_000;
/** A job whose worker was lost so often has failed. */
const MOST_LOST = 3;
/** Maximum wait for running trials at shutdown: shorter than supervisors wait for the end of a process. */
const GRACE_MS = 5_000;
/** And how long for Redis, which may be gone. */
const CLOSES_WITHIN_MS = 3_000;

/**
 * Computes the jobs of one study. This thread only talks with Redis and keeps the locks; trials run in
 * threads of their own, so no trial, however long, loses its job.
 */
export class BatchWorker {
  private readonly taken: TakenOffer;
  private readonly runner: ThreadRunner;
  private readonly worker: Worker;
  private readonly results: KeptResults;
  private active = 0;
  private ended = 0;
  private isEnding = false;
  private reason: string | null = null;

  constructor(of: { readonly taken: TakenOffer; readonly link: RedisLink; readonly threads: number }) {
    const { taken, link, threads } = of;
    this.taken = taken;
    this.results = new KeptResults(link.client);
    this.runner = new ThreadRunner({ setup: taken.setup, workers: threads });
    this.worker = new Worker(taken.offer.source, async (job, token) => this.process(job, token), {
      connection: link.client,
      prefix: PREFIX,
      skipVersionCheck: true,
      concurrency: threads,
      lockDuration: LOCK_MS,
      stalledInterval: LOOK_FOR_LOST_EVERY_MS,
      maxStalledCount: MOST_LOST,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    this.worker.on('error', (error) => link.failed(error));
  }

  /** True if it has a job. */
  get isBusy(): boolean {
    return this.active > 0;
  }

  /** Trials, accounts and runs under stress that it has ended. */
  get runs(): number {
    return this.ended;
  }

  /** Reason it accepts no more jobs; null while it does. */
  get misfit(): string | null {
    return this.reason;
  }

  /** Ends the runs under way, and gives the rest of its jobs back. */
  async close(): Promise<void> {
    this.isEnding = true;
    const grace = setTimeout(() => void this.runner.close(), GRACE_MS);
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const limit = setTimeout(resolve, GRACE_MS + CLOSES_WITHIN_MS);
    await Promise.race([this.worker.close(), late]);
    clearTimeout(grace);
    clearTimeout(limit);
    await this.runner.close();
  }

  private async process(job: Job, token: string | undefined): Promise<void> {
    this.active += 1;
    try {
      await this.run(job, token);
    } finally {
      this.active -= 1;
    }
  }

  private async run(job: Job, token: string | undefined): Promise<void> {
    const { offer, strategyFile } = this.taken;
    if (codeHash(strategyFile) !== offer.code) {
      this.reason = `expected ${strategyFile} as it was, found it changed`;
      this.isEnding = true;
    }
    const keyed = readBatch(job.data).map((task) => ({ task, key: taskKey(offer.source, task) }));
    const known = await this.results.known(keyed.map(({ key }) => key));
    const writes: Promise<void>[] = [];
    for (const { key, task } of keyed) {
      if (known.has(key)) continue;
      const text = this.isEnding ? null : await this.compute(task);
      if (text === null) {
        await Promise.all(writes);
        await job.moveToWait(token);
        throw new WaitingError();
      }
      writes.push(this.results.keep(key, text.written, text));
    }
    await Promise.all(writes);
  }

  /** Computes one task and returns its result as text; null if the shutdown came before the task ended. */
  private async compute(
    task: BenchTask,
  ): Promise<{ readonly written: string; readonly isOfMachine: boolean } | null> {
    const startMs = performance.now();
    let report: BenchReport;
    try {
      report = await this.runner.perform(task);
    } catch (error) {
      // It rejects where it was closed in the middle, and never else.
      if (this.isEnding) return null;
      throw error;
    }
    this.ended += 1;
    const isOfMachine =
      report.kind === 'failed' && (report.failure === 'died' || report.failure === 'too long');
    const written = writeReport(task.kind, { report, tookMs: performance.now() - startMs });
    return { written, isOfMachine };
  }
}
