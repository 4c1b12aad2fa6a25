import type { Currency } from '../domain/market-symbol.ts';
import { addUnits, NO_UNITS, subtractUnits, type Units } from '../domain/money.ts';
import { divideHalfEven } from '../domain/rounding.ts';

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
