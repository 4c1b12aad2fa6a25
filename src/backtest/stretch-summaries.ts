import { barsBetween, cellUnits, columnScale, firstBarFrom } from '../domain/candle-columns.ts';
import { parseUnits, type Units } from '../domain/money.ts';
import type { BacktestRun, EquityCurve, TradedMarket } from './backtest-run.ts';
import { roundTrips, type RoundTrip } from './round-trips.ts';
import { valuedFills } from './valued-fills.ts';
import { summaryOf } from './finish-run.ts';
import type { BacktestSummary } from './result-schema.ts';

/** In ms since 1970. */
interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * The figures of parts of a run. A stretch has what happened after its beginning, up to its end and at it. A
 * trade is of the stretch that it ends in; one that goes on at the end is open in it. Equity at the ends is
 * that of the curve, to fifteen digits. Intents and requests are counted for a whole run
 * alone: here they are 0, and null.
 */
export function stretchSummaries(
  run: BacktestRun,
  stretches: readonly Stretch[],
): readonly BacktestSummary[] {
  const valued = valuedFills(run);
  const { trips } = roundTrips(valued.moved, valued.markets);
  return stretches.map((stretch) => {
    const isIn = (atMs: number): boolean => atMs > stretch.fromMs && atMs <= stretch.toMs;
    const part = {
      ...partOf(run, stretch),
      orders: run.orders.filter(({ plannedAtMs }) => isIn(plannedAtMs)),
      fills: run.fills.filter(({ atMs }) => isIn(atMs)),
      intents: [],
      requests: null,
    };
    return summaryOf(
      part,
      { trips: trips.flatMap((trip) => tripIn(trip, stretch)), dust: [], received: [], unmatched: [] },
      valued.traded.filter(({ atMs }) => isIn(atMs)),
    );
  });
}

function tripIn(trip: RoundTrip, { fromMs, toMs }: Stretch): readonly RoundTrip[] {
  if (trip.openedAtMs > toMs) return [];
  if (trip.closedAtMs === null || trip.closedAtMs > toMs)
    return trip.isOfMoney ? [] : [{ ...trip, isOpen: true }];
  return trip.closedAtMs > fromMs ? [trip] : [];
}

function partOf(run: BacktestRun, { fromMs, toMs }: Stretch): BacktestRun {
  const { curve } = run;
  const first = firstAfter(curve, fromMs);
  const end = firstAfter(curve, toMs);
  const at = (index: number): Units =>
    index < 0 ? run.initialEquity : parseUnits((curve.equity[index] ?? 0).toFixed(10));
  return {
    ...run,
    fromMs,
    toMs: end > first ? (curve.timeMs[end - 1] ?? toMs) : toMs,
    initialEquity: at(first - 1),
    finalEquity: at(end - 1),
    curve: {
      length: end - first,
      timeMs: curve.timeMs.subarray(first, end),
      equity: curve.equity.subarray(first, end),
      isExposed: curve.isExposed.subarray(first, end),
    },
    markets: run.markets.map((market) => marketIn(market, { fromMs, toMs })),
  };
}

/** The first point that is later than a time; the length where none is. */
function firstAfter({ timeMs, length }: EquityCurve, atMs: number): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((timeMs[middle] ?? 0) > atMs) high = middle;
    else low = middle + 1;
  }
  return low;
}

function marketIn(market: TradedMarket, { fromMs, toMs }: Stretch): TradedMarket {
  const { candles } = market;
  const scale = columnScale(candles.priceDecimals);
  const first = firstBarFrom(candles, fromMs);
  const end = firstBarFrom(candles, toMs);
  if (first >= end) return { ...market, candles: barsBetween(candles, first, first) };
  return {
    ...market,
    firstPrice: cellUnits(candles.open[first] ?? 0, scale),
    lastPrice: cellUnits(candles.close[end - 1] ?? 0, scale),
    candles: barsBetween(candles, first, end),
  };
}
