import type { MarketSymbol } from '../../../domain/market-symbol.ts';
import { priceUnits } from '../../../domain/market.ts';
import { type Price, formatUnits } from '../../../domain/money.ts';
import { timeframeOf } from '../../../exchange/resolution.ts';
import type { MarketState } from '../../../simulator/market-state.ts';
import { refuse } from '../../../simulator/requests.ts';
import {
  bookJson,
  candleColumns,
  chooseBars,
  depthRecord,
  orientedBookJson,
  statsRecord,
  writeUnixTime,
} from '../market-records.ts';
import {
  failedAnswer,
  notFoundAnswer,
  type WireAnswer,
  type WireCall,
  type WireHandlers,
} from '../handler.ts';
import { readRequest } from '../read-request.ts';
import { writeDecimal, writeNumber } from '../write-fields.ts';
import type { SimulatedExchange } from '../../../simulator/exchange.ts';
import type { WireForms } from '../forms.ts';

/** Public trades of one reply. No document gives the number. */
const TRADES_SHOWN = 50;

/**
 * Source of the prices in the global statistics: there is no other exchange in here, so they are our own, in
 * tether.
 */
const PROVIDER = 'reference';

/** The market of the path; undefined where it is unknown or no market can have that name. */
function marketInPath(
  name: 'orderBook' | 'orderBookV3' | 'depth' | 'publicTrades',
  call: WireCall,
): MarketState | undefined {
  const request = readRequest(name, call);
  return request.ok ? marketOf(call, request.value.symbol) : undefined;
}

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
  orderBook(call) {
    if (call.forms.orderBooks === 'v3') return notFoundAnswer('Page');
    const market = marketInPath('orderBook', call);
    if (market === undefined) return notFoundAnswer('Market');
    return {
      status: 200,
      body: { status: 'ok', ...bookJson(call.exchange.books.of(market, call.timeMs), call.forms) },
    };
  },

  orderBookV3(call) {
    const market = marketInPath('orderBookV3', call);
    if (market === undefined) return notFoundAnswer('Market');
    return {
      status: 200,
      body: { status: 'ok', ...orientedBookJson(call.exchange.books.of(market, call.timeMs), call.forms) },
    };
  },

  allOrderBooks(call) {
    if (call.forms.orderBooks === 'v3') return notFoundAnswer('Page');
    const body: Record<string, unknown> = { status: 'ok' };
    for (const [symbol, market] of call.exchange.markets) {
      body[symbol] = bookJson(call.exchange.books.of(market, call.timeMs), call.forms);
    }
    return { status: 200, body };
  },

  allOrderBooksV3(call) {
    const body: Record<string, unknown> = { status: 'ok' };
    for (const [symbol, market] of call.exchange.markets) {
      body[symbol] = orientedBookJson(call.exchange.books.of(market, call.timeMs), call.forms);
    }
    return { status: 200, body };
  },

  depth(call) {
    const market = marketInPath('depth', call);
    if (market === undefined) return notFoundAnswer('Market');
    return {
      status: 200,
      body: { status: 'ok', ...depthRecord(call.exchange.books.of(market, call.timeMs), call.forms) },
    };
  },

  publicTrades(call) {
    const market = marketInPath('publicTrades', call);
    if (market === undefined) return notFoundAnswer('Market');
    const trades = market.tape
      .values()
      .slice(-TRADES_SHOWN)
      .reverse()
      .map(({ timeMs, price, amount, side, grid }) => ({
        time: writeUnixTime(timeMs, call.forms),
        price: writeDecimal(BigInt(price) * grid.priceStep, call.forms),
        volume: writeDecimal(BigInt(amount) * grid.amountStep, call.forms),
        type: side,
      }));
    return { status: 200, body: { status: 'ok', trades } };
  },

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
