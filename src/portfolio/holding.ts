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
import { z } from 'zod';
import { storedCount, storedUnits } from '../domain/stored-json.ts';

/** A sum of money by quote currency, in units of each; mostly one. Others count as zero. */
export type QuoteMoney = Readonly<Record<Currency, Units>>;

export const NO_MONEY: QuoteMoney = {};

export function moneyIn(currency: Currency, units: Units): QuoteMoney {
  return { [currency]: units };
}

/** Returns the part of a sum in one currency. */
export const partOf = (money: QuoteMoney, currency: Currency): Units => money[currency] ?? NO_UNITS;

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

/** Returns `part` / `whole` of a sum, half-even in each currency. `whole` is positive. */
function shareOfMoney(money: QuoteMoney, { part, whole }: { part: bigint; whole: bigint }): QuoteMoney {
  const shares: Record<Currency, Units> = {};
  for (const currency in money) {
    const units = partOf(money, currency);
    shares[currency] = units === 0n ? units : (divideHalfEven(units * part, whole) as Units);
  }
  return shares;
}

/** Returns the sign of a sum: a gain (1), a loss (-1) or nothing (0); null for both in two currencies. */
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

/** Returns the last price of a market by its symbol, in units of its quote currency; null if unknown. */
export type PriceOf = (market: string) => Units | null;

/** Basis of a valuation: the possible markets, and their last prices. */
export interface Prices {
  readonly marketNames: MarketNames;
  readonly priceOf: PriceOf;
}

const WHOLE_SQUARED = UNITS_PER_ONE * UNITS_PER_ONE;

/**
 * Values an asset in a quote currency; all code uses this one rule. It goes by the market of both, if that
 * has a price; else by the asset's market in the other quote currency and the bridge, so by two markets at
 * most; else the result is null. The product is rounded once, half-even at ten decimals. An amount of zero is
 * worth zero without any price.
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

/** Returns the total value of several assets; null if one of them has no price. */
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

/** Returns the markets that `valueIn` uses, in their order; null if there is no path. */
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

/** Holding of a strategy in one asset, and its cost. It is immutable: each booking makes a new one. */
export interface Holding {
  /** Amount received less given, net of fees, in units of the asset; negative if more was given. */
  readonly held: Units;
  /** Cost of the position at its average; negative for a short one: the proceeds of the sale. */
  readonly cost: QuoteMoney;
  /** Profit of the closed part of all trades: the proceeds of each disposal less its average cost. */
  readonly realised: QuoteMoney;
  /** Value of `realised` when the current round trip began. */
  readonly tripBeganWith: QuoteMoney;
}

export const NO_HOLDING: Holding = {
  held: NO_UNITS,
  cost: NO_MONEY,
  realised: NO_MONEY,
  tripBeganWith: NO_MONEY,
};

/** One side of a trade: amount of the asset in (negative: out), and money paid for it (or received). */
export interface Leg {
  readonly received: Units;
  readonly paid: QuoteMoney;
}

/**
 * Returns the holding after one side of a trade. An amount added to the position is booked at its cost; one
 * taken off is realised against the average cost, half-even; a trade that reverses the position does both,
 * its money shared by amount. Digits lost in rounding go to the other part, so `realised` less `cost` always
 * equals the money received less paid.
 */
export function bookLeg(before: Holding, { received, paid }: Leg): Holding {
  const { held, cost, realised } = before;
  // The whole purchase went into its fee, so the money paid is lost.
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
 * Returns the holding after a booked trade was corrected or removed: the rest of the holding takes the
 * difference at its cost, and nothing is realised. If nothing is held any more, it is realised.
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
 * Returns true if a trade of the asset ended a round trip: the position reversed, or only dust of it is left.
 * `leastAmount` is the smallest amount of an order: less than that is the rest of a rounded sale, and no
 * position.
 */
export function endsTrip(before: Holding, after: Holding, leastAmount: bigint): boolean {
  if (magnitude(before.held) < leastAmount) return false;
  return magnitude(after.held) < leastAmount || before.held > 0n !== after.held > 0n;
}

/** Returns a holding of a quote currency whose cost is unknown in any other: each unit costs itself. */
export function atOwnCost(currency: Currency, held: Units): Holding {
  return { ...NO_HOLDING, held, cost: moneyIn(currency, held) };
}

const magnitude = (units: bigint): bigint => (units < 0n ? -units : units);

export const storedTrack = z.object({
  /** The last known result. */
  result: storedUnits,
  /** The highest result so far; at least zero. */
  peakResult: storedUnits,
  /** The day of the last step, in days since 1970 in UTC, and the result at its start. */
  day: storedCount,
  dayBeganWith: storedUnits,
  /** True once the result was known for the first time, with everything valued. */
  hasBegun: z.boolean(),
});

/** A result with its highest value and its value at the start of the day. */
type TrackMarks = Readonly<z.output<typeof storedTrack>>;

/** A tracked result in one currency. */
export interface PnlTrack {
  readonly marks: TrackMarks;
  /** Held assets without a price: meanwhile the marks are of the last time that all could be valued. */
  readonly unvalued: readonly string[];
}

const NO_MARKS = { result: NO_UNITS, peakResult: NO_UNITS, day: 0, dayBeganWith: NO_UNITS } as const;

/** Track of a strategy that has not traded. */
export const NEW_TRACK: PnlTrack = { marks: { ...NO_MARKS, hasBegun: true }, unvalued: [] };

/** Track that begins with its first result, whatever that is. */
export const TRACK_TO_BEGIN: PnlTrack = { marks: { ...NO_MARKS, hasBegun: false }, unvalued: [] };

/** Returns the marks at a time. A day begins with the last result before it; days never go back. */
export function rolled(marks: TrackMarks, atMs: number): TrackMarks {
  const day = Math.floor(atMs / DAY_MS);
  return day > marks.day ? { ...marks, day, dayBeganWith: marks.result } : marks;
}

/**
 * Returns the marks with a new result. The first result of a track only shifts them, so that the loss of the
 * day and the fall from the highest stay: a value that is counted for the first time is neither gain nor
 * loss.
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
