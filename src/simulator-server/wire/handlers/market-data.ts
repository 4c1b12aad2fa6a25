import type { MarketSymbol } from '../../../domain/market-symbol.ts';
import { priceUnits, amountUnits, formatAmount, formatPrice, type Market } from '../../../domain/market.ts';
import {
  type Price,
  formatUnits,
  UNITS_PER_ONE,
  type Amount,
  divideHalfEven,
} from '../../../domain/money.ts';
import { timeframeOf } from '../../../exchange/market-names.ts';
import type { MarketState } from '../../../simulator/market-state.ts';
import { refuse } from '../../../simulator/requests.ts';
import {
  notFoundAnswer,
  type WireAnswer,
  type WireCall,
  type WireHandler,
  type WireHandlers,
  type WireForms,
} from '../handler.ts';
import { answering, readRequest } from '../request-fields.ts';
import { writeDecimal, writeNumber } from '../order-records.ts';
import {
  aggregateLevels,
  type BookView,
  type SimulatedExchange,
  type ViewLevel,
} from '../../../simulator/exchange.ts';
import { dayStats, type SimulatedBar } from '../../../simulator/candle-series.ts';

/** Public trades in one reply. No document gives the number. */
const TRADES_SHOWN = 50;

/** Name of the price source in the global statistics: the simulator's own prices, in tether. */
const PROVIDER = 'reference';

type RecordOf<Item> = (item: Item, call: WireCall) => Readonly<Record<string, unknown>>;

/** Makes a handler that replies with a record of the market in the path, or with 404 if there is none. */
function ofMarket(
  name: 'orderBook' | 'orderBookV3' | 'depth' | 'publicTrades',
  recordOf: RecordOf<MarketState>,
): WireHandler {
  return (call) => {
    const request = readRequest(name, call);
    const market = request.ok ? marketOf(call, request.value.symbol) : undefined;
    if (market === undefined) return notFoundAnswer('Market');
    return { status: 200, body: { status: 'ok', ...recordOf(market, call) } };
  };
}

type WriteBook = (view: BookView, forms: WireForms) => Readonly<Record<string, unknown>>;

const bookAs =
  (write: WriteBook): RecordOf<MarketState> =>
  (market, { exchange, timeMs, forms }) =>
    write(exchange.books.of(market, timeMs), forms);

function allBooksAs(write: WriteBook): WireHandler {
  return (call) => {
    const books = [...call.exchange.markets].map(([symbol, market]) => [symbol, bookAs(write)(market, call)]);
    return { status: 200, body: { status: 'ok', ...Object.fromEntries(books) } };
  };
}

/** Makes a handler for the second version of an endpoint, which newer deployments do not have. */
const inV2 =
  (handler: WireHandler): WireHandler =>
  (call) =>
    call.forms.orderBooks === 'v3' ? notFoundAnswer('Page') : handler(call);

const marketOf = (call: WireCall, symbol: string): MarketState | undefined =>
  call.exchange.markets.get(symbol as MarketSymbol);

/** True if a comma-separated list names a currency, or if the list is omitted. */
const isAmong = (currency: string, list: string | undefined): boolean =>
  list === undefined || list.split(',').includes(currency);

/** Error messages of the history by the first invalid field. */
const HISTORY_ERRORS: readonly (readonly [field: string, errmsg: string])[] = [
  ['symbol', 'Invalid symbol!'],
  ['resolution', 'Invalid resolution!'],
  ['to', 'Expected to as a Unix time in seconds!'],
];

function historyError(errmsg: string): WireAnswer {
  return { status: 200, body: { s: 'error', errmsg } };
}

/** Returns tether prices by currency, in units. */
function tetherPrices(call: WireCall): ReadonlyMap<string, bigint> {
  const prices = new Map<string, bigint>();
  for (const currency of activeCurrencies(call.exchange)) {
    const market = call.exchange.marketOf(currency, 'usdt');
    if (market !== undefined) prices.set(currency, priceUnits(market.grid, market.lastPrice as Price));
  }
  return prices;
}

/** Handlers of the public data. Source: interface, "Public market data". */
export const marketDataHandlers: WireHandlers<
  | 'orderBook'
  | 'orderBookV3'
  | 'allOrderBooks'
  | 'allOrderBooksV3'
  | 'depth'
  | 'publicTrades'
  | 'marketStats'
  | 'history'
  | 'globalStats'
  | 'options'
> = {
  orderBook: inV2(ofMarket('orderBook', bookAs(bookJson))),
  orderBookV3: ofMarket('orderBookV3', bookAs(orientedBookJson)),
  allOrderBooks: inV2(allBooksAs(bookJson)),
  allOrderBooksV3: allBooksAs(orientedBookJson),
  depth: ofMarket('depth', bookAs(depthRecord)),

  publicTrades: ofMarket('publicTrades', ({ tape }, { forms }) => ({
    trades: tape
      .values()
      .slice(-TRADES_SHOWN)
      .reverse()
      .map(({ timeMs, price, amount, side, grid }) => ({
        time: writeUnixTime(timeMs, forms),
        price: writeDecimal(BigInt(price) * grid.priceStep, forms),
        volume: writeDecimal(BigInt(amount) * grid.amountStep, forms),
        type: side,
      })),
  })),

  marketStats: answering('marketStats', ({ srcCurrency, dstCurrency }, call) => {
    const stats: Record<string, unknown> = {};
    for (const market of call.exchange.markets.values()) {
      const { base, quote, statsKey } = market.rules;
      if (isAmong(base, srcCurrency) && isAmong(quote, dstCurrency))
        stats[statsKey] = statsRecord(market, call.timeMs, call.forms);
    }
    if (Object.keys(stats).length === 0) return refuse('InvalidMarketPair', 'No market of these currencies');
    return { status: 200, body: { status: 'ok', stats } };
  }),

  history(call) {
    const request = readRequest('history', call);
    if (!request.ok) {
      const known = HISTORY_ERRORS.find(([field]) => request.message.startsWith(`${field}:`));
      return historyError(known?.[1] ?? 'Expected from, countback and page as positive integers!');
    }
    const { symbol, resolution, to, from, countback = null, page = 1 } = request.value;
    const market = marketOf(call, symbol);
    if (market === undefined) return historyError('Invalid symbol!');
    const bars = chooseBars(market.candles.bars(timeframeOf(resolution)), {
      toMs: to * 1000,
      fromMs: from === undefined ? null : from * 1000,
      countback,
      page,
    });
    return { status: 200, body: bars.length === 0 ? { s: 'no_data' } : candleColumns(bars, market.grid) };
  },

  globalStats(call) {
    const prices = [...tetherPrices(call)];
    if (call.forms.globalStats === 'by-provider') {
      const byCurrency = Object.fromEntries(
        prices.map(([currency, units]) => [currency, writeNumber(units)]),
      );
      return { status: 200, body: { status: 'ok', markets: { [PROVIDER]: byCurrency } } };
    }
    const byCurrency = prices.map(
      ([currency, units]) => [currency, { [PROVIDER]: { price: writeDecimal(units, call.forms) } }] as const,
    );
    return { status: 200, body: { ...Object.fromEntries(byCurrency), status: 'ok' } };
  },

  options: (call) => ({ status: 200, body: optionsRecord(call.exchange, call.forms) }),
};

/** Numeric keys under which the options repeat the minimum values of some currencies. */
const NUMERIC_IDS: Readonly<Record<string, string>> = { rls: '2', usdt: '13' };

/** Writes the whole part in groups of three digits, as the coins of the options have it: `4_000.0`. */
function withUnderscores(units: bigint): string {
  const [whole = '0', fraction = '0'] = formatUnits(units).split('.');
  return `${whole.replace(/\B(?=(?:\d{3})+$)/g, '_')}.${fraction}`;
}

function minOrders(exchange: SimulatedExchange, forms: WireForms): Record<string, unknown> {
  const least = new Map<string, bigint>();
  for (const { rules } of exchange.markets.values()) {
    const known = least.get(rules.quote);
    if (known === undefined || rules.minOrderValue > known) least.set(rules.quote, rules.minOrderValue);
  }
  const entries: Record<string, unknown> = {};
  for (const [currency, units] of least) {
    entries[currency] = writeDecimal(units, forms);
    const id = NUMERIC_IDS[currency];
    if (id !== undefined) entries[id] = writeDecimal(units, forms);
  }
  return entries;
}

/** Returns the currencies of all markets, quote currencies first. */
function activeCurrencies(exchange: SimulatedExchange): readonly string[] {
  const rules = [...exchange.markets.values()].map((market) => market.rules);
  return [...new Set(['rls', 'usdt', ...rules.map(({ base }) => base)])];
}

/**
 * Returns the record of `GET /v2/options`: minimum values and steps under the service's name. If markets of a
 * currency differ in their minimum, it has the largest.
 */
function optionsRecord(exchange: SimulatedExchange, forms: WireForms): Record<string, unknown> {
  const { serviceName: name } = forms;
  const markets = [...exchange.markets.values()].map((market) => market.rules);
  const currencies = activeCurrencies(exchange);
  const own = {
    minOrders: minOrders(exchange, forms),
    amountPrecisions: Object.fromEntries(
      markets.map(({ symbol, amountStep }) => [symbol, formatUnits(amountStep)]),
    ),
    pricePrecisions: Object.fromEntries(
      markets.map(({ symbol, priceStep }) => [symbol, formatUnits(priceStep)]),
    ),
    activeCurrencies: currencies,
  };
  return {
    status: 'ok',
    features: { orderTypes: ['limit', 'market', 'stop_limit', 'stop_market', 'oco'], depth: true },
    coins: currencies.map((symbol) => {
      const { displayName, networks } = exchange.services.currency(symbol);
      return {
        coin: symbol,
        name: displayName,
        withdrawMax: withUnderscores(40_000_000_000_000n),
        networks: networks.map((network) => network.name),
      };
    }),
    ...(forms.options === 'nested'
      ? { [name]: own }
      : Object.fromEntries(Object.entries(own).map(([field, value]) => [`${name}.${field}`, value]))),
  };
}

/** Writes a Unix time in the unit that the deployment's books use. */
const writeUnixTime = (timeMs: number, forms: Pick<WireForms, 'lastUpdate'>): number =>
  forms.lastUpdate === 'milliseconds' ? timeMs : Math.floor(timeMs / 1000);

const updatedAt = ({ changedAtMs, snapshotAtMs }: BookView, forms: WireForms): number =>
  writeUnixTime(forms.lastUpdateOf === 'change' ? changedAtMs : snapshotAtMs, forms);

function pairs(levels: readonly ViewLevel[], view: BookView, forms: WireForms): readonly unknown[] {
  const { grid } = view;
  if (forms.decimals === 'canonical')
    return levels.map(({ price, amount }) => [
      formatPrice(grid, price as Price),
      formatAmount(grid, amount as Amount),
    ]);
  return levels.map(({ price, amount }) => [
    writeDecimal(priceUnits(grid, price as Price), forms),
    writeDecimal(amountUnits(grid, amount as Amount), forms),
  ]);
}

/** Writes a book as the order-book endpoints show it: sells are called `bids`, buys `asks`. */
function bookJson(view: BookView, forms: WireForms): Record<string, unknown> {
  return {
    lastUpdate: updatedAt(view, forms),
    bids: pairs(view.sells, view, forms),
    asks: pairs(view.buys, view, forms),
  };
}

/** Writes a book as the third version of the endpoint does, under the right names. */
function orientedBookJson(view: BookView, forms: WireForms): Record<string, unknown> {
  return {
    lastUpdate: updatedAt(view, forms),
    lastTradePrice: writeDecimal(priceUnits(view.grid, view.lastPrice as Price), forms),
    bids: pairs(view.buys, view, forms),
    asks: pairs(view.sells, view, forms),
  };
}

/** Writes a book as the depth endpoint shows it: merged into coarser levels, under the right names. */
function depthRecord(view: BookView, forms: WireForms): Record<string, unknown> {
  return {
    lastUpdate: String(updatedAt(view, forms)),
    bids: pairs(aggregateLevels(view.buys, 'down'), view, forms),
    asks: pairs(aggregateLevels(view.sells, 'up'), view, forms),
    lastTradePrice: writeDecimal(priceUnits(view.grid, view.lastPrice as Price), forms),
  };
}

/** Returns a change in percent, with two decimals. */
const changePercent = (open: number, close: number): bigint =>
  divideHalfEven(BigInt(close - open) * 10_000n, BigInt(open)) * (UNITS_PER_ONE / 100n);

/**
 * Returns the statistics of a market's day. The mark price is the last price. An empty side of the book has
 * no best price (null). If optional fields are left out, a closed market says only that it is closed.
 */
function statsRecord(market: MarketState, timeMs: number, forms: WireForms): Record<string, unknown> {
  const closed = market.isClosed ? { isClosed: true, isClosedReason: market.closedReason ?? 'closed' } : null;
  if (closed !== null && forms.omitOptionalFields) return closed;
  const { grid } = market;
  const stats = dayStats(market, timeMs);
  const price = (steps: number | null): unknown =>
    steps === null ? null : writeDecimal(priceUnits(grid, steps as Price), forms);
  const latest = price(stats.close);
  const open = stats.open ?? stats.close;
  return {
    ...(closed ?? { isClosed: false }),
    bestSell: price(stats.bestSell),
    bestBuy: price(stats.bestBuy),
    volumeSrc: writeDecimal(BigInt(Math.round(stats.volume)) * grid.amountStep, forms),
    volumeDst: writeDecimal(divideHalfEven(stats.value * grid.stepProduct, UNITS_PER_ONE), forms),
    latest,
    ...(forms.omitOptionalFields ? {} : { mark: latest }),
    dayLow: price(stats.low ?? stats.close),
    dayHigh: price(stats.high ?? stats.close),
    dayOpen: price(open),
    dayClose: latest,
    dayChange: formatUnits(changePercent(open, stats.close)),
  };
}

/** Maximum number of candles of one reply. Source: interface, "Other constants". */
const CANDLES_A_PAGE = 500;

/** Requested bars. Times are starts of bars, bounds included; `countback` takes precedence over `fromMs`. */
interface CandleQuery {
  readonly toMs: number;
  readonly fromMs: number | null;
  readonly countback: number | null;
  /** Page from 1, which has the newest bars; each page is in the order of time. */
  readonly page: number;
}

/** Returns one page of the bars, oldest first. */
function chooseBars(bars: readonly SimulatedBar[], query: CandleQuery): readonly SimulatedBar[] {
  const upTo = bars.filter((bar) => bar.openTimeMs <= query.toMs);
  const { countback, fromMs } = query;
  const wanted =
    countback === null
      ? upTo.filter((bar) => fromMs === null || bar.openTimeMs >= fromMs)
      : upTo.slice(Math.max(0, upTo.length - countback));
  const end = wanted.length - (query.page - 1) * CANDLES_A_PAGE;
  return end <= 0 ? [] : wanted.slice(Math.max(0, end - CANDLES_A_PAGE), end);
}

/** Returns the columns of the history reply: times in seconds, and bare numbers with every digit. */
function candleColumns(bars: readonly SimulatedBar[], grid: Market): Record<string, unknown> {
  const prices = (read: (bar: SimulatedBar) => number): readonly object[] =>
    bars.map((bar) => writeNumber(BigInt(read(bar)) * grid.priceStep));
  return {
    s: 'ok',
    t: bars.map((bar) => bar.openTimeMs / 1000),
    o: prices((bar) => bar.open),
    h: prices((bar) => bar.high),
    l: prices((bar) => bar.low),
    c: prices((bar) => bar.close),
    v: bars.map((bar) => writeNumber(BigInt(Math.round(bar.volume)) * grid.amountStep)),
  };
}
