import type { Charge } from '../domain/rate-limit.ts';
import type { AdmissionAsk, LimitUsage, RequestLedger, Slot, SlotEnd } from './admission.ts';
import type { LockoutAsk, LockoutBook, Permit, Outcome } from './lockouts.ts';
import { present, SarrafError, type ErrorCode } from '../domain/errors.ts';

/** Data that decides whether a request may leave now: it needs a slot of each limit that it charges. */
export type EntryAsk = AdmissionAsk &
  LockoutAsk & {
    /** Other limits that it charges; left out if there are none. */
    readonly also?: readonly Charge[];
  };

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
export interface Admittance extends Omit<RequestLedger, 'admit' | 'settle'>, Omit<LockoutBook, 'acquire'> {
  enter(ask: EntryAsk, nowMs: number): Entry | Promise<Entry>;
  /** Records the end of a request as a ledger does. `usage`: counts in the reply, of any of its limits. */
  settle(slot: Slot, end: SlotEnd, atMs: number, usage?: readonly LimitUsage[]): void;
}

/** Returns the interface for a ledger that answers at once. */
export function admittanceOf(ledger: RequestLedger, lockouts: LockoutBook): Admittance {
  return {
    enter: (ask, nowMs) => enterAtOnce(ledger, lockouts, { ask, nowMs }),
    settle: (slot, end, atMs, usage) =>
      eachOf(slot, (one) => {
        const told = usage?.find(({ budget }) => budget === one.budget);
        const isCounted = end !== 'answered' || told?.isCounted !== false;
        ledger.settle(one, isCounted ? end : 'uncounted', atMs, told?.used);
      }),
    applyLimit: (budget, word, atMs) => ledger.applyLimit(budget, word, atMs),
    namedLimits: (nowMs) => ledger.namedLimits(nowMs),
    withdraw: (slot) => eachOf(slot, (one) => ledger.withdraw(one)),
    holds: (slot) => ledger.holds(slot) && (slot.also ?? []).every((one) => ledger.holds(one)),
    heldUntil: (ask, nowMs) => lockouts.heldUntil(ask, nowMs),
    report(permit, outcome, nowMs) {
      const limited = outcome.kind === 'limited' ? (outcome.budget ?? permit.ask.budget) : null;
      for (const one of [permit, ...(permit.also ?? [])])
        lockouts.report(one, limited === null || limited === one.ask.budget ? outcome : ANSWERED, nowMs);
    },
  };
}

const ANSWERED: Outcome = { kind: 'answered', loggedIn: false };

/** Calls a function with the slot of each limit that a request charges. */
function eachOf(slot: Slot, act: (slot: Slot) => void): void {
  act(slot);
  if (slot.also !== undefined) for (const one of slot.also) act(one);
}

/**
 * Refuses a request that is locked out; else takes a slot of each limit that it charges, and the permit that
 * a canary or probe needs.
 */
export function enterAtOnce(
  ledger: Pick<RequestLedger, 'admit' | 'withdraw'>,
  lockouts: Omit<LockoutBook, 'report'>,
  { ask, nowMs }: { readonly ask: EntryAsk; readonly nowMs: number },
): Entry {
  const { also, requestClass } = ask;
  const asks: readonly (AdmissionAsk & LockoutAsk)[] =
    also === undefined
      ? [ask]
      : [ask, ...also.map((charge) => ({ ...charge, requestClass, credential: 'none' as const }))];
  for (const one of asks) {
    const heldUntilMs = lockouts.heldUntil(one, nowMs);
    if (heldUntilMs !== null) return held(lockouts, { ask: one, nowMs }, heldUntilMs);
  }
  const slots: Slot[] = [];
  const giveBack = (): void => slots.forEach((slot) => ledger.withdraw(slot));
  for (const one of asks) {
    const admission = ledger.admit(one, nowMs);
    if (!admission.admitted) {
      giveBack();
      const { waitMs, reason } = admission;
      return { isAdmitted: false, waitMs, heldBy: null, isUnusable: reason === 'ledger unusable' };
    }
    slots.push(admission.slot);
  }
  const permits: Permit[] = [];
  for (const one of asks) {
    const lockout = lockouts.acquire(one, nowMs);
    if (lockout.permit === null) {
      giveBack();
      return held(lockouts, { ask: one, nowMs }, lockout.retryAtMs);
    }
    permits.push(lockout.permit);
  }
  return { isAdmitted: true, slot: withOthers(slots), permit: withOthers(permits) };
}

/** Returns the first of a list, which holds the others if there are any. */
function withOthers<One extends { readonly also?: readonly One[] }>([first, ...others]: readonly One[]): One {
  const one = present(first, 'an item of the main limit');
  return others.length === 0 ? one : { ...one, also: others };
}

function held(
  lockouts: Pick<LockoutBook, 'heldUntil'>,
  { ask, nowMs }: { readonly ask: LockoutAsk; readonly nowMs: number },
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
    const { backOffMs, limit, isOwn, limited } = details;
    return {
      end: 'answered',
      outcome: {
        kind: 'limited',
        waitMs: typeof backOffMs === 'number' ? backOffMs : null,
        limit: typeof limit === 'number' ? limit : null,
        isOwn: isOwn !== false,
        ...(typeof limited === 'string' ? { budget: limited } : {}),
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
