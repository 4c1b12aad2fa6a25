import type { RateLimit } from '../domain/rate-limit.ts';
import { mayUseReserve, type RequestClass } from '../domain/request-class.ts';

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
