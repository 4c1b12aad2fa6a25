import type { Budget } from '../domain/rate-limit.ts';
import { ENDPOINTS, type EndpointName } from './endpoints/index.ts';

/** Which form of the order book is asked for: that of the interface, or that of newer deployments. */
export const ORDER_BOOK_VERSIONS = ['v2', 'v3'] as const;
export type OrderBookVersion = (typeof ORDER_BOOK_VERSIONS)[number];

/** The endpoint that gives the book of one market. */
export function orderBookEndpoint(
  version: OrderBookVersion,
): Extract<EndpointName, 'orderBook' | 'orderBookV3'> {
  return version === 'v3' ? 'orderBookV3' : 'orderBook';
}

/**
 * The budget that the book of one market is counted in. All books in one call stay with the second version.
 */
export function orderBookBudget(version: OrderBookVersion): Budget['name'] {
  return ENDPOINTS[orderBookEndpoint(version)].budget.name;
}
