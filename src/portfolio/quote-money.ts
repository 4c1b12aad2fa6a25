import type { QuoteCurrency } from '../domain/market-symbol.ts';
import { NO_UNITS, type Units } from '../domain/money.ts';
import { divideHalfEven } from '../domain/rounding.ts';

/** A sum of money in both quote currencies, in units of each. Mostly one of them is zero. */
export type QuoteMoney = Readonly<Record<QuoteCurrency, Units>>;

export const NO_MONEY: QuoteMoney = { rls: NO_UNITS, usdt: NO_UNITS };

export function moneyIn(currency: QuoteCurrency, units: bigint): QuoteMoney {
  return currency === 'rls' ? { rls: units as Units, usdt: NO_UNITS } : { rls: NO_UNITS, usdt: units as Units };
}

export function addMoney(left: QuoteMoney, right: QuoteMoney): QuoteMoney {
  return { rls: (left.rls + right.rls) as Units, usdt: (left.usdt + right.usdt) as Units };
}

export function takeMoney(left: QuoteMoney, right: QuoteMoney): QuoteMoney {
  return { rls: (left.rls - right.rls) as Units, usdt: (left.usdt - right.usdt) as Units };
}

/** The share `part` of `whole` of a sum, half-even in each currency. `whole` is positive. */
export function shareOfMoney(money: QuoteMoney, { part, whole }: { part: bigint; whole: bigint }): QuoteMoney {
  return { rls: shareOf(money.rls, { part, whole }), usdt: shareOf(money.usdt, { part, whole }) };
}

/** Whether a sum is a gain (1), a loss (-1) or nothing (0); null where it is a gain in one currency and a loss in the other. */
export function signOfMoney({ rls, usdt }: QuoteMoney): -1 | 0 | 1 | null {
  if (rls === 0n && usdt === 0n) return 0;
  if (rls >= 0n && usdt >= 0n) return 1;
  return rls <= 0n && usdt <= 0n ? -1 : null;
}

function shareOf(units: Units, { part, whole }: { part: bigint; whole: bigint }): Units {
  return (units === 0n ? units : divideHalfEven(units * part, whole)) as Units;
}
