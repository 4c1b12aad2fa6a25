import type { AdmissionAsk, RequestLedger, Slot } from './admission.ts';
import type { LockoutAsk, LockoutBook, Pass } from './lockouts.ts';

/** Everything that decides whether a request may leave now. */
export type EntryAsk = AdmissionAsk & LockoutAsk;

/**
 * Cause that held back a request, other than a full window: a lockout of its budget, or a 401 to its
 * credential.
 */
export type Held = 'locked out' | 'credential refused';

/** A slot and a pass, or how long to wait for the next try. */
export type Entry =
  | { readonly isAdmitted: true; readonly slot: Slot; readonly pass: Pass }
  | {
      readonly isAdmitted: false;
      /** Null where only a stamp can free a slot. */
      readonly waitMs: number | null;
      readonly heldBy: Held | null;
      /** True if the ledger is gone, replaced or cannot be written. */
      readonly isUnusable: boolean;
    };

/**
 * Interface of a ledger and its lockouts for a queue. A ledger of this machine answers at once; one over the
 * network answers later, and then the time from admission to send begins when it was asked.
 */
export interface Admittance extends Omit<RequestLedger, 'admit'>, Omit<LockoutBook, 'take'> {
  enter(ask: EntryAsk, nowMs: number): Entry | Promise<Entry>;
}

/** The same of a ledger that answers at once. */
export function admittanceOf(ledger: RequestLedger, lockouts: LockoutBook): Admittance {
  return {
    enter: (ask, nowMs) => enterAtOnce(ledger, lockouts, { ask, nowMs }),
    settle: (slot, end, atMs) => ledger.settle(slot, end, atMs),
    heed: (budget, word, atMs) => ledger.heed(budget, word, atMs),
    namedLimits: (nowMs) => ledger.namedLimits(nowMs),
    withdraw: (slot) => ledger.withdraw(slot),
    holds: (slot) => ledger.holds(slot),
    heldUntil: (ask, nowMs) => lockouts.heldUntil(ask, nowMs),
    report: (pass, verdict, nowMs) => lockouts.report(pass, verdict, nowMs),
  };
}

/** Holds back what is locked out, takes a slot, and then the pass that a canary or probe needs. */
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
  const lockout = lockouts.take(ask, nowMs);
  if (lockout.pass === null) {
    ledger.withdraw(admission.slot);
    return held(lockouts, { ask, nowMs }, lockout.retryAtMs);
  }
  return { isAdmitted: true, slot: admission.slot, pass: lockout.pass };
}

function held(
  lockouts: Pick<LockoutBook, 'heldUntil'>,
  { ask, nowMs }: { readonly ask: EntryAsk; readonly nowMs: number },
  untilMs: number,
): Entry {
  const { budget, credential } = ask;
  // A budget that would let a call without a credential through is not locked out itself.
  const isFree = lockouts.heldUntil({ budget, credential: 'none' }, nowMs) === null;
  const heldBy = credential !== 'none' && isFree ? 'credential refused' : 'locked out';
  return { isAdmitted: false, waitMs: untilMs - nowMs, heldBy, isUnusable: false };
}
