import { formatUnits } from '../../domain/money.ts';
import type { FillRecord } from '../../execution/fill-record.ts';
import type { BacktestRun } from '../backtest-run.ts';
import { numberOf } from '../metrics/statistics.ts';
import type { RoundTrip } from '../metrics/round-trips.ts';
import { tripReturn } from '../metrics/trip-statistics.ts';
import type { FinishedRun } from '../result/finish-run.ts';
import { exitLines, tripLabels, type ExitLines, type TripLabels } from './exit-lines.ts';
import { bandColumns, lockBands, memberBands, type BandColumns } from './time-bands.ts';
import { thinCandles, thinEquity, stepAt, timeGrid, type ThinCandles, type ThinEquity } from './thinning.ts';

/**
 * The most of a report's table and marks. Of more trades those with the largest profit or loss are shown, and
 * the fills of these.
 */
const MOST_TRADES = 5_000;
const MOST_FILLS = 10_000;

/**
 * What the page draws. Columns, as rows would be several times as large; whole numbers that rise are stored
 * as steps from the one before.
 */
export interface ReportData {
  readonly quote: string;
  readonly startMs: number;
  readonly stepMs: number;
  readonly isThinned: boolean;
  readonly equity: ThinEquity;
  /** What the money would be worth had it been spread over the markets and kept, at the steps of `equity`. */
  readonly hold: readonly number[];
  readonly markets: readonly { readonly name: string; readonly candles: ThinCandles }[];
  readonly fills: {
    readonly market: readonly number[];
    readonly at: readonly number[];
    /** 1 for a buy, 0 for a sell. */
    readonly isBuy: readonly number[];
    readonly price: readonly number[];
  };
  readonly trades: {
    readonly number: readonly number[];
    readonly market: readonly number[];
    readonly openedAtMs: readonly number[];
    /** How long after its opening, in ms; -1 for an open one. */
    readonly lengthMs: readonly number[];
    readonly amount: readonly string[];
    readonly entryPrice: readonly string[];
    readonly exitPrice: readonly string[];
    readonly fees: readonly number[];
    readonly profit: readonly number[];
    readonly change: readonly (number | null)[];
  } & TripLabels;
  readonly exits: ExitLines;
  /** When locks held, and when markets were in universes. */
  readonly locks: BandColumns;
  readonly members: BandColumns;
}

/** What a report draws of a run, thinned to what a screen can show. */
export function reportData({ run, trips }: FinishedRun): ReportData {
  const grid = timeGrid(run);
  const initialEquity = numberOf(run.initialEquity);
  const equity = thinEquity(run.curve, initialEquity, grid);
  const markets = run.markets.map(({ market, candles }) => ({
    name: market.symbol as string,
    candles: thinCandles(candles, grid),
  }));
  const trades = shownTrades(trips);
  const indexOf = new Map(markets.map(({ name }, index) => [name, index]));
  const fills = shownFills(run.fills, trades, indexOf).map((fill) => ({
    ...fill,
    at: stepAt(grid, fill.atMs),
  }));
  return {
    quote: run.quote,
    ...grid,
    equity: inDrawingPrecision(equity),
    hold: holdCurve({ equity, markets, initialEquity, run }),
    markets: markets.map(({ name, candles }) => ({ name, candles: inSteps(candles) })),
    fills: {
      market: fills.map(({ market }) => market),
      at: steps(fills.map(({ at }) => at)),
      isBuy: fills.map(({ isBuy }) => isBuy),
      price: fills.map(({ price }) => price),
    },
    trades: {
      number: steps(trades.map(({ number }) => number)),
      market: trades.map(({ market }) => indexOf.get(market) ?? 0),
      openedAtMs: steps(trades.map(({ openedAtMs }) => openedAtMs)),
      lengthMs: trades.map(({ closedAtMs, openedAtMs }) =>
        closedAtMs === null ? -1 : closedAtMs - openedAtMs,
      ),
      amount: trades.map(({ amount }) => formatUnits(amount)),
      entryPrice: trades.map(({ entryPrice }) => formatUnits(entryPrice)),
      exitPrice: trades.map(({ exitPrice }) => formatUnits(exitPrice)),
      fees: trades.map(({ fees }) => rounded(numberOf(fees), 8)),
      profit: trades.map(({ profit }) => rounded(numberOf(profit), 10)),
      change: trades.map((trip) => {
        const change = tripReturn(trip);
        return change === null ? null : rounded(change, 5);
      }),
      ...tripLabels(run.orders, trades),
    },
    exits: exitLines({ orders: run.orders, shown: trades, grid, endMs: run.toMs, indexOf }),
    locks: bandColumns(lockBands(run), indexOf),
    members: bandColumns(memberBands(run), indexOf),
  };
}

/** All trades, or those that mattered most where there are more than a page can hold; in their order. */
function shownTrades(trips: readonly RoundTrip[]): readonly RoundTrip[] {
  if (trips.length <= MOST_TRADES) return trips;
  const sizes = Float64Array.from(trips, ({ profit }) => Math.abs(numberOf(profit)));
  const ordered = sizes.toSorted();
  const least = ordered[trips.length - MOST_TRADES] ?? 0;
  // Of those that are all as small as the last that has a place, the first ones have it.
  let larger = trips.length;
  while (larger > 0 && (ordered[larger - 1] ?? 0) > least) larger -= 1;
  let places = MOST_TRADES - (trips.length - larger);
  return trips.filter((_, index) => {
    const size = sizes[index] ?? 0;
    if (size !== least) return size > least;
    places -= 1;
    return places >= 0;
  });
}

interface Mark {
  readonly market: number;
  readonly atMs: number;
  readonly isBuy: 0 | 1;
  readonly price: number;
}

/** All fills, or the entries and exits of the trades that are shown. */
function shownFills(
  fills: readonly FillRecord[],
  trades: readonly RoundTrip[],
  indexOf: ReadonlyMap<string, number>,
): readonly Mark[] {
  if (fills.length <= MOST_FILLS) {
    return fills.map(({ market, atMs, side, price }) => ({
      market: indexOf.get(market) ?? 0,
      atMs,
      isBuy: side === 'buy' ? 1 : 0,
      price: Number(formatUnits(price)),
    }));
  }
  return trades
    .flatMap(({ market, openedAtMs, closedAtMs, entryPrice, exitPrice }): Mark[] => {
      const index = indexOf.get(market) ?? 0;
      const entry: Mark = {
        market: index,
        atMs: openedAtMs,
        isBuy: 1,
        price: rounded(numberOf(entryPrice), 10),
      };
      if (closedAtMs === null) return [entry];
      return [entry, { market: index, atMs: closedAtMs, isBuy: 0, price: rounded(numberOf(exitPrice), 10) }];
    })
    .toSorted((left, right) => left.atMs - right.atMs);
}

/** The initial equity, spread evenly over the markets at their first prices, at each step of the equity. */
function holdCurve(options: {
  readonly equity: ThinEquity;
  readonly markets: readonly { readonly candles: ThinCandles }[];
  readonly initialEquity: number;
  readonly run: BacktestRun;
}): number[] {
  const { equity, markets, initialEquity, run } = options;
  const shares = markets.map(({ candles }, index) => ({
    candles,
    unitPrice: numberOf(run.markets[index]?.firstPrice ?? run.initialEquity) * 10 ** candles.decimals,
    next: 0,
    growth: 1,
  }));
  return equity.at.map((step) => {
    let growth = 0;
    for (const share of shares) {
      const { candles, unitPrice } = share;
      while ((candles.at[share.next] ?? Number.POSITIVE_INFINITY) <= step) {
        share.growth = (candles.close[share.next] ?? unitPrice) / unitPrice;
        share.next += 1;
      }
      growth += share.growth;
    }
    return rounded(shares.length === 0 ? initialEquity : (initialEquity * growth) / shares.length, 7);
  });
}

/** Digits that a screen can show. */
function inDrawingPrecision({ at, last, low, high, depth }: ThinEquity): ThinEquity {
  return {
    at: steps(at),
    last: toSeven(last),
    low: toSeven(low),
    high: toSeven(high),
    depth: depth.map((value) => Math.round(value * 1e5) / 1e5),
  };
}

const toSeven = (values: readonly number[]): number[] => values.map((value) => rounded(value, 7));

/** Bars as small numbers: the open by the close before, and the others by the open. */
function inSteps({ decimals, at, open, high, low, close }: ThinCandles): ThinCandles {
  const byOpen = (values: readonly number[]): number[] =>
    values.map((value, index) => value - (open[index] ?? 0));
  return {
    decimals,
    at: steps(at),
    open: open.map((value, index) => value - (close[index - 1] ?? 0)),
    high: byOpen(high),
    low: byOpen(low),
    close: byOpen(close),
  };
}

/** Each number as its distance from the one before. */
function steps(values: readonly number[]): number[] {
  return values.map((value, index) => value - (values[index - 1] ?? 0));
}

/** A number with so many digits: what a screen can show, so the last of them may be a tie's other side. */
function rounded(value: number, digits: number): number {
  if (value === 0) return 0;
  const decimals = digits - 1 - Math.floor(Math.log10(Math.abs(value)));
  const scale = 10 ** Math.abs(decimals);
  return decimals < 0 ? Math.round(value / scale) * scale : Math.round(value * scale) / scale;
}
