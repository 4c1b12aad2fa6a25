import { LATE_ARRIVAL_MS } from './admission.ts';

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
  readonly onTheWay: readonly number[];
  readonly limit: number;
  readonly nowMs: number;
}

/**
 * Returns how long the next request has to wait because nothing answers: 0 if it may go, null if one in
 * flight must end first. While there is such a doubt one request at a time goes out: the first at once, the
 * next ones after a pause that doubles, so that the slots last until something answers.
 */
export function waitForProbe({ doubts, onTheWay, limit, nowMs }: ProbeState): number | null {
  if (doubts.length === 0) return 0;
  if (onTheWay.some((admittedAtMs) => admittedAtMs + LONGEST_PROBE_MS > nowMs)) return null;
  const firstEndMs = Math.min(...doubts.map(({ endedAtMs }) => endedAtMs));
  const lastEndMs = Math.max(...doubts.map(({ endedAtMs }) => endedAtMs));
  const probes = doubts.filter(({ admittedAtMs }) => admittedAtMs >= firstEndMs).length;
  if (probes === 0) return 0;
  const longestMs = Math.max(LONGEST_PAUSE_MS, LONGEST_DOUBT_MS / limit);
  const pauseMs = Math.min(longestMs, FIRST_PAUSE_MS * 2 ** Math.min(probes - 1, 30));
  return Math.max(0, Math.ceil(lastEndMs + pauseMs - nowMs));
}
