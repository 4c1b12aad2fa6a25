import { addUnits, NO_UNITS, subtractUnits, type Units } from '../domain/money.ts';
import { isFinal, type OrderRecord } from '../records/order.ts';
import { openRest } from './live-exposure.ts';
import { type AlgorithmView, countFills, type Tally } from './algorithms/algorithm-step.ts';
import type { BracketAlgorithm } from './bracket.ts';

/** State of a bracket and its orders. */
export interface BracketStock {
  /** The entry order while it is not at its end. */
  readonly entry: OrderRecord | null;
  /** Entry order with its outcome, if it has just ended. */
  readonly entryEnded: OrderRecord | null;
  /** Exit orders that are not at their end: one, or the legs of a pair. */
  readonly exits: readonly OrderRecord[];
  /** Exit orders that ended since the last time. */
  readonly exitsEnded: readonly OrderRecord[];
  readonly exitTally: Tally;
  /** All that was bought so far, before the fee, and what it cost. */
  readonly gross: Units;
  readonly spent: Units;
  /** Amount held: bought net of the fee, less the amount sold. */
  readonly held: Units;
}

/** Returns the amount a bracket has bought, net of the fee, and not sold yet. */
export function heldOf(bracket: BracketAlgorithm, orders: readonly OrderRecord[]): Units {
  return ownStock(bracket, orders).held;
}

/**
 * Returns the part of the held amount that none of its orders sells, for example while its exit moves: the
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

/** The same with what else there is of the position: something else of the strategy may have sold of it. */
export function stockOf(bracket: BracketAlgorithm, { orders, position }: AlgorithmView): BracketStock {
  const stock = ownStock(bracket, orders);
  return stock.held <= position ? stock : { ...stock, held: position };
}

/** Counts a bracket's orders: entries are purchases, exits are sales. */
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
  // The other leg of a pair may have ended behind one that has not: it is not in the tally yet.
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
