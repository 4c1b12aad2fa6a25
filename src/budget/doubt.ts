import { LATE_ARRIVAL_MS } from './admission.ts';
import type { RateLimit, RequestClass } from '../domain/rate-limit.ts';

/**
 * A request that ended without an answer. An exchange that stands still may keep such requests, and handle
 * all of them at once when it goes on. So time alone does not release the slot: an answer must show that the
 * exchange goes on.
 */
export interface Doubt {
  readonly admittedAtMs: number;
  /** Time at which its socket was closed, or its owner was proven dead. */
  readonly endedAtMs: number;
  /** True if a request sent after this one's end was answered: this one may still be in flight. */
  readonly isFollowed: boolean;
}

/** Times of an answer of the exchange, and of the admission of its request. */
export interface Answer {
  readonly admittedAtMs: number;
  readonly atMs: number;
}

/**
 * Age at which an answer in another budget ends a doubt: a part of an exchange may stand still while the rest
 * goes on, but not for longer. It is a stated limit of promise 1.
 */
export const PART_STANDS_STILL_MS = 900_000;

/** Longest time that an exchange keeps a request without handling it. It is the other limit of promise 1. */
export const LONGEST_DOUBT_MS = 3_600_000;

/** Age from which a process with a request in flight counts as standing still. The slot stays. */
const LONGEST_PROBE_MS = LATE_ARRIVAL_MS;

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** Time within which an exchange handles, in any order, the requests it kept while it stood still. */
export const HANDLED_TOGETHER_MS = 5_000;

/** Returns true if an answer in the same budget shows that the exchange went on after the doubtful one. */
export const follows = ({ endedAtMs }: Doubt, answer: Answer): boolean => answer.admittedAtMs >= endedAtMs;

/**
 * Returns the time until which the exchange may count the doubtful request, as an answer in the same budget
 * shows; null if it shows nothing. The answered request must have been sent when the doubtful one could not
 * be in flight any more: an earlier one may have been handled before the exchange stood still.
 */
export const stampByAnswer = ({ endedAtMs }: Doubt, answer: Answer): number | null =>
  answer.admittedAtMs < endedAtMs + LATE_ARRIVAL_MS ? null : answer.atMs + HANDLED_TOGETHER_MS;

/** Returns that time as `stampByAnswer` does, by an answer in any budget. */
export const stampByAnyAnswer = ({ endedAtMs }: Doubt, answer: Answer): number | null =>
  answer.admittedAtMs < endedAtMs + PART_STANDS_STILL_MS ? null : answer.atMs + HANDLED_TOGETHER_MS;

interface ProbeState {
  /** Doubts of the budget that no later answer has followed, in any order. */
  readonly doubts: readonly Doubt[];
  /** Times at which the budget's requests in flight were admitted. */
  readonly inFlight: readonly number[];
  /** Number of such requests that the budget holds. */
  readonly limit: number;
  readonly nowMs: number;
}

/**
 * Returns how long the next request has to wait while nothing answers: 0 if it may leave, null if one in
 * flight must end first. During a doubt one request at a time leaves: the first at once, the next ones after
 * a pause that doubles, so that the slots last until an answer comes.
 */
export function waitForProbe({ doubts, inFlight, limit, nowMs }: ProbeState): number | null {
  if (doubts.length === 0) return 0;
  if (inFlight.some((admittedAtMs) => admittedAtMs + LONGEST_PROBE_MS > nowMs)) return null;
  const firstEndMs = Math.min(...doubts.map(({ endedAtMs }) => endedAtMs));
  const lastEndMs = Math.max(...doubts.map(({ endedAtMs }) => endedAtMs));
  const probes = doubts.filter(({ admittedAtMs }) => admittedAtMs >= firstEndMs).length;
  if (probes === 0) return 0;
  const longestMs = Math.max(LONGEST_PAUSE_MS, LONGEST_DOUBT_MS / limit);
  const pauseMs = Math.min(longestMs, FIRST_PAUSE_MS * 2 ** Math.min(probes - 1, 30));
  return Math.max(0, Math.ceil(lastEndMs + pauseMs - nowMs));
}

/**
 * Requests that a ledger does not know, because it is new or from before a restart of the machine: all that
 * were sent until then. They count as the full limit of every budget. They have arrived once the exchange has
 * answered a later request, or after `LATE_ARRIVAL_MS`; a window later none of them counts. Requests that the
 * exchange handles after it has answered a later one are a stated limit of promise 1.
 */
export interface UnknownPast {
  readonly sinceMs: number;
  /** Time of the first answer to a request that was sent since; null before it. */
  readonly heardAtMs: number | null;
}

/** Returns the time until which a window counts as full. `windowMs` may include a margin for clocks. */
export function fullUntil({ sinceMs, heardAtMs }: UnknownPast, windowMs: number): number {
  const arrivedAtMs = sinceMs + LATE_ARRIVAL_MS;
  return windowMs + (heardAtMs === null ? arrivedAtMs : Math.min(heardAtMs, arrivedAtMs));
}

/** Returns the unknown past, updated with an answer in any budget. */
export const afterAnswer = (past: UnknownPast, { admittedAtMs, atMs }: Answer): UnknownPast =>
  past.heardAtMs === null && admittedAtMs >= past.sinceMs ? { ...past, heardAtMs: atMs } : past;

/**
 * Returns the longest wait of a request that was not admitted: while nothing was heard an answer may come at
 * any time, and a window later a slot may be free.
 */
export const longestWait = (past: UnknownPast, budget: RateLimit): number =>
  past.heardAtMs === null && hasHeadroom(budget) ? budget.windowMs + 1 : Number.POSITIVE_INFINITY;

/**
 * Returns true if a request may leave although nothing is known of the window: one for each budget, to get an
 * answer. It uses the headroom, since earlier senders stayed below the exchange's own limit by it; a budget
 * without headroom allows none. An order never qualifies.
 */
export function mayAsk(
  past: UnknownPast,
  of: {
    readonly budget: RateLimit;
    readonly requestClass: RequestClass;
    readonly weight: number;
    /** Requests of the budget whose end or arrival is not known. */
    readonly open: number;
  },
): boolean {
  const { budget, requestClass, weight, open } = of;
  const { limit, statedLimit = limit } = budget;
  return past.heardAtMs === null && open === 0 && requestClass !== 'place' && statedLimit - limit >= weight;
}

/** Returns true if the exchange's own limit is higher than the limit that is used. */
export function hasHeadroom({
  limit,
  statedLimit = limit,
}: Pick<RateLimit, 'limit' | 'statedLimit'>): boolean {
  return statedLimit > limit;
}
