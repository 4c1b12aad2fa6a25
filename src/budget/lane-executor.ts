import type { RequestClass } from '../domain/request-class.ts';

/** A request that was admitted. */
export interface AdmittedJob {
  readonly requestClass: RequestClass;
  /** From the start of the work to its end. */
  readonly timeoutMs: number;
}

/** Does what a lane has admitted: at once, or a little later. */
export interface LaneExecutor {
  /**
   * Gives what the work gives, and throws what it throws. `isSent`: whether a request left by what the work
   * gave, so that it counts.
   * @throws SarrafError `TIMED_OUT` when it takes longer than it may; the work itself goes on.
   */
  execute<T>(job: AdmittedJob, work: () => Promise<T>, isSent?: (end: T) => boolean): Promise<T>;
  close(): Promise<void>;
}

/** The clock's other half. */
export interface LaneTimers {
  /** Has something done after a time, unless what is given back is called before. */
  after(durationMs: number, work: () => void): () => void;
  /** Has something done once what was just begun has got as far as it gets without waiting. */
  soon(work: () => void): void;
}

/** Timers of this machine. */
export const MACHINE_TIMERS: LaneTimers = {
  after(durationMs, work) {
    const timer = setTimeout(work, durationMs);
    return () => clearTimeout(timer);
  },
  soon: (work) => void setImmediate(work),
};
