import type { RequestClass } from '../domain/rate-limit.ts';
import type { Drop, BudgetTrouble } from './budget-queue.ts';
import type { CredentialUse } from './lockouts.ts';
import { MOST_SEND_DELAY_MS } from './admission.ts';

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
