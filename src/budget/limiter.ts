import type { RateLimit } from '../domain/rate-limit.ts';
import type { RequestLedger } from './admission.ts';
import { BottleneckExecutor } from './bottleneck-executor.ts';
import { BudgetLane, type BudgetTrouble, type Drop } from './budget-lane.ts';
import type { CredentialUse } from './credential-stop.ts';
import { MACHINE_TIMERS, type LaneExecutor, type LaneTimers } from './lane-executor.ts';
import type { LockoutBook } from './lockouts.ts';
import type { RequestClass } from '../domain/request-class.ts';

/** A request that wants to go out. */
export interface LimitedCall<T> {
  readonly budget: string;
  readonly requestClass: RequestClass;
  /** What it asks, so that a newer one of its kind replaces it while it waits; null where each counts. */
  readonly kind: string | null;
  readonly credential: CredentialUse;
  /** Whether a log-in is possible should the exchange answer with 401. */
  readonly canLogIn: boolean;
  /** By the limiter's clock; not sent after it. */
  readonly expiresAtMs: number;
  /** From the send to the reply. */
  readonly timeoutMs: number;
  /** Must end, one way or the other, only when its socket is done with the request. */
  readonly send: (signal: AbortSignal) => Promise<T>;
  /**
   * Ends the wait: a request that has not left by then never does. One that is on its way is ended by `send`
   * itself.
   */
  readonly signal?: AbortSignal;
  /** For a log-in: whether what came back is a new credential. */
  readonly isLogIn?: (value: T) => boolean;
}

/**
 * What became of a call. `unknown budget`: nobody has said its limit, so it can not go. Whatever `send`
 * throws is thrown.
 */
export type LimitedReply<T> =
  | { readonly sent: true; readonly value: T }
  | {
      readonly sent: false;
      readonly reason: Drop['reason'] | 'unknown budget';
      readonly retryInMs: number | null;
    };

export interface LimiterOptions {
  readonly budgets: Iterable<RateLimit>;
  readonly ledger: RequestLedger;
  readonly lockouts: LockoutBook;
  /** The ledger's clock: monotonic, in whole ms. */
  readonly nowMs: () => number;
  /** Requests of one budget on their way at once; 8 without it. */
  readonly mostConcurrent?: number;
  /** Bottleneck and the machine's timers without them; virtual time brings its own. */
  readonly executorFor?: (budget: RateLimit) => LaneExecutor;
  readonly timers?: LaneTimers;
  /** Told of every lockout, and when the ledger can not be used any more. */
  readonly onTrouble?: ((trouble: BudgetTrouble) => void) | undefined;
}

const MOST_CONCURRENT = 8;

/** What has requests sent as their budgets allow. */
export type Limiter = Pick<RequestLimiter, 'run' | 'close'>;

/** Sends requests as their budgets allow, one lane a budget, so that a full one holds up no other. */
export class RequestLimiter {
  private readonly lanes: ReadonlyMap<string, BudgetLane>;
  private lastId = 0;

  constructor(options: LimiterOptions) {
    const { ledger, lockouts, nowMs, mostConcurrent = MOST_CONCURRENT, timers = MACHINE_TIMERS } = options;
    const { executorFor = (budget: RateLimit) => new BottleneckExecutor(budget, { mostConcurrent }) } =
      options;
    this.lanes = new Map(
      [...options.budgets].map((budget) => [
        budget.name,
        new BudgetLane({
          budget,
          ledger,
          lockouts,
          nowMs,
          mostConcurrent,
          executor: executorFor(budget),
          timers,
          onTrouble: options.onTrouble,
        }),
      ]),
    );
  }

  run<T>(call: LimitedCall<T>): Promise<LimitedReply<T>> {
    const lane = this.lanes.get(call.budget);
    if (lane === undefined)
      return Promise.resolve({ sent: false, reason: 'unknown budget', retryInMs: null });
    const { requestClass, kind, credential, canLogIn, expiresAtMs, timeoutMs, send, isLogIn, signal } = call;
    this.lastId += 1;
    const id = this.lastId;
    const giveUp = (): void => lane.cancel(id);
    signal?.addEventListener('abort', giveUp, { once: true });
    return new Promise<LimitedReply<T>>((resolve, reject) => {
      lane.add({
        id,
        requestClass,
        kind,
        credential,
        canLogIn,
        expiresAtMs,
        timeoutMs,
        send: async (signal) => {
          const value = await send(signal);
          resolve({ sent: true, value });
          return { loggedIn: isLogIn?.(value) ?? false };
        },
        onDropped: (drop) => resolve({ sent: false, ...drop }),
        onFailed: reject,
      });
      if (signal?.aborted === true) lane.cancel(id);
    }).finally(() => signal?.removeEventListener('abort', giveUp));
  }

  /** Drops what waits and lets go of the timers. */
  async close(): Promise<void> {
    await Promise.all([...this.lanes.values()].map(async (lane) => lane.close()));
  }
}
