import { DAY_MS } from '../../domain/durations.ts';
import { fractionDigits, tryDecimalText, type DecimalText } from '../../domain/decimal-text.ts';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import { UNIT_DECIMALS, unitsOf } from '../../domain/money.ts';
import { divideDown, divideHalfEven } from '../../domain/rounding.ts';
import type { SimulatedExchange } from '../../simulator/exchange.ts';
import type { WireInput } from './handler.ts';

/**
 * A number of a JSON body as it was written, where a float might change it: `0.1`, `1e20`. It is no text: a
 * field that takes only text does not take it, however it reads.
 */
export class BareNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/**
 * A number of a JSON body from its float and its own text: a number where it is a whole one that a float
 * holds, as `1.0` is.
 */
export function bareNumber(float: number, text: string): number | BareNumber {
  return Number.isSafeInteger(float) && tryDecimalText(text) === String(float) ? float : new BareNumber(text);
}

/** A field as text; null when it is missing, empty, or neither text nor number. */
export function textInput(input: WireInput, name: string): string | null {
  const value = input[name];
  if (typeof value === 'string') return value === '' ? null : value;
  return typeof value === 'number' || value instanceof BareNumber ? String(value) : null;
}

/** A decimal in units; null when it is finer than the books keep. */
export function tryUnits(decimal: DecimalText): bigint | null {
  return fractionDigits(decimal) > UNIT_DECIMALS ? null : unitsOf(decimal);
}

/** A decimal as a whole number over ten to some power, and the step over the same. */
function scaled(text: DecimalText, step: bigint): { readonly value: bigint; readonly step: bigint } {
  const digits = fractionDigits(text);
  if (digits <= UNIT_DECIMALS) return { value: unitsOf(text), step };
  return { value: BigInt(text.replace('.', '')), step: step * 10n ** BigInt(digits - UNIT_DECIMALS) };
}

function decimalField(input: WireInput, name: string): DecimalText | null | undefined {
  const value = input[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (value instanceof BareNumber) return tryDecimalText(value.text);
  return typeof value === 'string' || typeof value === 'number' ? tryDecimalText(value) : null;
}

/**
 * A price in steps, digits beyond the step rounded half-even. Null when it did not come; NaN when it is no
 * decimal. Beyond 2^53 steps it is no safe integer, which the exchange refuses as a price.
 */
export function priceStepsField(input: WireInput, name: string, priceStep: bigint): number | null {
  const text = decimalField(input, name);
  if (text === undefined) return null;
  if (text === null) return Number.NaN;
  const { value, step } = scaled(text, priceStep);
  return Number(divideHalfEven(value, step));
}

/** An amount in steps, digits beyond the step cut off. NaN when it did not come or is no decimal. */
export function amountStepsField(input: WireInput, name: string, amountStep: bigint): number {
  const text = decimalField(input, name);
  if (text === undefined || text === null) return Number.NaN;
  const { value, step } = scaled(text, amountStep);
  return Number(divideDown(value, step));
}

/**
 * The bounds of the time filters `from` and `to`: days as YYYY-MM-DD, both included, UTC. The 29th of
 * February of a common year is the 1st of March.
 */
export function dayRange(days: { readonly from?: string | undefined; readonly to?: string | undefined }): {
  readonly fromMs: number;
  readonly beforeMs: number;
} {
  return {
    fromMs: days.from === undefined ? Number.NEGATIVE_INFINITY : dayStartMs(days.from),
    beforeMs: days.to === undefined ? Number.POSITIVE_INFINITY : dayStartMs(days.to) + DAY_MS,
  };
}

function dayStartMs(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}

/** True if the exchange has a currency (lower case): as a side of one of its markets, or in its settings. */
export function isKnownCurrency(exchange: SimulatedExchange, currency: string): boolean {
  if (currency === 'rls' || currency === 'usdt' || exchange.services.hasCurrency(currency)) return true;
  const upper = currency.toUpperCase();
  return (
    exchange.markets.has(`${upper}IRT` as MarketSymbol) ||
    exchange.markets.has(`${upper}USDT` as MarketSymbol)
  );
}
