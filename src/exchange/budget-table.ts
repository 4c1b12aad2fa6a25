import { SarrafError } from '../domain/errors.ts';
import type { Budget } from './endpoint.ts';
import { ENDPOINTS } from './endpoints/index.ts';

/**
 * Every budget by its name, with the limits that differ put in.
 * @throws SarrafError `INVALID_OPTIONS` for a name that no endpoint uses, or a limit that is not positive.
 */
export function budgetTable(
  overrides: Readonly<Record<string, { readonly limit: number; readonly windowMs: number }>> = {},
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
  return table;
}
