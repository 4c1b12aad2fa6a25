import { type RateLimit, mayUseReserve, type RequestClass } from '../domain/rate-limit.ts';

/** A limit below ours that the exchange has named in a limit reply, as it does when it is crowded. */
export interface NamedLimit {
  /** Requests a window, a whole number of at least 1. */
  readonly limit: number;
  /** Time of the last limit reply for the budget. */
  readonly atMs: number;
}

/** A lowered limit that was taken back. */
export interface RaisedLimit {
  readonly subject: string;
  /** Limit that the exchange had named. */
  readonly named: number;
}

/** Information about the limit in a limit reply. */
export interface LimitWord {
  /** The number as it came; null where it named none. */
  readonly named: number | null;
  /** True if the reply is in the form of the interface, and not from something in between. */
  readonly isOwn: boolean;
}

/** Effect of a reply on the limit: `wrong` is a number that cannot be a limit, which is ignored. */
export type LimitChange = 'lowered' | 'wrong';

/** A lowered limit is raised again so long after the last limit reply for its budget. */
export const QUIET_MS = 24 * 3_600_000;

/** The limit that the exchange has lowered, while it holds; null otherwise. */
export function inForce(state: NamedLimit | null, nowMs: number): NamedLimit | null {
  return state !== null && nowMs <= state.atMs + QUIET_MS ? state : null;
}

/**
 * Takes in a limit reply. A whole number from 1 to below what the exchange allowed so far lowers the limit;
 * nothing that it says raises one: of two the smaller holds. Any limit reply begins the quiet hours anew.
 * Zero, a negative number, a fraction and what is no number are wrong, and ignored.
 */
export function afterLimitReply(
  state: NamedLimit | null,
  word: LimitWord,
  of: { readonly statedLimit: number; readonly nowMs: number },
): { readonly state: NamedLimit | null; readonly change: LimitChange | null } {
  const { nowMs, statedLimit } = of;
  const before = inForce(state, nowMs);
  const renewed = before === null ? null : { ...before, atMs: Math.max(before.atMs, nowMs) };
  const { named, isOwn } = word;
  if (named === null || !isOwn) return { state: renewed, change: null };
  if (!Number.isSafeInteger(named) || named < 1) return { state: renewed, change: 'wrong' };
  if (named >= (before?.limit ?? statedLimit)) return { state: renewed, change: null };
  return { state: { limit: named, atMs: nowMs }, change: 'lowered' };
}

/**
 * A budget as it is used under a lowered limit: the headroom and the reserve shrink in proportion, and one
 * request is always left.
 */
export function lowered<B extends RateLimit>(budget: B, named: number | null): B {
  const { limit, statedLimit = limit } = budget;
  if (named === null || named >= statedLimit) return budget;
  const left = Math.max(1, Math.floor((named * limit) / statedLimit));
  return {
    ...budget,
    limit: left,
    statedLimit: named,
    reserve: Math.floor((reserveOf(budget) * left) / limit),
  };
}

/** Of a budget to which cancels and resolutions go, left for them. */
const RESERVED_SHARE = 0.1;

export function reserveOf(budget: RateLimit): number {
  if (budget.reserve !== undefined) return Math.min(Math.max(0, budget.reserve), budget.limit);
  return budget.hasReserve === true ? Math.floor(budget.limit * RESERVED_SHARE) : 0;
}

/** Returns how many slots requests of a class may occupy. */
export function slotsFor(requestClass: RequestClass, budget: RateLimit): number {
  return mayUseReserve(requestClass) ? budget.limit : budget.limit - reserveOf(budget);
}
