import { type RateLimit, urgencyOf, type RequestClass } from '../domain/rate-limit.ts';
import {
  MOST_CANCEL_DELAY_MS,
  MOST_COMMIT_MS,
  MOST_SEND_DELAY_MS,
  mostSendDelayMs,
  type Slot,
  type LimitChange,
} from './admission.ts';
import {
  type Admittance,
  type Entry,
  type EntryAsk,
  type Held,
  readFailedCall,
  stoodStill,
} from './admittance.ts';
import type { CredentialUse, Permit, Outcome } from './lockouts.ts';
import {
  type Lateness,
  type QueueExecutor,
  type QueueTimers,
  type SendTurn,
  type TurnWaiter,
  WaitingQueue,
  type Dropped,
  type Waiting,
} from './waiting-queue.ts';

interface BudgetQueueOptions {
  readonly budget: RateLimit;
  readonly admittance: Admittance;
  /** The ledger's clock. */
  readonly nowMs: () => number;
  /** Time the machine has slept: the age of a request includes it, and the ledger's clock does not. */
  readonly sleptMs: () => number;
  readonly mostConcurrent: number;
  /** Null: requests are sent at once, and each ends within its time-out by itself. */
  readonly executor: QueueExecutor | null;
  readonly timers: QueueTimers;
  /** Time for which own commits have held up the loop so far. */
  readonly commitMs: () => number;
  /** Shared with the queues of the other budgets; null where no commit takes time. */
  readonly turn: SendTurn | null;
  /** Shared with the queues of the other budgets. */
  readonly lateness: Lateness;
  readonly onTrouble?: ((trouble: BudgetTrouble) => void) | undefined;
}

/** Problem that blocks a budget and that somebody should know of. */
export type BudgetTrouble =
  | {
      readonly kind: 'locked out';
      readonly budget: string;
      readonly forMs: number;
      /** The limit that the exchange names; null where it names none. */
      readonly namedLimit: number | null;
      /** Change by that limit: one below ours applies from now on, and a wrong one is ignored. */
      readonly change: LimitChange | null;
    }
  | { readonly kind: 'ledger unusable'; readonly budget: string }
  /** For so long every request was admitted, and not sent: it took too long to get to it. */
  | { readonly kind: 'too late'; readonly forMs: number };

/**
 * Reason a request never left, and the time in ms until the next of its class may leave at the earliest; null
 * if that is not known.
 */
export interface Drop {
  readonly reason: Dropped['reason'] | Held | typeof TOO_SLOW | 'closed' | 'aborted';
  readonly retryInMs: number | null;
}

/** It was admitted again and again, and this machine never got to it in time. */
const TOO_SLOW = 'this machine is too slow';

const CLOSED: Drop = { reason: 'closed', retryInMs: null };

/** Waiting state of the requests of a class. */
export interface QueueWait {
  /** Those that have not left, and those that have and are not answered. */
  readonly waiting: number;
  readonly inFlight: number;
  /** Cause that holds back those that have not left; null if they leave one after the other. */
  readonly heldBy: Held | 'full' | null;
  /** For how long that holds still. */
  readonly forMs: number;
}

/** End of a send: with an answer, which for a log-in may be a new credential, or with an error. */
export type SendEnd =
  | { readonly kind: 'answered'; readonly loggedIn: boolean }
  | { readonly kind: 'failed'; readonly error: unknown };

/** A waiting request with what is done when its turn comes, or when it never does. */
export interface QueuedJob extends Waiting {
  readonly credential: CredentialUse;
  readonly canLogIn: boolean;
  readonly timeoutMs: number;
  /** Sends, and tells once how that ended: at once, later, or never. */
  send(signal: AbortSignal, onEnd: (end: SendEnd) => void): void;
  /** Called once its slot is stamped and the requests that waited for it were examined. */
  onSent(): void;
  onDropped(drop: Drop): void;
  onFailed(error: unknown): void;
}

/** End of an admitted request. `late`: it was not sent, and asks again. */
type AdmittedEnd =
  | { readonly kind: 'sent' }
  | { readonly kind: 'late' }
  | { readonly kind: 'failed'; readonly error: unknown };

const isSent = ({ kind }: AdmittedEnd): boolean => kind !== 'late';

/** A moment, from which the delay of a request counts. */
interface Moment {
  readonly ageMs: number;
  readonly commitMs: number;
}

/** Admission, and the moment at which the ledger was asked. */
interface Admitted {
  readonly slot: Slot;
  readonly permit: Permit;
  readonly since: Moment;
  /** Lets the next one be admitted. */
  readonly releaseTurn: () => void;
}

/** Data with which an admitted request is sent. */
type SendContext = Omit<Admitted, 'releaseTurn'> & { readonly signal: AbortSignal };

const NO_TURN = (): void => undefined;

const SENT: AdmittedEnd = { kind: 'sent' };
const LATE: AdmittedEnd = { kind: 'late' };

/** Of requests that nobody gives up: they are sent at once, and end by themselves. */
const NEVER_ABORTED = new AbortController().signal;

/** Interval of polls if only a stamp, of this process or of another, can free a slot. */
const POLL_AGAIN_MS = 100;

/** The longest sleep: what other processes give back is seen within it. */
const LONGEST_SLEEP_MS = 1_000;

/**
 * The requests of one budget on their way out. Order and admission are the ledger's; what it admits, the
 * executor executes, with the time-out. What the executor gets to too late is not sent, and asks again.
 */
export class BudgetQueue implements TurnWaiter {
  private readonly options: BudgetQueueOptions;
  private readonly queue = new WaitingQueue();
  private readonly jobs = new Map<number, QueuedJob>();
  /** Jobs that will not be sent, and whose callers do not know it yet. */
  private readonly dropped: { readonly job: QueuedJob; readonly drop: Drop }[] = [];
  private stopTimer: (() => void) | null = null;
  private running = 0;
  /** True while a ledger that answers later is asked; one question at a time. */
  private isAsking = false;
  private isClosed = false;
  /** Time until which the budget was last found full or locked. */
  private fullUntilMs = 0;
  private isUnusable = false;
  /** Cause other than a full window that held it back then. */
  private heldBy: Held | null = null;

  constructor(options: BudgetQueueOptions) {
    this.options = options;
  }

  add(job: QueuedJob): void {
    if (this.isClosed) {
      job.onDropped(CLOSED);
      return;
    }
    this.jobs.set(job.id, job);
    this.drop(this.queue.add(job));
    this.pump();
    this.notifyDropped();
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

  /** The clock by which a request that waits grows old. */
  private ageMs(): number {
    const { nowMs, sleptMs } = this.options;
    return nowMs() + sleptMs();
  }

  /** Sends as many as may go now, and sleeps until the next may. */
  private pump(): void {
    const { mostConcurrent } = this.options;
    this.stopTimer?.();
    this.stopTimer = null;
    this.drop(this.queue.expire(this.ageMs()));
    while (this.running < mostConcurrent && !this.isAsking) {
      const job = this.first();
      if (job === undefined) return;
      const releaseTurn = this.acquireTurn();
      if (releaseTurn === null) break;
      const waitMs = this.enter(job, releaseTurn);
      if (waitMs !== null) {
        this.sleep(waitMs);
        releaseTurn();
        return;
      }
    }
    // One that ends calls again; until then what expires must still be reported.
    if (this.queue.first() !== null) this.sleep(LONGEST_SLEEP_MS);
  }

  private first(): QueuedJob | undefined {
    const first = this.queue.first();
    return first === null ? undefined : this.jobs.get(first.id);
  }

  private askOf({ requestClass, credential }: QueuedJob): EntryAsk {
    return { budget: this.options.budget.name, requestClass, credential };
  }

  /** Returns what requests of a class wait for here; null if there are none. */
  waitOf(requestClass: RequestClass): QueueWait | null {
    const all = [...this.jobs.values()].filter((job) => job.requestClass === requestClass).length;
    if (all === 0) return null;
    const waiting = this.queue.all().filter((each) => each.requestClass === requestClass).length;
    const forMs = Math.max(0, this.fullUntilMs - this.options.nowMs());
    const isHeld = waiting > 0 && forMs > POLL_AGAIN_MS;
    return { waiting, inFlight: all - waiting, heldBy: isHeld ? (this.heldBy ?? 'full') : null, forMs };
  }

  urgency(): number | null {
    const first = this.isClosed ? null : this.queue.first();
    return first === null ? null : urgencyOf(first.requestClass);
  }

  goOn(): void {
    if (this.isClosed) return;
    this.pump();
    this.notifyDropped();
  }

  private acquireTurn(): (() => void) | null {
    const { turn } = this.options;
    return turn === null ? NO_TURN : turn.acquire(this);
  }

  /** Asks the ledger; answers how long to wait where it says no at once. */
  private enter(job: QueuedJob, releaseTurn: () => void): number | null {
    const { admittance, nowMs } = this.options;
    const ask = this.askOf(job);
    const since = this.moment();
    const entry = admittance.enter(ask, nowMs());
    if (entry instanceof Promise) this.await(job, ask, { answer: entry, since, releaseTurn });
    else if (entry.isAdmitted) this.execute(job, { ...entry, since, releaseTurn });
    else return this.refused(entry);
    return null;
  }

  private moment(): Moment {
    return { ageMs: this.ageMs(), commitMs: this.options.commitMs() };
  }

  /** Goes on when the ledger has answered; what is admitted by then and wanted by nobody is given back. */
  private await(
    asker: QueuedJob,
    ask: EntryAsk,
    asked: Pick<Admitted, 'since' | 'releaseTurn'> & { readonly answer: Promise<Entry> },
  ): void {
    this.isAsking = true;
    void asked.answer.then((entry) => this.entered(asker, ask, { ...asked, entry }));
  }

  private entered(
    asker: QueuedJob,
    ask: EntryAsk,
    { entry, since, releaseTurn }: Pick<Admitted, 'since' | 'releaseTurn'> & { readonly entry: Entry },
  ): void {
    this.isAsking = false;
    this.drop(this.queue.expire(this.ageMs()));
    if (entry.isAdmitted) {
      const job = this.isClosed ? undefined : this.waiterOf(asker, ask);
      if (job !== undefined) this.execute(job, { ...entry, since, releaseTurn });
      else {
        this.giveBack(entry);
        releaseTurn();
      }
    } else releaseTurn();
    const waitMs = entry.isAdmitted ? null : this.refused(entry);
    // Whoever came meanwhile may be more urgent, and has more slots.
    if (waitMs !== null && this.first() === asker) this.sleep(waitMs);
    else if (!this.isClosed) this.pump();
    this.notifyDropped();
  }

  /** Returns the job that gets a requested slot: the asker, else one that would have asked alike. */
  private waiterOf(asker: QueuedJob, { requestClass, credential }: EntryAsk): QueuedJob | undefined {
    if (this.jobs.get(asker.id) === asker && this.queue.all().some(({ id }) => id === asker.id)) return asker;
    return this.queue
      .all()
      .flatMap(({ id }) => this.jobs.get(id) ?? [])
      .find((job) => job.requestClass === requestClass && job.credential === credential);
  }

  private giveBack({ slot, permit }: Extract<Entry, { isAdmitted: true }>): void {
    const { admittance, nowMs } = this.options;
    admittance.withdraw(slot);
    admittance.report(permit, { kind: 'silence' }, nowMs());
  }

  /** Takes down why nobody is admitted; answers how long to wait before the next try. */
  private refused({ waitMs, heldBy, isUnusable }: Extract<Entry, { isAdmitted: false }>): number {
    const { budget, onTrouble } = this.options;
    if (isUnusable && !this.isUnusable) onTrouble?.({ kind: 'ledger unusable', budget: budget.name });
    this.isUnusable = isUnusable;
    return this.full(waitMs ?? POLL_AGAIN_MS, heldBy);
  }

  private full(waitMs: number, heldBy: Held | null): number {
    this.fullUntilMs = this.options.nowMs() + waitMs;
    this.heldBy = heldBy;
    return waitMs;
  }

  private execute(job: QueuedJob, { releaseTurn, ...admitted }: Admitted): void {
    const { executor, timers } = this.options;
    const { permit } = admitted;
    this.isUnusable = false;
    this.queue.remove(job.id);
    this.running += 1;
    if (executor === null) {
      this.send(job, { ...admitted, signal: NEVER_ABORTED }, (end) => this.end(job, permit, end));
      releaseTurn();
      return;
    }
    const controller = new AbortController();
    const { signal } = controller;
    // Whoever waits for the executor for longer holds up nobody else.
    const stopTimer = releaseTurn === NO_TURN ? NO_TURN : timers.after(MOST_SEND_DELAY_MS, releaseTurn);
    const work = async (): Promise<AdmittedEnd> =>
      new Promise((resolve) => {
        stopTimer();
        this.send(job, { ...admitted, signal }, resolve);
        if (releaseTurn !== NO_TURN) timers.soon(releaseTurn);
      });
    executor.execute(job, work, isSent).then(
      (end) => this.end(job, permit, end),
      (error) => {
        // The slot stays occupied until the aborted send has ended, and is stamped there.
        controller.abort();
        this.end(job, permit, { kind: 'failed', error });
      },
    );
  }

  /** Looks who may go now, and tells the request's owner. */
  private end(job: QueuedJob, permit: Permit, end: AdmittedEnd): void {
    this.running -= 1;
    if (end.kind === 'late') this.askAgain(job, permit);
    else this.jobs.delete(job.id);
    this.countLate(end.kind === 'late');
    if (!this.isClosed) this.pump();
    if (end.kind === 'sent') job.onSent();
    else if (end.kind === 'failed') job.onFailed(end.error);
    this.notifyDropped();
  }

  /** Says once that nothing leaves in time, where it is so with every request. */
  private countLate(isLate: boolean): void {
    const { nowMs, lateness, onTrouble } = this.options;
    const forMs = lateness.count(isLate, nowMs());
    if (forMs !== null) onTrouble?.({ kind: 'too late', forMs });
  }

  /** Stamps the slot whatever becomes of the send. */
  private send(job: QueuedJob, context: SendContext, onEnd: (end: AdmittedEnd) => void): void {
    const { admittance } = this.options;
    const { slot, permit, signal } = context;
    if (this.isTooLate(job, context)) {
      admittance.withdraw(slot);
      onEnd(LATE);
      return;
    }
    job.send(signal, (end) => {
      onEnd(
        end.kind === 'answered'
          ? this.answered(slot, permit, end.loggedIn)
          : this.failed(job, context, end.error),
      );
    });
  }

  /**
   * Own commits are no delay, and a cancel may be late. Whatever leaves after more than 250 ms all the same
   * has its slot still: so the ledger knows of it as of one that is admitted now.
   */
  private isTooLate({ requestClass, expiresAtMs }: QueuedJob, { slot, since }: SendContext): boolean {
    const { admittance, commitMs, nowMs } = this.options;
    const ageMs = this.ageMs();
    const delayMs = ageMs - since.ageMs;
    const committedMs = Math.min(commitMs() - since.commitMs, MOST_COMMIT_MS);
    const isLate =
      delayMs - committedMs > mostSendDelayMs(requestClass) ||
      delayMs > MOST_CANCEL_DELAY_MS ||
      // It has grown old over a commit.
      (delayMs > MOST_SEND_DELAY_MS && expiresAtMs <= ageMs);
    return isLate || (nowMs() - slot.admittedAtMs > MOST_SEND_DELAY_MS && !admittance.holds(slot));
  }

  private answered(slot: Slot, permit: Permit, loggedIn: boolean): AdmittedEnd {
    const { admittance, nowMs } = this.options;
    admittance.settle(slot, 'answered', nowMs());
    admittance.report(permit, { kind: 'answered', loggedIn }, nowMs());
    return SENT;
  }

  private failed(
    { canLogIn }: QueuedJob,
    { slot, permit }: { readonly slot: Slot; readonly permit: Permit },
    error: unknown,
  ): AdmittedEnd {
    const { admittance, nowMs } = this.options;
    if (stoodStill(error)) {
      admittance.withdraw(slot);
      return LATE;
    }
    const { end, outcome } = readFailedCall(error, canLogIn);
    const change = this.applyOutcome(outcome);
    admittance.settle(slot, end, nowMs());
    admittance.report(permit, outcome, nowMs());
    if (outcome.kind === 'limited') this.notifyLockout(permit, outcome.limit, change);
    return { kind: 'failed', error };
  }

  private applyOutcome(outcome: Outcome): LimitChange | null {
    if (outcome.kind !== 'limited') return null;
    const { admittance, budget, nowMs } = this.options;
    return admittance.applyLimit(budget.name, { named: outcome.limit, isOwn: outcome.isOwn }, nowMs());
  }

  private notifyLockout({ ask }: Permit, namedLimit: number | null, change: LimitChange | null): void {
    const { admittance, nowMs, onTrouble } = this.options;
    const untilMs = admittance.heldUntil(ask, nowMs()) ?? nowMs();
    onTrouble?.({ kind: 'locked out', budget: ask.budget, forMs: untilMs - nowMs(), namedLimit, change });
  }

  private askAgain(job: QueuedJob, permit: Permit): void {
    this.options.admittance.report(permit, { kind: 'silence' }, this.options.nowMs());
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
      const held = isHeld ? this.heldBy : null;
      if (held === null && reason === 'expired' && this.options.lateness.isLong)
        this.dropped.push({ job, drop: { reason: TOO_SLOW, retryInMs: null } });
      else this.dropped.push({ job, drop: { reason: held ?? reason, retryInMs: isHeld ? waitMs : null } });
    }
  }

  /** Call it when this queue has changed its state: a caller that is notified may send more at once. */
  private notifyDropped(): void {
    for (let next = this.dropped.shift(); next !== undefined; next = this.dropped.shift())
      next.job.onDropped(next.drop);
  }

  private leave(id: number): QueuedJob | undefined {
    const job = this.jobs.get(id);
    this.jobs.delete(id);
    return job;
  }

  private sleep(waitMs: number): void {
    const expiresAtMs = Math.min(...this.queue.all().map((waiting) => waiting.expiresAtMs));
    const restMs = Math.min(waitMs, LONGEST_SLEEP_MS, expiresAtMs - this.ageMs());
    this.stopTimer?.();
    this.stopTimer = this.options.timers.after(Math.max(1, restMs), () => {
      this.pump();
      this.notifyDropped();
    });
  }
}
