import { dataUnusable, invalidOptions } from '../domain/errors.ts';
import type { Market } from '../domain/market.ts';
import type { Currency } from '../domain/market-symbol.ts';
import { NO_UNITS, subtractUnits, type Units } from '../domain/money.ts';
import { readStored, storedCount } from '../domain/stored-json.ts';
import {
  runWarning,
  type RunWarning,
  type BacktestRun,
  type TradedMarket,
  type LocksOfRun,
  type PlottedSeries,
} from './backtest-run.ts';
import { minuteText } from '../domain/time-text.ts';
import { readFigures } from '../engine/strategy-instance-record.ts';
import { readRecord } from '../engine/stored-records.ts';
import { storedLogLine } from '../engine/mirror-change.ts';
import type { StrategyRecord } from '../records/rows.ts';
import { MARKET_NAMES } from '../exchange/market-names.ts';
import type { FillRecord } from '../records/fill.ts';
import type { SessionRows } from '../mirror/read-session-rows.ts';
import { pathOf } from '../portfolio/holding.ts';
import type { LivePart } from './finish-run.ts';
import { runCurrency } from './run-currency.ts';
import {
  AccountHistory,
  broughtBy,
  openingOf,
  holdingsValue,
  type Holdings,
  intentsOfMirror,
  describeMirror,
  PriceHistory,
} from './live/mirror-history.ts';
import { momentsOf, sessionOf, historyOf, sessionMarkets } from './live/session-of.ts';
import { z } from 'zod';
import type { LockRecord } from '../engine/lock.ts';
import { storedLock } from '../engine/lock.ts';
import type { JournalLine } from '../mirror/row-pages.ts';

interface LiveRunOptions {
  /** End of the range in ms; the last sign of life of the bot ends it earlier. */
  readonly toMs: number;
  /** Currency of the results; null: rial where any market is priced in it, else tether. */
  readonly currency: Currency | null;
  /** Parameters of each strategy, if a configuration was given. */
  readonly params: ReadonlyMap<string, unknown>;
  /** Configuration that is stored in the result, as JSON; null without one. */
  readonly config: unknown;
  /** Clock in ms, for the timing. */
  readonly clock: () => number;
  readonly loadMs: number;
}

/**
 * Converts the records of a bot in its mirror into a run with the same figures as any run. Throws
 * `INVALID_OPTIONS` where the range has none of them, `DATA_UNUSABLE` where no strategy ever began.
 */
export function liveRun(
  rows: SessionRows,
  options: LiveRunOptions,
): { readonly run: BacktestRun; readonly live: LivePart } {
  const startedMs = options.clock();
  const range = rangeOf(rows, options.toMs);
  const { fromMs, toMs } = range;
  const until = rows.fills.filter(({ atMs }) => atMs <= toMs);
  const fills = until.filter(({ atMs }) => atMs > fromMs);
  const listed = sessionMarkets(rows, options.currency);
  const quote = runCurrency(listed, options.currency);
  refuseWithoutBridge(listed, until, quote);
  const markets = listed.map((market) => ({
    market,
    ...historyOf(rows, market, { until, fromMs }),
  }));
  const prices = new PriceHistory(
    markets.map(({ market, candles, traded }) => ({ market: market.symbol, candles, traded })),
  );
  const closing = closingOf(rows);
  const opening = openingOfStrategies(rows, closing.held);
  const account = new AccountHistory({
    opening,
    fills: until.filter(isOwn).toSorted((left, right) => left.atMs - right.atMs),
    markets: listed,
    prices,
    quote,
  });
  const { barMs, momentsMs } = momentsOf(
    markets.map(({ candles }) => candles),
    range,
  );
  account.advance(fromMs);
  const initialEquity = account.exact();
  const firstPrices = new Map(listed.map(({ symbol }) => [symbol as string, prices.priceOf(symbol)]));
  const fillsBefore = until.filter(({ atMs }) => atMs <= fromMs);
  const curve = account.curveAt(momentsMs);
  const unvalued = [...closing.held].flatMap(([asset, amount]) =>
    amount !== 0n &&
    opening.has(asset) &&
    pathOf(quote, asset, { marketNames: MARKET_NAMES, priceOf: prices.priceOf }) === null
      ? [asset]
      : [],
  );
  const finalEquity = account.exact();
  const names = [
    ...new Set([
      ...rows.strategies.map(({ name }) => name),
      ...rows.orders.map(({ strategy }) => strategy),
      ...rows.intents.keys(),
      ...fills.flatMap(({ strategy }) => strategy ?? []),
    ]),
  ];
  const traded = markets.map(({ market, candles }): TradedMarket => ({
    market,
    firstPrice: firstPrices.get(market.symbol) ?? NO_UNITS,
    lastPrice: prices.priceOf(market.symbol) ?? NO_UNITS,
    candles,
  }));
  /** Returns the profit of a strategy: the value of its fills' effect at the end, less that at the start. */
  const profitOf = (name: string): Units => {
    const own = (among: readonly FillRecord[]): Holdings =>
      broughtBy(among.filter(({ strategy }) => strategy === name));
    const before = holdingsValue(own(fillsBefore), quote, (symbol) => firstPrices.get(symbol) ?? null);
    return subtractUnits(holdingsValue(own(until), quote, prices.priceOf), before);
  };
  const run: BacktestRun = {
    fidelity: describeMirror(rows, {
      range,
      unvalued,
      opening: closing.source,
      hasParams: options.config !== null,
    }),
    quote,
    fromMs,
    toMs,
    barMs,
    initialEquity,
    finalEquity,
    curve,
    markets: traded,
    strategies: names.map((name) => strategyOf(name, rows, fills, options.params)),
    plots: plotsOfMirror(rows, range),
    intents: intentsOfMirror(rows, names),
    locks: locksOfJournal(rows.lockLines, range),
    members: { records: [], more: 0 },
    orders: rows.orders,
    fills,
    requests: null,
    warnings: warningsOf(rows, fills),
    config: options.config,
    timing: {
      loadMs: Math.round(options.loadMs),
      fromCache: false,
      runMs: Math.round(options.clock() - startedMs),
      events: rows.fills.length + rows.orders.length + curve.length,
    },
  };
  return {
    run,
    live: {
      fillsBefore,
      sessionOf: (trips) => {
        const profits = new Map(names.map((name) => [name, profitOf(name)]));
        return sessionOf(rows, { run, trips, names, profits });
      },
    },
  };
}

/** Returns the known part of the range: from the first row to the last sign of life. */
function rangeOf(
  { fromMs, aliveUntilMs, path, tables, moreFills, fills }: SessionRows,
  wantedToMs: number,
): { readonly fromMs: number; readonly toMs: number } {
  if (fromMs === null || aliveUntilMs === null) {
    throw dataUnusable(`expected the life of a bot in ${path}, found none: no strategy has begun in it`);
  }
  const toMs = Math.min(aliveUntilMs, wantedToMs);
  // The holdings before the oldest fill in the mirror are unknown.
  const isCut = tables.fills.removed > 0 || moreFills > 0;
  const firstFillMs = fills.reduce((first, { atMs }) => Math.min(first, atMs), Number.POSITIVE_INFINITY);
  const beganMs = isCut && fills.length > 0 ? Math.max(fromMs, firstFillMs) : fromMs;
  // A fill at the start itself counts as before the range.
  const knownMs = beganMs === firstFillMs ? beganMs - 1 : beganMs;
  if (knownMs < toMs) return { fromMs: knownMs, toMs };
  const since = Math.min(...Object.values(tables).flatMap(({ sinceMs }) => sinceMs ?? []));
  throw invalidOptions(
    `expected a range within what ${path} has, ${minuteText(since)} to ${minuteText(aliveUntilMs)} UTC, was ${minuteText(fromMs)} to ${minuteText(toMs)}`,
  );
}

const isMoney = (asset: string): boolean => MARKET_NAMES.quotes.some(({ currency }) => currency === asset);

const isOwn = ({ strategy }: FillRecord): boolean => strategy !== null;

/**
 * Returns what strategies had before all fills in the mirror: money, and the coins that they own. Other coins
 * of the account and manual trades do not count.
 */
function openingOfStrategies(
  { strategies, fills, tables, moreFills }: SessionRows,
  held: Holdings,
): Holdings {
  const own = fills.filter(isOwn);
  const opening = new Map([...openingOf(held, own)].filter(([asset]) => isMoney(asset)));
  // Without the older fills, the present holdings show what they had brought.
  const isCut = tables.fills.removed > 0 || moreFills > 0;
  const brought = isCut ? broughtBy(own) : new Map<string, bigint>();
  const coins = new Set(own.map(({ market }) => MARKET_NAMES.parseMarket(market).base));
  for (const row of strategies) {
    const { ledger } = readFigures(row, MARKET_NAMES);
    const assets = isCut ? [...ledger.state.holdings.keys()] : [...ledger.state.inventory.keys()];
    for (const asset of assets.filter((one) => !isMoney(one))) {
      const amount = isCut ? ledger.held(asset) : ledger.inventoryOf(asset);
      opening.set(asset, (opening.get(asset) ?? 0n) + amount);
    }
  }
  for (const asset of coins) {
    if (!isMoney(asset)) opening.set(asset, (opening.get(asset) ?? 0n) - (brought.get(asset) ?? 0n));
  }
  return opening;
}

/** Returns the capital of all strategies with the effects of their trades; null if one has none. */
function capitalNow(rows: readonly StrategyRecord[], own: readonly FillRecord[]): Holdings | null {
  const traded = new Set(own.map(({ strategy }) => strategy));
  // A strategy that left the configuration and has no known trades has no part in the capital.
  const all = rows.filter(({ name, status }) => status !== 'stopped' || traded.has(name));
  const sums = new Map<string, bigint>();
  for (const row of all) {
    const { ledger, capital } = readFigures(row, MARKET_NAMES);
    if (capital.size === 0) return null;
    for (const { currency } of MARKET_NAMES.quotes) {
      const amount = (capital.get(currency) ?? 0n) + ledger.held(currency);
      sums.set(currency, (sums.get(currency) ?? 0n) + amount);
    }
  }
  return all.length === 0 ? null : sums;
}

/** Returns the holdings after all fills in the mirror, and their source. Money is that of strategies. */
function closingOf({ stored, balances, strategies, fills }: SessionRows): {
  readonly held: Holdings;
  readonly source: 'books' | 'balances' | 'capital' | 'nothing';
} {
  const held = new Map(balances.map(({ currency, total }) => [currency, total as bigint]));
  const expected = readRecord(stored, 'reconciliation')?.books.expected ?? null;
  for (const [currency, units] of Object.entries(expected ?? {})) held.set(currency, units);
  const capital = capitalNow(strategies, fills.filter(isOwn));
  if (capital !== null) return { held: new Map([...held, ...capital]), source: 'capital' };
  if (expected !== null) return { held, source: 'books' };
  return { held, source: balances.length === 0 ? 'nothing' : 'balances' };
}

/** Maximum number of markets that are named for a strategy; for more, only their number is shown. */
const MOST_NAMED = 3;

function strategyOf(
  name: string,
  rows: SessionRows,
  fills: readonly FillRecord[],
  params: ReadonlyMap<string, unknown>,
): BacktestRun['strategies'][number] {
  const row = rows.strategies.find((strategy) => strategy.name === name);
  const markets = new Set([
    ...rows.orders.flatMap(({ strategy, market }) => (strategy === name ? [market] : [])),
    ...fills.flatMap(({ strategy, market }) => (strategy === name ? [market] : [])),
  ]);
  return {
    name,
    market: markets.size > MOST_NAMED ? `${markets.size} markets` : [...markets].join(', '),
    params: params.get(name) ?? null,
    reason: row?.reason ?? null,
    failure: row?.status === 'stopped' ? (row.reason ?? row.status) : null,
    log: (rows.logs.get(name) ?? []).map(({ seq, atMs, json }) => ({
      atMs,
      ...readStored(storedLogLine, json, `line ${seq} of the journal`),
    })),
  };
}

/** Returns warnings that the reader of the figures needs first. */
function warningsOf(rows: SessionRows, fills: readonly FillRecord[]): readonly RunWarning[] {
  const { unfinished } = rows;
  const unknown = unfinished.filter(({ state }) => state === 'unknown').length;
  return [
    ...(fills.length === 0 ? [runWarning('warning.nothingTraded')] : []),
    ...(unknown === 0 ? [] : [runWarning('warning.unknownOrders', { count: unknown })]),
  ];
}

/** Throws `INVALID_OPTIONS` for trades in another quote currency without a price that converts it. */
function refuseWithoutBridge(
  markets: readonly Market[],
  fills: readonly FillRecord[],
  quote: Currency,
): void {
  const { market: bridge } = MARKET_NAMES.bridge;
  if (markets.some(({ symbol }) => symbol === bridge)) return;
  const foreign = fills.find(({ market }) => MARKET_NAMES.parseMarket(market).quote !== quote);
  if (foreign === undefined) return;
  throw invalidOptions(
    `expected a price of ${bridge}, by which trades in ${foreign.market} are worth something in ${quote}, found none in the mirror: start the bot again, which then reads it`,
  );
}

/** Returns what strategies plotted within a range, as the bot stored it: at most one value per minute. */
function plotsOfMirror(
  { plots }: Pick<SessionRows, 'plots'>,
  range: { readonly fromMs: number; readonly toMs: number },
): readonly PlottedSeries[] {
  return plots.flatMap(({ plot, values }) => {
    const within = values.filter(({ atMs }) => atMs > range.fromMs && atMs <= range.toMs);
    if (within.length === 0) return [];
    return [
      {
        ...plot,
        length: within.length,
        atMs: Float64Array.from(within, ({ atMs }) => atMs),
        value: Float64Array.from(within, ({ value }) => (value === null ? Number.NaN : Number(value))),
        every: 1,
      },
    ];
  });
}

/** Journal data of a lock change. */
const lockLine = z.object({ ...storedLock.shape, refused: storedCount });

/** Returns the locks of a range, from their journal lines. Ended ones have their refused orders. */
function locksOfJournal(
  lines: readonly JournalLine[],
  range: { readonly fromMs: number; readonly toMs: number },
): LocksOfRun {
  const open = new Map<string, LockRecord>();
  const records: LockRecord[] = [];
  for (const { seq, subject, json, atMs } of lines) {
    const { refused, ...lock } = readStored(lockLine, json, `line ${seq} of the journal`);
    const key = JSON.stringify([lock.name, lock.rule, lock.strategy, lock.market]);
    if (subject === 'lock begun' || subject === 'lock extended') {
      open.set(key, { lock, endedAtMs: null, refused });
      continue;
    }
    open.delete(key);
    const endedAtMs = subject === 'lock ended' ? lock.endsAtMs : Math.max(atMs, lock.beganAtMs);
    records.push({ lock, endedAtMs, refused });
  }
  const within = [...records, ...open.values()].filter(
    ({ lock, endedAtMs }) => lock.beganAtMs < range.toMs && (endedAtMs ?? range.toMs) > range.fromMs,
  );
  return { records: within.toSorted((left, right) => left.lock.beganAtMs - right.lock.beganAtMs), more: 0 };
}
