import type { TrialMetrics, FailedReport } from '../objectives.ts';
import type { Params } from '../../search/params-of-point.ts';
import type { EquityCurve } from '../../backtest/backtest-run.ts';
import type { RoundTrip } from '../../portfolio/round-trips.ts';
import { numberOf } from '../../backtest/statistics.ts';
import { firstBarFrom, type CandleColumns, firstIndex } from '../../domain/candle-columns.ts';
import type { Units } from '../../domain/money.ts';
import { z } from 'zod';

/**
 * Kinds of costs of a backtest. Candles have no latency: an order arrives when the next bar opens, or at the
 * close just seen. On recorded books, spread and slippage are those of the books.
 */
export const COSTS = ['fees', 'spread', 'slippage', 'latency'] as const;

export type Cost = (typeof COSTS)[number];

/**
 * Additional run of a trial's params with one thing changed:
 *
 * - `again`: nothing.
 * - `costs`: some costs are doubled.
 * - `bars`: blocks of bars are redrawn.
 * - `entries`: random entries replace the strategy, with the same positions at other places.
 */
export type StressTask =
  | { readonly what: 'again'; readonly params: Params }
  | { readonly what: 'costs'; readonly params: Params; readonly doubled: readonly Cost[] }
  | { readonly what: 'bars'; readonly params: Params; readonly meanBlock: number; readonly seed: number }
  | { readonly what: 'entries'; readonly held: readonly MarketPositions[]; readonly seed: number };

export interface TradesAgain {
  /** Change of equity by each closed trade as a share (0.02 is 2 %), in the order in which they ended. */
  readonly changes: readonly number[];
  /** Positions held; null if markets are priced in several currencies. */
  readonly held: readonly MarketPositions[] | null;
}

/** Report of a run that came to its end. `trades` is null except for `again`. */
export interface RanReport {
  readonly kind: 'ran';
  readonly metrics: TrialMetrics;
  readonly trades: TradesAgain | null;
}

/** Result of one run. */
export type StressReport = RanReport | FailedReport;

/** Period in which a position was held in a market. */
export interface PastPosition {
  /** Number of bars from the one in which it began to the one in which it ended, at least 1. */
  readonly heldBars: number;
  /** Mean amount invested, as a share of the equity at its start: above 0, at most 1. */
  readonly share: number;
}

/** Positions held in one market, in the order of time. */
export interface MarketPositions {
  readonly market: string;
  readonly positions: readonly PastPosition[];
}

/**
 * Returns the positions of round trips, for each market. Trips that overlap are one position, such as a
 * purchase that two orders sold. One that is open at the end counts as held until then.
 */
export function heldPositions(
  trips: readonly RoundTrip[],
  of: {
    /** Candles of each market, up to the end of the run. */
    readonly bars: readonly CandleColumns[];
    readonly curve: Pick<EquityCurve, 'length' | 'timeMs' | 'equity'>;
    readonly initialEquity: Units;
  },
): readonly MarketPositions[] {
  const { bars, curve, initialEquity } = of;
  return bars.flatMap((columns) => {
    const spans = trips
      .filter(({ market }) => market === columns.market)
      .map((trip) => spanOf(trip, columns))
      .toSorted((left, right) => left.from - right.from || left.to - right.to);
    const positions = merged(spans).map(({ from, to, costBars, openedAtMs }): PastPosition => {
      const equity = equityAt(curve, openedAtMs) ?? numberOf(initialEquity);
      const share = costBars / (to - from) / equity;
      return { heldBars: to - from, share: Math.min(1, share) };
    });
    return positions.length === 0 ? [] : [{ market: columns.market, positions }];
  });
}

/** Range of bar indexes from the purchase up to, but without, the bar of the sale. */
interface Span {
  readonly from: number;
  readonly to: number;
  readonly openedAtMs: number;
  /** Sum of cost times number of bars. */
  readonly costBars: number;
}

function spanOf({ openedAtMs, closedAtMs, cost }: RoundTrip, columns: CandleColumns): Span {
  const from = firstBarFrom(columns, openedAtMs);
  const end = closedAtMs === null ? columns.length : firstBarFrom(columns, closedAtMs);
  const to = Math.max(from + 1, end);
  return { from, to, openedAtMs, costBars: numberOf(cost) * (to - from) };
}

function merged(spans: readonly Span[]): readonly Span[] {
  const positions: Span[] = [];
  for (const span of spans) {
    const last = positions.at(-1);
    if (last === undefined || span.from >= last.to) positions.push(span);
    else {
      const to = Math.max(last.to, span.to);
      positions[positions.length - 1] = { ...last, to, costBars: last.costBars + span.costBars };
    }
  }
  return positions;
}

/** Returns the last equity up to a time; null before the first. */
function equityAt(
  { timeMs, equity, length }: Pick<EquityCurve, 'length' | 'timeMs' | 'equity'>,
  atMs: number,
): number | null {
  const after = firstIndex(length, (index) => (timeMs[index] ?? 0) > atMs);
  return after === 0 ? null : (equity[after - 1] ?? null);
}

/** Schema of the positions that a trial held in each market, as JSON. */
export const heldSchema = z.array(
  z.strictObject({
    market: z.string(),
    positions: z.array(z.strictObject({ heldBars: z.int().positive(), share: z.number() })),
  }),
);
