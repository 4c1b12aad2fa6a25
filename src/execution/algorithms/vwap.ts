import type { Market } from '../../domain/market.ts';
import { addUnits, formatUnits, NO_UNITS, subtractUnits, type Units } from '../../domain/money.ts';
import { divideDown } from '../../domain/rounding.ts';
import { sentence } from '../../language/sentences/sentence.ts';
import type { DecimalInput, Intent } from '../../strategy/intents.ts';
import type { AlgorithmStep, AlgorithmView } from './algorithm-step.ts';
import { canBeOrdered, onAmountGrid } from './market-grid.ts';
import { sharedOut } from './shared-out.ts';
import { advanceSlices, begunSlices, wrongTimes, type Sliced } from './slices.ts';
import { refused, type Creation } from './step.ts';
import { positiveWishUnits, wishUnits } from './wish-units.ts';

/**
 * Trades an amount over a time in slices as large as the volume that is usual then. What is wanted of each
 * slice is fixed at the begin and adds up to the amount. A slice that is too little for an order goes into
 * the next one.
 */
export interface VwapAlgorithm extends Sliced {
  readonly kind: 'vwap';
  /** Amount of each slice, on the market's steps as they were at the beginning. */
  readonly parts: readonly Units[];
}

/** With its amount worked out. */
export type VwapIntent = Extract<Intent, { kind: 'vwap' }> & { readonly amount: DecimalInput };

export function createVwap(
  intent: VwapIntent,
  options: { readonly market: Market; readonly nowMs: number; readonly bestAsk: Units | null },
): Creation<VwapAlgorithm> {
  const { side, overMs, profile } = intent;
  const { market, nowMs, bestAsk } = options;
  const slices = profile.length;
  const wrong = wrongTimes(overMs, slices);
  if (wrong !== null) return wrong;
  const wished = positiveWishUnits(intent.amount);
  const price = intent.price === undefined ? null : positiveWishUnits(intent.price);
  if (wished === null)
    return refused(sentence('positive-decimal', { field: 'amount', found: String(intent.amount) }));
  if (intent.price !== undefined && price === null) {
    return refused(sentence('positive-decimal', { field: 'price', found: String(intent.price) }));
  }
  const weights = profile.map((weight) => wishUnits(weight));
  if (!weights.every((weight) => weight !== null) || weights.every((weight) => weight === 0n)) {
    return refused(`expected a profile of volumes from 0 on, one of them above 0, was ${profile.join(', ')}`);
  }
  const amount = onAmountGrid(market, wished);
  const parts = sharedOut(amount, weights, market.amountStep);
  const largest = parts.reduce((most, part) => (part > most ? part : most), NO_UNITS);
  const at = price ?? bestAsk;
  if (largest === 0n || (at !== null && !canBeOrdered(market, { amount: largest, price: at }))) {
    return refused(
      `expected slices above ${formatUnits(market.minOrderValue)} ${market.quote}, the largest of ${slices} is ${formatUnits(largest)} ${market.base}: take fewer`,
    );
  }
  const begun = { overMs, slices, parts, ...begunSlices(nowMs) };
  return { ok: true, algorithm: { kind: 'vwap', side, amount, price, ...begun } };
}

export function advanceVwap(before: VwapAlgorithm, view: AlgorithmView): AlgorithmStep<VwapAlgorithm> {
  return advanceSlices(before, view, { partOf, holdsSmall: true });
}

/** Its own part, the rest of the slice before, and its share of what slices before should have filled. */
function partOf(
  { amount, slices, carry, tally, parts }: VwapAlgorithm,
  slice: number,
  market: Market,
): Units {
  const left = subtractUnits(amount, tally.filled);
  if (slice >= slices - 1) return left;
  const own = parts[slice] ?? NO_UNITS;
  const planned = parts.slice(slice).reduce(addUnits, NO_UNITS);
  const missed = left - carry - planned;
  const share =
    missed <= 0n || planned === 0n ? NO_UNITS : onAmountGrid(market, divideDown(missed * own, planned));
  const part = addUnits(addUnits(carry, own), share);
  return part < left ? part : left;
}
