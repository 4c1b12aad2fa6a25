import type { RequestLedger } from '../budget/admission.ts';
import type { LockoutBook } from '../budget/lockouts.ts';
import { RequestLimiter, type LimiterSettings } from '../budget/limiter.ts';
import { timersOf, VirtualExecutor } from './virtual-executor.ts';
import type { Timeline } from './virtual-time.ts';

interface VirtualLimiterOptions extends Omit<LimiterSettings, 'executorFor' | 'timers' | 'nowMs'> {
  readonly ledger: RequestLedger;
  readonly lockouts: LockoutBook;
  readonly time: Timeline;
  /** Time from an admission to the send, in ms, drawn anew for each; 0 when left out. */
  readonly startMs?: () => number;
  /** The clock of the ledger, where it is another than the timeline's. */
  readonly nowMs?: () => number;
}

/**
 * The limiter as it is, with its queue, ledger, lockouts and 250 ms rule; only timers and execution are those
 * of a timeline.
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
