import type { Currency, MarketNames } from '../domain/market-symbol.ts';
import {
  addUnits,
  NO_UNITS,
  subtractUnits,
  type Units,
  UNITS_PER_ONE,
  divideHalfEven,
} from '../domain/money.ts';

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
  return joined(left, right, addUnits);
}

export function takeMoney(left: QuoteMoney, right: QuoteMoney): QuoteMoney {
  return joined(left, right, subtractUnits);
}

/** The share `part` of `whole` of a sum, half-even in each currency. `whole` is positive. */
export function shareOfMoney(
  money: QuoteMoney,
  { part, whole }: { part: bigint; whole: bigint },
): QuoteMoney {
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

function joined(
  left: QuoteMoney,
  right: QuoteMoney,
  sumOf: (left: Units, right: Units) => Units,
): QuoteMoney {
  const sums: Record<Currency, Units> = { ...left };
  for (const currency in right) {
    sums[currency] = sumOf(partOf(left, currency), partOf(right, currency));
  }
  return sums;
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
