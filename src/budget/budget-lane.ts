import type { RateLimit } from '../domain/rate-limit.ts';
import { MOST_SEND_DELAY_MS, type RequestLedger, type Slot } from './admission.ts';
import type { CredentialUse } from './credential-stop.ts';
import type { LaneExecutor, LaneTimers } from './lane-executor.ts';
import type { LockoutBook, Pass, Verdict } from './lockouts.ts';
import type { LimitChange } from './named-limit.ts';
import { readFailedCall, stoodStill } from './reply-verdict.ts';
import { WaitingQueue, type Dropped, type Waiting } from './waiting-queue.ts';

export interface LaneOptions {
  readonly budget: RateLimit;
  readonly ledger: RequestLedger;
  readonly lockouts: LockoutBook;
  /** The ledger's clock. */
  readonly nowMs: () => number;
  readonly mostConcurrent: number;
  /** Null: requests are sent at once, and each ends within its time-out by itself. */
  readonly executor: LaneExecutor | null;
  readonly timers: LaneTimers;
  readonly onTrouble?: ((trouble: BudgetTrouble) => void) | undefined;
}

/** What keeps a budget from being used that somebody should know of. */
export type BudgetTrouble =
  | {
      readonly kind: 'locked out';
      readonly budget: string;
      readonly forMs: number;
      /** The limit that the exchange names; null where it names none. */
      readonly namedLimit: number | null;
      /** What that changes: a limit below ours holds from now on, and a wrong one is ignored. */
      readonly change: LimitChange | null;
    }
  | { readonly kind: 'ledger unusable'; readonly budget: string };

/**
 * Why a request never left, and in how many ms the next of its class may at the earliest; null where that is
 * not known.
 */
export interface Drop {
  readonly reason: Dropped['reason'] | Held | 'closed' | 'aborted';
  readonly retryInMs: number | null;
}

/**
 * What held back a request that expired, where it was no full window: a lockout of its budget, or a 401 to
 * its credential.
 */
type Held = 'locked out' | 'credential refused';

const CLOSED: Drop = { reason: 'closed', retryInMs: null };

/** How a send ended: with an answer, which for a log-in may be a new credential, or with an error. */
export type SendEnd =
  | { readonly kind: 'answered'; readonly loggedIn: boolean }
  | { readonly kind: 'failed'; readonly error: unknown };

/** A waiting request with what is done when its turn comes, or when it never does. */
export interface LaneJob extends Waiting {
  readonly credential: CredentialUse;
  readonly canLogIn: boolean;
  readonly timeoutMs: number;
  /** Sends, and tells once how that ended: at once, later, or never. */
  send(signal: AbortSignal, onEnd: (end: SendEnd) => void): void;
  /** Its slot is stamped, and those who waited for it were looked at. */
  onSent(): void;
  onDropped(drop: Drop): void;
  onFailed(error: unknown): void;
}

/** How an admitted request ended: `late`: it was not sent, and asks again. */
type AdmittedEnd =
  | { readonly kind: 'sent' }
  | { readonly kind: 'late' }
  | { readonly kind: 'failed'; readonly error: unknown };

const SENT: AdmittedEnd = { kind: 'sent' };
const LATE: AdmittedEnd = { kind: 'late' };

/** Of requests that nobody gives up: they are sent at once, and end by themselves. */
const NEVER_ABORTED = new AbortController().signal;

/** When to look again where only a stamp, of this process or of another, can free a slot. */
const LOOK_AGAIN_MS = 100;

/** The longest sleep: what other processes give back is seen within it. */
const LONGEST_SLEEP_MS = 1_000;

/**
 * The requests of one budget on their way out. Order and admission are the ledger's; what it admits, the
 * executor executes, with the time-out. What the executor gets to too late is not sent, and asks again.
 */
export class BudgetLane {
  private readonly options: LaneOptions;
  private readonly queue = new WaitingQueue();
  private readonly jobs = new Map<number, LaneJob>();
  /** Those that will not be sent, and have yet to be notified. */
  private readonly dropped: { readonly job: LaneJob; readonly drop: Drop }[] = [];
  private stopTimer: (() => void) | null = null;
  private running = 0;
  private isClosed = false;
  /** When the budget was last found full or locked: until when. */
  private fullUntilMs = 0;
  private isUnusable = false;
  /** What else than a full window held it back then. */
  private heldBy: Held | null = null;

  constructor(options: LaneOptions) {
    this.options = options;
  }

  add(job: LaneJob): void {
    if (this.isClosed) {
      job.onDropped(CLOSED);
      return;
    }
    this.jobs.set(job.id, job);
    this.drop(this.queue.add(job));
    this.pump();
    this.tellDropped();
  }

  /**
   * Drops a request that nobody wants any more, if it still waits; one that is on its way is its sender's to
   * end.
   */
  cancel(id: number): void {
    if (!this.queue.all().some((waiting) => waiting.id === id)) return;
    this.queue.remove(id);
    this.leave(id)?.onDropped({ reason: 'aborted', retryInMs: null });
  }

  /** Drops everyone who waits; what is on its way stays so. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.stopTimer?.();
    const waiting = [...this.queue.all()];
    for (const { id } of waiting) {
      this.queue.remove(id);
      this.leave(id)?.onDropped(CLOSED);
    }
    await this.options.executor?.close();
  }

  /** Sends as many as may go now, and sleeps until the next may. */
  private pump(): void {
    const { nowMs, mostConcurrent } = this.options;
    this.stopTimer?.();
    this.stopTimer = null;
    this.drop(this.queue.expire(nowMs()));
    while (this.running < mostConcurrent) {
      const first = this.queue.first();
      const job = first === null ? undefined : this.jobs.get(first.id);
      if (job === undefined) return;
      const waitMs = this.tryToStart(job);
      if (waitMs === null) continue;
      this.sleep(waitMs);
      return;
    }
    // One that ends calls again; until then what expires must still be reported.
    if (this.queue.first() !== null) this.sleep(LONGEST_SLEEP_MS);
  }

  /** Starts a request, or says how long to wait before the next try. */
  private tryToStart(job: LaneJob): number | null {
    const { budget, ledger, lockouts } = this.options;
    const nowMs = this.options.nowMs();
    const ask = { budget: budget.name, credential: job.credential };
    const heldUntilMs = lockouts.heldUntil(ask, nowMs);
    if (heldUntilMs !== null) return this.full(heldUntilMs - nowMs, this.holderOf(job, nowMs));
    const admission = ledger.admit({ budget: budget.name, requestClass: job.requestClass }, nowMs);
    if (!admission.admitted) {
      const isUnusable = admission.reason === 'ledger unusable';
      if (isUnusable && !this.isUnusable)
        this.options.onTrouble?.({ kind: 'ledger unusable', budget: budget.name });
      this.isUnusable = isUnusable;
      return this.full(admission.waitMs ?? LOOK_AGAIN_MS);
    }
    this.isUnusable = false;
    const lockout = lockouts.take(ask, nowMs);
    if (lockout.pass === null) {
      ledger.withdraw(admission.slot);
      return this.full(lockout.retryAtMs - nowMs, this.holderOf(job, nowMs));
    }
    this.queue.remove(job.id);
    this.execute(job, admission.slot, lockout.pass);
    return null;
  }

  private full(waitMs: number, heldBy: Held | null = null): number {
    this.fullUntilMs = this.options.nowMs() + waitMs;
    this.heldBy = heldBy;
    return waitMs;
  }

  /** A budget that would let a call without a credential through is not locked out itself. */
  private holderOf({ credential }: LaneJob, nowMs: number): Held {
    const { budget, lockouts } = this.options;
    const isFree = lockouts.heldUntil({ budget: budget.name, credential: 'none' }, nowMs) === null;
    return credential !== 'none' && isFree ? 'credential refused' : 'locked out';
  }

  private execute(job: LaneJob, slot: Slot, pass: Pass): void {
    const { executor } = this.options;
    this.running += 1;
    if (executor === null) {
      this.send(job, { slot, pass, signal: NEVER_ABORTED }, (end) => this.end(job, pass, end));
      return;
    }
    const controller = new AbortController();
    const { signal } = controller;
    const work = async (): Promise<AdmittedEnd> =>
      new Promise((resolve) => this.send(job, { slot, pass, signal }, resolve));
    executor.execute(job, work).then(
      (end) => this.end(job, pass, end),
      (error) => {
        // The slot stays occupied until the aborted send has ended, and is stamped there.
        controller.abort();
        this.end(job, pass, { kind: 'failed', error });
      },
    );
  }

  /** Looks who may go now, and tells the request's owner. */
  private end(job: LaneJob, pass: Pass, end: AdmittedEnd): void {
    this.running -= 1;
    if (end.kind === 'late') this.askAgain(job, pass);
    else this.jobs.delete(job.id);
    if (!this.isClosed) this.pump();
    if (end.kind === 'sent') job.onSent();
    else if (end.kind === 'failed') job.onFailed(end.error);
    this.tellDropped();
  }

  /** Stamps the slot whatever becomes of the send. */
  private send(
    job: LaneJob,
    way: { readonly slot: Slot; readonly pass: Pass; readonly signal: AbortSignal },
    onEnd: (end: AdmittedEnd) => void,
  ): void {
    const { ledger, nowMs } = this.options;
    const { slot, pass, signal } = way;
    if (nowMs() - slot.admittedAtMs > MOST_SEND_DELAY_MS) {
      ledger.withdraw(slot);
      onEnd(LATE);
      return;
    }
    job.send(signal, (end) => {
      onEnd(
        end.kind === 'answered' ? this.answered(slot, pass, end.loggedIn) : this.failed(job, way, end.error),
      );
    });
  }

  private answered(slot: Slot, pass: Pass, loggedIn: boolean): AdmittedEnd {
    const { ledger, lockouts, nowMs } = this.options;
    ledger.settle(slot, 'answered', nowMs());
    lockouts.report(pass, { kind: 'answered', loggedIn }, nowMs());
    return SENT;
  }

  private failed(
    { canLogIn }: LaneJob,
    { slot, pass }: { readonly slot: Slot; readonly pass: Pass },
    error: unknown,
  ): AdmittedEnd {
    const { ledger, lockouts, nowMs } = this.options;
    if (stoodStill(error)) {
      ledger.withdraw(slot);
      return LATE;
    }
    const { end, verdict } = readFailedCall(error, canLogIn);
    const change = this.heed(verdict);
    ledger.settle(slot, end, nowMs());
    lockouts.report(pass, verdict, nowMs());
    if (verdict.kind === 'limited') this.tellLockout(pass, verdict.limit, change);
    return { kind: 'failed', error };
  }

  private heed(verdict: Verdict): LimitChange | null {
    if (verdict.kind !== 'limited') return null;
    const { ledger, budget, nowMs } = this.options;
    return ledger.heed(budget.name, { named: verdict.limit, isOwn: verdict.isOwn }, nowMs());
  }

  private tellLockout({ ask }: Pass, namedLimit: number | null, change: LimitChange | null): void {
    const { lockouts, nowMs, onTrouble } = this.options;
    const untilMs = lockouts.heldUntil(ask, nowMs()) ?? nowMs();
    onTrouble?.({ kind: 'locked out', budget: ask.budget, forMs: untilMs - nowMs(), namedLimit, change });
  }

  private askAgain(job: LaneJob, pass: Pass): void {
    this.options.lockouts.report(pass, { kind: 'silence' }, this.options.nowMs());
    if (!this.isClosed) this.drop(this.queue.add(job));
    else if (this.jobs.delete(job.id)) this.dropped.push({ job, drop: CLOSED });
  }

  private drop(dropped: readonly Dropped[]): void {
    if (dropped.length === 0) return;
    const waitMs = this.fullUntilMs - this.options.nowMs();
    for (const { id, reason } of dropped) {
      const isHeld = reason === 'expired' && waitMs > 0;
      const job = this.leave(id);
      if (job === undefined) continue;
      const drop = { reason: isHeld ? (this.heldBy ?? reason) : reason, retryInMs: isHeld ? waitMs : null };
      this.dropped.push({ job, drop });
    }
  }

  /** Once all is in order here: whoever is notified may want more sent at once. */
  private tellDropped(): void {
    for (let next = this.dropped.shift(); next !== undefined; next = this.dropped.shift())
      next.job.onDropped(next.drop);
  }

  private leave(id: number): LaneJob | undefined {
    const job = this.jobs.get(id);
    this.jobs.delete(id);
    return job;
  }

  private sleep(waitMs: number): void {
    const expiresAtMs = Math.min(...this.queue.all().map((waiting) => waiting.expiresAtMs));
    const restMs = Math.min(waitMs, LONGEST_SLEEP_MS, expiresAtMs - this.options.nowMs());
    this.stopTimer = this.options.timers.after(Math.max(1, restMs), () => {
      this.pump();
      this.tellDropped();
    });
  }
}
