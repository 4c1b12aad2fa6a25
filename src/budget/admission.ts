import { type RateLimit, type RequestClass, mayUseReserve } from '../domain/rate-limit.ts';

/** An occupied slot: one request that the exchange may have counted within the window. */
export interface Slot {
  readonly id: number;
  readonly budget: string;
  /** Process that owns the slot; only that process stamps it, unless it is proven dead. */
  readonly owner: string;
  readonly admittedAtMs: number;
  /** The last instant at which the exchange can have counted it; null while that is not known. */
  readonly stampedAtMs: number | null;
  /** Time at which it ended without an answer; null while it is in flight, or if it was answered. */
  readonly endedAtMs: number | null;
  /** True if the exchange has answered another request, which was sent after this one had ended. */
  readonly isFollowed: boolean;
}

/**
 * End of a request. `answered`: by the exchange, which has counted it by now and has gone on until now.
 * `unanswered`: it may have arrived, and may still arrive. `unsent`: no byte of it left.
 */
export type SlotEnd = 'answered' | 'unanswered' | 'unsent';

export interface AdmissionAsk {
  readonly budget: string;
  readonly requestClass: RequestClass;
}

/**
 * Reason there is no slot: all are in use, the budget is unknown, another process holds the ledger, or the
 * file is not what it was.
 */
type AdmissionRefusal = 'full' | 'unknown budget' | 'locked' | 'ledger unusable';

export type Admission =
  | { readonly admitted: true; readonly slot: Slot }
  /** `waitMs` is the time until a slot may be free; null when one is free only after a stamp. */
  | { readonly admitted: false; readonly reason: AdmissionRefusal; readonly waitMs: number | null };

/**
 * Common interface of in-process and shared ledgers. Times are of one monotonic clock, in whole ms, rounded
 * down.
 */
export interface RequestLedger {
  /** Asks for a slot now. */
  admit(ask: AdmissionAsk, nowMs: number): Admission;
  /** Says how a request ended, and when: the time of its reply, or of the end of its socket. */
  settle(slot: Slot, end: SlotEnd, atMs: number): void;
  /**
   * Takes in what a limit reply says of a budget's limit, before the slot of its request is settled; answers
   * what that changed.
   */
  applyLimit(budget: string, word: LimitWord, atMs: number): LimitChange | null;
  /** Limits that the exchange has lowered and that hold now, by budget. */
  namedLimits(nowMs: number): ReadonlyMap<string, number>;
  /** Gives back the slot of a request that was never sent. */
  withdraw(slot: Slot): void;
  /**
   * Returns true if the slot of an unsent request is still in the ledger: a request that leaves long after
   * its admission must have one, like one that leaves at once.
   */
  holds(slot: Slot): boolean;
}

/**
 * Own commits, that of the ledger among them, are no delay of a request, up to so long: beyond it a process
 * that was stopped amid one can not be told from a slow disk.
 */
export const MOST_COMMIT_MS = 5_000;

/**
 * The longest time from the admission to the send, without that of own commits. An owner that finds more was
 * stopped in between: what it was admitted for may be stale. It does not send, gives the slot back and asks
 * again.
 */
export const MOST_SEND_DELAY_MS = 250;

/**
 * The same of a cancel, which is never stale: nothing is worse than one that does not leave. It is also the
 * most of any request, own commits included. Every rule that ends the slot of another owner waits for longer.
 */
export const MOST_CANCEL_DELAY_MS = 30_000;

/** Returns how long after its admission a request of a class may leave. */
export function mostSendDelayMs(requestClass: RequestClass): number {
  return requestClass === 'cancel' ? MOST_CANCEL_DELAY_MS : MOST_SEND_DELAY_MS;
}

/**
 * Time after the end of its socket in which a request may still reach an exchange that does not stand still,
 * and be counted there.
 */
export const LATE_ARRIVAL_MS = 120_000;

/**
 * Returns true if a slot is free again: strictly more than a window after its stamp, since both ends of a
 * window may count.
 */
export function isReleased(stampedAtMs: number | null, windowMs: number, nowMs: number): boolean {
  return stampedAtMs !== null && stampedAtMs + windowMs < nowMs;
}

interface WindowState {
  readonly budget: RateLimit;
  readonly requestClass: RequestClass;
  /** Slots that are not released. */
  readonly occupied: number;
  /** The stamp at an index when they are sorted, those without a stamp last; null for these. */
  readonly stampAt: (index: number) => number | null;
  /** Until when nothing is known about the window, so that it counts as full. */
  readonly fullUntilMs: number | null;
  readonly nowMs: number;
}

/** Returns how long to wait for a slot: 0 if one is free, null if only a stamp can free one. */
export function waitForSlot(state: WindowState): number | null {
  const { budget, requestClass, occupied, stampAt, fullUntilMs, nowMs } = state;
  const blindMs = fullUntilMs === null || fullUntilMs < nowMs ? 0 : fullUntilMs - nowMs + 1;
  const allowed = slotsFor(requestClass, budget);
  if (allowed <= 0) return null;
  if (occupied < allowed) return blindMs;
  const stamp = stampAt(occupied - allowed);
  return stamp === null ? null : Math.max(1, blindMs, stamp + budget.windowMs - nowMs + 1);
}

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
