import { z } from 'zod';
import { addUnits, formatUnits, LEAST_UNITS, NO_UNITS, type Units, parseUnits } from '../../domain/money.ts';
import { readStored, storedTimeMs } from '../../domain/stored-json.ts';
import { readFigures } from '../../engine/strategy-instance-record.ts';
import { MARKET_NAMES, parseMarket } from '../../exchange/market-names.ts';
import { unprotectedOf } from '../../engine/exits.ts';
import { mayTrade, type OrderRecord } from '../../records/order.ts';
import { openRest } from '../../engine/live-exposure.ts';
import { ORDER_ROWS } from '../../mirror/record-tables.ts';
import type { SessionRows } from '../../mirror/read-session-rows.ts';
import type { BacktestRun } from '../backtest-run.ts';
import type { RoundTrip } from '../../portfolio/round-trips.ts';
import { quotient } from '../statistics.ts';
import { winRate } from '../metrics/run-metrics.ts';
import { OPEN_ORDER, type LiveSession } from '../result-schema.ts';
import { english } from '../../language/sentence.ts';
import {
  gridOf,
  TIMEFRAMES,
  timeframeMs,
  type Timeframe,
  type Candle,
  shownAnchors,
} from '../../domain/candle.ts';
import { gridOfColumns, type CandleColumns, columnsOf } from '../../domain/candle-columns.ts';
import type { Currency } from '../../domain/market-symbol.ts';
import { createMarket, type Market } from '../../domain/market.ts';
import type { FillRecord } from '../../records/fill.ts';
import { INTERFACE_PROFILE } from '../../venues/interface-profile.ts';
import { needsBridge } from '../run-currency.ts';
import type { PricePoint } from './mirror-history.ts';

interface Session {
  readonly run: BacktestRun;
  readonly trips: readonly RoundTrip[];
  readonly names: readonly string[];
  /** Profit of each strategy. */
  readonly profits: ReadonlyMap<string, Units>;
}

/** Returns the facts of a live session: profits, pauses, and what is open at the end of the mirror. */
export function sessionOf(rows: SessionRows, session: Session): LiveSession {
  const { path, epoch, isRunning, aliveUntilMs } = rows;
  const { run, names } = session;
  const isWhole = run.toMs === aliveUntilMs;
  return {
    mirror: path,
    epoch,
    isRunning,
    aliveUntilMs: aliveUntilMs ?? run.toMs,
    strategies: names.map((name) => strategyFigures(name, rows, session)),
    pauses: rows.starts.flatMap(({ atMs, json, lineBeforeMs }) => {
      const { isRestart, aliveUntilMs } = readStored(startLine, json, 'a start in the journal');
      const sinceMs = Math.max(run.fromMs, aliveUntilMs ?? lineBeforeMs ?? run.fromMs);
      return isRestart && sinceMs < atMs && atMs <= run.toMs ? [{ fromMs: sinceMs, toMs: atMs }] : [];
    }),
    // The mirror stores only what is open now, not what was open at another time.
    openOrders: isWhole ? rows.unfinished.map(openOrder) : [],
    positions: isWhole ? positionsOf(rows, run) : [],
  };
}

function strategyFigures(
  name: string,
  { strategies, isRunning }: SessionRows,
  { run, trips, profits }: Session,
): LiveSession['strategies'][number] {
  const row = strategies.find((one) => one.name === name);
  const own = trips.filter(({ strategy }) => strategy === name);
  const [open, closed] = [own.filter(({ isOpen }) => isOpen), own.filter(({ isOpen }) => !isOpen)];
  const figures = row === undefined ? null : readFigures(row, MARKET_NAMES);
  return {
    name,
    status: statusOf(row?.status ?? 'unknown', isRunning),
    reason: english(row?.reason ?? null),
    profit: formatUnits(profits.get(name) ?? NO_UNITS),
    tradesProfit: sumText(closed, ({ profit }) => profit),
    trades: closed.length,
    openTrades: open.length,
    winRate: winRate(closed),
    fees: sumText(own, ({ fees }) => fees),
    orders: countOf(run.orders, name),
    fills: countOf(run.fills, name),
    orderRequestsPerFill: figures === null ? null : quotient(figures.requests, figures.fills),
  };
}

type Status = LiveSession['strategies'][number]['status'];

/** Returns the status of a strategy: "running" only if the bot runs. */
function statusOf(status: Status, isRunning: boolean | null): Status {
  if (status !== 'running' || isRunning === true) return status;
  return isRunning === null ? 'unknown' : 'not running';
}

function sumText(trips: readonly RoundTrip[], of: (trip: RoundTrip) => Units): string {
  return formatUnits(trips.reduce((sum, trip) => addUnits(sum, of(trip)), NO_UNITS));
}

function countOf(rows: readonly { readonly strategy: string | null }[], name: string): number {
  return rows.reduce((sum, { strategy }) => (strategy === name ? sum + 1 : sum), 0);
}

/** Journal line of a start of strategies. Older bots did not store their last sign of life. */
const startLine = z.object({
  isRestart: z.boolean(),
  aliveUntilMs: storedTimeMs.nullable().optional(),
});

function openOrder(order: OrderRecord): LiveSession['openOrders'][number] {
  const shown = { ...ORDER_ROWS.stored(order), amount: formatUnits(openRest(order)) };
  return Object.fromEntries(OPEN_ORDER.map((name) => [name, shown[name]])) as typeof shown;
}

/** Returns the coins that strategies hold by their own fills, if they are enough for a step of a market. */
function positionsOf(
  { strategies, unfinished }: SessionRows,
  { markets }: BacktestRun,
): LiveSession['positions'] {
  const orders = unfinished.filter(
    (order) => mayTrade(order) && order.matched < order.amount && order.filled < order.amount,
  );
  return strategies.flatMap((row) => {
    const { ledger } = readFigures(row, MARKET_NAMES);
    return [...ledger.state.holdings].flatMap(([asset, { held }]) => {
      if (MARKET_NAMES.quotes.some(({ currency }) => currency === asset) || !isPosition(held, asset, markets))
        return [];
      const unprotected = unprotectedOf(orders, {
        strategy: row.name,
        asset,
        held,
        marketNames: MARKET_NAMES,
      });
      return [{ strategy: row.name, asset, held: formatUnits(held), unprotected: formatUnits(unprotected) }];
    });
  });
}

function isPosition(held: Units, asset: string, markets: BacktestRun['markets']): boolean {
  const steps = markets.flatMap(({ market }) => (market.base === asset ? [market.amountStep] : []));
  const least = steps.reduce((left, right) => (right < left ? right : left), steps[0] ?? LEAST_UNITS);
  return held >= least || 0n - held >= least;
}

/** Points of a curve if there are no candles to derive the number from. */
const USUAL_POINTS = 2_000;
/** Maximum number of points of a curve; with more candles the points lie further apart. */
const MOST_POINTS = 100_000;

/**
 * Returns the moments of the equity curve of a live session and the usual time between them: the end of each
 * candle, and of the session. Spans without candles are filled with evenly spaced moments.
 */
export function momentsOf(
  candles: readonly CandleColumns[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): { readonly barMs: number; readonly momentsMs: readonly number[] } {
  const known = candles.filter(({ length }) => length > 0);
  const most = known.length === 0 ? USUAL_POINTS : MOST_POINTS;
  const finestMs = Math.min(...known.map(({ timeframe }) => timeframeMs(timeframe)));
  const timeframe = barFor((toMs - fromMs) / most, known.length === 0 ? 0 : finestMs);
  const barMs = timeframeMs(timeframe);
  const closes = new Set<number>();
  for (const columns of known) {
    const { openTimeMs, length, anchors } = columns;
    const grid = gridOfColumns(columns);
    // If there are too many closes, only those at which a longer bar ends are used.
    const retained = gridOf(timeframe, anchors);
    for (let bar = 0; bar < length; bar += 1) {
      const closeMs = grid.endOf(openTimeMs[bar] ?? 0);
      if (closeMs > fromMs && closeMs < toMs && retained.isStart(closeMs)) closes.add(closeMs);
    }
  }
  const sorted = [...closes].toSorted((left, right) => left - right);
  const firstMs = sorted[0] ?? toMs;
  const lastMs = sorted.at(-1) ?? toMs;
  const spread = [...stepsIn(fromMs, firstMs, barMs), ...sorted, ...stepsIn(lastMs, toMs, barMs), toMs];
  return { barMs, momentsMs: spread };
}

/** Returns the shortest timeframe not below either length in ms; the longest timeframe if none is. */
function barFor(leastMs: number, finestMs: number): Timeframe {
  return TIMEFRAMES.find((one) => timeframeMs(one) >= leastMs && timeframeMs(one) >= finestMs) ?? '3d';
}

/** Returns the multiples of a step between two times, both excluded. */
function stepsIn(afterMs: number, beforeMs: number, stepMs: number): readonly number[] {
  const first = (Math.floor(afterMs / stepMs) + 1) * stepMs;
  const count = Math.max(0, Math.ceil((beforeMs - first) / stepMs));
  return Array.from({ length: count }, (_, index) => first + index * stepMs);
}

/** Returns the markets with trades or candles, and the bridge market if two currencies must be converted. */
export function sessionMarkets(rows: SessionRows, currency: Currency | null): readonly Market[] {
  const symbols = new Set<string>([
    ...rows.series.map(({ market }) => market),
    ...rows.fills.map(({ market }) => market),
    ...rows.orders.map(({ market }) => market),
  ]);
  const { bridge } = MARKET_NAMES;
  const quotes = [...symbols].map((symbol) => parseMarket(symbol));
  const isKnown = rows.prices.some(({ market }) => market === bridge.market);
  if (needsBridge(quotes, currency) && isKnown) symbols.add(bridge.market);
  if (symbols.size === 0) for (const { market } of rows.prices) symbols.add(market);
  const versions = new Map(rows.markets.map((version) => [version.symbol, version]));
  return [...symbols].toSorted().map((symbol) => {
    const market = parseMarket(symbol);
    const version = versions.get(symbol);
    const least = formatUnits(LEAST_UNITS);
    return createMarket({ market, priceStep: least, amountStep: least, ...version });
  });
}

/** Returns the candles of a market in the range, and other prices: of earlier candles, fills, readings. */
export function historyOf(
  { series, prices }: SessionRows,
  { symbol }: Market,
  { until, fromMs }: { readonly until: readonly FillRecord[]; readonly fromMs: number },
): { readonly candles: CandleColumns; readonly traded: readonly PricePoint[] } {
  const found = series.find(({ market }) => market === symbol);
  const timeframe = found?.timeframe ?? '1m';
  const all = found?.candles ?? [];
  const anchors = shownAnchors(timeframe, all, INTERFACE_PROFILE.barAnchors);
  const grid = gridOf(timeframe, anchors);
  const endOf = ({ openTimeMs }: Candle): number => grid.endOf(openTimeMs);
  const before = all
    .filter((candle) => endOf(candle) <= fromMs)
    .map((candle) => ({ atMs: endOf(candle), price: parseUnits(candle.close) }));
  const own = until.flatMap(({ market, atMs, price }) => (market === symbol ? [{ atMs, price }] : []));
  const seen = prices.flatMap(({ market, atMs, price }) =>
    market === symbol ? [{ atMs, price: parseUnits(price) }] : [],
  );
  return {
    candles: columnsOf({ market: symbol, timeframe, anchors }, all.slice(before.length)),
    traded: [...before, ...own, ...seen].toSorted((left, right) => left.atMs - right.atMs),
  };
}
