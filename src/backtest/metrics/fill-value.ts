import { UNITS_PER_ONE, type Units } from '../../domain/money.ts';
import { divideHalfEven } from '../../domain/rounding.ts';
import type { FillRecord } from '../../execution/fill-record.ts';

/** An amount at a price in the quote currency, half-even at ten decimals. */
export function valueAt(price: Units, amount: bigint): Units {
  return divideHalfEven(price * amount, UNITS_PER_ONE) as Units;
}

/** The fee of a fill in the quote currency: that of a buy is in the source currency, and is valued at the price of the fill. */
export function feeValue({ side, fee, price }: FillRecord): Units {
  return side === 'buy' ? valueAt(price, fee) : fee;
}
