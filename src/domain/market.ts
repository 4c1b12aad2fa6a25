import { decimalText, type DecimalText } from './decimal-text.ts';
import { present, SarrafError, tooLarge } from './errors.ts';
import type { MarketName, Currency } from './market-symbol.ts';
import {
  formatUnits,
  unitsOf,
  UNITS_PER_ONE,
  type Amount,
  type Price,
  type Units,
  divideDown,
  divideHalfEven,
  divideUp,
} from './money.ts';

/**
 * A market's names and its grid of prices and amounts. Steps are decimals of any size (`"10"` and
 * `"0.00000001"` both occur), so a grid is a step, not a count of decimals. A change while running makes a
 * new value with a higher `version`; records keep the version they were made under.
 */
export interface Market extends MarketName {
  readonly priceStep: Units;
  readonly amountStep: Units;
  /** Lower bound of an order's value in the quote currency; an order must exceed it. */
  readonly minOrderValue: Units;
  readonly version: number;
  /** Product of one price step and one amount step, in quote currency at twenty decimals. */
  readonly stepProduct: bigint;
  /** `stepProduct` at ten decimals if that is whole, which saves a division; else null. */
  readonly exactStepProduct: bigint | null;
}

export interface MarketOptions {
  readonly market: MarketName;
  readonly priceStep: string | DecimalText;
  readonly amountStep: string | DecimalText;
  readonly minOrderValue?: string;
  readonly version?: number;
}

/** Makes a market. Throws `INVALID_MARKET` for a step up to 0, `TOO_MANY_DECIMALS` beyond ten decimals. */
export function createMarket(options: MarketOptions): Market {
  const { symbol, base, quote, pair, statsKey } = options.market;
  const priceStep = unitsOf(decimalText(options.priceStep));
  const amountStep = unitsOf(decimalText(options.amountStep));
  if (priceStep <= 0n || amountStep <= 0n)
    throw new SarrafError(
      'INVALID_MARKET',
      `expected positive steps for ${symbol}, was price step "${options.priceStep}" and amount step "${options.amountStep}"`,
    );
  const stepProduct = priceStep * amountStep;
  return {
    symbol,
    base,
    quote,
    pair,
    statsKey,
    priceStep,
    amountStep,
    minOrderValue: unitsOf(decimalText(options.minOrderValue ?? '0')),
    version: options.version ?? 1,
    stepProduct,
    exactStepProduct: stepProduct % UNITS_PER_ONE === 0n ? stepProduct / UNITS_PER_ONE : null,
  };
}

function stepsOf(
  units: bigint,
  step: bigint,
  options: { readonly what: string; readonly market: Market },
): number {
  if (units % step !== 0n)
    throw new SarrafError(
      'OFF_STEP',
      `expected ${options.what} of ${options.market.symbol} in steps of ${formatUnits(step)}, was ${formatUnits(units)}`,
    );
  return safeSteps(units / step, options);
}

function safeSteps(steps: bigint, options: { readonly what: string; readonly market: Market }): number {
  if (steps > BigInt(Number.MAX_SAFE_INTEGER) || steps < -BigInt(Number.MAX_SAFE_INTEGER))
    throw tooLarge(`expected ${options.what} of ${options.market.symbol} within 2^53 steps, was ${steps}`);
  return Number(steps);
}

/** Reads a price on the grid. Throws `OFF_STEP`, `TOO_LARGE`, `TOO_MANY_DECIMALS` or `INVALID_DECIMAL`. */
export const parsePrice = (market: Market, text: string): Price =>
  stepsOf(unitsOf(decimalText(text)), market.priceStep, { what: 'a price', market }) as Price;

/** Reads an amount on the grid. Throws as `parsePrice` does. */
export const parseAmount = (market: Market, text: string): Amount =>
  stepsOf(unitsOf(decimalText(text)), market.amountStep, { what: 'an amount', market }) as Amount;

/** Returns the nearest price on the grid, ties to the even step, as the exchange does. Throws `TOO_LARGE`. */
export const roundPrice = (market: Market, units: bigint): Price =>
  safeSteps(divideHalfEven(units, market.priceStep), { what: 'a price', market }) as Price;

/** Returns the largest amount on the grid up to `units`, as the exchange rounds. Throws `TOO_LARGE`. */
export const floorAmount = (market: Market, units: bigint): Amount =>
  safeSteps(divideDown(units, market.amountStep), { what: 'an amount', market }) as Amount;

export const priceUnits = (market: Market, price: Price): Units =>
  (BigInt(price) * market.priceStep) as Units;

export const amountUnits = (market: Market, amount: Amount): Units =>
  (BigInt(amount) * market.amountStep) as Units;

export const formatPrice = (market: Market, price: Price): DecimalText =>
  formatUnits(priceUnits(market, price));

export const formatAmount = (market: Market, amount: Amount): DecimalText =>
  formatUnits(amountUnits(market, amount));

/** Returns price times amount in exact steps; fills of an order are summed in this form. */
export function stepValue(price: number, amount: number): bigint {
  const product = price * amount;
  // Most are small enough for a float, which multiplies far faster.
  return product <= Number.MAX_SAFE_INTEGER ? BigInt(product) : BigInt(price) * BigInt(amount);
}

/** Returns the value in quote units of a sum of step products, half-even. Fills are differences of it. */
export function valueHalfEven(market: Market, steps: bigint): Units {
  if (market.exactStepProduct !== null) return (steps * market.exactStepProduct) as Units;
  return divideHalfEven(steps * market.stepProduct, UNITS_PER_ONE) as Units;
}

/** Returns the value of a sum of step products, rounded up: no rounding of fills can exceed this hold. */
export function valueUp(market: Market, steps: bigint): Units {
  if (market.exactStepProduct !== null) return (steps * market.exactStepProduct) as Units;
  return divideUp(steps * market.stepProduct, UNITS_PER_ONE) as Units;
}

/**
 * Returns the smallest amount of a valid order at a price: at least one step, and worth more than the least
 * value. A smaller amount is dust, which can not be sold by itself.
 */
export function leastAmountAt(
  { amountStep, minOrderValue }: Pick<Market, 'amountStep' | 'minOrderValue'>,
  price: Units,
): Units {
  if (minOrderValue === 0n || price === 0n) return amountStep;
  const above = divideDown(minOrderValue * UNITS_PER_ONE, price) + 1n;
  return (divideUp(above, amountStep) * amountStep) as Units;
}

/** Fee rates of one market kind in millionths (2,500 is 0.25 %). */
export interface FeeRates {
  readonly maker: number;
  readonly taker: number;
}

/** Fee rates by quote currency, the kind of a market. They depend on a user's tier and can change. */
export type FeeSchedule = Readonly<Record<Currency, FeeRates>>;

/** Returns the rates of one market kind. Throws `INVARIANT` for a currency that is not in the schedule. */
export const ratesOf = (fees: FeeSchedule, quote: Currency): FeeRates =>
  present(fees[quote], () => `fee rates of markets in ${quote}`);

const MILLION = 1_000_000n;
const UNITS_PER_PERCENT_MILLIONTH = 1_000_000n;

/**
 * Returns the fee on `received`, half-even at ten decimals. It is charged in the currency received (a buy
 * pays in the base currency, a sell in the quote currency) and is not rounded to any step of the market.
 */
export const feeOf = (received: bigint, rateMillionths: number): Units =>
  divideHalfEven(received * BigInt(rateMillionths), MILLION) as Units;

/** Reads a rate in millionths from per cent such as `"0.25"`. Throws `OFF_STEP` beyond four decimals. */
export function rateOfPercent(percent: string): number {
  const units = unitsOf(decimalText(percent));
  if (units < 0n || units % UNITS_PER_PERCENT_MILLIONTH !== 0n)
    throw new SarrafError(
      'OFF_STEP',
      `expected a fee in percent with at most four decimals, such as "0.25", was "${percent}"`,
    );
  return Number(units / UNITS_PER_PERCENT_MILLIONTH);
}

/** Writes a rate in millionths as percent text: 2,500 is `"0.25"`. */
export const formatRatePercent = (rateMillionths: number): string =>
  formatUnits(BigInt(rateMillionths) * UNITS_PER_PERCENT_MILLIONTH);
