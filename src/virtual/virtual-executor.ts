import type { AdmittedJob, QueueExecutor, QueueTimers } from '../budget/waiting-queue.ts';
import { SarrafError } from '../domain/errors.ts';
import type { Timeline } from './virtual-time.ts';
import type { RequestLedger } from '../budget/admission.ts';
import type { LockoutBook } from '../budget/lockouts.ts';
import { RequestLimiter, type LimiterSettings } from '../budget/limiter.ts';

export function timersOf(time: Timeline): QueueTimers {
  return {
    after: (durationMs, work) => time.at(time.now() + durationMs, work),
    soon: (work) => void time.at(time.now(), work),
  };
}

/**
 * Executes admitted jobs in virtual time. The queue bounds the jobs in flight, so a job waits here only for
 * `startMs`, the time from its admission to its start, drawn anew for each.
 */
class VirtualExecutor implements QueueExecutor {
  private readonly time: Timeline;
  private readonly startMs: () => number;

  constructor(time: Timeline, startMs: () => number = () => 0) {
    this.time = time;
    this.startMs = startMs;
  }

  async execute<T>({ timeoutMs }: AdmittedJob, work: () => Promise<T>): Promise<T> {
    const startMs = this.startMs();
    if (startMs > 0) await this.time.sleep(startMs);
    return new Promise((resolve, reject) => {
      const stopTimer = this.time.at(this.time.now() + timeoutMs, () =>
        reject(new SarrafError('TIMED_OUT', `expected a reply within ${timeoutMs} ms`)),
      );
      void work().then(resolve, reject).finally(stopTimer);
    });
  }

  async close(): Promise<void> {}
}

interface VirtualLimiterOptions extends Omit<LimiterSettings, 'executorFor' | 'timers' | 'nowMs'> {
  readonly ledger: RequestLedger;
  readonly lockouts: LockoutBook;
  readonly time: Timeline;
  /** Time from an admission to the send, in ms, drawn anew for each; 0 when left out. */
  readonly startMs?: () => number;
  /** The clock of the ledger, if it differs from the timeline's. */
  readonly nowMs?: () => number;
}

/**
 * Returns a real limiter, with its queue, ledger, lockouts and 250 ms rule; only the timers and the execution
 * are those of a timeline.
 */
export function createVirtualLimiter(options: VirtualLimiterOptions): RequestLimiter {
  const { time, startMs, ...rest } = options;
  return new RequestLimiter({
    areAtOnce: true,
    nowMs: () => time.now(),
    ...rest,
    executorFor: () => new VirtualExecutor(time, startMs),
    timers: timersOf(time),
  });
}
