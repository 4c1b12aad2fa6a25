import type { Market } from '../../domain/market.ts';
import type { Side } from '../../domain/order.ts';
import { divideDown, divideUp } from '../../domain/rounding.ts';
import { millionthsOfBps, type BarRules } from '../bar-rules.ts';

const TWO_MILLION = 2_000_000n;

/** Costs of taking, computed once for a set of rules. */
export interface TakerCosts {
  /** Of the price, in halves of a millionth, so that half a spread is a whole number. */
  readonly priceHalfMillionths: bigint;
  /** Of the bar's high less its low. */
  readonly rangeMillionths: bigint;
}

export const NO_COSTS: TakerCosts = { priceHalfMillionths: 0n, rangeMillionths: 0n };

export function takerCostsOf({ spreadBps, slippage }: BarRules): TakerCosts {
  const slip = slippage.kind === 'bps' ? millionthsOfBps(slippage.bps) : 0;
  return {
    priceHalfMillionths: BigInt(millionthsOfBps(spreadBps) + 2 * slip),
    rangeMillionths: slippage.kind === 'range' ? BigInt(slippage.millionths) : 0n,
  };
}

/**
 * Returns the price of a taker order, in price steps: `at` and the costs, rounded to the step against the
 * order, and at least one step. It may lie beyond the bar's high or low: costs that vanish in a flat bar
 * would be none.
 */
export function takerPrice(of: {
  readonly market: Market;
  readonly side: Side;
  /** The price in the bar that it takes at, in units. */
  readonly at: bigint;
  /** The bar's high less its low, in units. */
  readonly range: bigint;
  readonly costs: TakerCosts;
}): number {
  const { market, side, at, range, costs } = of;
  const { priceHalfMillionths, rangeMillionths } = costs;
  // All of it is rounded once: halves of a unit that are rounded up one by one make a step too much where a
  // step is a unit.
  const cost = at * priceHalfMillionths + 2n * range * rangeMillionths;
  if (cost === 0n) {
    if (side === 'buy') return Number(divideUp(at, market.priceStep));
    return Math.max(1, Number(divideDown(at, market.priceStep)));
  }
  const perStep = TWO_MILLION * market.priceStep;
  if (side === 'buy') return Number(divideUp(at * TWO_MILLION + cost, perStep));
  const steps = divideDown(at * TWO_MILLION - cost, perStep);
  return steps < 1n ? 1 : Number(steps);
}
