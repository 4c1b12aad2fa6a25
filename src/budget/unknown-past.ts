import type { RateLimit } from '../domain/rate-limit.ts';
import type { RequestClass } from '../domain/request-class.ts';
import { LATE_ARRIVAL_MS } from './admission.ts';
import type { Answer } from './doubt.ts';

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
