import type { Market } from '../../domain/market.ts';
import { formatUnits, NO_UNITS, type Units, UNITS_PER_ONE } from '../../domain/money.ts';
import type { Side } from '../../domain/order.ts';
import { divideDown } from '../../domain/rounding.ts';
import { sentence } from '../../language/sentence.ts';
import type { DecimalInput, Intent } from '../../strategy/intents.ts';
import { canBeOrdered } from './market-grid.ts';
import { NO_SETBACKS, type Setbacks } from './setbacks.ts';
import { refused, type Creation } from './step.ts';
import { NO_TALLY, type Tally } from './tally.ts';
import { positiveWishUnits, wishUnits } from './wish-units.ts';

/**
 * A limit order that follows the best price of its own side up to a bound. `advancePeg` says what is done
 * about it. One order at a time: it is canceled, its end and its fills are awaited, and what is left goes out
 * at the new price.
 */
export interface PegAlgorithm {
  readonly kind: 'peg';
  readonly side: Side;
  readonly amount: Units;
  /** The highest price of a buy, the lowest of a sale. */
  readonly bound: Units;
  /** Number of price steps behind the best price. */
  readonly offset: number;
  /** Part of the price by which it moves at least. Units of 1e-10. */
  readonly minStep: Units;
  /** The least time between two moves. */
  readonly everyMs: number;
  /** Null: until it is filled. */
  readonly expiresAtMs: number | null;
  /** The part of the budget for orders that it may use, in units of 1e-10. */
  readonly share: Units;
  /** Time of its last placement, or of the start of a move; null before. */
  readonly movedAtMs: number | null;
  /** Since when its order is known to rest; null while none is. */
  readonly restsSinceMs: number | null;
  /** True if its order is being canceled to be placed again. */
  readonly isMoving: boolean;
  readonly setbacks: Setbacks;
  readonly tally: Tally;
}

/** With its amount worked out. */
export type PegIntent = Extract<Intent, { kind: 'peg' }> & { readonly amount: DecimalInput };

/** Maximum share of the order budget for all pegs together: a half. */
const MOST_PEG_SHARE = (UNITS_PER_ONE / 2n) as Units;

const DEFAULT_SHARE = (UNITS_PER_ONE / 10n) as Units;
const DEFAULT_EVERY_MS = 10_000;
const LEAST_EVERY_MS = 1_000;
const MOST_OFFSET = 1_000;
const PERCENT = 100n;

export interface CreatePegOptions {
  readonly market: Market;
  readonly nowMs: number;
  /** Cancels and orders that the limits allow in a minute, one of each; null where nothing is counted. */
  readonly movesPerMinute: number | null;
  /** Share already used by running pegs. */
  readonly pegShares: Units;
}

export function createPeg(intent: PegIntent, options: CreatePegOptions): Creation<PegAlgorithm> {
  const { market, nowMs, movesPerMinute, pegShares } = options;
  const { side, offset = 0, everyMs: wishedEveryMs = DEFAULT_EVERY_MS, expireAfterMs } = intent;
  const amount = positiveWishUnits(intent.amount);
  const bound = positiveWishUnits(intent.bound);
  const minStep = intent.minStep === undefined ? NO_UNITS : wishUnits(intent.minStep);
  const share = intent.share === undefined ? DEFAULT_SHARE : positiveWishUnits(intent.share);
  if (amount === null)
    return refused(sentence('positive-decimal', { field: 'amount', found: String(intent.amount) }));
  if (bound === null)
    return refused(sentence('positive-decimal', { field: 'bound', found: String(intent.bound) }));
  if (minStep === null)
    return refused(`expected a minStep from 0 on, in percent, was "${String(intent.minStep)}"`);
  if (!Number.isSafeInteger(offset) || offset < 0 || offset > MOST_OFFSET)
    return refused(`expected an offset of 0 to ${MOST_OFFSET} steps, was ${offset}`);
  if (!Number.isSafeInteger(wishedEveryMs) || wishedEveryMs < LEAST_EVERY_MS)
    return refused(`expected everyMs from ${LEAST_EVERY_MS} on, was ${wishedEveryMs}`);
  if (share === null || share > MOST_PEG_SHARE - pegShares) {
    const left = formatUnits(MOST_PEG_SHARE - pegShares);
    return refused(
      `expected a share of at most ${left}, which other pegs leave of ${formatUnits(MOST_PEG_SHARE)}, was ${String(intent.share ?? formatUnits(DEFAULT_SHARE))}`,
    );
  }
  if (!canBeOrdered(market, { amount, price: bound })) {
    return refused(
      `expected more than ${formatUnits(market.minOrderValue)} ${market.quote} at the bound of ${formatUnits(bound)}, was ${formatUnits(amount)} ${market.base}`,
    );
  }
  const everyMs = Math.max(wishedEveryMs, pauseOf(share, movesPerMinute));
  const expiresAtMs = expireAfterMs === undefined ? null : nowMs + expireAfterMs;
  const begun = {
    movedAtMs: null,
    restsSinceMs: null,
    isMoving: false,
    setbacks: NO_SETBACKS,
    tally: NO_TALLY,
  };
  const terms = { amount, bound, offset, minStep: divideDown(minStep, PERCENT) as Units, everyMs, share };
  return { ok: true, algorithm: { kind: 'peg', side, ...terms, expiresAtMs, ...begun } };
}

/** The least time between two moves that a share of the budget leaves. */
function pauseOf(share: Units, movesPerMinute: number | null): number {
  if (movesPerMinute === null) return 0;
  return Math.ceil((60_000 * Number(UNITS_PER_ONE)) / (Number(share) * movesPerMinute));
}
