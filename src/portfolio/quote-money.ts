import { BRIDGE_BASE, BRIDGE_QUOTE, perQuote, type QuoteCurrency } from '../domain/market-symbol.ts';
import { addUnits, NO_UNITS, subtractUnits, type Units } from '../domain/money.ts';
import { divideHalfEven } from '../domain/rounding.ts';

/** A sum of money in both quote currencies, in units of each. Mostly one of them is zero. */
export type QuoteMoney = Readonly<Record<QuoteCurrency, Units>>;

export const NO_MONEY: QuoteMoney = perQuote(NO_UNITS, NO_UNITS);

export function moneyIn(currency: QuoteCurrency, units: Units): QuoteMoney {
  return currency === BRIDGE_QUOTE ? perQuote(units, NO_UNITS) : perQuote(NO_UNITS, units);
}

export function addMoney(left: QuoteMoney, right: QuoteMoney): QuoteMoney {
  return mapMoney((quote) => addUnits(left[quote], right[quote]));
}

export function takeMoney(left: QuoteMoney, right: QuoteMoney): QuoteMoney {
  return mapMoney((quote) => subtractUnits(left[quote], right[quote]));
}

/** The share `part` of `whole` of a sum, half-even in each currency. `whole` is positive. */
export function shareOfMoney(
  money: QuoteMoney,
  { part, whole }: { part: bigint; whole: bigint },
): QuoteMoney {
  return mapMoney((quote) => shareOf(money[quote], { part, whole }));
}

/**
 * Whether a sum is a gain (1), a loss (-1) or nothing (0); null where it is a gain in one currency and a loss
 * in the other.
 */
export function signOfMoney(money: QuoteMoney): -1 | 0 | 1 | null {
  const one = money[BRIDGE_QUOTE];
  const other = money[BRIDGE_BASE];
  if (one === 0n && other === 0n) return 0;
  if (one >= 0n && other >= 0n) return 1;
  return one <= 0n && other <= 0n ? -1 : null;
}

/** A sum that is worked out for each quote currency alone. */
function mapMoney(sumOf: (quote: QuoteCurrency) => Units): QuoteMoney {
  return perQuote(sumOf(BRIDGE_QUOTE), sumOf(BRIDGE_BASE));
}

function shareOf(units: Units, { part, whole }: { part: bigint; whole: bigint }): Units {
  return units === 0n ? units : (divideHalfEven(units * part, whole) as Units);
}
