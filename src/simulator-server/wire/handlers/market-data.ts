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
  failedAnswer,
  notFoundAnswer,
  type WireAnswer,
  type WireCall,
  type WireHandler,
  type WireHandlers,
  type WireForms,
} from '../handler.ts';
import { readRequest } from '../request-fields.ts';
import { writeDecimal, writeNumber } from '../order-records.ts';
import {
  aggregateLevels,
  type BookView,
  type SimulatedExchange,
  type ViewLevel,
} from '../../../simulator/exchange.ts';
import { dayStats, type SimulatedBar } from '../../../simulator/candle-series.ts';

/** Public trades of one reply. No document gives the number. */
const TRADES_SHOWN = 50;

/**
 * Source of the prices in the global statistics: there is no other exchange in here, so they are our own, in
 * tether.
 */
const PROVIDER = 'reference';

type RecordOf<Item> = (item: Item, call: WireCall) => Readonly<Record<string, unknown>>;

/** Answers with a record of the market of the path, if there is one of that name. */
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

/** An endpoint of the second version, which newer deployments do not have. */
const inV2 =
  (handler: WireHandler): WireHandler =>
  (call) =>
    call.forms.orderBooks === 'v3' ? notFoundAnswer('Page') : handler(call);

function marketOf(call: WireCall, symbol: string): MarketState | undefined {
  return call.exchange.markets.get(symbol as MarketSymbol);
}

/** True if a comma list names a currency; a list that is left out names all. */
function isAmong(currency: string, list: string | undefined): boolean {
  return list === undefined || list.split(',').includes(currency);
}

/** Error message of the history for each field that is not as declared, by the start of its refusal. */
const HISTORY_ERRORS: readonly (readonly [field: string, errmsg: string])[] = [
  ['symbol', 'Invalid symbol!'],
  ['resolution', 'Invalid resolution!'],
  ['to', 'Expected to as a Unix time in seconds!'],
];

function historyError(errmsg: string): WireAnswer {
  return { status: 200, body: { s: 'error', errmsg } };
}

/** Tether prices by currency, in units. */
function tetherPrices(call: WireCall): ReadonlyMap<string, bigint> {
  const prices = new Map<string, bigint>();
  for (const currency of activeCurrencies(call.exchange)) {
    const market = call.exchange.marketOf(currency, 'usdt');
    if (market !== undefined) prices.set(currency, priceUnits(market.grid, market.lastPrice as Price));
  }
  return prices;
}

/** Source: interface, "Public market data". */
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

  marketStats(call) {
    const request = readRequest('marketStats', call);
    if (!request.ok) return failedAnswer(request, call.forms);
    const { srcCurrency, dstCurrency } = request.value;
    const stats: Record<string, unknown> = {};
    for (const market of call.exchange.markets.values()) {
      const { base, quote, statsKey } = market.rules;
      if (isAmong(base, srcCurrency) && isAmong(quote, dstCurrency))
        stats[statsKey] = statsRecord(market, call.timeMs, call.forms);
    }
    if (Object.keys(stats).length === 0) {
      return failedAnswer(refuse('InvalidMarketPair', 'No market of these currencies'), call.forms);
    }
    return { status: 200, body: { status: 'ok', stats } };
  },

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

/** The numbers that repeat some symbols among the minimum values. */
const NUMERIC_IDS: Readonly<Record<string, string>> = { rls: '2', usdt: '13' };

/** Digits of the whole part in groups of three, as the coins of the options have them: `4_000.0`. */
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

/** Currencies of the markets, quote currencies first. */
function activeCurrencies(exchange: SimulatedExchange): readonly string[] {
  const rules = [...exchange.markets.values()].map((market) => market.rules);
  return [...new Set(['rls', 'usdt', ...rules.map(({ base }) => base)])];
}

/**
 * `GET /v2/options`: minimum values and steps under the service's own name. Where markets of a currency
 * differ in their minimum, the largest.
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

/** A Unix time in the unit that the deployment's books use. */
function writeUnixTime(timeMs: number, forms: Pick<WireForms, 'lastUpdate'>): number {
  return forms.lastUpdate === 'milliseconds' ? timeMs : Math.floor(timeMs / 1000);
}

function updatedAt({ changedAtMs, snapshotAtMs }: BookView, forms: WireForms): number {
  return writeUnixTime(forms.lastUpdateOf === 'change' ? changedAtMs : snapshotAtMs, forms);
}

function pairs(levels: readonly ViewLevel[], view: BookView, forms: WireForms): readonly unknown[] {
  const { grid } = view;
  if (forms.decimals === 'canonical') {
    return levels.map(({ price, amount }) => [
      formatPrice(grid, price as Price),
      formatAmount(grid, amount as Amount),
    ]);
  }
  return levels.map(({ price, amount }) => [
    writeDecimal(priceUnits(grid, price as Price), forms),
    writeDecimal(amountUnits(grid, amount as Amount), forms),
  ]);
}

/** A book as the order-book endpoints show it: sells are called `bids`, buys `asks`. */
function bookJson(view: BookView, forms: WireForms): Record<string, unknown> {
  return {
    lastUpdate: updatedAt(view, forms),
    bids: pairs(view.sells, view, forms),
    asks: pairs(view.buys, view, forms),
  };
}

/** The same in the third version of the endpoint, by the right names. */
function orientedBookJson(view: BookView, forms: WireForms): Record<string, unknown> {
  return {
    lastUpdate: updatedAt(view, forms),
    lastTradePrice: writeDecimal(priceUnits(view.grid, view.lastPrice as Price), forms),
    bids: pairs(view.buys, view, forms),
    asks: pairs(view.sells, view, forms),
  };
}

/** A book as the depth endpoint shows it: gathered into coarser levels, by the right names. */
function depthRecord(view: BookView, forms: WireForms): Record<string, unknown> {
  return {
    lastUpdate: String(updatedAt(view, forms)),
    bids: pairs(aggregateLevels(view.buys, 'down'), view, forms),
    asks: pairs(aggregateLevels(view.sells, 'up'), view, forms),
    lastTradePrice: writeDecimal(priceUnits(view.grid, view.lastPrice as Price), forms),
  };
}

/** Percent with two decimals. */
function changePercent(open: number, close: number): bigint {
  return divideHalfEven(BigInt(close - open) * 10_000n, BigInt(open)) * (UNITS_PER_ONE / 100n);
}

/**
 * A market's day. There is no mark price here but the last one. A side of the book that is empty has no best
 * price: null. Where optional fields are left out, a closed market says only that it is.
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

/** Candles of one reply at most. Source: interface, "Other constants". */
const CANDLES_A_PAGE = 500;

/**
 * Range of the requested bars. Times are of the start of bars, both bounds included; `countback` goes before
 * `fromMs`.
 */
interface CandleQuery {
  readonly toMs: number;
  readonly fromMs: number | null;
  readonly countback: number | null;
  /** Page 1 has the newest bars, page 2 those before them; each is in the order of time. */
  readonly page: number;
}

/** One page of the bars, oldest first. */
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

/** The columns of the history reply: seconds, and bare numbers with every digit. */
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
