import type { Budget, LimitOverrides } from '../domain/rate-limit.ts';
import { SarrafError } from '../domain/errors.ts';
import { ENDPOINTS } from './endpoints.ts';

/**
 * The part of each limit that is left unused: a proxy that repeats a request, or a window that is counted
 * otherwise, must cause no lockout.
 */
export const DEFAULT_HEADROOM = 0.02;

/** Requests of a limit that may be used: rounded down, and never below one. */
function usableOf(limit: number, headroom: number): number {
  // 98 % of 50 is 49, but floating point gives a little less.
  return Math.max(1, Math.floor(limit * (1 - headroom) + 1e-9));
}

/**
 * Every budget by its name, with the limits that differ put in, less the headroom: a share of each limit from
 * 0 to below 1. With a headroom of 0 the limits are those of the exchange.
 * @throws SarrafError `INVALID_OPTIONS` for a name that no endpoint uses, or a limit that is not positive.
 */
export function budgetTable(
  overrides: LimitOverrides = {},
  headroom = DEFAULT_HEADROOM,
): ReadonlyMap<string, Budget> {
  const table = new Map<string, Budget>();
  for (const { budget } of Object.values(ENDPOINTS)) table.set(budget.name, budget);
  for (const [name, { limit, windowMs }] of Object.entries(overrides)) {
    const declared = table.get(name);
    if (declared === undefined) {
      throw new SarrafError(
        'INVALID_OPTIONS',
        `expected one of ${[...table.keys()].join(', ')} for limits, was "${name}"`,
      );
    }
    if (!Number.isInteger(limit) || limit < 1 || !Number.isInteger(windowMs) || windowMs < 1) {
      throw new SarrafError(
        'INVALID_OPTIONS',
        `expected whole positive numbers for limits.${name}, was ${limit} in ${windowMs} ms`,
      );
    }
    table.set(name, { ...declared, limit, windowMs, assumed: false });
  }
  if (!(headroom >= 0 && headroom < 1)) {
    throw new SarrafError('INVALID_OPTIONS', `expected a headroom from 0 to below 1, was ${headroom}`);
  }
  for (const budget of table.values()) {
    table.set(budget.name, { ...budget, limit: usableOf(budget.limit, headroom), statedLimit: budget.limit });
  }
  return table;
}
