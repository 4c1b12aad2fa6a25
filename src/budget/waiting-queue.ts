import { urgencyOf, type RequestClass } from '../domain/rate-limit.ts';

/** A request that waits for a slot. */
export interface Waiting {
  readonly id: number;
  readonly requestClass: RequestClass;
  /** Subject of the request, such as a market's book: a newer one of its kind replaces it, unless null. */
  readonly kind: string | null;
  /** Time from which it is no longer worth sending. */
  readonly expiresAtMs: number;
}

type DropReason = 'expired' | 'superseded' | 'queue full';

export interface Dropped {
  readonly id: number;
  readonly reason: DropReason;
}

const NONE: readonly Dropped[] = [];

/** Maximum number of waiting requests of one budget. Beyond it the least urgent class loses its newest. */
export const MOST_WAITING = 256;

/**
 * Queue of the requests of one budget: the most urgent class first, and in it the longest waiting. A newer
 * poll of the same kind replaces one that waits, and gets its place, so that frequent polls do not starve
 * themselves. Expired requests are dropped. Every drop is reported.
 */
export class WaitingQueue {
  /** Requests in the order in which they are served. */
  private readonly waiting: Waiting[] = [];

  add(request: Waiting): readonly Dropped[] {
    if (this.waiting.length === 0) {
      this.waiting.push(request);
      return NONE;
    }
    const older = request.kind === null ? -1 : this.waiting.findIndex((other) => isSameKind(other, request));
    const replaced = this.waiting[older];
    if (replaced !== undefined) {
      this.waiting[older] = request;
      return [{ id: replaced.id, reason: 'superseded' }];
    }
    const urgency = urgencyOf(request.requestClass);
    const after = this.waiting.findIndex((other) => urgencyOf(other.requestClass) > urgency);
    this.waiting.splice(after === -1 ? this.waiting.length : after, 0, request);
    if (this.waiting.length <= MOST_WAITING) return NONE;
    return this.waiting.splice(MOST_WAITING).map(({ id }) => ({ id, reason: 'queue full' }));
  }

  /** Removes and returns expired requests. */
  expire(nowMs: number): readonly Dropped[] {
    if (!this.waiting.some(({ expiresAtMs }) => expiresAtMs <= nowMs)) return NONE;
    const expired = this.waiting.filter(({ expiresAtMs }) => expiresAtMs <= nowMs);
    for (const { id } of expired) this.remove(id);
    return expired.map(({ id }) => ({ id, reason: 'expired' }));
  }

  first(): Waiting | null {
    return this.waiting[0] ?? null;
  }

  remove(id: number): void {
    const { waiting } = this;
    // Most requests are sent as soon as they come, and wait alone.
    if (waiting.length === 1 && waiting[0]?.id === id) {
      waiting.pop();
      return;
    }
    const index = waiting.findIndex((other) => other.id === id);
    if (index !== -1) waiting.splice(index, 1);
  }

  /** Returns all waiting requests in the order in which they are served. */
  all(): readonly Waiting[] {
    return this.waiting;
  }
}

const isSameKind = (left: Waiting, right: Waiting): boolean =>
  left.kind === right.kind && left.requestClass === right.requestClass;

/** A sender of admitted requests that waits for its turn. */
export interface TurnWaiter {
  /** Returns the urgency of its next request, 0 the most; null if it has none. */
  urgency(): number | null;
  /** Called when its turn has come: it may acquire the turn. */
  goOn(): void;
}

/**
 * The turn to be admitted and to leave, for all budgets of a process: one request after the other. A commit
 * of the ledger holds up the event loop, and any request that was admitted just before. A burst that was
 * admitted at once would all be late on a slow disk, and ask again at once.
 */
export class SendTurn {
  private holder: object | null = null;
  private readonly waiting = new Set<TurnWaiter>();

  /** Returns a function that gives the turn back; null if it is taken: `goOn` is called once it is free. */
  acquire(taker: TurnWaiter): (() => void) | null {
    if (this.holder !== null) {
      this.waiting.add(taker);
      return null;
    }
    this.waiting.delete(taker);
    const hold = {};
    this.holder = hold;
    return () => {
      if (this.holder !== hold) return;
      this.holder = null;
      this.callNext();
    };
  }

  private callNext(): void {
    while (this.holder === null) {
      const next = this.mostUrgent();
      if (next === null) return;
      this.waiting.delete(next);
      next.goOn();
    }
  }

  private mostUrgent(): TurnWaiter | null {
    let most: { readonly taker: TurnWaiter; readonly urgency: number } | null = null;
    for (const taker of this.waiting) {
      const urgency = taker.urgency();
      if (urgency === null) this.waiting.delete(taker);
      else if (most === null || urgency < most.urgency) most = { taker, urgency };
    }
    return most?.taker ?? null;
  }
}

/** Bounds of lateness: a machine that stopped for a moment is late only with the requests of then. */
const LATE_IN_A_ROW = 10;
const LATE_FOR_MS = 5_000;

/** Counts admitted requests in a row, over all budgets, that were too late for the send. */
export class Lateness {
  private run: { readonly sinceMs: number; readonly count: number } | null = null;
  private isLogged = false;

  /** Returns once the time for which no request left, when this is clearly no short stop; else null. */
  count(isLate: boolean, nowMs: number): number | null {
    if (!isLate) {
      this.run = null;
      this.isLogged = false;
      return null;
    }
    const { sinceMs, count } = this.run ?? { sinceMs: nowMs, count: 0 };
    this.run = { sinceMs, count: count + 1 };
    const forMs = nowMs - sinceMs;
    if (this.isLogged || count + 1 < LATE_IN_A_ROW || forMs < LATE_FOR_MS) return null;
    this.isLogged = true;
    return forMs;
  }

  /** True if no request leaves and that was reported. */
  get isLong(): boolean {
    return this.isLogged;
  }
}

/** A request that was admitted. */
export interface AdmittedJob {
  readonly requestClass: RequestClass;
  /** Units of the limit that it takes. */
  readonly weight: number;
  /** Longest time from the start of the work to its end. */
  readonly timeoutMs: number;
}

/** Runs the jobs that a queue has admitted: at once, or a little later. */
export interface QueueExecutor {
  /**
   * Resolves or rejects as the work does. `isSent`: true if a request left, judged by the result, so that it
   * counts.
   * @throws SarrafError `TIMED_OUT` after `timeoutMs`; the work itself goes on.
   */
  execute<T>(job: AdmittedJob, work: () => Promise<T>, isSent?: (end: T) => boolean): Promise<T>;
  close(): Promise<void>;
}

/** Timers of a queue. */
export interface QueueTimers {
  /** Runs the work after a time, unless the returned function is called before. */
  after(durationMs: number, work: () => void): () => void;
  /** Runs the work after other work that was just begun has run up to its first wait. */
  soon(work: () => void): void;
}

export const MACHINE_TIMERS: QueueTimers = {
  after(durationMs, work) {
    const timer = setTimeout(work, durationMs);
    return () => clearTimeout(timer);
  },
  soon: (work) => void setImmediate(work),
};
