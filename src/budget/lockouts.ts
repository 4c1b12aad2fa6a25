import {
  afterLimit,
  afterSilence,
  passageOf,
  withCanary,
  type BreakerState,
  type Passage,
} from './breaker.ts';
import { afterUnauthorized, letThrough, type CredentialStop, type CredentialUse } from './credential-stop.ts';

/** Needs of a call: its budget, and the credential. */
export interface LockoutAsk {
  readonly budget: string;
  readonly credential: CredentialUse;
}

/** Outcome of a call for lockouts. A reply that is none of these, or no reply, is `silence`. */
export type Verdict =
  /** `loggedIn`: for a log-in, whether it gave a credential. */
  | { readonly kind: 'answered'; readonly loggedIn: boolean }
  /**
   * `limit`: the one that the exchange names; `isOwn`: whether the reply is in the form of the interface, and
   * not of something in between.
   */
  | {
      readonly kind: 'limited';
      readonly waitMs: number | null;
      readonly limit: number | null;
      readonly isOwn: boolean;
    }
  | { readonly kind: 'unauthorized'; readonly canLogIn: boolean }
  | { readonly kind: 'silence' };

/**
 * Storage of the states: in memory, or with the ledger. Budgets are few, so neither needs a bound of its own.
 */
export interface LockoutRows {
  breaker(budget: string): BreakerState | null;
  saveBreaker(budget: string, state: BreakerState | null, nowMs: number): void;
  stop(): CredentialStop | null;
  saveStop(stop: CredentialStop | null): void;
}

/** A call that was let through; to be returned with its verdict. */
export interface Pass {
  readonly ask: LockoutAsk;
  readonly isCanary: boolean;
  readonly isProbe: boolean;
}

export type Lockout = { readonly pass: Pass } | { readonly pass: null; readonly retryAtMs: number };

/**
 * Lets a call through unless its budget is locked out or its credential stopped, and remembers the canary or
 * probe it may be.
 */
export function takePass(rows: LockoutRows, ask: LockoutAsk, nowMs: number): Lockout {
  const state = rows.breaker(ask.budget);
  const passage: Passage = passageOf(state, nowMs);
  if (!passage.passes) return { pass: null, retryAtMs: passage.retryAtMs };
  const stop = ask.credential === 'none' ? null : rows.stop();
  if (stop !== null) {
    const next = letThrough(stop, ask.credential, nowMs);
    if (next === null) return { pass: null, retryAtMs: stop.probeAtMs };
    rows.saveStop(next);
  }
  if (passage.isCanary && state !== null) rows.saveBreaker(ask.budget, withCanary(state, nowMs), nowMs);
  return { pass: { ask, isCanary: passage.isCanary, isProbe: stop !== null } };
}

/**
 * Reason a call would be held back, and until when: its budget has a limit, or its credential was refused.
 */
export interface Hold {
  readonly by: 'limit' | 'credential';
  readonly untilMs: number;
}

/** Null where the call would be let through. Takes nothing. */
function holdOf(rows: LockoutRows, ask: LockoutAsk, nowMs: number): Hold | null {
  const passage = passageOf(rows.breaker(ask.budget), nowMs);
  if (!passage.passes) return { by: 'limit', untilMs: passage.retryAtMs };
  const stop = ask.credential === 'none' ? null : rows.stop();
  return stop !== null && letThrough(stop, ask.credential, nowMs) === null
    ? { by: 'credential', untilMs: stop.probeAtMs }
    : null;
}

/** Until when a call would be held back; null where it would be let through. */
export function heldUntil(rows: LockoutRows, ask: LockoutAsk, nowMs: number): number | null {
  return holdOf(rows, ask, nowMs)?.untilMs ?? null;
}

/**
 * Takes in what came back. Only the canary's and the probe's own success end a lockout: others were sent
 * before it began.
 */
export function report(rows: LockoutRows, pass: Pass, verdict: Verdict, nowMs: number): void {
  const { budget } = pass.ask;
  if (verdict.kind === 'limited') {
    rows.saveBreaker(budget, afterLimit(rows.breaker(budget), verdict, nowMs), nowMs);
    return;
  }
  if (verdict.kind === 'unauthorized') {
    rows.saveStop(
      afterUnauthorized(rows.stop(), { canLogIn: verdict.canLogIn, isProbe: pass.isProbe }, nowMs),
    );
  }
  if (verdict.kind === 'answered' && pass.isProbe) {
    // A new credential may be tried at once; that it works, and so earns another log-in some day, is for its
    // first call to show.
    if (pass.ask.credential === 'with') rows.saveStop(null);
    else if (verdict.loggedIn) rows.saveStop({ logInsLeft: 0, probeAtMs: nowMs });
  }
  const state = pass.isCanary ? rows.breaker(budget) : null;
  if (state?.kind !== 'trial') return;
  rows.saveBreaker(budget, verdict.kind === 'silence' ? afterSilence(state, nowMs) : null, nowMs);
}

/** Lockouts as the limiter asks for them, whoever keeps them. */
export interface LockoutBook {
  take(ask: LockoutAsk, nowMs: number): Lockout;
  heldUntil(ask: LockoutAsk, nowMs: number): number | null;
  report(pass: Pass, verdict: Verdict, nowMs: number): void;
}

/** Lockouts of one process in memory. */
export class MemoryLockouts implements LockoutBook {
  private readonly breakers = new Map<string, BreakerState>();
  private credentialStop: CredentialStop | null = null;
  private readonly rows: LockoutRows = {
    breaker: (budget) => this.breakers.get(budget) ?? null,
    saveBreaker: (budget, state) => {
      if (state === null) this.breakers.delete(budget);
      else this.breakers.set(budget, state);
    },
    stop: () => this.credentialStop,
    saveStop: (stop) => {
      this.credentialStop = stop;
    },
  };

  take(ask: LockoutAsk, nowMs: number): Lockout {
    return takePass(this.rows, ask, nowMs);
  }

  heldUntil(ask: LockoutAsk, nowMs: number): number | null {
    return heldUntil(this.rows, ask, nowMs);
  }

  holdOf(ask: LockoutAsk, nowMs: number): Hold | null {
    return holdOf(this.rows, ask, nowMs);
  }

  report(pass: Pass, verdict: Verdict, nowMs: number): void {
    report(this.rows, pass, verdict, nowMs);
  }
}
