import type { Currency } from '../domain/market-symbol.ts';
import { addUnits, NO_UNITS, type Units } from '../domain/money.ts';
import { addMoney, moneyIn, NO_MONEY, shareOfMoney, takeMoney, type QuoteMoney } from './quote-money.ts';

/** Holding of a strategy in one asset, and its cost. A value: each booking makes a new one. */
export interface Holding {
  /** Received less given, fees taken off; negative when more was given. In units of the asset. */
  readonly held: Units;
  /** Cost of the position at its average; negative if it is short: the proceeds of giving it away. */
  readonly cost: QuoteMoney;
  /**
   * Profit of the closed part of all trades: each disposal less the average cost of the amount disposed of.
   */
  readonly realised: QuoteMoney;
  /** `realised` when the round trip at hand began. */
  readonly tripBeganWith: QuoteMoney;
}

export const NO_HOLDING: Holding = {
  held: NO_UNITS,
  cost: NO_MONEY,
  realised: NO_MONEY,
  tripBeganWith: NO_MONEY,
};

/**
 * One side of a trade: how much of the asset came in (negative: went out), and what was paid for it
 * (negative: what it brought).
 */
export interface Leg {
  readonly received: Units;
  readonly paid: QuoteMoney;
}

/**
 * The holding after one side of a trade. What it adds to the position is taken in at its cost; what it takes
 * off is realised against the average cost, half-even; one that turns the position round does both, its money
 * shared by amount. The digits that a share loses go from one part to the other, so `realised` less `cost` is
 * what was received less what was paid, always.
 */
export function bookLeg(before: Holding, { received, paid }: Leg): Holding {
  const { held, cost, realised } = before;
  // All of a purchase went into its fee: paid for nothing.
  if (received === 0n) return { ...before, realised: takeMoney(realised, paid) };
  const after = addUnits(held, received);
  if (held === 0n || held > 0n === received > 0n)
    return { ...before, held: after, cost: addMoney(cost, paid) };
  const size = magnitude(held);
  const traded = magnitude(received);
  if (traded <= size) {
    const closed = shareOfMoney(cost, { part: traded, whole: size });
    const gone = takeMoney(takeMoney(realised, paid), closed);
    return { ...before, held: after, cost: takeMoney(cost, closed), realised: gone };
  }
  const paidToClose = shareOfMoney(paid, { part: size, whole: traded });
  const gone = takeMoney(takeMoney(realised, paidToClose), cost);
  return { ...before, held: after, cost: takeMoney(paid, paidToClose), realised: gone };
}

/**
 * The holding after a trade that is in it was mended, or taken out: what is held takes that at its cost, and
 * nothing is realised. Where nothing is held any more, it is.
 */
export function correctLeg(before: Holding, leg: Leg): Holding {
  const { held, cost, realised } = before;
  const after = addUnits(held, leg.received);
  if (held === 0n || (after !== 0n && after > 0n !== held > 0n)) return bookLeg(before, leg);
  const mended = addMoney(cost, leg.paid);
  if (after !== 0n) return { ...before, held: after, cost: mended };
  const gone = takeMoney(realised, mended);
  return { held: after, cost: NO_MONEY, realised: gone, tripBeganWith: gone };
}

/**
 * True if a trade of the asset ended a round trip: the position reversed, or no more than dust is left of it.
 * `leastAmount` is the smallest amount of an order: less than that is the rest of a rounded sale, and no
 * position.
 */
export function endsTrip(before: Holding, after: Holding, leastAmount: bigint): boolean {
  if (magnitude(before.held) < leastAmount) return false;
  return magnitude(after.held) < leastAmount || before.held > 0n !== after.held > 0n;
}

/** A holding of a quote currency whose cost is not known in any other yet: each unit of it cost itself. */
export function atOwnCost(currency: Currency, held: Units): Holding {
  return { ...NO_HOLDING, held, cost: moneyIn(currency, held) };
}

function magnitude(units: bigint): bigint {
  return units < 0n ? -units : units;
}
