import { type RateLimit, type RequestClass, urgencyOf } from '../domain/rate-limit.ts';
import { type RequestLedger, MOST_SEND_DELAY_MS, mostSendDelayMs } from './admission.ts';
import { admittanceOf, type Admittance } from './admittance.ts';
import {
  BudgetQueue,
  type BudgetTrouble,
  type QueueWait,
  type Drop,
  type QueuedJob,
  type SendEnd,
} from './budget-queue.ts';
import type { CommitTimes } from './commit-times.ts';
import {
  MACHINE_TIMERS,
  type QueueExecutor,
  type QueueTimers,
  type AdmittedJob,
  Lateness,
  SendTurn,
} from './waiting-queue.ts';
import type { LockoutBook, CredentialUse } from './lockouts.ts';
import { present, messageOf, SarrafError } from '../domain/errors.ts';
import Bottleneck from 'bottleneck';

/** Source of admissions: a ledger and lockouts that answer at once, or one that is asked. */
type Admitting =
  | { readonly ledger: RequestLedger; readonly lockouts: LockoutBook }
  | { readonly admittance: Admittance };

type LimiterOptions = LimiterSettings & Admitting;

export interface LimiterSettings {
  readonly budgets: Iterable<RateLimit>;
  /** The ledger's clock: monotonic, in whole ms. */
  readonly nowMs: () => number;
  /**
   * Time the machine has slept, which that clock leaves out: a request that waited meanwhile has grown old.
   * Default: it never sleeps.
   */
  readonly sleptMs?: () => number;
  /** Requests of one budget on their way at once; 8 without it. */
  readonly mostConcurrent?: number;
  /**
   * Bottleneck and the machine's timers without them; virtual time brings its own. Null: whoever sends keeps
   * to its time-outs, and nothing is waited for after an admission.
   */
  readonly executorFor?: (budget: RateLimit) => QueueExecutor | null;
  readonly timers?: QueueTimers;
  /** Commits that hold up the loop; none do without it. */
  readonly commits?: CommitTimes;
  /** True if requests of different budgets may be admitted at once, for example if commits cost no time. */
  readonly areAtOnce?: boolean;
  /** Called at every lockout, and when the ledger can not be used any more. */
  readonly onTrouble?: ((trouble: BudgetTrouble) => void) | undefined;
}

const MOST_CONCURRENT = 8;
const NEVER_SLEPT = (): number => 0;

/** Sender of requests as their budgets allow. */
export type Limiter = Pick<RequestLimiter, 'submit' | 'close'>;

/** Sends requests as their budgets allow, one queue a budget, so that a full one holds up no other. */
export class RequestLimiter {
  private readonly queues: ReadonlyMap<string, BudgetQueue>;
  private readonly sleptMs: () => number;
  private lastId = 0;

  constructor(options: LimiterOptions) {
    const { nowMs, mostConcurrent = MOST_CONCURRENT, timers = MACHINE_TIMERS } = options;
    const { sleptMs = NEVER_SLEPT } = options;
    this.sleptMs = sleptMs;
    const { executorFor = (budget: RateLimit) => new BottleneckExecutor(budget, { mostConcurrent }) } =
      options;
    const admittance =
      'admittance' in options ? options.admittance : admittanceOf(options.ledger, options.lockouts);
    const lateness = new Lateness();
    const { commits, areAtOnce = false } = options;
    const turn = areAtOnce ? null : new SendTurn();
    this.queues = new Map(
      [...options.budgets].map((budget) => [
        budget.name,
        new BudgetQueue({
          budget,
          admittance,
          nowMs,
          sleptMs,
          mostConcurrent,
          executor: executorFor(budget),
          timers,
          commitMs: () => commits?.totalMs ?? 0,
          turn,
          lateness,
          onTrouble: options.onTrouble,
        }),
      ]),
    );
  }

  /** The same for a sender that has a promise; rejects with whatever `send` throws. */
  async run<T>(call: LimitedCall<T>): Promise<LimitedReply<T>> {
    return new Promise((onEnd, onError) => {
      this.submit<T>({
        ...call,
        send: (signal, handler) => void call.send(signal).then(handler.onEnd, handler.onError),
        handler: { onEnd, onError },
      });
    });
  }

  /**
   * Sends it when its turn comes, and tells what became of it: at once where nothing has to be waited for.
   */
  submit<T>(call: SubmittedCall<T>): void {
    const queue = this.queues.get(call.budget);
    if (queue === undefined) {
      call.handler.onEnd({ sent: false, reason: 'unknown budget', retryInMs: null });
      return;
    }
    this.lastId += 1;
    const id = this.lastId;
    const { signal } = call;
    const expiresAtMs = call.expiresAtMs + this.sleptMs();
    queue.add(new SubmittedJob({ id, expiresAtMs }, call, () => queue.cancel(id)));
    if (signal?.aborted === true) queue.cancel(id);
  }

  /**
   * Returns what requests of a class wait for, of the budget where most of them do; null if there are none.
   */
  waitOf(requestClass: RequestClass): QueueWait | null {
    const waits = [...this.queues.values()].flatMap((queue) => queue.waitOf(requestClass) ?? []);
    return waits.toSorted((left, right) => right.waiting - left.waiting)[0] ?? null;
  }

  /** Drops what waits and lets go of the timers. */
  async close(): Promise<void> {
    await Promise.all([...this.queues.values()].map(async (queue) => queue.close()));
  }
}

/** A call in its queue. */
class SubmittedJob<T> implements QueuedJob {
  readonly id: number;
  readonly requestClass: RequestClass;
  readonly kind: string | null;
  readonly credential: CredentialUse;
  readonly canLogIn: boolean;
  readonly expiresAtMs: number;
  readonly timeoutMs: number;
  private readonly call: SubmittedCall<T>;
  private readonly giveUp: () => void;
  private reply: LimitedReply<T> | null = null;

  /**
   * `expiresAtMs`: by the ledger's clock and the time for which the machine slept. `giveUp`: what is done
   * when the call's signal is aborted.
   */
  constructor(
    { id, expiresAtMs }: { readonly id: number; readonly expiresAtMs: number },
    call: SubmittedCall<T>,
    giveUp: () => void,
  ) {
    this.id = id;
    this.requestClass = call.requestClass;
    this.kind = call.kind;
    this.credential = call.credential;
    this.canLogIn = call.canLogIn;
    this.expiresAtMs = expiresAtMs;
    this.timeoutMs = call.timeoutMs;
    this.call = call;
    this.giveUp = giveUp;
    call.signal?.addEventListener('abort', giveUp, { once: true });
  }

  send(signal: AbortSignal, onEnd: (end: SendEnd) => void): void {
    const handler: CompletionHandler<T> = {
      onEnd: (value) => {
        this.reply = { sent: true, value };
        onEnd({ kind: 'answered', loggedIn: this.call.isLogIn?.(value) ?? false });
      },
      onError: (error) => onEnd({ kind: 'failed', error }),
    };
    try {
      this.call.send(signal, handler);
    } catch (error) {
      handler.onError(error);
    }
  }

  onSent(): void {
    this.end();
    this.call.handler.onEnd(present(this.reply, 'the reply to a request that was sent'));
  }

  onDropped(drop: Drop): void {
    this.end();
    this.call.handler.onEnd({ sent: false, ...drop });
  }

  onFailed(error: unknown): void {
    this.end();
    this.call.handler.onError(error);
  }

  private end(): void {
    this.call.signal?.removeEventListener('abort', this.giveUp);
  }
}

/** Bottleneck looks at its reservoir this often, so its own window is longer than W by up to twice that. */
const BOTTLENECK_BEAT_MS = 250;

/**
 * The wall clock may move against the monotonic one by so much, as it does while it is adjusted, before it
 * counts as stepped.
 */
const MOST_DRIFT_MS = 20;

/**
 * Interval in ms at which the limiter checks that Bottleneck has begun a job. A job that is too old to be
 * sent by then begins without Bottleneck: the queue finds it too late, and asks again. So does a job of the
 * very moment of a clock step, which would wait until the wall clock is where it was; a cancel then leaves.
 */
const POLL_INTERVAL_MS = 2 * MOST_SEND_DELAY_MS;

/**
 * Executes one budget's requests with Bottleneck, with the bound on concurrency and the time-out, and with a
 * count of its own as an outer guard: should the ledger ever admit too many, the surplus waits here (a cancel
 * for half a minute), is found too late to be sent, and asks again. Its reservoir alone would not do: it lets
 * twice the limit through across a refresh.
 *
 * Bottleneck goes by the wall clock: set back by an hour, it would start nothing for an hour. So after a step
 * there is a new one, with a whole reservoir; the ledger, which goes by the monotonic clock, holds the limit
 * all the same. What the one before has begun goes on in it.
 */
export class BottleneckExecutor implements QueueExecutor {
  private readonly settings: Bottleneck.ConstructorOptions;
  private bottleneck: Bottleneck;
  private wallAheadMs = wallAheadMs();

  constructor({ limit, windowMs }: RateLimit, options: { readonly mostConcurrent: number }) {
    const guard = Math.ceil(limit * (1 + (2 * BOTTLENECK_BEAT_MS) / windowMs));
    this.settings = {
      maxConcurrent: options.mostConcurrent,
      reservoir: guard,
      reservoirRefreshAmount: guard,
      reservoirRefreshInterval: Math.ceil(windowMs / BOTTLENECK_BEAT_MS) * BOTTLENECK_BEAT_MS,
    };
    this.bottleneck = new Bottleneck(this.settings);
  }

  async execute<T>(
    { requestClass, timeoutMs }: AdmittedJob,
    work: () => Promise<T>,
    isSent: (end: T) => boolean = () => true,
  ): Promise<T> {
    await this.renewAfterStep();
    const { bottleneck } = this;
    // What was not sent does not count. Else requests that are late again and again, as on a machine under
    // load, use the count up, and those that ask again wait for it and are late as well, for good.
    const giveBack = (): void => void bottleneck.incrementReservoir(1).catch(() => undefined);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let isBegun = false;
    const begin = async (): Promise<boolean> => {
      isBegun = true;
      clearTimeout(late);
      try {
        const end = await work();
        resolve(end);
        return isSent(end);
      } catch (error) {
        reject(error);
        return true;
      }
    };
    const beginCounted = async (): Promise<void> => {
      if (isBegun || !(await begin())) giveBack();
    };
    let waitedMs = 0;
    const poll = (): void => {
      waitedMs += POLL_INTERVAL_MS;
      if (waitedMs > mostSendDelayMs(requestClass) || hasStepped(this.wallAheadMs)) void begin();
      else late = setTimeout(poll, POLL_INTERVAL_MS);
    };
    let late = setTimeout(poll, POLL_INTERVAL_MS);
    bottleneck
      .schedule({ priority: urgencyOf(requestClass), expiration: timeoutMs }, beginCounted)
      .catch((error) => {
        if (isBegun) reject(timedOut(timeoutMs, error));
        else void begin();
      });
    return promise;
  }

  async close(): Promise<void> {
    await endBottleneck(this.bottleneck);
  }

  private async renewAfterStep(): Promise<void> {
    if (!hasStepped(this.wallAheadMs)) return;
    this.wallAheadMs = wallAheadMs();
    const before = this.bottleneck;
    this.bottleneck = new Bottleneck(this.settings);
    await endBottleneck(before);
  }
}

/** Drops what it has not begun, whose timers would keep the process alive, and leaves alone what it has. */
async function endBottleneck(bottleneck: Bottleneck): Promise<void> {
  // It resolves once everything that was begun has ended, which nobody waits for here.
  bottleneck.stop({ dropWaitingJobs: true }).catch(() => undefined);
  await bottleneck.disconnect();
}

function timedOut(timeoutMs: number, cause: unknown): SarrafError {
  const reason = messageOf(cause);
  return new SarrafError('TIMED_OUT', `expected a reply within ${timeoutMs} ms: ${reason}`, { cause });
}

/** Returns true if the wall clock was set since it was `thenAheadMs` ahead of the monotonic one. */
function hasStepped(thenAheadMs: number): boolean {
  return Math.abs(wallAheadMs() - thenAheadMs) > MOST_DRIFT_MS;
}

/**
 * Returns how far the wall clock is ahead of the monotonic one; it changes only when somebody sets or adjusts
 * the wall clock.
 */
function wallAheadMs(): number {
  return Date.now() - performance.now();
}

/** Called once with the end of something that takes its time. */
export interface CompletionHandler<T> {
  readonly onEnd: (value: T) => void;
  /** Called with an unforeseen error, or with what `send` reports of a failed call. */
  readonly onError: (error: unknown) => void;
}

/** A request that wants to go out. */
interface OutgoingCall<T> {
  readonly budget: string;
  readonly requestClass: RequestClass;
  /**
   * Subject of the request, so that a newer one of its kind replaces it while it waits; null if each counts.
   */
  readonly kind: string | null;
  readonly credential: CredentialUse;
  /** True if a log-in is possible in case the exchange answers with 401. */
  readonly canLogIn: boolean;
  /** By the limiter's clock; not sent after it. */
  readonly expiresAtMs: number;
  /** From the send to the reply. */
  readonly timeoutMs: number;
  /**
   * Ends the wait: a request that has not left by then never does. One that is on its way is ended by `send`
   * itself.
   */
  readonly signal?: AbortSignal;
  /** For a log-in: whether what came back is a new credential. */
  readonly isLogIn?: (value: T) => boolean;
}

/** One whose sender has a promise. */
export interface LimitedCall<T> extends OutgoingCall<T> {
  /** Must end, one way or the other, only when its socket is done with the request. */
  readonly send: (signal: AbortSignal) => Promise<T>;
}

/** One whose sender tells, so that in virtual time no promise has to settle on the way. */
interface SubmittedCall<T> extends OutgoingCall<T> {
  /** Must tell, one way or the other, only when its socket is done with the request. */
  readonly send: (signal: AbortSignal, handler: CompletionHandler<T>) => void;
  readonly handler: CompletionHandler<LimitedReply<T>>;
}

/**
 * Outcome of a call. `unknown budget`: nobody has stated its limit, so it cannot go. Whatever `send` throws
 * is thrown.
 */
export type LimitedReply<T> =
  | { readonly sent: true; readonly value: T }
  | {
      readonly sent: false;
      readonly reason: Drop['reason'] | 'unknown budget';
      readonly retryInMs: number | null;
    };

/** Returns the message about a problem of a budget, in one line. */
export function troubleText(trouble: BudgetTrouble, ledgerFile: string): string {
  if (trouble.kind === 'ledger unusable') {
    return `the ledger of requests at ${ledgerFile} is gone, replaced or can not be written: nothing is sent any more. Look at the disk it is on: once it can be written again, the bot goes on by itself. Where the file is gone or replaced, restart the bot: it makes a new one, which counts every window as full once`;
  }
  if (trouble.kind === 'too late') {
    return `nothing but cancels leaves: for ${Math.round(trouble.forMs / 1_000)} s this machine took over ${MOST_SEND_DELAY_MS} ms to get to each request once it was in the ledger at ${ledgerFile}, and then it is not sent. See what loads the machine; its disk is no reason, since commits are not counted`;
  }
  const { budget, forMs } = trouble;
  const named = namedText(trouble);
  return `${budget} is locked out for ${Math.ceil(forMs / 60_000)} min: the exchange said that a limit was exceeded.${named} Do not restart the bot; see "sarraf budget"`;
}

/** Returns the text on the limit that the exchange names, and its effect. */
function namedText(trouble: Extract<BudgetTrouble, { kind: 'locked out' }>): string {
  const { namedLimit, change, budget } = trouble;
  if (namedLimit === null) return '';
  const text = ` The exchange names a limit of ${namedLimit}`;
  if (change === 'wrong') return `${text}, where a whole number from 1 was expected: it is ignored.`;
  if (change === null) return `${text}.`;
  return `${text}, which is below ours and holds from now on, until 24 hours without a limit reply or "sarraf budget raise ${budget}".`;
}
