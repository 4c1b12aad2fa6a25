import { parsedJson } from '../../domain/stored-json.ts';
import { formatUnits, UNITS_PER_ONE, type Units } from '../../domain/money.ts';
import { divideHalfEven } from '../../domain/rounding.ts';
import { storedAlgorithm } from '../../execution/algorithms/algorithm-json.ts';
import { priceAbove, priceBelow, type LevelOrigin } from '../../execution/algorithms/exit-level.ts';
import type { BracketItem } from '../schema/market.ts';

/**
 * Returns the drawn data of a bracket at work; null for any other algorithm, and for one that cannot be read.
 */
export function bracketIn(json: string): Omit<BracketItem, 'intentId' | 'strategy'> | null {
  const read = storedAlgorithm.safeParse(parsedJson(json));
  if (!read.success || read.data.algorithm.kind !== 'bracket') return null;
  const { terms, entry, gross, spent, raisedStop } = read.data.algorithm;
  const from = originOf({ gross, spent, entry: terms.entry });
  const stop =
    raisedStop ?? (terms.stopLoss === null || from === null ? null : priceBelow(terms.stopLoss, from));
  const profit = terms.takeProfit === null || from === null ? null : priceAbove(terms.takeProfit, from);
  return {
    side: 'buy',
    stop: stop === null || stop <= 0n ? null : formatUnits(stop),
    takeProfits: profit === null ? [] : [formatUnits(profit)],
    state: entry,
  };
}

/** Returns the base of its levels: the price it paid, or will pay; null while unknown. */
function originOf(of: {
  readonly gross: Units;
  readonly spent: Units;
  readonly entry: { readonly amount: Units; readonly price: Units | null } | null;
}): LevelOrigin | null {
  const { gross, spent, entry } = of;
  // Before the fee, as the exit itself: else a second line would stand beside that of each order.
  if (gross > 0n) return { price: divideHalfEven(spent * UNITS_PER_ONE, gross) as Units, amount: gross };
  return entry === null || entry.price === null || entry.amount <= 0n
    ? null
    : { price: entry.price, amount: entry.amount };
}
