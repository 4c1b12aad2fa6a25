import { z } from 'zod';
import { addUnits, formatUnits, LEAST_UNITS, NO_UNITS, type Units } from '../../domain/money.ts';
import { readStored, storedTimeMs } from '../../domain/stored-json.ts';
import { readFigures } from '../../engine/strategy-instance-record.ts';
import { MARKET_NAMES } from '../../exchange/market-names.ts';
import { unprotectedOf } from '../../engine/exits.ts';
import { mayTrade, type OrderRecord } from '../../records/order.ts';
import { openRest } from '../../engine/live-exposure.ts';
import type { SessionRows } from '../../mirror/session-rows.ts';
import type { BacktestRun } from '../backtest-run.ts';
import type { RoundTrip } from '../round-trips.ts';
import { quotient } from '../statistics.ts';
import { winRate } from '../metrics/trip-statistics.ts';
import type { LiveSession } from '../result-schema.ts';
import { english } from '../../language/sentence.ts';

interface Session {
  readonly run: BacktestRun;
  readonly trips: readonly RoundTrip[];
  /** Of its strategies. */
  readonly names: readonly string[];
  /** By strategy. */
  readonly profits: ReadonlyMap<string, Units>;
}

/** Returns the outcome of the bot, profit by strategy, and what is open at the end of the mirror. */
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
    pauses: pausesOf(rows, run),
    // What was open at another time than the last is not kept.
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

/** Nothing runs where no bot does. */
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

/** The line that says that strategies begin. Older bots did not write when they were alive last. */
const startLine = z.object({
  isRestart: z.boolean(),
  aliveUntilMs: storedTimeMs.nullable().optional(),
});

/** From the last sign of life of each life to the beginning of the next. */
function pausesOf({ starts }: SessionRows, { fromMs, toMs }: BacktestRun): LiveSession['pauses'] {
  return starts.flatMap(({ atMs, json, lineBeforeMs }) => {
    const { isRestart, aliveUntilMs } = readStored(startLine, json, 'a start in the journal');
    const sinceMs = Math.max(fromMs, aliveUntilMs ?? lineBeforeMs ?? fromMs);
    return isRestart && sinceMs < atMs && atMs <= toMs ? [{ fromMs: sinceMs, toMs: atMs }] : [];
  });
}

function openOrder(order: OrderRecord): LiveSession['openOrders'][number] {
  const { key, strategy, market, side, execution, price, stopPrice, state, tag, exit, plannedAtMs } = order;
  return {
    key,
    strategy,
    market,
    side,
    execution,
    amount: formatUnits(openRest(order)),
    price: price === null ? null : formatUnits(price),
    stopPrice: stopPrice === null ? null : formatUnits(stopPrice),
    state,
    tag,
    exit,
    plannedAtMs,
  };
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
