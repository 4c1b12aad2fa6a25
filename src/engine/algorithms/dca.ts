import type { Market } from '../../domain/market.ts';
import {
  formatUnits,
  multiplyUnits,
  NO_UNITS,
  type Units,
  UNITS_PER_ONE,
  divideDown,
} from '../../domain/money.ts';
import { sentence } from '../../language/sentence.ts';
import type { Intent } from '../../strategy/intents.ts';
import { NO_SETBACKS } from './setbacks.ts';
import { refused, type Creation, NO_TALLY } from './algorithm-step.ts';
import { positiveRequestedUnits } from './requested-units.ts';
import type { AlgorithmOf } from '../algorithm-json.ts';

/**
 * Buys for a value at fixed times, the first at once. `advanceDca` follows these rules:
 *
 * - A purchase is one market order for what its value buys at the best ask. If it costs more than its value,
 *   as the price moved meanwhile, the excess is deducted from the next. An unfilled rest is not made up for.
 * - A refused purchase is tried again, three times in all.
 * - Times that passed while the bot was down are not made up for: one purchase is made for the last of them.
 * - The highest price is the highest best ask seen at the times of purchases.
 */
export type DcaAlgorithm = AlgorithmOf<'dca'>;

type DcaStep = DcaAlgorithm['steps'][number];

export type DcaIntent = Extract<Intent, { kind: 'dca' }>;

const MOST_TIMES = 100_000;
/** Shortest and longest interval between purchases: one minute and one year. */
const LEAST_EVERY_MS = 60_000;
const LONGEST_EVERY_MS = 31_536_000_000;
const MOST_STEPS = 10;
const PERCENT = 100n;

export function createDca(
  intent: DcaIntent,
  options: { readonly market: Market; readonly nowMs: number },
): Creation<DcaAlgorithm> {
  const { everyMs, times = null } = intent;
  const { market, nowMs } = options;
  if (!Number.isSafeInteger(everyMs) || everyMs < LEAST_EVERY_MS || everyMs > LONGEST_EVERY_MS)
    return refused(`expected everyMs from ${LEAST_EVERY_MS} to ${LONGEST_EVERY_MS}, was ${everyMs}`);
  if (times !== null && (!Number.isSafeInteger(times) || times < 1 || times > MOST_TIMES))
    return refused(`expected 1 to ${MOST_TIMES} times, was ${times}`);
  const value = positiveRequestedUnits(intent.value);
  if (value === null)
    return refused(sentence('positive-decimal', { field: 'value', found: String(intent.value) }));
  const steps = readSteps(intent.steps ?? []);
  if (typeof steps === 'string') return refused(steps);
  const least = steps.reduce((so, { factor }) => lesser(so, multiplyUnits(value, factor, divideDown)), value);
  if (least <= market.minOrderValue) {
    return refused(
      `expected purchases above ${formatUnits(market.minOrderValue)} ${market.quote}, the least is ${formatUnits(least)}`,
    );
  }
  const begun = { startedAtMs: nowMs, nextTime: 0, highest: null, toSpend: NO_UNITS, overspent: NO_UNITS };
  const counts = { setbacks: NO_SETBACKS, tally: NO_TALLY };
  return { ok: true, algorithm: { kind: 'dca', value, everyMs, times, steps, ...begun, ...counts } };
}

/** Returns the planned cost of a purchase at a price, by the deepest step that the price has reached. */
export function costAt({ value, steps }: DcaAlgorithm, price: Units, highest: Units): Units {
  const reached = steps.findLast(({ below }) => price * UNITS_PER_ONE <= highest * (UNITS_PER_ONE - below));
  return reached === undefined ? value : multiplyUnits(value, reached.factor, divideDown);
}

/** Returns the steps by rising distance below the highest price, or what is wrong with them. */
function readSteps(requested: NonNullable<DcaIntent['steps']>): readonly DcaStep[] | string {
  if (requested.length > MOST_STEPS) return `expected at most ${MOST_STEPS} steps, were ${requested.length}`;
  const steps: DcaStep[] = [];
  for (const { belowPercent, factor: requestedFactor } of requested) {
    const percent = positiveRequestedUnits(belowPercent);
    const factor = positiveRequestedUnits(requestedFactor);
    if (percent === null || percent >= PERCENT * UNITS_PER_ONE)
      return `expected a belowPercent above 0 and below 100, was "${String(belowPercent)}"`;
    if (factor === null) return `expected a factor above 0, was "${String(requestedFactor)}"`;
    const below = divideDown(percent, PERCENT) as Units;
    if (steps.some((step) => step.below === below))
      return `expected steps at different belowPercent, "${String(belowPercent)}" was there twice`;
    steps.push({ below, factor });
  }
  return steps.toSorted((one, other) => (one.below < other.below ? -1 : 1));
}

function lesser(one: Units, other: Units): Units {
  return one < other ? one : other;
}
