import { firstBarFrom, gridOfColumns, type CandleColumns } from '../../domain/candle-columns.ts';
import { present } from '../../domain/invariant.ts';
import type { RandomSource } from '../../domain/random.ts';
import { known, unknown, type Estimate, lack } from '../../statistics/estimate.ts';
import { inDigits } from '../../language/fact.ts';
import { randomEntries } from '../../statistics/trade-order-risk.ts';
import type { PastPosition, MarketPositions } from './held-positions.ts';

/** Fewer are a few decisions: where they were is told by nothing. */
const LEAST_POSITIONS = 10;

/** A purchase at the close of a bar, and the sale of all of it at that of another; ms since 1970. */
export interface PlannedEntry {
  readonly buyAtMs: number;
  /** Null where it is held to the end of the range. */
  readonly sellAtMs: number | null;
  /** Of the equity, above 0 to 1. */
  readonly share: number;
}

/** Purchases and sales in one market, in the order of time. */
export interface MarketPlan {
  readonly market: string;
  readonly entries: readonly PlannedEntry[];
}

/**
 * The same positions at random places: `randomEntries` with at least one bar between two of them, since an
 * order arrives as the next bar opens. Shares go with their holding times. The first bar can only be decided
 * on, as for any strategy. Unknown below ten positions, and where they do not fit.
 */
export function randomEntryPlan(
  held: readonly MarketPositions[],
  of: {
    readonly bars: readonly CandleColumns[];
    readonly fromMs: number | null;
    readonly random: RandomSource;
  },
): Estimate<readonly MarketPlan[]> {
  const { bars, fromMs, random } = of;
  const count = held.reduce((sum, { positions }) => sum + positions.length, 0);
  if (count < LEAST_POSITIONS)
    return unknown(
      'no-trades',
      lack('lack.positions', { least: inDigits(LEAST_POSITIONS), found: inDigits(count) }),
    );
  const plans: MarketPlan[] = [];
  for (const { market, positions } of held) {
    const columns = present(
      bars.find((one) => one.market === market),
      () => `bars of ${market}`,
    );
    const first = fromMs === null ? 0 : firstBarFrom(columns, fromMs);
    // A bar more for each position, and one more at the end, where none has to follow.
    const heldBars = positions.map((position) => position.heldBars + 1);
    const length = columns.length - first;
    const drawn = randomEntries({ bars: length, heldBars, random });
    if (drawn.kind === 'unknown') {
      const exposed = positions.reduce((sum, position) => sum + position.heldBars, 0);
      const room = { positions: inDigits(positions.length), held: inDigits(exposed), bars: inDigits(length) };
      return unknown('no-room', lack('lack.room', { ...room, market }));
    }
    const shares = sharesByLength(positions, random);
    const entries = drawn.value.map(({ entryBar, exitBar }): PlannedEntry => {
      const [enters, exits] = [first + 1 + entryBar, first + exitBar];
      const share = present(shares.get(exits - enters)?.pop(), 'a share of each holding time');
      return {
        buyAtMs: closeBefore(columns, enters),
        sellAtMs: exits === columns.length ? null : closeBefore(columns, exits),
        share,
      };
    });
    plans.push({ market, entries });
  }
  return known(plans);
}

/** Shares of the positions that were held as long, in a random order. */
function sharesByLength(
  positions: readonly PastPosition[],
  random: RandomSource,
): ReadonlyMap<number, number[]> {
  const keyed = positions.map(({ heldBars, share }) => ({ heldBars, share, key: random.next() }));
  const byLength = Map.groupBy(
    keyed.toSorted((left, right) => left.key - right.key),
    ({ heldBars }) => heldBars,
  );
  return new Map([...byLength].map(([length, some]) => [length, some.map(({ share }) => share)]));
}

/** Returns the close of the bar before one: a decision made then is carried out as that one opens. */
function closeBefore(columns: CandleColumns, bar: number): number {
  return gridOfColumns(columns).endOf(present(columns.openTimeMs[bar - 1], 'a bar before each entry'));
}
