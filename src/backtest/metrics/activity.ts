import { UNITS_PER_ONE, NO_UNITS, type Units, divideHalfEven } from '../../domain/money.ts';
import type { FillRecord } from '../../records/fill.ts';
import { meanOfColumn, numberOf, quotient, type Statistic } from '../statistics.ts';

/** An amount at a price in the quote currency, half-even at ten decimals. */
export function valueAt(price: Units, amount: bigint): Units {
  return divideHalfEven(price * amount, UNITS_PER_ONE) as Units;
}

/**
 * The fee of a fill in the quote currency: that of a buy is in the base currency, and is valued at the price
 * of the fill.
 */
export function feeValue({ side, fee, price }: FillRecord): Units {
  return side === 'buy' ? valueAt(price, fee) : fee;
}

/** The share of the moments at which a position was held, 0 to 1. Null without any. */
export function exposure(isExposed: Uint8Array): Statistic {
  let exposed = 0;
  for (let index = 0; index < isExposed.length; index += 1) exposed += isExposed[index] ?? 0;
  return quotient(exposed, isExposed.length);
}

/** The value of all fills, buys and sells, before fees. Exact. */
export function tradedValue(fills: readonly FillRecord[]): Units {
  return fills.reduce((sum, { total }) => sum + total, NO_UNITS as bigint) as Units;
}

/** All fees in the quote currency, each rounded to ten decimals. */
export function feesPaid(fills: readonly FillRecord[]): Units {
  return fills.reduce((sum, fill) => sum + feeValue(fill), NO_UNITS as bigint) as Units;
}

/**
 * Returns how often the mean equity was traded in the run: `value of all fills / mean(equity)`. Buying and
 * selling everything once is about 2.
 */
export function turnover(traded: Units, equity: Float64Array): Statistic {
  const average = meanOfColumn(equity);
  return average === null || average <= 0 ? null : quotient(numberOf(traded), average);
}
