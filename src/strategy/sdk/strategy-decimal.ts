import { Decimal as Shared } from 'decimal.js';

/**
 * decimal.js for strategies, with settings of its own: what a strategy sets with `Decimal.set` rounds nobody
 * else's numbers.
 */
export const Decimal = Shared.clone();
export type Decimal = Shared;
