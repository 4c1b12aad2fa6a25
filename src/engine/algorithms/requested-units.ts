import { Decimal } from 'decimal.js';
import { present } from '../../domain/errors.ts';
import {
  NO_UNITS,
  UNIT_DECIMALS,
  type Units,
  UNITS_PER_ONE,
  divideDown,
  divideHalfEven,
  divideUp,
} from '../../domain/money.ts';
import { textOfNumber } from '../../strategy/decimal-input.ts';
import type { DecimalInput } from '../../strategy/intents.ts';
import type { Market } from '../../domain/market.ts';

const PLAIN = /^(?:0|[1-9]\d{0,29})(?:\.\d{1,40})?$/;
/** Factors that convert a whole number of 0, 1, 2, … decimals to units. */
const SCALES: readonly bigint[] = Array.from({ length: UNIT_DECIMALS + 1 }, (_, decimals) => {
  return 10n ** BigInt(UNIT_DECIMALS - decimals);
});
const FLOAT_SCALES = SCALES.map(Number);

/** Code of the character 0, and code of the decimal point minus that. */
const ZERO_CODE = 48;
const POINT = -2;

/** Highest exponent of ten: it is more than all money, and bounds the work of one bad number. */
const HIGHEST_EXPONENT = 30;

/**
 * Converts a number of a strategy to units of 1e-10; digits below that are cut, as they are far below any
 * step. Returns null if it is no finite decimal or is negative.
 */
export function requestedUnits(input: DecimalInput): Units | null {
  if (typeof input === 'string') {
    const short = shortUnits(input);
    if (short >= 0) return BigInt(short) as Units;
    if (PLAIN.test(input)) return plainUnits(input);
  }
  if (typeof input === 'number') {
    const text = textOfNumber(input);
    return text === null ? null : requestedUnits(text);
  }
  if (typeof input !== 'string' && !Decimal.isDecimal(input)) return null;
  try {
    const value = new Decimal(input);
    if (value.isZero()) return NO_UNITS;
    if (!value.isFinite() || value.isNegative() || value.e > HIGHEST_EXPONENT) return null;
    return BigInt(value.toFixed(UNIT_DECIMALS, Decimal.ROUND_DOWN).replace('.', '')) as Units;
  } catch {
    return null;
  }
}

/**
 * Reads digits with at most one point between them, if a float holds the units exactly; returns -1 for
 * anything else. Quotes are read at every book, so the usual form needs no Decimal and no power of ten.
 */
function shortUnits(text: string): number {
  const { length } = text;
  let digits = 0;
  let point = -1;
  for (let index = 0; index < length; index += 1) {
    const digit = text.charCodeAt(index) - ZERO_CODE;
    if (digit >= 0 && digit <= 9) {
      if (point === -1 || index - point <= UNIT_DECIMALS) digits = digits * 10 + digit;
    } else if (digit === POINT && point === -1 && index > 0) point = index;
    else return -1;
  }
  if (length === 0 || point === length - 1) return -1;
  const decimals = point === -1 ? 0 : Math.min(length - point - 1, UNIT_DECIMALS);
  const units = digits * (FLOAT_SCALES[decimals] ?? Number.NaN);
  return units <= Number.MAX_SAFE_INTEGER ? units : -1;
}

/** Reads a plain decimal with more digits than `shortUnits` can. */
function plainUnits(text: string): Units {
  const point = text.indexOf('.');
  const decimals = point === -1 ? 0 : Math.min(text.length - point - 1, UNIT_DECIMALS);
  const digits = point === -1 ? text : text.slice(0, point) + text.slice(point + 1, point + 1 + decimals);
  return (BigInt(digits) * present(SCALES[decimals], 'at most ten decimals')) as Units;
}

/** Reads a number as `requestedUnits` does, but returns null for zero too. */
export function positiveRequestedUnits(input: DecimalInput): Units | null {
  const units = requestedUnits(input);
  return units === 0n ? null : units;
}

/** Returns the nearest price on a grid, a tie to the even step, as the engine and the exchange round it. */
export function onPriceGrid(price: bigint, priceStep: bigint): Units {
  return (divideHalfEven(price, priceStep) * priceStep) as Units;
}

/** Returns the largest amount of whole steps that is not above `amount`, which is not negative. */
export function onAmountGrid(market: Market, amount: bigint): Units {
  return (divideDown(amount, market.amountStep) * market.amountStep) as Units;
}

/** True if a fitted order remains: at least one step of each, and a value above the market's minimum. */
export function canBeOrdered(
  market: Market,
  order: { readonly amount: bigint; readonly price: bigint },
): boolean {
  if (order.amount <= 0n) return false;
  const amount = onAmountGrid(market, order.amount);
  const price = onPriceGrid(order.price, market.priceStep);
  if (amount === 0n || price === 0n) return false;
  return divideUp(amount * price, UNITS_PER_ONE) > market.minOrderValue;
}
