import type { RateLimit } from '../domain/rate-limit.ts';

/**
 * The part of a budget that a plan uses up: the rest is for hastened questions and for clocks that differ.
 */
export const PLANNED_SHARE = 0.95;

/** Planned use of one budget. Rates are requests a minute. */
export interface PlannedBudget extends PlanBudget {
  readonly limitPerMinute: number;
  readonly requestsPerMinute: number;
  readonly idleRequestsPerMinute: number;
  /** For placements, cancels and looking orders up; of a reserve only the latter two get anything. */
  readonly leftPerMinute: number;
}

/** Requests of a window that polls may use. */
export function capacityOf({ limit, reserve }: PlanBudget): number {
  return Math.max(0, limit - reserve);
}

/** Requests per ms that a plan may use of a budget. */
export function plannedRate(budget: PlanBudget): number {
  return (PLANNED_SHARE * capacityOf(budget)) / budget.windowMs;
}

/** For how long a request has its slot: until its reply, for a window after that, and until the next ms. */
export function occupiedMsOf(budget: PlanBudget, replyMs: number): number {
  return budget.windowMs + replyMs + 1;
}

/**
 * Returns the longest wait of a planned request for its slot. Requests of one pace are spread evenly, so that
 * a group of them is like one of their joint pace: in the time for which a slot is occupied (the window and
 * the reply) it sends its share of `perMs` and one more. `paces` of such groups together can exceed the
 * capacity by the part that the unused share does not cover; each such request waits for a slot to be free.
 */
export function slotWaitMs(
  budget: PlanBudget,
  of: { readonly paces: number; readonly perMs: number; readonly replyMs: number },
): number {
  const capacity = capacityOf(budget);
  if (capacity === 0) return 0;
  const occupiedMs = occupiedMsOf(budget, of.replyMs);
  const sent = Math.floor(Math.min(of.perMs, plannedRate(budget)) * occupiedMs) + of.paces;
  return Math.ceil(Math.max(0, sent - capacity) * (occupiedMs / capacity));
}

/** Returns the wait for its slot of the last of requests that all come at once. */
export function burstWaitMs(
  budget: PlanBudget,
  of: { readonly requests: number; readonly replyMs: number },
): number {
  const capacity = capacityOf(budget);
  if (of.requests === 0) return 0;
  if (capacity === 0) return Infinity;
  return (Math.ceil(of.requests / capacity) - 1) * occupiedMsOf(budget, of.replyMs);
}

/** A rate limit of the plan: what it keeps for cancels and resolutions is said. */
export type PlanBudget = RateLimit & { readonly reserve: number };
