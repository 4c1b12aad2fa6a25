import { Decimal } from 'decimal.js';
import type { BookLevel } from '../../domain/order-book.ts';
import {
  addUnits,
  formatUnits,
  NO_UNITS,
  subtractUnits,
  UNITS_PER_ONE,
  type Units,
  divideHalfEven,
} from '../../domain/money.ts';
import type { Side } from '../../domain/order.ts';
import { plotFigure, readFigureName } from '../../domain/figure-name.ts';
import { readRecord } from '../../engine/stored-records.ts';
import { sentence } from '../../language/sentence.ts';
import type { FillRecord } from '../../records/fill.ts';
import type { OrderRecord } from '../../records/order.ts';
import { FILL_ROWS } from '../../mirror/record-tables.ts';
import type { MirrorReader } from '../../mirror/mirror-reader.ts';
import { ApiError } from '../api-error.ts';
import type {
  BookReply,
  MarketsReply,
  MarksReply,
  BracketItem,
  ConditionsReply,
  PlotsReply,
  QuotesReply,
  ChartCandlesReply,
} from '../schema/market.ts';
import type { CostReply } from '../schema/action.ts';
import type { BudgetItem, TermsReply } from '../schema/overview.ts';
import { ENDPOINTS } from '../../exchange/endpoints.ts';
import { orderItemOf, reasonItem, tryMarket } from './row-items.ts';
import { marketsRunBy, type Period, type RuleAnswer } from '../../daemon/answers-apart.ts';
import { oneSeriesOf, type ShownRange } from './strategy-items.ts';
import { parsedJson } from '../../domain/stored-json.ts';
import { storedAlgorithm } from '../../engine/algorithm-json.ts';
import { priceAbove, priceBelow, type LevelOrigin } from '../../engine/exit-level.ts';
import type { MarketName } from '../../domain/market-symbol.ts';
import {
  type Candle,
  gridOf,
  liesInside,
  LONGEST_WARM_UP,
  shownAnchors,
  type BarGrid,
  TIMEFRAMES,
  type Timeframe,
  timeframeMs,
} from '../../domain/candle.ts';
import { decimalText } from '../../domain/decimal-text.ts';
import { SarrafError } from '../../domain/errors.ts';
import { CHART_INDICATORS, indicatorLines } from '../../strategy/plots.ts';
import { INTERFACE_PROFILE } from '../../venues/interface-profile.ts';

/** Maximum number of open orders of a market, and of fills in a chart. */
const MOST_MARKS = 500;
const MOST_FILLS = 5_000;
const MOST_PLOTS = 32;

export function marketsReplyOf(
  reader: MirrorReader,
  strategies: readonly { readonly name: string; readonly markets: readonly string[] }[],
): MarketsReply {
  const stats = new Map(reader.markets.stats().map((row) => [row.market, row]));
  const bookTimes = reader.markets.bookTimes();
  const timeframes = reader.markets.timeframes();
  const markets = reader.markets.versions().flatMap(({ symbol, priceStep, amountStep }) => {
    const name = tryMarket(symbol);
    if (name === null) return [];
    const row = stats.get(symbol);
    return [
      {
        symbol,
        base: name.base,
        quote: name.quote,
        last: row?.latest ?? null,
        bestBuy: row?.bestBuy ?? null,
        bestSell: row?.bestSell ?? null,
        dayChange: row?.dayChange ?? null,
        isClosed: row?.isClosed === 1,
        priceStep,
        amountStep,
        statsSeenAtMs: row?.seenAtMs ?? null,
        bookSeenAtMs: bookTimes.get(symbol) ?? null,
        timeframes: [...(timeframes.get(symbol) ?? [])],
        strategies: strategies.filter(({ markets }) => markets.includes(symbol)).map(({ name }) => name),
      },
    ];
  });
  return { markets };
}

/** Throws `ApiError` for a market that the bot does not have. */
function checkedSymbol(reader: MirrorReader, symbol: string): string {
  if (reader.markets.versions().some((market) => market.symbol === symbol)) return symbol;
  throw new ApiError('not-found', sentence('not-our-market', { found: JSON.stringify(symbol) }));
}

/** Candles that a chart shows: the newest, or those around a time in ms. */
export interface ChartRange {
  readonly symbol: string;
  readonly timeframe: string;
  readonly around?: number | undefined;
  readonly limit: number;
}

/** Returns the end of a range, in ms; a range around a time ends half of its candles later. */
export function endMsOf({ around, limit }: ChartRange, timeframe: Timeframe): number {
  return around === undefined ? Number.MAX_SAFE_INTEGER : around + (timeframeMs(timeframe) * limit) / 2;
}

export function marksReplyOf(reader: MirrorReader, range: ChartRange): MarksReply {
  const market = checkedSymbol(reader, range.symbol);
  const timeframe = checkedTimeframe(range.timeframe);
  const open = reader.orders({ state: 'open', strategy: null, market, last: MOST_MARKS });
  const fills = FILL_ROWS.select(
    reader.database,
    'WHERE market = ? AND at_ms < ? ORDER BY cursor DESC, id DESC LIMIT ?',
  )(market, endMsOf(range, timeframe), MOST_FILLS + 1);
  return {
    market,
    orders: open.map((order) => orderItemOf(order)),
    fills: fillMarks(fills.slice(0, MOST_FILLS), gridIn(reader, market, timeframe)),
    olderFills: fills.length > MOST_FILLS,
    brackets: reader.algorithms(market).flatMap(({ intentId, strategy, json }) => {
      const bracket = bracketIn(json);
      return bracket === null ? [] : [{ intentId, strategy, ...bracket }];
    }),
  };
}

/** Puts fills of one side in one candle together. */
function fillMarks(fills: readonly FillRecord[], grid: BarGrid): MarksReply['fills'] {
  const marks = new Map<
    string,
    { openTimeMs: number; side: Side; count: number; amount: Units; total: Units }
  >();
  for (const { atMs, side, amount, total } of fills) {
    const openTimeMs = grid.startOf(atMs);
    const key = `${openTimeMs} ${side}`;
    const before = marks.get(key) ?? { openTimeMs, side, count: 0, amount: NO_UNITS, total: NO_UNITS };
    marks.set(key, {
      ...before,
      count: before.count + 1,
      amount: addUnits(before.amount, amount),
      total: addUnits(before.total, total),
    });
  }
  return [...marks.values()].map((mark) => ({
    ...mark,
    amount: formatUnits(mark.amount),
    total: formatUnits(mark.total),
  }));
}

export function bookReplyOf(reader: MirrorReader, symbol: string, most: number): BookReply {
  const market = checkedSymbol(reader, symbol);
  const book = reader.markets.book(market);
  const open = reader.orders({ state: 'open', strategy: null, market, last: MOST_MARKS });
  const levels = { buy: book?.bids ?? [], sell: book?.asks ?? [] };
  return {
    market,
    bids: levels.buy.slice(0, most).map(([price, amount]) => [price, amount]),
    asks: levels.sell.slice(0, most).map(([price, amount]) => [price, amount]),
    updatedAtMs: book?.updatedAtMs ?? null,
    seenAtMs: book?.seenAtMs ?? null,
    own: open.flatMap((order) => placeOf(order, levels[order.side])),
  };
}

/**
 * Returns the best prices of a market and our best orders at each time at which one of them changed, by our
 * newest orders: the best prices are those that the bot knew when it planned one, and those of now.
 */
export function quotesReplyOf(reader: MirrorReader, symbol: string): QuotesReply {
  const market = checkedSymbol(reader, symbol);
  const orders = reader.orders({ state: 'all', strategy: null, market, last: MOST_MARKS });
  const book = reader.markets.book(market);
  const known = [
    ...orders.map(({ plannedAtMs: atMs, arrivalBid, arrivalAsk }) => ({
      atMs,
      bid: arrivalBid === null ? null : formatUnits(arrivalBid),
      ask: arrivalAsk === null ? null : formatUnits(arrivalAsk),
    })),
    ...(book === null
      ? []
      : [{ atMs: book.seenAtMs, bid: book.bids[0]?.[0] ?? null, ask: book.asks[0]?.[0] ?? null }]),
  ]
    .filter(({ bid, ask }) => bid !== null || ask !== null)
    .toSorted((left, right) => left.atMs - right.atMs);
  const resting = orders.flatMap(({ side, price, stopPrice, sentAtMs: fromMs, closedAtMs }) =>
    fromMs === null || price === null || stopPrice !== null
      ? []
      : [{ side, price, fromMs, untilMs: closedAtMs ?? Number.POSITIVE_INFINITY }],
  );
  const times = [
    ...known.map(({ atMs }) => atMs),
    ...resting.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs]),
  ];
  const bestOf = (wanted: Side, atMs: number): string | null => {
    const prices = resting
      .filter(({ side, fromMs, untilMs }) => side === wanted && fromMs <= atMs && atMs < untilMs)
      .map(({ price }) => price);
    if (prices.length === 0) return null;
    const isBetter = (one: Units, other: Units): boolean => (wanted === 'buy' ? one > other : one < other);
    return formatUnits(prices.reduce((best, price) => (isBetter(price, best) ? price : best)));
  };
  return {
    market,
    quotes: [...new Set(times)]
      .filter((atMs) => Number.isFinite(atMs))
      .toSorted((left, right) => left - right)
      .map((atMs) => {
        const { bid = null, ask = null } = known.findLast((each) => each.atMs <= atMs) ?? {};
        return { atMs, bid, ask, buy: bestOf('buy', atMs), sell: bestOf('sell', atMs) };
      }),
  };
}

/** Returns what an order in a market would meet now. */
export function termsReplyOf(
  reader: MirrorReader,
  symbol: string,
  budgets: readonly BudgetItem[],
): TermsReply {
  const { base, quote } = askedMarket(checkedSymbol(reader, symbol));
  const balances = new Map(reader.balances().map((balance) => [balance.currency, balance]));
  const freeOf = (currency: string): string | null => {
    const balance = balances.get(currency);
    return balance === undefined ? null : formatUnits(subtractUnits(balance.total, balance.held));
  };
  const seenAtMs = [base, quote].flatMap((currency) => balances.get(currency)?.seenAtMs ?? []);
  const placing = ENDPOINTS.addOrder.budget.name;
  const { bids, asks, seenAtMs: bookSeenAtMs } = bookReplyOf(reader, symbol, 1);
  return {
    market: symbol,
    free: { base: freeOf(base), quote: freeOf(quote) },
    balancesSeenAtMs: seenAtMs.length === 0 ? null : Math.min(...seenAtMs),
    bestBuy: bids[0]?.[0] ?? null,
    bestSell: asks[0]?.[0] ?? null,
    bookSeenAtMs,
    feeShare: feeShareIn(reader, symbol),
    budget: budgets.find(({ budget }) => budget === placing) ?? null,
  };
}

/** Decimals of a share of a fee: fees are rounded, so that more would be noise. */
const SHARE_DECIMALS = 5;

/** Returns the share of what was received that our newest fill in a market cost; null if none is known. */
function feeShareIn(reader: MirrorReader, market: string): string | null {
  const [fill] = FILL_ROWS.select(
    reader.database,
    'WHERE market = ? ORDER BY cursor DESC, id DESC LIMIT 1',
  )(market);
  if (fill === undefined || fill.feeCurrency !== null) return null;
  const received = fill.side === 'buy' ? fill.amount : fill.total;
  if (received <= 0n) return null;
  return new Decimal(String(fill.fee)).div(String(received)).toDecimalPlaces(SHARE_DECIMALS).toFixed();
}

/** Returns about what a fill would cost, in the currency received; null if it is not known. */
export function placeFee(
  reader: MirrorReader,
  { market, side, amount, value }: Pick<CostReply['places'][number], 'market' | 'side' | 'amount' | 'value'>,
): string | null {
  const share = feeShareIn(reader, market);
  const received = side === 'buy' ? amount : value;
  return share === null || received === null ? null : decimalText(new Decimal(received).times(share));
}

/** Returns an order's place in the book; empty for one not in it, such as a waiting stop. */
function placeOf(order: OrderRecord, levels: readonly BookLevel[]): BookReply['own'] {
  const { key, strategy, side, price, stopPrice, state } = order;
  if (price === null || stopPrice !== null || state !== 'open') return [];
  const own = new Decimal(formatUnits(price));
  const better = levels.filter(([other]) => (side === 'buy' ? own.lt(other) : own.gt(other)));
  const isSeen = better.length < levels.length;
  return [
    {
      key,
      strategy,
      side,
      price: formatUnits(price),
      left: formatUnits(subtractUnits(order.amount, order.filled)),
      place: isSeen ? better.length + 1 : null,
      ahead: isSeen ? better.reduce((sum, [, amount]) => sum.plus(amount), new Decimal(0)).toFixed() : null,
    },
  ];
}

interface AskedPlots extends ShownRange, Omit<ChartRange, 'symbol'> {
  /** Indicators with their lengths, such as `ema:20,rsi:14`; undefined for none. */
  readonly indicators?: string | undefined;
}

export function plotsReplyOf(reader: MirrorReader, symbol: string, range: AskedPlots): PlotsReply {
  const market = checkedSymbol(reader, symbol);
  const names = reader.figureNames('plot/').flatMap((name) => {
    const read = readFigureName(name);
    return read?.kind === 'plot' && read.market === market ? [{ ...read, series: name }] : [];
  });
  const panes = new Map(
    (readRecord(reader.stored(), 'plots') ?? []).map(({ strategy, market, name, pane }) => [
      plotFigure(strategy, market, name),
      pane,
    ]),
  );
  return {
    market,
    series: [
      ...names.slice(0, MOST_PLOTS).map(({ series, strategy, name }) => ({
        ...oneSeriesOf(reader, series, range),
        strategy,
        plot: name,
        pane: panes.get(series) ?? null,
      })),
      ...indicatorSeries(reader, range.indicators?.split(',') ?? [], { symbol, ...range }),
    ],
    indicators: Object.fromEntries(CHART_INDICATORS),
  };
}

/** Returns the lines of asked indicators, such as `ema:20`, over the candles of a chart. */
function indicatorSeries(
  reader: MirrorReader,
  asked: readonly string[],
  range: ChartRange,
): PlotsReply['series'] {
  if (asked.length === 0) return [];
  const { limit } = range;
  const { candles } = chartCandlesReplyOf(reader, { ...range, limit: limit + LONGEST_WARM_UP });
  try {
    return asked.flatMap((each) => {
      const [kind = '', length] = each.split(':');
      return indicatorLines({ kind, length: Number(length) }, candles).map(({ title, isPrice, points }) => ({
        name: `indicator/${title}`,
        points: points.slice(-limit),
        strategy: '',
        plot: title,
        pane: isPrice ? null : `${kind} ${length}`,
      }));
    });
  } catch (error) {
    if (error instanceof SarrafError && error.code === 'INVALID_STRATEGY')
      throw new ApiError('invalid-request', error.message, { field: 'indicators' });
    throw error;
  }
}

/** Maximum number of strategies whose conditions a chart shows: each takes a process for a moment. */
const MOST_STRATEGIES = 8;

/** Returns which strategies run in a market, and the period of a chart, whose end is null for the present. */
export function askedConditions(
  reader: MirrorReader,
  range: ChartRange,
  nowMs: number,
  strategies: Parameters<typeof marketsRunBy>[1][] = [],
) {
  const market = checkedSymbol(reader, range.symbol);
  const timeframe = checkedTimeframe(range.timeframe);
  const untilMs = Math.min(nowMs, endMsOf(range, timeframe));
  const stored = reader.stored();
  const names = strategies
    .filter((one) => marketsRunBy(stored, one).includes(market))
    .map(({ name }) => name);
  return {
    market,
    names: names.slice(0, MOST_STRATEGIES),
    fromMs: untilMs - timeframeMs(timeframe) * range.limit,
    atMs: untilMs < nowMs ? untilMs : null,
  };
}

/** Returns the conditions of a strategy from a time on; none for one with handlers. */
export function conditionItems(
  strategy: string,
  answer: RuleAnswer,
  fromMs: number,
): ConditionsReply['strategies'] {
  if (answer.kind === 'handlers') return [];
  if (answer.kind === 'problem')
    return [{ strategy, problem: reasonItem(answer.reason), knownSinceMs: null, enter: [], exit: [] }];
  const { knownSinceMs, enter, exit } = answer.rules.periods;
  const isShown = ([, untilMs]: Period): boolean => untilMs > fromMs;
  const shown = { enter: enter.filter(isShown), exit: exit.filter(isShown) };
  return [{ strategy, problem: null, knownSinceMs, ...shown }];
}

/**
 * Reads the data to draw of a running bracket; null for another algorithm, and for an unreadable one.
 */
export function bracketIn(json: string): Omit<BracketItem, 'intentId' | 'strategy'> | null {
  const read = storedAlgorithm.safeParse(parsedJson(json));
  if (!read.success || read.data.algorithm.kind !== 'bracket') return null;
  const { terms, entry, gross, spent, raisedStop } = read.data.algorithm;
  const from = originOf({ gross, spent, entry: terms.entry });
  const stop =
    raisedStop ?? (terms.stopLoss === null || from === null ? null : priceBelow(terms.stopLoss, from));
  const profit = terms.takeProfit === null || from === null ? null : priceAbove(terms.takeProfit, from);
  return {
    side: 'buy',
    stop: stop === null || stop <= 0n ? null : formatUnits(stop),
    takeProfits: profit === null ? [] : [formatUnits(profit)],
    state: entry,
  };
}

/** Returns the price to which a bracket's levels relate: its entry price; null while unknown. */
function originOf(of: {
  readonly gross: Units;
  readonly spent: Units;
  readonly entry: { readonly amount: Units; readonly price: Units | null } | null;
}): LevelOrigin | null {
  const { gross, spent, entry } = of;
  // Before the fee, as for the exit order: otherwise each order would get a second line beside its own.
  if (gross > 0n) return { price: divideHalfEven(spent * UNITS_PER_ONE, gross) as Units, amount: gross };
  return entry === null || entry.price === null || entry.amount <= 0n
    ? null
    : { price: entry.price, amount: entry.amount };
}

/** Parses a requested market and checks that the bot has it. Throws `ApiError`. */
export function askedMarket(text: string, field = 'market'): MarketName {
  const market = tryMarket(text);
  if (market === null)
    throw new ApiError('invalid-request', sentence('not-a-market-name', { found: JSON.stringify(text) }), {
      field,
    });
  return market;
}

/** Maximum number of finer candles that one reply is built from. */
const MOST_READ = 20_000;

/**
 * Returns candles of a market. If the bot reads none of that timeframe, they are built from the coarsest
 * finer ones that it has, without a request to the exchange.
 */
export function chartCandlesReplyOf(
  reader: MirrorReader,
  of: ChartRange,
): ChartCandlesReply & { readonly candles: Candle[] } {
  const market = checkedSymbol(reader, of.symbol);
  const timeframe = checkedTimeframe(of.timeframe);
  const toMs = endMsOf(of, timeframe);
  const available = reader.markets.timeframes().get(market) ?? [];
  if (available.includes(timeframe)) {
    const candles = reader.markets.candles({ market, timeframe, last: of.limit, toMs });
    return { market, timeframe, isBuilt: false, candles: candles.map((candle) => ({ ...candle })) };
  }
  const source = available.findLast((finer) =>
    liesInside(gridIn(reader, market, finer), gridIn(reader, market, timeframe, finer)),
  );
  if (source === undefined) return { market, timeframe, isBuilt: false, candles: [] };
  const parts = timeframeMs(timeframe) / timeframeMs(source);
  const last = Math.min(MOST_READ, of.limit * parts);
  const finer = reader.markets.candles({ market, timeframe: source, last, toMs });
  const candles = builtCandles(finer, gridIn(reader, market, timeframe, source));
  return { market, timeframe, isBuilt: true, candles: candles.slice(-of.limit) };
}

function checkedTimeframe(text: string): Timeframe {
  const timeframe = TIMEFRAMES.find((known) => known === text);
  if (timeframe !== undefined) return timeframe;
  throw new ApiError('invalid-request', `expected one of ${TIMEFRAMES.join(', ')}, was another`, {
    field: 'timeframe',
  });
}

/** Returns where candles of a timeframe begin, by the newest stored candle of it or of a finer one. */
function gridIn(reader: MirrorReader, market: string, timeframe: Timeframe, shown = timeframe): BarGrid {
  const newest = reader.markets.candles({ market, timeframe: shown, last: 1 });
  return gridOf(timeframe, shownAnchors(shown, newest, INTERFACE_PROFILE.barAnchors));
}

/** Builds coarser candles from the finer ones that exist, oldest first. Some inside may be missing. */
function builtCandles(candles: readonly Candle[], grid: BarGrid): Candle[] {
  const built: Candle[] = [];
  for (const candle of candles) {
    const openTimeMs = grid.startOf(candle.openTimeMs);
    const last = built.at(-1);
    if (last === undefined || last.openTimeMs !== openTimeMs) built.push({ ...candle, openTimeMs });
    else
      built[built.length - 1] = {
        openTimeMs,
        open: last.open,
        high: new Decimal(candle.high).gt(last.high) ? candle.high : last.high,
        low: new Decimal(candle.low).lt(last.low) ? candle.low : last.low,
        close: candle.close,
        volume: decimalText(new Decimal(last.volume).plus(candle.volume)),
      };
  }
  return built;
}
