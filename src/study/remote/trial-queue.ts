import { Queue, QueueEvents } from 'bullmq';
import type { BenchTask } from '../trials/bench-task.ts';
import { writeBatch, type Batch } from './batch.ts';
import { PREFIX } from './queue-names.ts';
import type { RedisLink } from './redis-link.ts';

/** Events that Redis keeps: who misses one looks at the results all the same. */
const MOST_EVENTS = 1_000;
/** Expiry of the queue's own keys in Redis: one day without use. */
const KEPT_S = 86_400;
/** Time limit of closing: Redis may be gone. */
const CLOSES_WITHIN_MS = 2_000;

/** A job and its id. */
export interface QueuedBatch {
  readonly id: string;
  readonly tasks: readonly BenchTask[];
}

/** The jobs of one source, as its coordinators see them. */
export class TrialQueue {
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
    // What kind of Redis it is was looked at before, and said in words of ours.
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
      renewal.expire(`${PREFIX}:${this.source}:${part}`, KEPT_S);
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
