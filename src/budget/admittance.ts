import type { AdmissionAsk, RequestLedger, Slot, SlotEnd } from './admission.ts';
import type { LockoutAsk, LockoutBook, Permit, Outcome } from './lockouts.ts';
import { SarrafError, type ErrorCode } from '../domain/errors.ts';

/** Data that decides whether a request may leave now. */
export type EntryAsk = AdmissionAsk & LockoutAsk;

/** Cause other than a full window that holds a request back: a lockout of its budget, or a 401. */
export type Held = 'locked out' | 'credential refused';

/** Reply to an entry request: a slot and a permit, or the time to wait before the next try. */
export type Entry =
  | { readonly isAdmitted: true; readonly slot: Slot; readonly permit: Permit }
  | {
      readonly isAdmitted: false;
      /** Null if only a stamp can free a slot. */
      readonly waitMs: number | null;
      readonly heldBy: Held | null;
      /** True if the ledger is gone, replaced or cannot be written. */
      readonly isUnusable: boolean;
    };

/**
 * Interface of a ledger and its lockouts for a queue. A ledger of this machine answers at once; one over the
 * network answers later, and the delay until the send then counts from the question.
 */
export interface Admittance extends Omit<RequestLedger, 'admit'>, Omit<LockoutBook, 'acquire'> {
  enter(ask: EntryAsk, nowMs: number): Entry | Promise<Entry>;
}

/** Returns the interface for a ledger that answers at once. */
export function admittanceOf(ledger: RequestLedger, lockouts: LockoutBook): Admittance {
  return {
    enter: (ask, nowMs) => enterAtOnce(ledger, lockouts, { ask, nowMs }),
    settle: (slot, end, atMs) => ledger.settle(slot, end, atMs),
    applyLimit: (budget, word, atMs) => ledger.applyLimit(budget, word, atMs),
    namedLimits: (nowMs) => ledger.namedLimits(nowMs),
    withdraw: (slot) => ledger.withdraw(slot),
    holds: (slot) => ledger.holds(slot),
    heldUntil: (ask, nowMs) => lockouts.heldUntil(ask, nowMs),
    report: (permit, outcome, nowMs) => lockouts.report(permit, outcome, nowMs),
  };
}

/** Refuses a request that is locked out; else takes a slot, and the permit that a canary or probe needs. */
export function enterAtOnce(
  ledger: Pick<RequestLedger, 'admit' | 'withdraw'>,
  lockouts: Omit<LockoutBook, 'report'>,
  { ask, nowMs }: { readonly ask: EntryAsk; readonly nowMs: number },
): Entry {
  const heldUntilMs = lockouts.heldUntil(ask, nowMs);
  if (heldUntilMs !== null) return held(lockouts, { ask, nowMs }, heldUntilMs);
  const admission = ledger.admit(ask, nowMs);
  if (!admission.admitted) {
    const { waitMs, reason } = admission;
    return { isAdmitted: false, waitMs, heldBy: null, isUnusable: reason === 'ledger unusable' };
  }
  const lockout = lockouts.acquire(ask, nowMs);
  if (lockout.permit === null) {
    ledger.withdraw(admission.slot);
    return held(lockouts, { ask, nowMs }, lockout.retryAtMs);
  }
  return { isAdmitted: true, slot: admission.slot, permit: lockout.permit };
}

function held(
  lockouts: Pick<LockoutBook, 'heldUntil'>,
  { ask, nowMs }: { readonly ask: EntryAsk; readonly nowMs: number },
  untilMs: number,
): Entry {
  const { budget, credential } = ask;
  // If the budget would admit a call without a credential, the budget itself is not locked out.
  const isFree = lockouts.heldUntil({ budget, credential: 'none' }, nowMs) === null;
  const heldBy = credential !== 'none' && isFree ? 'credential refused' : 'locked out';
  return { isAdmitted: false, waitMs: untilMs - nowMs, heldBy, isUnusable: false };
}

/** Information about the exchange from a call that threw. */
interface FailedCall {
  readonly end: SlotEnd;
  readonly outcome: Outcome;
}

/** Returns true if a call did not leave because the process stood still before it was written. */
export const stoodStill = (error: unknown): boolean =>
  error instanceof SarrafError && error.outcome === 'none' && error.details['stoodStill'] === true;

/** Error codes of calls of which no byte left. */
const UNSENT_CODES: ReadonlySet<ErrorCode> = new Set([
  'INVALID_REQUEST',
  'HOST_NOT_FOUND',
  'CONNECTION_REFUSED',
  'CONNECTION_FAILED',
  'TOO_MANY_CALLS',
]);

/** Reads an error of the client: its code, and the wait that a limit reply named ("Rate limits"). */
export function readFailedCall(error: unknown, canLogIn: boolean): FailedCall {
  if (!(error instanceof SarrafError)) return { end: 'unanswered', outcome: { kind: 'silence' } };
  const { code, details } = error;
  if (UNSENT_CODES.has(code)) return { end: 'unsent', outcome: { kind: 'silence' } };
  if (code === 'RATE_LIMITED') {
    const { backOffMs, limit, isOwn } = details;
    return {
      end: 'answered',
      outcome: {
        kind: 'limited',
        waitMs: typeof backOffMs === 'number' ? backOffMs : null,
        limit: typeof limit === 'number' ? limit : null,
        isOwn: isOwn !== false,
      },
    };
  }
  if (code === 'UNAUTHORIZED') return { end: 'answered', outcome: { kind: 'unauthorized', canLogIn } };
  const status = details['httpStatus'];
  if (typeof status !== 'number') return { end: 'unanswered', outcome: { kind: 'silence' } };
  // A proxy's or a failing server's answer does not show that a lockout is over; nor does it prove that the
  // exchange itself has seen the request.
  if (status >= 500) return { end: 'unanswered', outcome: { kind: 'silence' } };
  return { end: 'answered', outcome: { kind: 'answered', loggedIn: false } };
}
