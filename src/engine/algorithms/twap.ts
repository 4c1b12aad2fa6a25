import type { Market } from '../../domain/market.ts';
import { addUnits, NO_UNITS, subtractUnits, type Units } from '../../domain/money.ts';
import { divideDown } from '../../domain/rounding.ts';
import { sentence } from '../../language/sentence.ts';
import type { DecimalInput, Intent } from '../../strategy/intents.ts';
import { canBeOrdered, onAmountGrid } from './market-grid.ts';
import type { AlgorithmStep, AlgorithmView } from './algorithm-step.ts';
import { advanceSlices, begunSlices, wrongTimes, type Sliced } from './slices.ts';
import { refused, type Creation } from './step.ts';
import { positiveWishUnits } from './wish-units.ts';

/** Trades an amount in equal slices over a time. What rounding leaves goes to the last. */
export interface TwapAlgorithm extends Sliced {
  readonly kind: 'twap';
}

/** With its amount worked out. */
export type TwapIntent = Extract<Intent, { kind: 'twap' }> & { readonly amount: DecimalInput };

export function createTwap(
  intent: TwapIntent,
  options: { readonly market: Market; readonly nowMs: number },
): Creation<TwapAlgorithm> {
  const { side, overMs, slices } = intent;
  const { market, nowMs } = options;
  const wrong = wrongTimes(overMs, slices);
  if (wrong !== null) return wrong;
  const amount = positiveWishUnits(intent.amount);
  const price = intent.price === undefined ? null : positiveWishUnits(intent.price);
  if (amount === null)
    return refused(sentence('positive-decimal', { field: 'amount', found: String(intent.amount) }));
  if (intent.price !== undefined && price === null) {
    return refused(sentence('positive-decimal', { field: 'price', found: String(intent.price) }));
  }
  const slice = onAmountGrid(market, amount / BigInt(slices));
  if (slice === 0n || (price !== null && !canBeOrdered(market, { amount: slice, price }))) {
    return refused(
      `expected slices of at least one step and above the minimum value, was an amount for fewer than ${slices}`,
    );
  }
  return {
    ok: true,
    algorithm: { kind: 'twap', side, amount, price, overMs, slices, ...begunSlices(nowMs) },
  };
}

export function advanceTwap(before: TwapAlgorithm, view: AlgorithmView): AlgorithmStep<TwapAlgorithm> {
  return advanceSlices(before, view, { partOf, holdsSmall: false });
}

/** The rest of the slice before, and an even share of what is left for this slice and those after it. */
function partOf(algorithm: TwapAlgorithm, slice: number, market: Market): Units {
  const { amount, slices, carry, tally } = algorithm;
  const left = subtractUnits(amount, tally.filled);
  if (slice >= slices - 1) return left;
  const roundingRest = amount - onAmountGrid(market, amount / BigInt(slices)) * BigInt(slices);
  const toSpread = left - carry - roundingRest;
  const share =
    toSpread <= 0n ? NO_UNITS : onAmountGrid(market, divideDown(toSpread, BigInt(slices - slice)));
  const part = addUnits(carry, share);
  return part < left ? part : left;
}
