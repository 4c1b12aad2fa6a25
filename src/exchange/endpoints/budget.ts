import { MINUTE_MS } from '../../domain/durations.ts';
import type { Budget } from '../../domain/rate-limit.ts';

/** Assumed limit where the interface states none: 30 a minute. */
const ASSUMED_LIMIT = 30;

interface Limit {
  readonly per: Budget['per'];
  readonly limit: number;
  readonly minutes?: number;
  readonly hasReserve?: boolean;
}

/**
 * A limit from the table of the interface ("Limits"), per one minute unless said otherwise. Named after the
 * path.
 */
export function budget(name: string, { per, limit, minutes = 1, hasReserve = false }: Limit): Budget {
  return { name, limit, windowMs: minutes * MINUTE_MS, per, assumed: false, hasReserve };
}

/** A limit for an endpoint about which the interface is silent. */
export function assumedBudget(name: string, per: Budget['per'], limit = ASSUMED_LIMIT): Budget {
  return { name, limit, windowMs: MINUTE_MS, per, assumed: true };
}
