import { type Charge, type RateLimit, type RequestClass, urgencyOf } from '../domain/rate-limit.ts';
import { type LimitUsage, type RequestLedger, MOST_SEND_DELAY_MS, mostSendDelayMs } from './admission.ts';
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

/** Source of admissions: a ledger and lockouts that answer at once, or an interface that may answer later. */
type Admitting =
  | { readonly ledger: RequestLedger; readonly lockouts: LockoutBook }
  | { readonly admittance: Admittance };

type LimiterOptions = LimiterSettings & Admitting;

export interface LimiterSettings {
  readonly budgets: Iterable<RateLimit>;
  /** The ledger's clock: monotonic, in whole ms. */
  readonly nowMs: () => number;
  /** Time that the machine has slept, which `nowMs` leaves out: a waiting request ages by it. Default: 0. */
  readonly sleptMs?: () => number;
  /** Maximum number of requests of one budget in flight at once; default 8. */
  readonly mostConcurrent?: number;
  /**
   * Makes the executor of a budget. Default: Bottleneck and the machine's timers; virtual time has its own.
   * Null: the sender keeps to its own time-outs, and an admitted request is sent at once.
   */
  readonly executorFor?: (budget: RateLimit) => QueueExecutor | null;
  readonly timers?: QueueTimers;
  /** Measures commits that hold up the event loop; left out if there are none. */
  readonly commits?: CommitTimes;
  /** True if requests of different budgets may be admitted at the same time, as when commits take no time. */
  readonly areAtOnce?: boolean;
  /** Called at every lockout, and when the ledger becomes unusable. */
  readonly onTrouble?: ((trouble: BudgetTrouble) => void) | undefined;
}

const MOST_CONCURRENT = 8;
const NEVER_SLEPT = (): number => 0;

/** Sends requests within their budgets. */
export type Limiter = Pick<RequestLimiter, 'submit' | 'close'>;

/** Sends requests within their budgets, with one queue for each, so that a full one holds up no other. */
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

  /** Submits a call as `submit` does and returns a promise; rejects with whatever `send` throws. */
  async run<T>(call: LimitedCall<T>): Promise<LimitedReply<T>> {
    return new Promise((onEnd, onError) => {
      this.submit<T>({
        ...call,
        send: (signal, handler) => void call.send(signal).then(handler.onEnd, handler.onError),
        handler: { onEnd, onError },
      });
    });
  }

  /** Sends a call when its turn comes, and reports its end: in this call if nothing must be waited for. */
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

  /** Returns the waiting state of a class, in the budget where most of its requests wait; null if none do. */
  waitOf(requestClass: RequestClass): QueueWait | null {
    const waits = [...this.queues.values()].flatMap((queue) => queue.waitOf(requestClass) ?? []);
    return waits.toSorted((left, right) => right.waiting - left.waiting)[0] ?? null;
  }

  /** Drops the requests that wait, and stops the timers. */
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
  readonly weight: number;
  readonly also?: readonly Charge[];
  readonly canLogIn: boolean;
  readonly expiresAtMs: number;
  readonly timeoutMs: number;
  private readonly call: SubmittedCall<T>;
  private readonly giveUp: () => void;
  private reply: LimitedReply<T> | null = null;

  /** `expiresAtMs`: by the ledger's clock plus the time slept. `giveUp`: called if the signal is aborted. */
  constructor(
    { id, expiresAtMs }: { readonly id: number; readonly expiresAtMs: number },
    call: SubmittedCall<T>,
    giveUp: () => void,
  ) {
    this.id = id;
    this.requestClass = call.requestClass;
    this.kind = call.kind;
    this.credential = call.credential;
    this.weight = call.weight ?? 1;
    if (call.also !== undefined) this.also = call.also;
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
        const usage = this.call.usageOf?.(value);
        const loggedIn = this.call.isLogIn?.(value) ?? false;
        onEnd({ kind: 'answered', loggedIn, ...(usage === undefined ? {} : { usage }) });
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

/** Interval at which Bottleneck checks its reservoir, so its window is longer than W by up to twice that. */
const BOTTLENECK_BEAT_MS = 250;

/** Largest change of the wall clock against the monotonic one that is no step: clocks are adjusted. */
const MOST_DRIFT_MS = 20;

/**
 * Interval in ms at which the limiter checks that Bottleneck has begun a job. A job that is too old by then
 * begins without Bottleneck: the queue finds it too late, and asks again. So does a job of the very moment of
 * a clock step, which would wait until the wall clock is where it was; a cancel then leaves.
 */
const POLL_INTERVAL_MS = 2 * MOST_SEND_DELAY_MS;

/**
 * Executes the requests of one budget with Bottleneck, with the bound on concurrency, the time-out and a
 * count of its own as an outer guard: if the ledger ever admitted too many, the surplus would wait here (a
 * cancel for half a minute), be too late, and ask again. Its reservoir alone is not enough: it lets twice the
 * limit through across a refresh.
 * Bottleneck uses the wall clock: set back by an hour, it would start nothing for an hour. So a step of the
 * clock makes a new one with a full reservoir; the ledger, on the monotonic clock, still holds the limit.
 * Jobs that the old one has begun go on in it.
 */
export class BottleneckExecutor implements QueueExecutor {
  private readonly settings: Bottleneck.ConstructorOptions;
  private bottleneck: Bottleneck;
  private wallAheadMs = wallAheadMs();

  constructor({ limit, windowMs, isWeighted }: RateLimit, options: { readonly mostConcurrent: number }) {
    const guard = Math.ceil(limit * (1 + (2 * BOTTLENECK_BEAT_MS) / windowMs));
    this.settings = {
      // It counts weights there too; the queue bounds the requests.
      maxConcurrent: isWeighted === true ? null : options.mostConcurrent,
      reservoir: guard,
      reservoirRefreshAmount: guard,
      reservoirRefreshInterval: Math.ceil(windowMs / BOTTLENECK_BEAT_MS) * BOTTLENECK_BEAT_MS,
    };
    this.bottleneck = new Bottleneck(this.settings);
  }

  async execute<T>(
    { requestClass, timeoutMs, weight }: AdmittedJob,
    work: () => Promise<T>,
    isSent: (end: T) => boolean = () => true,
  ): Promise<T> {
    await this.renewAfterStep();
    const { bottleneck } = this;
    // Only sent requests count. Otherwise requests that are late again and again, as on a machine under load,
    // would use up the count, and requests that ask again would wait for it and be late for ever.
    const giveBack = (): void => void bottleneck.incrementReservoir(weight).catch(() => undefined);
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
      .schedule({ priority: urgencyOf(requestClass), expiration: timeoutMs, weight }, beginCounted)
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

/** Drops jobs that Bottleneck has not begun, as their timers keep the process alive; the others go on. */
async function endBottleneck(bottleneck: Bottleneck): Promise<void> {
  // It resolves once all begun jobs have ended; no code waits for that here.
  bottleneck.stop({ dropWaitingJobs: true }).catch(() => undefined);
  await bottleneck.disconnect();
}

function timedOut(timeoutMs: number, cause: unknown): SarrafError {
  const reason = messageOf(cause);
  return new SarrafError('TIMED_OUT', `expected a reply within ${timeoutMs} ms: ${reason}`, { cause });
}

/** Returns true if the wall clock was stepped since it was `thenAheadMs` ahead of the monotonic one. */
const hasStepped = (thenAheadMs: number): boolean => Math.abs(wallAheadMs() - thenAheadMs) > MOST_DRIFT_MS;

/** Returns the lead of the wall clock over the monotonic one, in ms; only setting the clock changes it. */
const wallAheadMs = (): number => Date.now() - performance.now();

/** Called once at the end of asynchronous work. */
export interface CompletionHandler<T> {
  readonly onEnd: (value: T) => void;
  /** Called with an unforeseen error, or with the error that `send` reports for a failed call. */
  readonly onError: (error: unknown) => void;
}

/** A request that is to be sent. */
interface OutgoingCall<T> {
  readonly budget: string;
  readonly requestClass: RequestClass;
  /** Subject of the request: a newer one of its kind replaces it while it waits; null if each one counts. */
  readonly kind: string | null;
  readonly credential: CredentialUse;
  /** True if a log-in is possible after a 401 of the exchange. */
  readonly canLogIn: boolean;
  /** Time by the limiter's clock after which the request is not sent. */
  readonly expiresAtMs: number;
  /** Longest time from the send to the reply. */
  readonly timeoutMs: number;
  /** Ends the wait: a request that has not left by then never does. `send` ends one in flight itself. */
  readonly signal?: AbortSignal;
  /** Units of the budget that it takes; 1 if it is left out. */
  readonly weight?: number;
  /** Other budgets that it charges; left out if there are none. */
  readonly also?: readonly Charge[];
  /** Returns the counts of limits in a reply; left out if replies have none. */
  readonly usageOf?: (value: T) => readonly LimitUsage[] | undefined;
  /** For a log-in: returns true if the value is a new credential. */
  readonly isLogIn?: (value: T) => boolean;
}

/** A call whose sender returns a promise. */
export interface LimitedCall<T> extends OutgoingCall<T> {
  /** Must resolve or reject only when its socket is done with the request. */
  readonly send: (signal: AbortSignal) => Promise<T>;
}

/** A call whose sender calls a handler, so that in virtual time no promise has to settle on the way. */
interface SubmittedCall<T> extends OutgoingCall<T> {
  /** Must call the handler only when its socket is done with the request. */
  readonly send: (signal: AbortSignal, handler: CompletionHandler<T>) => void;
  readonly handler: CompletionHandler<LimitedReply<T>>;
}

/** Outcome of a call. `unknown budget`: it has no limit, and cannot leave. Errors of `send` are thrown. */
export type LimitedReply<T> =
  | { readonly sent: true; readonly value: T }
  | {
      readonly sent: false;
      readonly reason: Drop['reason'] | 'unknown budget';
      readonly retryInMs: number | null;
    };

/** Returns the message about a problem of a budget, in one line. */
export function troubleText(trouble: BudgetTrouble, ledgerFile: string): string {
  if (trouble.kind === 'ledger unusable')
    return `the ledger of requests at ${ledgerFile} is gone, replaced or can not be written: nothing is sent any more. Look at the disk it is on: once it can be written again, the bot goes on by itself. Where the file is gone or replaced, restart the bot: it makes a new one, which counts every window as full once`;
  if (trouble.kind === 'too late')
    return `nothing but cancels leaves: for ${Math.round(trouble.forMs / 1_000)} s this machine took over ${MOST_SEND_DELAY_MS} ms to get to each request once it was in the ledger at ${ledgerFile}, and then it is not sent. See what loads the machine; its disk is no reason, since commits are not counted`;
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
