import type { RequestClass } from '../domain/request-class.ts';
import type { Drop } from './budget-lane.ts';
import type { CredentialUse } from './credential-stop.ts';

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
export interface SubmittedCall<T> extends OutgoingCall<T> {
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
