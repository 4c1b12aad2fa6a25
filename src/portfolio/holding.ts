import type { Currency, MarketNames } from '../domain/market-symbol.ts';
import {
  addUnits,
  NO_UNITS,
  type Units,
  subtractUnits,
  UNITS_PER_ONE,
  divideHalfEven,
} from '../domain/money.ts';
import { DAY_MS } from '../domain/time-text.ts';

/**
 * A sum of money by quote currency, in units of each. A currency without an entry has none of it. Mostly
 * there is one.
 */
export type QuoteMoney = Readonly<Record<Currency, Units>>;

export const NO_MONEY: QuoteMoney = {};

export function moneyIn(currency: Currency, units: Units): QuoteMoney {
  return { [currency]: units };
}

/** The part of a sum that is in one currency. */
export function partOf(money: QuoteMoney, currency: Currency): Units {
  return money[currency] ?? NO_UNITS;
}

export function addMoney(left: QuoteMoney, right: QuoteMoney): QuoteMoney {
  const sums: Record<Currency, Units> = { ...left };
  for (const currency in right) sums[currency] = addUnits(partOf(left, currency), partOf(right, currency));
  return sums;
}

export function subtractMoney(left: QuoteMoney, right: QuoteMoney): QuoteMoney {
  const sums: Record<Currency, Units> = { ...left };
  for (const currency in right)
    sums[currency] = subtractUnits(partOf(left, currency), partOf(right, currency));
  return sums;
}

/** The share `part` of `whole` of a sum, half-even in each currency. `whole` is positive. */
function shareOfMoney(money: QuoteMoney, { part, whole }: { part: bigint; whole: bigint }): QuoteMoney {
  const shares: Record<Currency, Units> = {};
  for (const currency in money) {
    const units = partOf(money, currency);
    shares[currency] = units === 0n ? units : (divideHalfEven(units * part, whole) as Units);
  }
  return shares;
}

/**
 * Returns the sign of a sum: a gain (1), a loss (-1) or nothing (0); null if it is a gain in one currency and
 * a loss in the other.
 */
export function signOfMoney(money: QuoteMoney): -1 | 0 | 1 | null {
  let [hasGain, hasLoss] = [false, false];
  for (const currency in money) {
    const units = partOf(money, currency);
    if (units > 0n) hasGain = true;
    else if (units < 0n) hasLoss = true;
  }
  if (hasGain) return hasLoss ? null : 1;
  return hasLoss ? -1 : 0;
}

/** The last price of a market by its symbol, in units of its quote currency; null where none is known. */
export type PriceOf = (market: string) => Units | null;

/** Basis of a valuation: the markets there may be, and their last prices. */
export interface Prices {
  readonly marketNames: MarketNames;
  readonly priceOf: PriceOf;
}

const WHOLE_SQUARED = UNITS_PER_ONE * UNITS_PER_ONE;

/**
 * The one rule by which something held is valued in a quote currency. By the market of both, where that has a
 * price; else by the asset's market in the other quote currency and the bridge; else not at all (null). So
 * the way has two markets at most. The product is rounded once, half-even at ten decimals. Nothing held is
 * worth nothing without any price.
 */
export function valueIn(
  into: Currency,
  { asset, amount }: { readonly asset: string; readonly amount: bigint },
  { marketNames, priceOf }: Prices,
): Units | null {
  if (amount === 0n || asset === into) return amount as Units;
  const { bridge, symbolIn, otherQuote } = marketNames;
  const direct = asset === bridge.quote ? null : priceOf(symbolIn(asset, into));
  if (direct !== null) return divideHalfEven(amount * direct, UNITS_PER_ONE) as Units;
  const price = priceOf(bridge.market);
  if (price === null) return null;
  if (asset === bridge.quote) return divideHalfEven(amount * UNITS_PER_ONE, price) as Units;
  const other = priceOf(symbolIn(asset, otherQuote(into)));
  if (other === null) return null;
  const product = amount * other;
  return (
    into === bridge.quote ? divideHalfEven(product * price, WHOLE_SQUARED) : divideHalfEven(product, price)
  ) as Units;
}

/** Returns the total value of several things; null if one of them has no price. */
export function valueOfAll(
  into: Currency,
  parts: Iterable<{ readonly asset: string; readonly amount: bigint }>,
  prices: Prices,
): Units | null {
  let sum: Units = NO_UNITS;
  for (const part of parts) {
    const value = valueIn(into, part, prices);
    if (value === null) return null;
    sum = addUnits(sum, value);
  }
  return sum;
}

/** The markets by which `valueIn` goes, in their order; null where it has none. */
export function pathOf(
  into: Currency,
  asset: string,
  { marketNames, priceOf }: Prices,
): readonly string[] | null {
  if (asset === into) return [];
  const { bridge, symbolIn, otherQuote } = marketNames;
  if (asset === bridge.quote) return priceOf(bridge.market) === null ? null : [bridge.market];
  const direct = symbolIn(asset, into);
  if (priceOf(direct) !== null) return [direct];
  const other = symbolIn(asset, otherQuote(into));
  return priceOf(other) === null || priceOf(bridge.market) === null ? null : [other, bridge.market];
}

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
  if (received === 0n) return { ...before, realised: subtractMoney(realised, paid) };
  const after = addUnits(held, received);
  if (held === 0n || held > 0n === received > 0n)
    return { ...before, held: after, cost: addMoney(cost, paid) };
  const size = magnitude(held);
  const traded = magnitude(received);
  if (traded <= size) {
    const closed = shareOfMoney(cost, { part: traded, whole: size });
    const gone = subtractMoney(subtractMoney(realised, paid), closed);
    return { ...before, held: after, cost: subtractMoney(cost, closed), realised: gone };
  }
  const paidToClose = shareOfMoney(paid, { part: size, whole: traded });
  const gone = subtractMoney(subtractMoney(realised, paidToClose), cost);
  return { ...before, held: after, cost: subtractMoney(paid, paidToClose), realised: gone };
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
  const gone = subtractMoney(realised, mended);
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

/** State of a result against its highest and against the start of the day. */
interface TrackMarks {
  /** The last that was known. */
  readonly result: Units;
  /** The highest that it ever was; zero at the least. */
  readonly peakResult: Units;
  /** The day of the last step, counted from 1970 in UTC, and the result with which it began. */
  readonly day: number;
  readonly dayBeganWith: Units;
  /** True if the result includes everything: false until it was known for the first time. */
  readonly hasBegun: boolean;
}

/** A result in one currency. */
export interface PnlTrack {
  readonly marks: TrackMarks;
  /**
   * Assets that are held and have no price in the currency: meanwhile the marks are those of the last time
   * that all could be valued.
   */
  readonly unvalued: readonly string[];
}

const NO_MARKS = { result: NO_UNITS, peakResult: NO_UNITS, day: 0, dayBeganWith: NO_UNITS } as const;

/** The track of a strategy that has not traded. */
export const NEW_TRACK: PnlTrack = { marks: { ...NO_MARKS, hasBegun: true }, unvalued: [] };

/** A track that is followed from its first result on, whatever that is. */
export const TRACK_TO_BEGIN: PnlTrack = { marks: { ...NO_MARKS, hasBegun: false }, unvalued: [] };

/**
 * A day begins with what the last one ended with. Days do not begin again: what comes late counts to the
 * day at hand.
 */
export function rolled(marks: TrackMarks, atMs: number): TrackMarks {
  const day = Math.floor(atMs / DAY_MS);
  return day > marks.day ? { ...marks, day, dayBeganWith: marks.result } : marks;
}

/**
 * The marks with a new result. The first one of a track that had not begun moves the marks, so that the loss
 * of the day and the fall from the highest stay what they were: what comes in by being counted for the first
 * time is neither gained nor lost.
 */
export function marksWith(marks: TrackMarks, result: Units): TrackMarks {
  if (!marks.hasBegun) {
    const lossOfDay = subtractUnits(marks.dayBeganWith, marks.result);
    const peak = addUnits(result, subtractUnits(marks.peakResult, marks.result));
    return {
      ...marks,
      result,
      dayBeganWith: addUnits(result, lossOfDay),
      peakResult: peak > 0n ? peak : NO_UNITS,
      hasBegun: true,
    };
  }
  if (result === marks.result) return marks;
  return { ...marks, result, peakResult: result > marks.peakResult ? result : marks.peakResult };
}
