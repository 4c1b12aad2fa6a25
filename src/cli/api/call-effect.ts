import type { Endpoint } from '../../exchange/endpoint.ts';

/** What a call does at the exchange: reads, changes something of the account, or moves money or orders. */
export type CallEffect = 'reads' | 'changes' | 'moves';

/** Who may trade, withdraw or take payments does so with these calls. */
const MOVING_ACCESS: ReadonlySet<Endpoint['access']> = new Set(['TRADE', 'WITHDRAW', 'merchant']);

/**
 * Told from the declaration: what is not idempotent changes something, and moves money or orders where it needs a right to do so or names an
 * amount.
 */
export function effectOf(endpoint: Pick<Endpoint, 'idempotent' | 'access' | 'request'>): CallEffect {
  if (endpoint.idempotent) return 'reads';
  return MOVING_ACCESS.has(endpoint.access) || Object.hasOwn(endpoint.request.shape, 'amount') ? 'moves' : 'changes';
}
