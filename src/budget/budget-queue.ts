import { type Charge, type RateLimit, urgencyOf, type RequestClass } from '../domain/rate-limit.ts';
import {
  MOST_CANCEL_DELAY_MS,
  MOST_COMMIT_MS,
  MOST_SEND_DELAY_MS,
  mostSendDelayMs,
  type Slot,
  type LimitChange,
  type LimitUsage,
} from './admission.ts';
import {
  type Admittance,
  type Entry,
  type EntryAsk,
  type Held,
  readFailedCall,
  stoodStill,
} from './admittance.ts';
import type { CredentialUse, LockoutAsk, Permit, Outcome } from './lockouts.ts';
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
  /** Time that the machine has slept: the age of a request includes it, and the ledger's clock does not. */
  readonly sleptMs: () => number;
  readonly mostConcurrent: number;
  /** Null if requests are sent at once, and each ends within its own time-out. */
  readonly executor: QueueExecutor | null;
  readonly timers: QueueTimers;
  /** Time so far for which the process's own commits have held up the event loop. */
  readonly commitMs: () => number;
  /** Shared with the queues of the other budgets; null if commits take no time. */
  readonly turn: SendTurn | null;
  /** Shared with the queues of the other budgets. */
  readonly lateness: Lateness;
  readonly onTrouble?: ((trouble: BudgetTrouble) => void) | undefined;
}

/** A problem that blocks a budget and is reported. */
export type BudgetTrouble =
  | {
      readonly kind: 'locked out';
      readonly budget: string;
      readonly forMs: number;
      /** The limit that the exchange names; null if it names none. */
      readonly namedLimit: number | null;
      /** Effect of that limit: one below ours applies from now on, and a wrong one is ignored. */
      readonly change: LimitChange | null;
    }
  | { readonly kind: 'ledger unusable'; readonly budget: string }
  /** `forMs`: time for which requests were admitted and then not sent, because the process was too late. */
  | { readonly kind: 'too late'; readonly forMs: number };

/** Reason that a request never left, and least ms until another of its class may; null if unknown. */
export interface Drop {
  readonly reason: Dropped['reason'] | Held | typeof TOO_SLOW | 'closed' | 'aborted';
  readonly retryInMs: number | null;
}

/** Reason of a drop: the request was admitted several times, and was too late for the send each time. */
const TOO_SLOW = 'this machine is too slow';

const CLOSED: Drop = { reason: 'closed', retryInMs: null };

/** Waiting state of the requests of a class. */
export interface QueueWait {
  /** Requests that have not left, and requests that have left and are not answered. */
  readonly waiting: number;
  readonly inFlight: number;
  /** Cause that holds back the requests that have not left; null if they leave one after the other. */
  readonly heldBy: Held | 'full' | null;
  /** Remaining time of that cause, in ms. */
  readonly forMs: number;
}

/** End of a send: an answer, which for a log-in may be a new credential, or an error. */
export type SendEnd =
  /** `usage`: counts of limits in the reply; left out if it has none. */
  | { readonly kind: 'answered'; readonly loggedIn: boolean; readonly usage?: readonly LimitUsage[] }
  | { readonly kind: 'failed'; readonly error: unknown };

/** A waiting request, with the functions to call when its turn comes or when it is dropped. */
export interface QueuedJob extends Waiting {
  /** Units of the queue's limit that it takes. */
  readonly weight: number;
  /** Other limits that it charges; left out if there are none. */
  readonly also?: readonly Charge[];
  readonly credential: CredentialUse;
  readonly canLogIn: boolean;
  readonly timeoutMs: number;
  /** Sends the request, and calls `onEnd` once with the result: at once, later, or never. */
  send(signal: AbortSignal, onEnd: (end: SendEnd) => void): void;
  /** Called after the slot is stamped and the waiting requests were examined. */
  onSent(): void;
  onDropped(drop: Drop): void;
  onFailed(error: unknown): void;
}

/** End of an admitted request. `late`: it was not sent, and asks for a slot again. */
type AdmittedEnd =
  | { readonly kind: 'sent' }
  | { readonly kind: 'late' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** The time from which the delay of a request counts, by three clocks. */
interface Moment {
  readonly ageMs: number;
  readonly commitMs: number;
}

/** A slot and a permit, with the time at which the ledger was asked for them. */
interface Admitted {
  readonly slot: Slot;
  readonly permit: Permit;
  readonly since: Moment;
  /** Function that lets the next request be admitted. */
  readonly releaseTurn: () => void;
}

/** Data with which an admitted request is sent. */
type SendContext = Omit<Admitted, 'releaseTurn'> & { readonly signal: AbortSignal };

const NO_TURN = (): void => undefined;

const SENT: AdmittedEnd = { kind: 'sent' };
const LATE: AdmittedEnd = { kind: 'late' };

/** Signal of requests that no one aborts: without an executor they end by themselves. */
const NEVER_ABORTED = new AbortController().signal;

/** Polling interval, in ms, while only a stamp of this or another process can free a slot. */
const POLL_AGAIN_MS = 100;

/** Longest sleep in ms, so that slots given back by other processes are seen within it. */
const LONGEST_SLEEP_MS = 1_000;

/**
 * Queue of the requests of one budget. The ledger admits them in order, and the executor sends them with the
 * time-out. A request that the executor starts too late is not sent, and asks for a slot again.
 */
export class BudgetQueue implements TurnWaiter {
  private readonly options: BudgetQueueOptions;
  private readonly queue = new WaitingQueue();
  private readonly jobs = new Map<number, QueuedJob>();
  /** Jobs that will not be sent, and whose callers have not been notified yet. */
  private readonly dropped: { readonly job: QueuedJob; readonly drop: Drop }[] = [];
  private stopTimer: (() => void) | null = null;
  private running = 0;
  /** True while the queue waits for the answer of a ledger; it asks for one slot at a time. */
  private isAsking = false;
  private isClosed = false;
  /** Time until which the budget was last found full or locked. */
  private fullUntilMs = 0;
  private isUnusable = false;
  /** Cause other than a full window that held the budget back at that time. */
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

  /** Drops a request if it still waits. One that is in flight is ended by its sender. */
  cancel(id: number): void {
    if (!this.queue.all().some((waiting) => waiting.id === id)) return;
    this.queue.remove(id);
    this.leave(id)?.onDropped({ reason: 'aborted', retryInMs: null });
  }

  /** Drops all requests that wait; those in flight stay in flight. */
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

  /** Returns the clock by which waiting requests age: the ledger's time and the time slept. */
  private ageMs(): number {
    const { nowMs, sleptMs } = this.options;
    return nowMs() + sleptMs();
  }

  /** Sends as many requests as may leave now, and sleeps until the next one may. */
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
    // A request that ends calls this again; until then expired requests must still be reported.
    if (this.queue.first() !== null) this.sleep(LONGEST_SLEEP_MS);
  }

  private first(): QueuedJob | undefined {
    const first = this.queue.first();
    return first === null ? undefined : this.jobs.get(first.id);
  }

  /** Returns the waiting state of the requests of a class; null if there are none. */
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

  /** Asks the ledger for a slot; returns the time to wait if it refuses at once. */
  private enter(job: QueuedJob, releaseTurn: () => void): number | null {
    const { admittance, nowMs } = this.options;
    const { requestClass, credential } = job;
    const { weight, also } = job;
    const ask = {
      budget: this.options.budget.name,
      requestClass,
      credential,
      weight,
      ...(also === undefined ? {} : { also }),
    };
    const since = { ageMs: this.ageMs(), commitMs: this.options.commitMs() };
    const entry = admittance.enter(ask, nowMs());
    if (entry instanceof Promise) this.await(job, ask, { answer: entry, since, releaseTurn });
    else if (entry.isAdmitted) this.execute(job, { ...entry, since, releaseTurn });
    else return this.refused(entry);
    return null;
  }

  /** Continues once the ledger has answered. A slot that no request needs any more is given back. */
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
    // A request that came meanwhile may be more urgent, and may use more slots.
    if (waitMs !== null && this.first() === asker) this.sleep(waitMs);
    else if (!this.isClosed) this.pump();
    this.notifyDropped();
  }

  /** Returns the job that gets a requested slot: the one that asked, else one of its class and credential. */
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

  /** Records why no request is admitted; returns the time to wait before the next try. */
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
    // A request that waits longer for the executor must not hold up the others.
    const stopTimer = releaseTurn === NO_TURN ? NO_TURN : timers.after(MOST_SEND_DELAY_MS, releaseTurn);
    const work = async (): Promise<AdmittedEnd> =>
      new Promise((resolve) => {
        stopTimer();
        this.send(job, { ...admitted, signal }, resolve);
        if (releaseTurn !== NO_TURN) timers.soon(releaseTurn);
      });
    executor
      .execute(job, work, ({ kind }) => kind !== 'late')
      .then(
        (end) => this.end(job, permit, end),
        (error) => {
          // The slot stays occupied until the aborted send has ended, and is stamped there.
          controller.abort();
          this.end(job, permit, { kind: 'failed', error });
        },
      );
  }

  /** Ends an admitted request: reports it, and sends what may leave now. */
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

  /** Reports once that no request leaves in time, if that is so for all of them. */
  private countLate(isLate: boolean): void {
    const { nowMs, lateness, onTrouble } = this.options;
    const forMs = lateness.count(isLate, nowMs());
    if (forMs !== null) onTrouble?.({ kind: 'too late', forMs });
  }

  /** Sends the request, and stamps its slot however the send ends. */
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
        end.kind === 'answered' ? this.answered({ slot, permit }, end) : this.failed(job, context, end.error),
      );
    });
  }

  /**
   * Returns true if too much time has passed since the admission; own commits do not count, and a cancel may
   * be later. A request that leaves later than 250 ms must still have its slot in the ledger.
   */
  private isTooLate({ requestClass, expiresAtMs }: QueuedJob, { slot, since }: SendContext): boolean {
    const { admittance, commitMs, nowMs } = this.options;
    const ageMs = this.ageMs();
    const delayMs = ageMs - since.ageMs;
    const committedMs = Math.min(commitMs() - since.commitMs, MOST_COMMIT_MS);
    const isLate =
      delayMs - committedMs > mostSendDelayMs(requestClass) ||
      delayMs > MOST_CANCEL_DELAY_MS ||
      // The request has expired during a commit.
      (delayMs > MOST_SEND_DELAY_MS && expiresAtMs <= ageMs);
    return isLate || (nowMs() - slot.admittedAtMs > MOST_SEND_DELAY_MS && !admittance.holds(slot));
  }

  private answered(
    { slot, permit }: Pick<Admitted, 'slot' | 'permit'>,
    { loggedIn, usage }: Extract<SendEnd, { kind: 'answered' }>,
  ): AdmittedEnd {
    const { admittance, nowMs } = this.options;
    admittance.settle(slot, 'answered', nowMs(), usage);
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
    if (outcome.kind === 'limited') this.notifyLockout(permit.ask, outcome, change);
    return { kind: 'failed', error };
  }

  private applyOutcome(outcome: Outcome): LimitChange | null {
    if (outcome.kind !== 'limited') return null;
    const { admittance, budget, nowMs } = this.options;
    return admittance.applyLimit(
      outcome.budget ?? budget.name,
      { named: outcome.limit, isOwn: outcome.isOwn },
      nowMs(),
    );
  }

  private notifyLockout(
    { credential, budget: main }: LockoutAsk,
    { budget = main, limit: namedLimit }: Extract<Outcome, { kind: 'limited' }>,
    change: LimitChange | null,
  ): void {
    const { admittance, nowMs, onTrouble } = this.options;
    const untilMs = admittance.heldUntil({ budget, credential }, nowMs()) ?? nowMs();
    onTrouble?.({ kind: 'locked out', budget, forMs: untilMs - nowMs(), namedLimit, change });
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

  /** Reports dropped jobs. Call it after a change of state: a notified caller may submit more at once. */
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
