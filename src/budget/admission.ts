import { type RateLimit, type RequestClass, mayUseReserve } from '../domain/rate-limit.ts';

/** A slot of a budget: it stands for one request that the exchange may have counted within the window. */
export interface Slot {
  readonly id: number;
  readonly budget: string;
  /** Units of the limit that the request takes. */
  readonly weight: number;
  /** Process that owns the slot; only that process stamps it, unless it is proven dead. */
  readonly owner: string;
  readonly admittedAtMs: number;
  /** Latest time at which the exchange can have counted the request; null while that is not known. */
  readonly stampedAtMs: number | null;
  /** Time at which the request ended without an answer; null while it is in flight, or if it was answered. */
  readonly endedAtMs: number | null;
  /** True if the exchange has answered another request, which was sent after this one had ended. */
  readonly isFollowed: boolean;
  /** Slots of the other limits that the same request takes; left out if there are none. */
  readonly also?: readonly Slot[];
}

/**
 * End of a request. `answered`: the exchange has counted it by now, and was at work until now. `uncounted`:
 * it was answered, and the exchange does not count it. `unanswered`: it may have arrived, and may still
 * arrive. `unsent`: no byte of it left.
 */
export type SlotEnd = 'answered' | 'uncounted' | 'unanswered' | 'unsent';

/** Count of a limit in a reply of the exchange. */
export interface LimitUsage {
  readonly budget: string;
  /** Units that the exchange has counted in its window, those of others too; null if it does not tell. */
  readonly used: number | null;
  /** False if the exchange does not count the request, as one that succeeded; default true. */
  readonly isCounted?: boolean;
}

export interface AdmissionAsk {
  readonly budget: string;
  readonly requestClass: RequestClass;
  /** Units of the limit that the request takes; 1 if it is left out. */
  readonly weight?: number;
}

/** Reason for refusing a slot: all are in use, or the budget or the ledger is of no use now. */
type AdmissionRefusal = 'full' | 'unknown budget' | 'locked' | 'ledger unusable';

export type Admission =
  | { readonly admitted: true; readonly slot: Slot }
  /** `waitMs` is the time until a slot may be free; null if one can become free only after a stamp. */
  | { readonly admitted: false; readonly reason: AdmissionRefusal; readonly waitMs: number | null };

/** Interface of in-process and shared ledgers. Times are of one monotonic clock, in whole ms. */
export interface RequestLedger {
  /** Asks for a slot now. */
  admit(ask: AdmissionAsk, nowMs: number): Admission;
  /**
   * Records how a request ended, and when: the time of its reply, or of the end of its socket. `used`: units
   * of the limit that the exchange has counted by then. What is above our own count was taken by others, and
   * counts for a window from then on.
   */
  settle(slot: Slot, end: SlotEnd, atMs: number, used?: number | null): void;
  /** Applies the limit of a limit reply, before the slot of its request is settled; returns the change. */
  applyLimit(budget: string, word: LimitWord, atMs: number): LimitChange | null;
  /** Limits that the exchange has lowered and that hold now, by budget. */
  namedLimits(nowMs: number): ReadonlyMap<string, number>;
  /** Gives back the slot of a request that was never sent. */
  withdraw(slot: Slot): void;
  /**
   * Returns true if the slot of an unsent request is still in the ledger: a request may leave only while it
   * has one, however long after its admission it leaves.
   */
  holds(slot: Slot): boolean;
}

/**
 * Upper bound on the time of the process's own commits that is no delay of a request. Beyond it a process
 * that was stopped during a commit cannot be told from a slow disk.
 */
export const MOST_COMMIT_MS = 5_000;

/**
 * Longest time from the admission to the send, without the process's own commits. A request that is later is
 * not sent, because it may be stale: its slot is given back, and it asks again.
 */
export const MOST_SEND_DELAY_MS = 250;

/**
 * Longest time from the admission to the send of a cancel, which is never stale. It is also the bound for
 * every request, own commits included: rules that end the slot of another owner wait for longer.
 */
export const MOST_CANCEL_DELAY_MS = 30_000;

/** Returns how long after its admission a request of a class may leave. */
export const mostSendDelayMs = (requestClass: RequestClass): number =>
  requestClass === 'cancel' ? MOST_CANCEL_DELAY_MS : MOST_SEND_DELAY_MS;

/**
 * Longest time in which a request may still reach the exchange after the end of its socket, and be counted
 * there, while the exchange does not stand still.
 */
export const LATE_ARRIVAL_MS = 120_000;

/** Returns true if a slot is free again: more than a window after its stamp, as both ends may count. */
export const isReleased = (stampedAtMs: number | null, windowMs: number, nowMs: number): boolean =>
  stampedAtMs !== null && stampedAtMs + windowMs < nowMs;

interface WindowState {
  readonly budget: RateLimit;
  readonly requestClass: RequestClass;
  readonly weight: number;
  /** Units of the slots that are not released. */
  readonly occupied: number;
  /** Returns the stamp by which so many units are released, in the order of stamps; null if none is known. */
  readonly stampFreeing: (units: number) => number | null;
  /** Time until which nothing is known about the window, so that it counts as full; null if it is known. */
  readonly fullUntilMs: number | null;
  readonly nowMs: number;
}

/** Returns how long to wait for a slot: 0 if one is free, null if only a stamp can free one. */
export function waitForSlot(state: WindowState): number | null {
  const { budget, requestClass, weight, occupied, stampFreeing, fullUntilMs, nowMs } = state;
  const blindMs = fullUntilMs === null || fullUntilMs < nowMs ? 0 : fullUntilMs - nowMs + 1;
  const allowed = slotsFor(requestClass, budget);
  if (allowed < weight) return null;
  if (occupied + weight <= allowed) return blindMs;
  const stamp = stampFreeing(occupied + weight - allowed);
  return stamp === null ? null : Math.max(1, blindMs, stamp + budget.windowMs - nowMs + 1);
}

/** A limit below ours that the exchange has named in a limit reply, as it does when it is crowded. */
export interface NamedLimit {
  /** Requests per window, a whole number of at least 1. */
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
  /** The number as it came; null if the reply named none. */
  readonly named: number | null;
  /** True if the reply has the form of the interface, so that it is not from a proxy in between. */
  readonly isOwn: boolean;
}

/** Effect of a reply on the limit: `wrong` is a number that cannot be a limit, which is ignored. */
export type LimitChange = 'lowered' | 'wrong';

/** Time after the last limit reply for a budget until its lowered limit is raised again. */
export const QUIET_MS = 24 * 3_600_000;

/** Returns the limit that the exchange has lowered, while it holds; null otherwise. */
export const inForce = (state: NamedLimit | null, nowMs: number): NamedLimit | null =>
  state !== null && nowMs <= state.atMs + QUIET_MS ? state : null;

/**
 * Returns the lowered limit after a limit reply. A whole number from 1 to below the limit so far lowers it;
 * no reply raises it. Every limit reply starts the 24 quiet hours again. Zero, a negative number, a fraction
 * and anything that is not a number are ignored.
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

/** Returns a budget under a lowered limit: headroom and reserve shrink with it; one request is left. */
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

/** Share of a budget that is reserved for cancels and resolutions, if they are counted in it. */
const RESERVED_SHARE = 0.1;

export function reserveOf(budget: RateLimit): number {
  if (budget.reserve !== undefined) return Math.min(Math.max(0, budget.reserve), budget.limit);
  return budget.hasReserve === true ? Math.floor(budget.limit * RESERVED_SHARE) : 0;
}

/** Returns how many slots requests of a class may occupy. */
export const slotsFor = (requestClass: RequestClass, budget: RateLimit): number =>
  mayUseReserve(requestClass) ? budget.limit : budget.limit - reserveOf(budget);
