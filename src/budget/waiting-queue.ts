import { urgencyOf, type RequestClass } from '../domain/rate-limit.ts';

/** A request that waits for a slot. */
export interface Waiting {
  readonly id: number;
  readonly requestClass: RequestClass;
  /**
   * Subject of the request, such as the book of one market: a newer one of the same kind makes it pointless.
   * Null: each counts by itself.
   */
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

/** Waiting requests of one budget at most. Beyond it the least urgent one goes, the newest of them first. */
export const MOST_WAITING = 256;

/**
 * Order of requests in one budget: the most urgent class, and in it the longest waiting. If a newer poll of
 * the same kind comes while one waits, the older is dropped and the newer gets its place, so that frequent
 * polls do not starve themselves. Expired requests are dropped. Dropped requests are reported, never lost
 * silently.
 */
export class WaitingQueue {
  /** In the order in which they are served. */
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

  /** Removes what is no longer worth sending. */
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
    // Most are sent as soon as they come, and wait alone.
    if (waiting.length === 1 && waiting[0]?.id === id) {
      waiting.pop();
      return;
    }
    const index = waiting.findIndex((other) => other.id === id);
    if (index !== -1) waiting.splice(index, 1);
  }

  /** Everyone who waits, in the order in which they are served. */
  all(): readonly Waiting[] {
    return this.waiting;
  }
}

function isSameKind(left: Waiting, right: Waiting): boolean {
  return left.kind === right.kind && left.requestClass === right.requestClass;
}

/** Whoever sends what a ledger admits. */
export interface TurnWaiter {
  /** Returns the urgency of its next request, 0 the most; null if it has none. */
  urgency(): number | null;
  /** Its turn has come: it may take it. */
  goOn(): void;
}

/**
 * The turn to be admitted and to leave, of all budgets of a process: one request after the other. A commit of
 * the ledger holds up the loop, and with it whatever was admitted just before. A burst that was admitted all
 * at once would be late all at once on a slow disk, and ask again all at once.
 */
export class SendTurn {
  private holder: object | null = null;
  private readonly waiting = new Set<TurnWaiter>();

  /**
   * Answers what gives the turn back; null where somebody has it: then `goOn` is called once it is free, the
   * most urgent first.
   */
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

/** A machine that is stopped for a moment is late with all that is on its way then, and not again. */
const LATE_IN_A_ROW = 10;
const LATE_FOR_MS = 5_000;

/**
 * Requests of all budgets since one was sent that were admitted, and not sent as it took too long to get to
 * them: a machine that is too slow for one budget is so for all.
 */
export class Lateness {
  private run: { readonly sinceMs: number; readonly count: number } | null = null;
  private isLogged = false;

  /** Answers for how long nothing leaves, once: as it becomes clear that this is no stop of a moment. */
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

  /** True if nothing leaves and that was reported. */
  get isLong(): boolean {
    return this.isLogged;
  }
}

/** A request that was admitted. */
export interface AdmittedJob {
  readonly requestClass: RequestClass;
  /** From the start of the work to its end. */
  readonly timeoutMs: number;
}

/** Runs the jobs that a queue has admitted: at once, or a little later. */
export interface QueueExecutor {
  /**
   * Gives what the work gives, and throws what it throws. `isSent`: whether a request left by what the work
   * gave, so that it counts.
   * @throws SarrafError `TIMED_OUT` when it takes longer than it may; the work itself goes on.
   */
  execute<T>(job: AdmittedJob, work: () => Promise<T>, isSent?: (end: T) => boolean): Promise<T>;
  close(): Promise<void>;
}

/** The clock's other half. */
export interface QueueTimers {
  /** Has something done after a time, unless what is given back is called before. */
  after(durationMs: number, work: () => void): () => void;
  /** Has something done once what was just begun has got as far as it gets without waiting. */
  soon(work: () => void): void;
}

export const MACHINE_TIMERS: QueueTimers = {
  after(durationMs, work) {
    const timer = setTimeout(work, durationMs);
    return () => clearTimeout(timer);
  },
  soon: (work) => void setImmediate(work),
};
