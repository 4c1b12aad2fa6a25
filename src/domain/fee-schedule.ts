import { decimalText } from './decimal-text.ts';
import { SarrafError, present } from './errors.ts';
import type { Currency } from './market-symbol.ts';
import { formatUnits, unitsOf, type Units, divideHalfEven } from './money.ts';

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
