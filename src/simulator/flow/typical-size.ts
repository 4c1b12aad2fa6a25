import { present } from '../../domain/invariant.ts';
import type { Currency } from '../../domain/market-symbol.ts';
import type { Market } from '../../domain/market.ts';
import { UNITS_PER_ONE } from '../../domain/money.ts';

/** Value of a level of an ordinary book if nothing else gives it: in units of the quote currency. */
const LEVEL_VALUE: Readonly<Record<Currency, number>> = { rls: 400_000_000, usdt: 800 };
/** And at least this many of the smallest order of its market. */
const LEAST_ORDERS = 60;

/**
 * The size that orders of the flow vary around, in public amount steps; a float, as a size is chosen, not
 * booked.
 */
export function typicalAmount(rules: Market, price: number): number {
  const value = Math.max(
    present(LEVEL_VALUE[rules.quote], () => `what a level is worth in ${rules.quote}`),
    (Number(rules.minOrderValue) / Number(UNITS_PER_ONE)) * LEAST_ORDERS,
  );
  return value / stepValueOf(rules, price);
}

/** The smallest amount whose value is safely above the market's minimum. */
export function leastAmount(rules: Market, price: number): number {
  const minimum = Number(rules.minOrderValue) / Number(UNITS_PER_ONE);
  return Math.floor((minimum * 1.05) / stepValueOf(rules, price)) + 1;
}

/** Value of one amount step at a price. */
function stepValueOf(rules: Market, price: number): number {
  return (price * Number(rules.stepProduct)) / Number(UNITS_PER_ONE * UNITS_PER_ONE);
}
