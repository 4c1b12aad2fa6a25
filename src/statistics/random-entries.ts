import type { RandomSource } from '../domain/random.ts';
import { checkCount } from './check-sample.ts';
import { known, unknown, type Estimate } from './estimate.ts';
import { lack } from './english-lacks.ts';
import { inDigits } from '../language/fact.ts';

export interface RandomEntryOptions {
  /** Number of bars of the range. */
  readonly bars: number;
  /** For how many bars each trade was held, at least 1 each. */
  readonly heldBars: readonly number[];
  readonly random: RandomSource;
}

/** A position from the open of one bar to the open of another one, which may be the end of the range. */
export interface PlannedPosition {
  readonly entryBar: number;
  /** Above `entryBar`, at most the number of bars. */
  readonly exitBar: number;
}

/** More bars are no range of bars. */
const MOST_BARS = 100_000_000;

/**
 * A plan of trades with the same number, the same holding times and so the same exposure as those of a
 * strategy, at random places: the control that says whether its entries are worth more than being in the
 * market. The holding times are shuffled, and the bars without a position are split at random before, between
 * and after them, each split as likely as any other. Positions do not overlap; one may follow another at
 * once. Unknown without a trade, and where the held bars are more than there are. Throws `InvalidSample` at
 * counts that are not whole or out of range. The draw is that of k places without replacement (Knuth, "The
 * Art of Computer Programming" 2, 3.4.2, algorithm S); random entries as a control: Aronson, "Evidence-Based
 * Technical Analysis" (2006), 5.
 */
export function randomEntries(options: RandomEntryOptions): Estimate<PlannedPosition[]> {
  const { bars, heldBars, random } = options;
  checkCount(bars, 'bars', { least: 1, most: MOST_BARS });
  for (const [index, held] of heldBars.entries())
    checkCount(held, `heldBars[${index}]`, { least: 1, most: MOST_BARS });
  if (heldBars.length === 0) return unknown('no-trades', lack('lack.noTrade'));
  const exposed = heldBars.reduce((sum, held) => sum + held, 0);
  if (exposed > bars)
    return unknown('no-room', lack('lack.heldBars', { most: inDigits(bars), found: inDigits(exposed) }));
  return known(planOf(shuffled(heldBars, random), bars - exposed, random));
}

/** Takes idle bars and trades in turn: what comes next is in proportion to what is left of both. */
function planOf(heldBars: readonly number[], idleBars: number, random: RandomSource): PlannedPosition[] {
  const plan: PlannedPosition[] = [];
  let bar = 0;
  let idle = idleBars;
  for (const [index, held] of heldBars.entries()) {
    const trades = heldBars.length - index;
    while (idle > 0 && random.next() * (idle + trades) >= trades) {
      idle -= 1;
      bar += 1;
    }
    plan.push({ entryBar: bar, exitBar: bar + held });
    bar += held;
  }
  return plan;
}

function shuffled(values: readonly number[], random: RandomSource): number[] {
  const keyed = values.map((value) => ({ value, key: random.next() }));
  return keyed.toSorted((one, other) => one.key - other.key).map(({ value }) => value);
}
