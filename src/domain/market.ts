import { decimalText, type DecimalText } from './decimal-text.ts';
import { SarrafError, present } from './errors.ts';
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
 * A market's identity and grid. Steps are decimals of any size (`"10"` and `"0.00000001"` both occur), so a
 * grid is a step, not a count of decimals. They can change while running: a change makes a new value with a
 * higher `version`, and records keep the version they were made under.
 */
export interface Market extends MarketName {
  readonly priceStep: Units;
  readonly amountStep: Units;
  /** Least value of an order in the quote currency; an order must exceed it. */
  readonly minOrderValue: Units;
  readonly version: number;
  /** Units of quote currency, at twenty decimals, of one price step times one amount step. */
  readonly stepProduct: bigint;
  /** The same at ten decimals when it is whole, which spares the division; else null. */
  readonly exactStepProduct: bigint | null;
}

export interface MarketOptions {
  readonly market: MarketName;
  readonly priceStep: string | DecimalText;
  readonly amountStep: string | DecimalText;
  readonly minOrderValue?: string;
  readonly version?: number;
}

/**
 * A market from its steps. Throws `INVALID_MARKET` when a step is not positive, `TOO_MANY_DECIMALS` beyond
 * ten decimals.
 */
export function createMarket(options: MarketOptions): Market {
  const { symbol, base, quote, pair, statsKey } = options.market;
  const priceStep = unitsOf(decimalText(options.priceStep));
  const amountStep = unitsOf(decimalText(options.amountStep));
  if (priceStep <= 0n || amountStep <= 0n) {
    throw new SarrafError(
      'INVALID_MARKET',
      `expected positive steps for ${symbol}, was price step "${options.priceStep}" and amount step "${options.amountStep}"`,
    );
  }
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
  if (units % step !== 0n) {
    throw new SarrafError(
      'OFF_STEP',
      `expected ${options.what} of ${options.market.symbol} in steps of ${formatUnits(step)}, was ${formatUnits(units)}`,
    );
  }
  return safeSteps(units / step, options);
}

function safeSteps(steps: bigint, options: { readonly what: string; readonly market: Market }): number {
  if (steps > BigInt(Number.MAX_SAFE_INTEGER) || steps < -BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new SarrafError(
      'TOO_LARGE',
      `expected ${options.what} of ${options.market.symbol} within 2^53 steps, was ${steps}`,
    );
  }
  return Number(steps);
}

/** A price on the grid. Throws `OFF_STEP`, `TOO_LARGE`, `TOO_MANY_DECIMALS` or `INVALID_DECIMAL`. */
export function parsePrice(market: Market, text: string): Price {
  return stepsOf(unitsOf(decimalText(text)), market.priceStep, { what: 'a price', market }) as Price;
}

/** An amount on the grid. Throws as `parsePrice` does. */
export function parseAmount(market: Market, text: string): Amount {
  return stepsOf(unitsOf(decimalText(text)), market.amountStep, { what: 'an amount', market }) as Amount;
}

/**
 * The nearest price on the grid, ties to the even step, as the exchange rounds extra digits. Throws
 * `TOO_LARGE`.
 */
export function roundPrice(market: Market, units: bigint): Price {
  return safeSteps(divideHalfEven(units, market.priceStep), { what: 'a price', market }) as Price;
}

/**
 * The largest amount on the grid that is not above `units`, as the exchange rounds extra digits. Throws
 * `TOO_LARGE`.
 */
export function floorAmount(market: Market, units: bigint): Amount {
  return safeSteps(divideDown(units, market.amountStep), { what: 'an amount', market }) as Amount;
}

export function priceUnits(market: Market, price: Price): Units {
  return (BigInt(price) * market.priceStep) as Units;
}

export function amountUnits(market: Market, amount: Amount): Units {
  return (BigInt(amount) * market.amountStep) as Units;
}

export function formatPrice(market: Market, price: Price): DecimalText {
  return formatUnits(priceUnits(market, price));
}

export function formatAmount(market: Market, amount: Amount): DecimalText {
  return formatUnits(amountUnits(market, amount));
}

/** Price times amount as a plain product of steps: exact, and what fills of one order are summed in. */
export function stepValue(price: number, amount: number): bigint {
  const product = price * amount;
  // Most are small enough for a float, which multiplies far faster.
  return product <= Number.MAX_SAFE_INTEGER ? BigInt(product) : BigInt(price) * BigInt(amount);
}

/** The value in quote units of a sum of step products, half-even. Totals of fills are differences of this. */
export function valueHalfEven(market: Market, steps: bigint): Units {
  if (market.exactStepProduct !== null) return (steps * market.exactStepProduct) as Units;
  return divideHalfEven(steps * market.stepProduct, UNITS_PER_ONE) as Units;
}

/** The same rounded up: what a buy order holds, so that no rounding of its fills can exceed it. */
export function valueUp(market: Market, steps: bigint): Units {
  if (market.exactStepProduct !== null) return (steps * market.exactStepProduct) as Units;
  return divideUp(steps * market.stepProduct, UNITS_PER_ONE) as Units;
}

/**
 * The smallest amount that can be an order at a price: one step at least, and worth more than the least
 * value. Less than that is dust, which can not be sold by itself.
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

/**
 * Fee rates by quote currency, which is the kind of a market. Rates belong to a user's tier; they can change
 * while running.
 */
export type FeeSchedule = Readonly<Record<Currency, FeeRates>>;

/** The rates of one market kind. Throws `INVARIANT` for a currency that the schedule has none of. */
export function ratesOf(fees: FeeSchedule, quote: Currency): FeeRates {
  return present(fees[quote], () => `fee rates of markets in ${quote}`);
}

const MILLION = 1_000_000n;
const UNITS_PER_PERCENT_MILLIONTH = 1_000_000n;

/**
 * The fee on `received`, half-even at ten decimals. It is charged in the currency received: a buy pays in the
 * source currency, a sell in the quote currency, and it is not rounded to any step of the market.
 */
export function feeOf(received: bigint, rateMillionths: number): Units {
  return divideHalfEven(received * BigInt(rateMillionths), MILLION) as Units;
}

/**
 * A rate in millionths from a percent text such as `"0.25"`. Throws `OFF_STEP` beyond four decimals of a
 * percent.
 */
export function rateOfPercent(percent: string): number {
  const units = unitsOf(decimalText(percent));
  if (units < 0n || units % UNITS_PER_PERCENT_MILLIONTH !== 0n) {
    throw new SarrafError(
      'OFF_STEP',
      `expected a fee in percent with at most four decimals, such as "0.25", was "${percent}"`,
    );
  }
  return Number(units / UNITS_PER_PERCENT_MILLIONTH);
}

/** The percent text of a rate in millionths: 2,500 is `"0.25"`. */
export function formatRatePercent(rateMillionths: number): string {
  return formatUnits(BigInt(rateMillionths) * UNITS_PER_PERCENT_MILLIONTH);
}
