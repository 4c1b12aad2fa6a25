import { HOUR_MS } from '../domain/time-text.ts';
import type Database from 'better-sqlite3';
import { z } from 'zod';

/** Facts of a call for lockouts: its budget, and its credential. */
export interface LockoutAsk {
  readonly budget: string;
  readonly credential: CredentialUse;
}

/** Outcome of a call, as far as it matters for lockouts. Any other reply, and no reply, is `silence`. */
export type Outcome =
  /** `loggedIn`: true if a log-in gave a credential. */
  | { readonly kind: 'answered'; readonly loggedIn: boolean }
  /** `limit`: the limit that the exchange names. `isOwn`: true for a reply in the interface's form. */
  | {
      readonly kind: 'limited';
      readonly waitMs: number | null;
      readonly limit: number | null;
      readonly isOwn: boolean;
      /** The limit that was exceeded, if the request charges several; left out for its main one. */
      readonly budget?: string;
    }
  | { readonly kind: 'unauthorized'; readonly canLogIn: boolean }
  | { readonly kind: 'silence' };

/** Storage of the states: in memory, or with the ledger. Budgets are few, so neither needs a bound. */
export interface LockoutRows {
  breaker(budget: string): BreakerState | null;
  saveBreaker(budget: string, state: BreakerState | null, nowMs: number): void;
  stop(): CredentialStop | null;
  saveStop(stop: CredentialStop | null): void;
}

/** Permit of a call that may leave; it is passed to `report` with the outcome. */
export interface Permit {
  readonly ask: LockoutAsk;
  readonly isCanary: boolean;
  readonly isProbe: boolean;
  /** Permits of the other limits that the same call charges; left out if there are none. */
  readonly also?: readonly Permit[];
}

export type Lockout = { readonly permit: Permit } | { readonly permit: null; readonly retryAtMs: number };

/** Lets a call through unless its budget is locked out or its credential stopped, maybe as a canary. */
export function acquirePermit(rows: LockoutRows, ask: LockoutAsk, nowMs: number): Lockout {
  const state = rows.breaker(ask.budget);
  const passage: Passage = passageOf(state, nowMs);
  if (!passage.isAdmitted) return { permit: null, retryAtMs: passage.retryAtMs };
  const stop = ask.credential === 'none' ? null : rows.stop();
  if (stop !== null) {
    const next = letThrough(stop, ask.credential, nowMs);
    if (next === null) return { permit: null, retryAtMs: stop.probeAtMs };
    rows.saveStop(next);
  }
  if (passage.isCanary && state !== null)
    rows.saveBreaker(ask.budget, { kind: 'trial', strikes: state.strikes, sinceMs: nowMs }, nowMs);
  return { permit: { ask, isCanary: passage.isCanary, isProbe: stop !== null } };
}

/** Reason a call is held back, and until when: a lockout of its budget, or a refused credential. */
export interface Hold {
  readonly by: 'limit' | 'credential';
  readonly untilMs: number;
}

/** Returns what holds back a call; null if it may leave. Changes nothing. */
function holdOf(rows: LockoutRows, ask: LockoutAsk, nowMs: number): Hold | null {
  const passage = passageOf(rows.breaker(ask.budget), nowMs);
  if (!passage.isAdmitted) return { by: 'limit', untilMs: passage.retryAtMs };
  const stop = ask.credential === 'none' ? null : rows.stop();
  return stop !== null && letThrough(stop, ask.credential, nowMs) === null
    ? { by: 'credential', untilMs: stop.probeAtMs }
    : null;
}

/** Returns the time until which a call is held back; null if it may leave. */
export const heldUntil = (rows: LockoutRows, ask: LockoutAsk, nowMs: number): number | null =>
  holdOf(rows, ask, nowMs)?.untilMs ?? null;

/** Applies the outcome of a call. Only a success of the canary or the probe ends a lockout. */
export function report(rows: LockoutRows, permit: Permit, outcome: Outcome, nowMs: number): void {
  const { budget } = permit.ask;
  if (outcome.kind === 'limited') {
    rows.saveBreaker(budget, afterLimit(rows.breaker(budget), outcome, nowMs), nowMs);
    return;
  }
  if (outcome.kind === 'unauthorized')
    rows.saveStop(
      afterUnauthorized(rows.stop(), { canLogIn: outcome.canLogIn, isProbe: permit.isProbe }, nowMs),
    );
  if (outcome.kind === 'answered' && permit.isProbe) {
    // A new credential may be tried at once. Only its first call can show that it works, and so allow another
    // log-in later.
    if (permit.ask.credential === 'with') rows.saveStop(null);
    else if (outcome.loggedIn) rows.saveStop({ logInsLeft: 0, probeAtMs: nowMs });
  }
  const state = permit.isCanary ? rows.breaker(budget) : null;
  if (state?.kind !== 'trial') return;
  rows.saveBreaker(budget, outcome.kind === 'silence' ? afterSilence(state, nowMs) : null, nowMs);
}

/** Interface of lockouts for the limiter, whatever stores them. */
export interface LockoutBook {
  acquire(ask: LockoutAsk, nowMs: number): Lockout;
  heldUntil(ask: LockoutAsk, nowMs: number): number | null;
  report(permit: Permit, outcome: Outcome, nowMs: number): void;
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

  acquire(ask: LockoutAsk, nowMs: number): Lockout {
    return acquirePermit(this.rows, ask, nowMs);
  }

  heldUntil(ask: LockoutAsk, nowMs: number): number | null {
    return heldUntil(this.rows, ask, nowMs);
  }

  holdOf(ask: LockoutAsk, nowMs: number): Hold | null {
    return holdOf(this.rows, ask, nowMs);
  }

  report(permit: Permit, outcome: Outcome, nowMs: number): void {
    report(this.rows, permit, outcome, nowMs);
  }
}

/**
 * State of a budget after a limit reply to it. `strikes` counts such replies since the last success. By the
 * interface ("HTTP status codes") access returns after 1 to 24 hours.
 */
export type BreakerState =
  | { readonly kind: 'open'; readonly strikes: number; readonly untilMs: number }
  /** One request, the canary, is in flight to test whether the lockout is over. */
  | { readonly kind: 'trial'; readonly strikes: number; readonly sinceMs: number };

type Passage =
  | { readonly isAdmitted: true; readonly isCanary: boolean }
  | { readonly isAdmitted: false; readonly retryAtMs: number };

const LONGEST_MS = 24 * HOUR_MS;

/** Duration of the first lockout after a reply of another, such as a proxy: it may be no limit at all. */
const FOREIGN_MS = 600_000;

interface LimitReply {
  /** The wait that the reply names; null if it names none. */
  readonly waitMs: number | null;
  /** True if the reply has the form of the interface. */
  readonly isOwn: boolean;
}

/**
 * Time after which another canary (the request that tests whether a lockout is over) may leave if the last
 * one brought no answer, for example because its process died.
 */
const CANARY_SILENCE_MS = 120_000;

/** Returns whether a request may leave now. A null state means that there is no lockout. */
function passageOf(state: BreakerState | null, nowMs: number): Passage {
  if (state === null) return { isAdmitted: true, isCanary: false };
  const retryAtMs = state.kind === 'open' ? state.untilMs : state.sinceMs + CANARY_SILENCE_MS;
  return nowMs >= retryAtMs ? { isAdmitted: true, isCanary: true } : { isAdmitted: false, retryAtMs };
}

/**
 * Returns the state after a limit reply. It is open for as long as the reply says (`waitMs`, at most a day).
 * A reply that names no wait opens it for an hour, doubled at each further strike up to a day; one that is
 * not the interface's own for ten minutes. A longer wait stays: replies of a burst arrive in any order.
 */
function afterLimit(state: BreakerState | null, { waitMs, isOwn }: LimitReply, nowMs: number): BreakerState {
  // Replies to requests that were in flight when it opened belong to the same strike.
  const isSameBurst = state?.kind === 'open' && state.untilMs > nowMs;
  const strikes = isSameBurst ? state.strikes : (state?.strikes ?? 0) + 1;
  const unnamedMs = (isOwn ? HOUR_MS : FOREIGN_MS) * 2 ** Math.min(strikes - 1, 8);
  // The wait in a proxy's page is not from the exchange either.
  const namedMs = waitMs === null || isOwn ? waitMs : Math.min(waitMs, unnamedMs);
  const lengthMs = Math.min(LONGEST_MS, namedMs ?? unnamedMs);
  const untilMs = Math.max(isSameBurst ? state.untilMs : 0, nowMs + lengthMs);
  return { kind: 'open', strikes, untilMs };
}

/** Returns the state after a canary without success or limit, which proves nothing: the next waits. */
function afterSilence(state: BreakerState, nowMs: number): BreakerState {
  return { kind: 'open', strikes: state.strikes, untilMs: nowMs + CANARY_SILENCE_MS };
}

/** Returns the time in ms until the next request may leave. */
const lengthOf = (state: BreakerState, nowMs: number): number =>
  Math.max(0, (state.kind === 'open' ? state.untilMs : state.sinceMs + CANARY_SILENCE_MS) - nowMs);

/**
 * State of a credential after the first 401: its calls stop, because a hundred requests with a bad token
 * within half an hour block the whole address. One log-in may be tried if possible, and one probe every ten
 * minutes, with a log-in of its own if it needs one.
 */
export interface CredentialStop {
  readonly logInsLeft: number;
  readonly probeAtMs: number;
}

export const PROBE_EVERY_MS = 600_000;

/** Use of a credential by a call: not at all, with it, or to get a new one. */
export type CredentialUse = 'none' | 'with' | 'log-in';

/**
 * Returns the state after a 401. The first one allows a log-in, if possible, and a probe at once that starts
 * it, since log-ins are made only within calls. One to a probe shows that the credential is not valid:
 * nothing is tried until the next probe. One to a call that was in flight already changes nothing.
 */
function afterUnauthorized(
  stop: CredentialStop | null,
  call: { readonly canLogIn: boolean; readonly isProbe: boolean },
  nowMs: number,
): CredentialStop {
  const laterMs = nowMs + PROBE_EVERY_MS;
  if (stop === null) return { logInsLeft: Number(call.canLogIn), probeAtMs: call.canLogIn ? nowMs : laterMs };
  return call.isProbe ? { logInsLeft: 0, probeAtMs: Math.max(stop.probeAtMs, laterMs) } : stop;
}

/**
 * Returns the state after a call was let through; null if the credential holds it back. A probe may have no
 * credential left, as after a log-in that was lost: it then brings the one log-in that it needs, since it
 * waits for that itself.
 */
function letThrough(stop: CredentialStop, use: CredentialUse, nowMs: number): CredentialStop | null {
  if (use === 'none') return stop;
  if (use === 'log-in' && stop.logInsLeft > 0) {
    // Nothing else is tried before the outcome of this call is known.
    return { logInsLeft: stop.logInsLeft - 1, probeAtMs: nowMs + PROBE_EVERY_MS };
  }
  return nowMs >= stop.probeAtMs
    ? { logInsLeft: Number(use === 'with'), probeAtMs: nowMs + PROBE_EVERY_MS }
    : null;
}

/** A breaker as a ledger stores it. */
export const LOCKOUT_FIELD = z.object({
  kind: z.enum(['open', 'trial']),
  strikes: z.number(),
  atMs: z.number(),
  lengthMs: z.number(),
});
type StoredBreaker = Readonly<z.output<typeof LOCKOUT_FIELD>>;

export function storedBreaker(state: BreakerState, nowMs: number): StoredBreaker {
  const { kind, strikes } = state;
  const atMs = state.kind === 'open' ? state.untilMs : state.sinceMs;
  return { kind, strikes, atMs, lengthMs: lengthOf(state, nowMs) };
}

export function readBreaker(row: StoredBreaker | null): BreakerState | null {
  if (row === null) return null;
  const { kind, strikes, atMs } = row;
  return kind === 'open' ? { kind, strikes, untilMs: atMs } : { kind, strikes, sinceMs: atMs };
}

type LockoutRow = StoredBreaker & Record<'subject' | 'budget', string> & { readonly untilWallMs: number };

const COLUMNS = `subject, budget, kind, strikes, at_ms AS atMs, length_ms AS lengthMs, until_wall_ms AS untilWallMs`;

/**
 * Stores lockouts in the ledger's file. They outlast the machine's monotonic clock, so the wall time is
 * stored too; it is used only after a restart of the machine.
 */
export function storedLockouts(
  database: Database.Database,
  of: {
    readonly subjectOfBudget: (budget: string) => string;
    readonly credential: string;
    readonly wallMs: () => number;
  },
) {
  const selectLockout = database.prepare<[string, string], LockoutRow>(
    `SELECT ${COLUMNS} FROM lockouts WHERE subject = ? AND budget = ?`,
  );
  const selectAll = database.prepare<[], LockoutRow>(`SELECT ${COLUMNS} FROM lockouts`);
  const upsertLockout = database.prepare<[LockoutRow]>(
    'INSERT OR REPLACE INTO lockouts VALUES (@subject, @budget, @kind, @strikes, @atMs, @lengthMs, @untilWallMs)',
  );
  const deleteLockout = database.prepare<[string, string]>(
    'DELETE FROM lockouts WHERE subject = ? AND budget = ?',
  );
  const selectStop = database.prepare<[string], CredentialStop>(
    'SELECT log_ins_left AS logInsLeft, probe_at_ms AS probeAtMs FROM credential_stops WHERE subject = ?',
  );
  const upsertStop = database.prepare<[string, number, number]>(
    'INSERT OR REPLACE INTO credential_stops VALUES (?, ?, ?)',
  );
  const deleteStop = database.prepare<[string]>('DELETE FROM credential_stops WHERE subject = ?');
  const postponeProbes = database.prepare<[number]>('UPDATE credential_stops SET probe_at_ms = ?');
  return {
    breaker: (budget: string): BreakerState | null =>
      readBreaker(selectLockout.get(of.subjectOfBudget(budget), budget) ?? null),

    saveBreaker(budget: string, state: BreakerState | null, nowMs: number): void {
      const subject = of.subjectOfBudget(budget);
      if (state === null) {
        deleteLockout.run(subject, budget);
        return;
      }
      const row = storedBreaker(state, nowMs);
      const untilWallMs = Math.floor(of.wallMs()) + row.lengthMs;
      upsertLockout.run({ subject, budget, ...row, untilWallMs });
    },

    stop: (): CredentialStop | null => selectStop.get(of.credential) ?? null,

    saveStop(stop: CredentialStop | null): void {
      if (stop === null) deleteStop.run(of.credential);
      else upsertStop.run(of.credential, stop.logInsLeft, stop.probeAtMs);
    },

    /**
     * Restores lockouts after a restart of the machine: the rest by the wall clock, at most the full time
     * again in case that clock was stepped back. A canary that was in flight is gone.
     */
    carryOver(nowMs: number, probeAtMs: number): void {
      const wallMs = Math.floor(of.wallMs());
      for (const row of selectAll.all()) {
        const leftMs = Math.min(Math.max(0, row.untilWallMs - wallMs), row.lengthMs);
        upsertLockout.run({ ...row, kind: 'open', atMs: nowMs + leftMs });
      }
      postponeProbes.run(probeAtMs);
    },
  };
}
