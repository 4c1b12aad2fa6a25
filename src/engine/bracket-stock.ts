import { addUnits, NO_UNITS, subtractUnits, type Units } from '../domain/money.ts';
import { isFinal, type OrderRecord } from '../records/order.ts';
import { openRest } from './live-exposure.ts';
import { type AlgorithmView, countFills } from './algorithms/algorithm-step.ts';
import type { BracketAlgorithm } from './bracket.ts';
import type { Tally } from './algorithm-json.ts';

/** Amounts that a bracket has bought and sold so far, and its orders. */
export interface BracketStock {
  /** Entry order, while it has not reached its end. */
  readonly entry: OrderRecord | null;
  /** Entry order with its result, if it has reached its end and is not counted yet. */
  readonly entryEnded: OrderRecord | null;
  /** Exit orders that have not reached their end: one, or the two legs of a pair. */
  readonly exits: readonly OrderRecord[];
  /** Exit orders that reached their end since the last count. */
  readonly exitsEnded: readonly OrderRecord[];
  readonly exitTally: Tally;
  /** Amount bought so far before fees, and its cost in the quote currency. */
  readonly gross: Units;
  readonly spent: Units;
  /** Amount held: bought, less the fees and the amount sold. */
  readonly held: Units;
}

/** Returns the amount that a bracket bought, less the fees, and has not sold yet. */
export function heldOf(bracket: BracketAlgorithm, orders: readonly OrderRecord[]): Units {
  return ownStock(bracket, orders).held;
}

/**
 * Returns the part of the held amount that none of its orders sells, for example while its exit moves; the
 * next exit sells it. Zero while it is unknown if the position still exists.
 */
export function unguardedOf(bracket: BracketAlgorithm, orders: readonly OrderRecord[]): Units {
  if (bracket.unclear !== null) return NO_UNITS;
  const { held, exits } = ownStock(bracket, orders);
  const most = exits.reduce((sum, order) => {
    const rest = openRest(order);
    return rest > sum ? rest : sum;
  }, NO_UNITS);
  return held > most ? subtractUnits(held, most) : NO_UNITS;
}

/** Returns what a bracket holds, at most the position (other orders may have sold some), and its orders. */
export function stockOf(bracket: BracketAlgorithm, { orders, position }: AlgorithmView): BracketStock {
  const stock = ownStock(bracket, orders);
  return stock.held <= position ? stock : { ...stock, held: position };
}

/** Counts a bracket's orders: purchases are entries, sales are exits. */
function ownStock(bracket: BracketAlgorithm, orders: readonly OrderRecord[]): BracketStock {
  const bought = orders.find(({ side }) => side === 'buy') ?? null;
  const isCounted = bracket.entry === 'ended' || bought === null;
  const entry = isCounted || isFinal(bought) ? null : bought;
  const entryEnded = isCounted || !isFinal(bought) ? null : bought;
  const fills = isCounted ? null : bought;
  const sales = orders.filter(({ side }) => side === 'sell');
  const { tally, ended } = countFills(bracket.exits, sales);
  const counted = new Set(ended.map(({ key }) => key));
  const exits = sales.filter((order) => !isFinal(order));
  // A leg may have reached its end before the other leg of its pair: then it is not in the tally yet.
  const first = bracket.exits.countedKey;
  const since = first === null ? 0 : sales.findLastIndex(({ key }) => key === first) + 1;
  const sold = sales
    .slice(since)
    .filter(({ key }) => !counted.has(key))
    .reduce((sum, { filled }) => addUnits(sum, filled), tally.filled);
  const net = fills === null ? NO_UNITS : subtractUnits(fills.filled, fills.fee);
  return {
    entry,
    entryEnded,
    exits,
    exitsEnded: ended,
    exitTally: tally,
    gross: addUnits(bracket.gross, fills?.filled ?? NO_UNITS),
    spent: addUnits(bracket.spent, fills?.filledTotal ?? NO_UNITS),
    held: subtractUnits(addUnits(bracket.bought, net), sold),
  };
}
