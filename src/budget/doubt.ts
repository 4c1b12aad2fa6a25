import { LATE_ARRIVAL_MS } from './admission.ts';
import type { RateLimit, RequestClass } from '../domain/rate-limit.ts';

/**
 * A request that ended without an answer. Where the exchange stands still it may keep such requests for as
 * long as it does, and handle all of them at once when it goes on. So its slot is not released by the clock
 * alone: an answer has to show that the exchange goes on.
 */
export interface Doubt {
  readonly admittedAtMs: number;
  /** Time at which its socket was gone, or its owner was proven dead. */
  readonly endedAtMs: number;
  /**
   * True if a request that was sent after that was answered: the exchange goes on, but this one may still be
   * in flight.
   */
  readonly isFollowed: boolean;
}

/** An answer of the exchange, and when the request that it is for was admitted. */
export interface Answer {
  readonly admittedAtMs: number;
  readonly atMs: number;
}

/**
 * An answer in another budget ends a doubt that is so old. One part of an exchange may stand still while the
 * rest goes on, but not for longer than this: promise 1 names it as its edge.
 */
export const PART_STANDS_STILL_MS = 900_000;

/** No exchange keeps a request for longer than this without handling it: the other edge of promise 1. */
export const LONGEST_DOUBT_MS = 3_600_000;

/**
 * A request on its way for so long belongs to a process that stands still. Its slot is kept, but it is no
 * probe.
 */
const LONGEST_PROBE_MS = LATE_ARRIVAL_MS;

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** Requests that were kept while the exchange stood still are handled in any order within this time. */
export const HANDLED_TOGETHER_MS = 5_000;

/**
 * Returns true if an answer to a request of the same budget shows that the exchange went on after the
 * doubtful one had ended.
 */
export function follows({ endedAtMs }: Doubt, answer: Answer): boolean {
  return answer.admittedAtMs >= endedAtMs;
}

/**
 * Until when the exchange may still count the doubtful request, as an answer to a request of the same budget
 * shows; null where it shows nothing. That one must have been sent when nothing could be on its way any more:
 * whatever was sent before may have been handled before the exchange stood still.
 */
export function stampByAnswer({ endedAtMs }: Doubt, answer: Answer): number | null {
  return answer.admittedAtMs < endedAtMs + LATE_ARRIVAL_MS ? null : answer.atMs + HANDLED_TOGETHER_MS;
}

/** The same of an answer to a request of any budget. */
export function stampByAnyAnswer({ endedAtMs }: Doubt, answer: Answer): number | null {
  return answer.admittedAtMs < endedAtMs + PART_STANDS_STILL_MS ? null : answer.atMs + HANDLED_TOGETHER_MS;
}

interface ProbeState {
  /** Those of the budget that nothing has followed, in any order. */
  readonly doubts: readonly Doubt[];
  /** Times at which the budget's requests in flight were admitted. */
  readonly inFlight: readonly number[];
  readonly limit: number;
  readonly nowMs: number;
}

/**
 * Returns how long the next request has to wait because nothing answers: 0 if it may go, null if one in
 * flight must end first. While there is such a doubt one request at a time goes out: the first at once, the
 * next ones after a pause that doubles, so that the slots last until something answers.
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
 * Requests that a ledger does not know because it was made anew, or is from before a restart of the machine:
 * whatever was sent until then. They count as the whole limit of every budget. They have arrived once the
 * exchange has answered a request that was sent later, or after `LATE_ARRIVAL_MS`; a window after that none
 * of them counts any more. What the exchange handles after it has answered a later request is an edge of
 * promise 1.
 */
export interface UnknownPast {
  readonly sinceMs: number;
  /** Time at which the first request that was sent since was answered; null while none was. */
  readonly heardAtMs: number | null;
}

/** Until when a window counts as full; a window longer than the exchange's is for the clocks. */
export function fullUntil({ sinceMs, heardAtMs }: UnknownPast, windowMs: number): number {
  const arrivedAtMs = sinceMs + LATE_ARRIVAL_MS;
  return windowMs + (heardAtMs === null ? arrivedAtMs : Math.min(heardAtMs, arrivedAtMs));
}

/** Takes in an answer of the exchange, of whichever budget. */
export function afterAnswer(past: UnknownPast, { admittedAtMs, atMs }: Answer): UnknownPast {
  return past.heardAtMs === null && admittedAtMs >= past.sinceMs ? { ...past, heardAtMs: atMs } : past;
}

/**
 * The most that somebody waits who is not admitted: while nothing was heard an answer may come at any time,
 * and a window later there may be a slot.
 */
export function longestWait(past: UnknownPast, budget: RateLimit): number {
  return past.heardAtMs === null && hasHeadroom(budget) ? budget.windowMs + 1 : Number.POSITIVE_INFINITY;
}

/**
 * Returns true if a request may leave although nothing is known of the window: one of each budget, to be
 * answered. Earlier senders stayed below the exchange's own limit by the headroom, and the request uses that;
 * so there is none without headroom. An order never qualifies.
 */
export function mayAsk(
  past: UnknownPast,
  of: {
    readonly budget: RateLimit;
    readonly requestClass: RequestClass;
    /** Requests of the budget of which the end, or the arrival, is not known. */
    readonly open: number;
  },
): boolean {
  const { budget, requestClass, open } = of;
  return past.heardAtMs === null && open === 0 && requestClass !== 'place' && hasHeadroom(budget);
}

/** Returns true if the exchange allows more than is used of a budget. */
export function hasHeadroom({
  limit,
  statedLimit = limit,
}: Pick<RateLimit, 'limit' | 'statedLimit'>): boolean {
  return statedLimit > limit;
}
