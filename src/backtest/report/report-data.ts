import { formatUnits, type Units } from '../../domain/money.ts';
import type { FillRecord } from '../../records/fill.ts';
import { numberOf } from '../statistics.ts';
import { groupTripsBy, TRIP_GROUPS, type LabelledTrip, type RoundTrip } from '../../portfolio/round-trips.ts';
import { tripReturn } from '../metrics/run-metrics.ts';
import type { FinishedRun } from '../finish-run.ts';
import {
  distancesOf,
  numberColumn,
  roundedTo,
  type CandleSteps,
  type EquityColumns,
  type ExitLines,
  type ProfitKind,
  type ReportData,
  type TripLabels,
  type PlotColumns,
  type BandColumns,
} from '../../page/run-data.ts';
import { reportVoice, type ReportVoice } from '../report-voice.ts';
import {
  thinCandles,
  thinEquity,
  stepAt,
  timeGrid,
  type ThinCandles,
  type ThinEquity,
  type TimeGrid,
} from './thinning.ts';
import { present } from '../../domain/errors.ts';
import type { OrderRecord } from '../../records/order.ts';
import { type BacktestRun, MOST_VALUES, type PlottedSeries } from '../backtest-run.ts';
import type { LockRecord } from '../../engine/lock.ts';
import type { MemberRecord } from '../../engine/universe-manager.ts';
import type { LockScope } from '../../engine/lock.ts';

/**
 * Maximum number of trades and fills of a report. With more trades, those with the largest profit or loss are
 * shown, and their fills.
 */
const MOST_TRADES = 5_000;
const MOST_FILLS = 10_000;

/** Digits of a drawdown, so that a hundredth of a percent can be read. */
const DEPTH_DIGITS = 5;

const VOLUME_DIGITS = 3;

/** Clocks and calendars of reports: English has UTC. */
const CLOCKS = {
  en: { isUtc: true, calendar: 'gregorian' },
  fa: { isUtc: false, calendar: 'jalali' },
} as const;

/** Returns what a report draws of a run, thinned to what a screen can show. */
export function reportData({ run, trips }: FinishedRun, voice = reportVoice('en')): ReportData {
  const grid = timeGrid(run);
  const initialEquity = numberOf(run.initialEquity);
  const markets = run.markets.map(({ market, firstPrice, candles }) => ({
    name: market.symbol as string,
    base: market.base,
    quote: market.quote,
    firstPrice: numberOf(firstPrice),
    candles: inSteps(thinCandles(candles, grid)),
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
    initialEquity,
    equity: equityColumns(thinEquity(run.curve, initialEquity, grid), grid.isThinned),
    markets,
    plots: plotColumns(run, { grid, indexOf }),
    fills: {
      market: fills.map(({ market }) => market),
      at: distancesOf(fills.map(({ at }) => at)),
      isBuy: fills.map(({ isBuy }) => isBuy),
      price: fills.map(({ price }) => price),
    },
    trades: {
      number: distancesOf(trades.map(({ number }) => number)),
      market: trades.map(({ market }) => indexOf.get(market) ?? 0),
      openedAtMs: distancesOf(trades.map(({ openedAtMs }) => openedAtMs)),
      lengthMs: trades.map(({ closedAtMs, openedAtMs }) =>
        closedAtMs === null ? -1 : closedAtMs - openedAtMs,
      ),
      amount: trades.map(({ amount }) => formatUnits(amount)),
      entryPrice: trades.map(({ entryPrice }) => formatUnits(entryPrice)),
      exitPrice: trades.map(({ exitPrice }) => formatUnits(exitPrice)),
      fees: trades.map(({ fees }) => roundedTo(numberOf(fees), 8)),
      profit: trades.map(({ profit }) => roundedTo(numberOf(profit), 10)),
      change: trades.map((trip) => {
        const change = tripReturn(trip);
        return change === null ? null : roundedTo(change, 5);
      }),
      ...tripLabels(trades),
    },
    profits: Object.fromEntries(
      TRIP_GROUPS.map((by) => [by, groupTripsBy(trips, by, CLOCKS[voice.language])]),
    ) as Readonly<Record<ProfitKind, ReturnType<typeof groupTripsBy>>>,
    exits: exitLines(run.orders, trades, grid, run.toMs, indexOf),
    locks: bandColumns(lockBands(run, voice), indexOf),
    members: bandColumns(memberBands(run, voice), indexOf),
  };
}

/** Returns all trades in their order; if a page cannot hold all, those with the largest profit or loss. */
function shownTrades(trips: readonly LabelledTrip[]): readonly LabelledTrip[] {
  if (trips.length <= MOST_TRADES) return trips;
  const sizes = Float64Array.from(trips, ({ profit }) => Math.abs(numberOf(profit)));
  const ordered = sizes.toSorted();
  const least = ordered[trips.length - MOST_TRADES] ?? 0;
  // Of trades that are as small as the last shown one, the first ones are shown.
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

/** Returns all fills; if there are too many, the entries and exits of the shown trades. */
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
        price: roundedTo(numberOf(entryPrice), 10),
      };
      if (closedAtMs === null) return [entry];
      return [
        entry,
        { market: index, atMs: closedAtMs, isBuy: 0, price: roundedTo(numberOf(exitPrice), 10) },
      ];
    })
    .toSorted((left, right) => left.atMs - right.atMs);
}

function equityColumns({ at, last, low, high, depth }: ThinEquity, isThinned: boolean): EquityColumns {
  return {
    at: distancesOf(at),
    last: numberColumn(last),
    low: isThinned ? numberColumn(low) : null,
    high: isThinned ? numberColumn(high) : null,
    depth: numberColumn(depth, DEPTH_DIGITS),
  };
}

/** Converts bars into small numbers: the open less the close before, the other values less the open. */
function inSteps({ decimals, at, open, high, low, close, volume }: ThinCandles): CandleSteps {
  const byOpen = (values: readonly number[]): number[] =>
    values.map((value, index) => value - (open[index] ?? 0));
  return {
    decimals,
    at: distancesOf(at),
    open: open.map((value, index) => value - (close[index - 1] ?? 0)),
    high: byOpen(high),
    low: byOpen(low),
    close: byOpen(close),
    volume: volume.map((value) => roundedTo(value, VOLUME_DIGITS)),
  };
}

/** Maximum number of exit lines on a page. With more, the first ones of the shown trades are drawn. */
const MOST_LINES = 10_000;

/** Returns the lines of all exits that rested at the exchange. */
function exitLines(
  orders: readonly OrderRecord[],
  shown: readonly RoundTrip[],
  grid: TimeGrid,
  endMs: number,
  indexOf: ReadonlyMap<string, number>,
): ExitLines {
  const chosen = exitsToShow(orders, shown);
  const last = new Map<string, number>();
  const lines = chosen.map((order, index) => {
    const isTarget = order.exit === 'take-profit';
    const name = `${order.intentId} ${isTarget}`;
    const before = last.get(name) ?? -1;
    last.set(name, index);
    const from = stepAt(grid, order.sentAtMs ?? order.plannedAtMs);
    return {
      market: indexOf.get(order.market) ?? 0,
      from,
      to: Math.max(from, stepAt(grid, endOf(order, endMs))),
      isTarget: isTarget ? 1 : 0,
      price: Number(formatUnits(linePrice(order))),
      before,
    };
  });
  return {
    market: lines.map(({ market }) => market),
    from: lines.map(({ from }) => from),
    to: lines.map(({ to }) => to),
    isTarget: lines.map(({ isTarget }) => isTarget),
    price: lines.map(({ price }) => price),
    before: lines.map(({ before }) => before),
  };
}

/**
 * Returns the end of a line in ms. The line of a filled order reaches its fill; that of a canceled order ends
 * before the step in which its successor begins.
 */
function endOf({ state, closedAtMs }: OrderRecord, endMs: number): number {
  if (closedAtMs === null) return endMs - 1;
  return state === 'filled' ? closedAtMs : closedAtMs - 1;
}

/** Returns the price at which an exit waits: that of a limit order, or the trigger price of a stop. */
function linePrice({ exit, price, stopPrice }: OrderRecord): Units {
  const wanted = exit === 'take-profit' ? price : stopPrice;
  return present(wanted, 'the price of an exit that rests');
}

function exitsToShow(orders: readonly OrderRecord[], shown: readonly RoundTrip[]): readonly OrderRecord[] {
  const rested = orders.filter(
    ({ exit, price, stopPrice, venueId }) =>
      exit !== null && venueId !== null && (exit === 'take-profit' ? price : stopPrice) !== null,
  );
  if (rested.length <= MOST_LINES) return rested;
  const keys = new Set(shown.map(({ exitOrder }) => exitOrder));
  const intents = new Set(rested.flatMap(({ key, intentId }) => (keys.has(key) ? [intentId] : [])));
  return rested.filter(({ intentId }) => intents.has(intentId)).slice(0, MOST_LINES);
}

function tripLabels(shown: readonly LabelledTrip[]): TripLabels {
  return {
    exit: shown.map(({ exit }) => exit ?? ''),
    tag: shown.map(({ entryTag }) => entryTag ?? ''),
    strategy:
      new Set(shown.map(({ strategy }) => strategy)).size < 2
        ? []
        : shown.map(({ strategy }) => strategy ?? ''),
  };
}

/**
 * Returns the plotted series of strategies for a page. If the run has several strategies, the name of a
 * series includes its strategy.
 */
function plotColumns(
  { plots, strategies }: Pick<BacktestRun, 'plots' | 'strategies'>,
  { grid, indexOf }: { readonly grid: TimeGrid; readonly indexOf: ReadonlyMap<string, number> },
): readonly PlotColumns[] {
  return plots.flatMap((series) => {
    const market = indexOf.get(series.market);
    if (market === undefined) return [];
    const { strategy, pane, style, color } = series;
    const name = strategies.length > 1 ? `${strategy}: ${series.name}` : series.name;
    const points = lastOfSteps(series, grid);
    const values = points.map(([, value]) => value);
    return {
      market,
      name,
      pane,
      style,
      color,
      at: distancesOf(points.map(([step]) => step)),
      values: numberColumn(values.map((value) => (Number.isNaN(value) ? 0 : value))),
      gaps: values.flatMap((value, index) => (Number.isNaN(value) ? [index] : [])),
    };
  });
}

function lastOfSteps(
  { length, atMs, value }: PlottedSeries,
  grid: TimeGrid,
): readonly (readonly [step: number, value: number])[] {
  const steps = new Map<number, number>();
  let isRising = true;
  let last = 0;
  for (let index = 0; index < length; index += 1) {
    // A value that is plotted as a bar closes belongs to that bar.
    const step = Math.max(0, stepAt(grid, (atMs[index] ?? 0) - 1));
    isRising &&= step >= last;
    last = step;
    steps.set(step, value[index] ?? 0);
  }
  const points = [...steps];
  return isRising ? points : points.toSorted(([left], [right]) => left - right);
}

/** Returns the note about series whose values were thinned; empty if there are none. */
export function thinnedPlots(
  { plots }: Pick<BacktestRun, 'plots'>,
  { t, count, digits }: ReportVoice,
): string {
  const thinned = plots.filter(({ every }) => every > 1);
  if (thinned.length === 0) return '';
  const which = thinned
    .map(({ name, every }) => t('charts.oneOf', { name, every: digits(String(every)) }))
    .join(', ');
  return t('charts.thinnedPlots', { most: count(MOST_VALUES), which });
}

/** Maximum number of bands of each kind on a page. With more, the longest are drawn and the page says so. */
const MOST_BANDS = 5_000;

/** Band in a chart: a range of time in one market, or in all. */
interface TimeBand {
  /** Market of the band; null: all markets. */
  readonly market: string | null;
  readonly fromMs: number;
  /** End of the band in ms, excluded. */
  readonly untilMs: number;
  /** Short name: the lock, or the strategy and its universe. */
  readonly name: string;
  readonly text: string;
}

/** Returns a band for each lock. */
export function lockBands(
  { locks, toMs }: Pick<BacktestRun, 'locks' | 'toMs'>,
  voice = reportVoice('en'),
): readonly TimeBand[] {
  const { t, foreign, words } = voice;
  return locks.records.map((record) => ({
    market: record.lock.market,
    fromMs: record.lock.beganAtMs,
    untilMs: lockEndMs(record, toMs),
    name: `${foreign(record.lock.name)} (${lockScope(record.lock, voice)})`,
    text: t('bands.refused', { reason: words(record.lock.reason), count: record.refused }),
  }));
}

/** Returns the scope of a lock: `all markets`, `BTCIRT`, `BTCIRT for grid`. */
export function lockScope({ strategy, market }: LockScope, { t, foreign }: ReportVoice): string {
  const markets = market === null ? t('locks.allMarkets') : foreign(market);
  return strategy === null ? markets : t('locks.ofStrategy', { markets, strategy });
}

/** Returns the end of a lock, or of the run if the lock had not ended. */
export function lockEndMs({ lock, endedAtMs }: LockRecord, toMs: number): number {
  return Math.max(lock.beganAtMs, endedAtMs ?? toMs);
}

/** Returns a band for each membership in a universe. An open one ends with the last listed change. */
export function memberBands(
  { members, toMs }: Pick<BacktestRun, 'members' | 'toMs'>,
  { t, digits, foreign } = reportVoice('en'),
): readonly TimeBand[] {
  const { records, more } = members;
  const knownUntilMs = more === 0 ? toMs : (records.at(-1)?.atMs ?? toMs);
  const inside = new Map<string, MemberRecord>();
  const bands: TimeBand[] = [];
  const end = (entered: MemberRecord, untilMs: number): void => {
    const { market, strategy, universe, atMs, rank } = entered;
    const name = foreign(`${strategy}/${universe}`);
    const text = t('bands.member', { rank: digits(String(rank)) });
    bands.push({ market, fromMs: atMs, untilMs, name, text });
  };
  for (const record of records) {
    const key = JSON.stringify([record.strategy, record.universe, record.market]);
    const entered = inside.get(key);
    if (record.kind === 'entered') inside.set(key, record);
    else if (entered !== undefined) {
      inside.delete(key);
      end(entered, record.atMs);
    }
  }
  for (const entered of inside.values()) end(entered, Math.max(entered.atMs, knownUntilMs));
  return bands;
}

/** Converts bands for a page: those of its markets, and only the longest if there are too many. */
export function bandColumns(
  bands: readonly TimeBand[],
  indexOf: ReadonlyMap<string, number>,
  most = MOST_BANDS,
): BandColumns {
  const known = bands.filter(({ market }) => market === null || indexOf.has(market));
  const longest = known
    .toSorted((left, right) => right.untilMs - right.fromMs - (left.untilMs - left.fromMs))
    .slice(0, most)
    .toSorted((left, right) => left.fromMs - right.fromMs);
  return {
    market: longest.map(({ market }) => (market === null ? -1 : (indexOf.get(market) ?? -1))),
    fromMs: longest.map(({ fromMs }, index) => fromMs - (longest[index - 1]?.fromMs ?? 0)),
    lengthMs: longest.map(({ fromMs, untilMs }) => untilMs - fromMs),
    name: longest.map(({ name }) => name),
    text: longest.map(({ text }) => text),
    all: known.length,
  };
}
