import { isObject } from '../../domain/stored-json.ts';
import { z } from 'zod';
import type { Candle } from '../../domain/candle.ts';
import {
  decimalField,
  timeMsOrNull,
  readDecimal,
  recordOf,
  withoutPrototype,
  decimalOrNull,
  flagOrNull,
  readMarket,
  textOrNull,
  anyValue,
} from '../reply-types.ts';
import type { DecimalText } from '../../domain/decimal-text.ts';
import { type MarketStats, orientBook, type OrderBook } from '../../domain/order-book.ts';
import { endpointsOf, assumedBudget, budget, currencyList, integer, symbolInput } from '../request-types.ts';
import {
  bookRecord,
  depthSides,
  orientedBookRecord,
  publicTradeList as publicTradeRecords,
} from '../order.ts';
import { RESOLUTIONS } from '../market-names.ts';
import { madeOnce } from '../../domain/retain-newest.ts';

/** Reply of the options call, spelled out for the declarations. `10` and `0.000001` are both steps. */
type ExchangeOptions = {
  /** Least value of an order by quote currency: `rls`, `usdt`. Empty if the reply lacks them. */
  readonly minOrders: Readonly<Record<string, DecimalText>>;
  /** Amount steps by market symbol: `BTCIRT`. */
  readonly amountSteps: Readonly<Record<string, DecimalText>>;
  /** Price steps by market symbol. */
  readonly priceSteps: Readonly<Record<string, DecimalText>>;
  readonly activeCurrencies: readonly string[];
  /** Features, as the exchange sends them. */
  readonly features: Readonly<Record<string, unknown>>;
  /** Coins, as the exchange sends them; their numbers may hold underscores (`4_000.0`). */
  readonly coins: readonly Readonly<Record<string, unknown>>[];
};

const NOTHING = Object.freeze(withoutPrototype<never>([]));

const decimals = recordOf(decimalField);

const serviceOptions = z.object({
  minOrders: decimals.nullish(),
  amountPrecisions: decimals.nullish(),
  pricePrecisions: decimals.nullish(),
  activeCurrencies: z.array(z.string()).nullish(),
});

const FIELDS = new Set(['minOrders', 'amountPrecisions', 'pricePrecisions', 'activeCurrencies']);

/**
 * Returns the options under the service's own name, whatever that is: an object with any of the fields, or
 * flat keys such as `service.minOrders`. Empty if there is neither.
 */
function findServiceOptions(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  for (const value of Object.values(body)) {
    if (isObject(value) && Object.keys(value).some((field) => FIELDS.has(field))) return value;
  }
  return withoutPrototype(
    Object.entries(body)
      .map(([key, value]) => [key.slice(key.lastIndexOf('.') + 1), value] as const)
      .filter(([field]) => FIELDS.has(field)),
  );
}

/** Removes numeric currency ids, which repeat the symbols. */
const withoutNumericKeys = (
  entries: Readonly<Record<string, DecimalText>>,
): Readonly<Record<string, DecimalText>> =>
  withoutPrototype(Object.entries(entries).filter(([key]) => !/^\d+$/.test(key)));

/** Reply of the options call: "Wallets", the last paragraph, and additions of deployments. */
const optionsReply = z
  .looseObject({
    features: recordOf(anyValue).nullish(),
    coins: z.array(recordOf(anyValue)).nullish(),
  })
  .transform((body, context): ExchangeOptions => {
    const found = findServiceOptions(body);
    if (Object.keys(found).length === 0) {
      const message = `expected any of ${[...FIELDS].join(', ')}, was none`;
      context.addIssue({ code: 'custom', path: ['service'], message, input: body });
      return z.NEVER;
    }
    const service = serviceOptions.safeParse(found);
    if (!service.success) {
      for (const { path, message } of service.error.issues)
        context.addIssue({ code: 'custom', path: ['service', ...path], message, input: body });
      return z.NEVER;
    }
    const { minOrders, amountPrecisions, pricePrecisions, activeCurrencies } = service.data;
    return {
      minOrders: withoutNumericKeys(minOrders ?? NOTHING),
      amountSteps: amountPrecisions ?? NOTHING,
      priceSteps: pricePrecisions ?? NOTHING,
      activeCurrencies: activeCurrencies ?? [],
      features: body.features ?? NOTHING,
      coins: body.coins ?? [],
    };
  });

/**
 * The columns of the history reply; with `no_data` they are missing. A candle without a readable time is left
 * out, unless that is all of them. An `error` never comes here: the client returns it as a refusal.
 */
const candlesReply = z
  .object({
    s: z.enum(['ok', 'no_data']),
    t: z.array(timeMsOrNull).optional(),
    o: z.array(decimalField).optional(),
    h: z.array(decimalField).optional(),
    l: z.array(decimalField).optional(),
    c: z.array(decimalField).optional(),
    v: z.array(decimalField).optional(),
  })
  .transform((wire, context): readonly Candle[] => {
    const { s, t = [], o = [], h = [], l = [], c = [], v = [] } = wire;
    if (s === 'no_data') return [];
    const candles: Candle[] = [];
    for (const [index, openTimeMs] of t.entries()) {
      const open = o[index];
      const high = h[index];
      const low = l[index];
      const close = c[index];
      const volume = v[index];
      if (
        open === undefined ||
        high === undefined ||
        low === undefined ||
        close === undefined ||
        volume === undefined
      ) {
        context.addIssue({
          code: 'custom',
          path: ['t', index],
          message: 'expected all columns to be as long as t',
          input: t,
        });
        return z.NEVER;
      }
      if (openTimeMs !== null) candles.push({ openTimeMs, open, high, low, close, volume });
    }
    if (candles.length > 0 || t.length === 0) return candles;
    context.addIssue({ code: 'custom', path: ['t'], message: 'expected times, was none', input: t });
    return z.NEVER;
  });

/** Prices of other providers: currency (lower case) -> provider -> price. */
type GlobalStats = Readonly<Record<string, Readonly<Record<string, DecimalText>>>>;

type Prices = Map<string, Map<string, DecimalText>>;

function priceOf(value: unknown): DecimalText | null {
  const raw = isObject(value) ? value['price'] : value;
  return typeof raw === 'string' || typeof raw === 'number' ? readDecimal(raw) : null;
}

/** Sets the price of a currency at a provider, unless there is one. */
function put(
  prices: Prices,
  place: { readonly currency: string; readonly provider: string },
  value: unknown,
): void {
  const price = priceOf(value);
  if (price === null) return;
  const currency = place.currency.toLowerCase();
  const ofCurrency = madeOnce(prices, currency, () => new Map<string, DecimalText>());
  if (!ofCurrency.has(place.provider)) ofCurrency.set(place.provider, price);
}

/** Yields the prices in an object of two levels. */
function* leaves(outer: unknown): Generator<readonly [outer: string, inner: string, value: unknown]> {
  if (!isObject(outer)) return;
  for (const [outerKey, inner] of Object.entries(outer)) {
    if (!isObject(inner)) continue;
    for (const [innerKey, value] of Object.entries(inner)) yield [outerKey, innerKey, value];
  }
}

/**
 * Reads prices of other providers in both forms, also mixed: the interface's own `{currency: {provider:
 * {price}}}`, which is preferred, and `{markets: {provider: {currency: number}}}`. Entries without a readable
 * price are skipped, since one bad entry must not lose the rest.
 */
const globalStatsReply = recordOf(z.unknown()).transform(({ markets, ...own }): GlobalStats => {
  const prices: Prices = new Map();
  for (const [currency, provider, value] of leaves(own)) put(prices, { currency, provider }, value);
  for (const [provider, currency, value] of leaves(markets)) put(prices, { currency, provider }, value);
  return withoutPrototype(
    [...prices].map(([currency, ofCurrency]) => [currency, withoutPrototype(ofCurrency)]),
  );
});

const statsRecord = z.object({
  isClosed: flagOrNull,
  isClosedReason: textOrNull,
  bestSell: decimalOrNull,
  bestBuy: decimalOrNull,
  volumeSrc: decimalOrNull,
  volumeDst: decimalOrNull,
  latest: decimalOrNull,
  mark: decimalOrNull,
  dayLow: decimalOrNull,
  dayHigh: decimalOrNull,
  dayOpen: decimalOrNull,
  dayClose: decimalOrNull,
  dayChange: decimalOrNull,
});

/** Statistics of each requested market; markets with an unknown quote currency are skipped. */
const marketStatsReply = z
  .object({ stats: recordOf(statsRecord) })
  .transform((wire): readonly MarketStats[] => {
    const all: MarketStats[] = [];
    for (const [key, { isClosed, isClosedReason, volumeSrc, volumeDst, ...numbers }] of Object.entries(
      wire.stats,
    )) {
      const market = readMarket(key);
      if (market === null) continue;
      const volumes = { baseVolume: volumeSrc, quoteVolume: volumeDst };
      all.push({ market, isClosed: isClosed ?? false, closedReason: isClosedReason, ...volumes, ...numbers });
    }
    return all;
  });

const endpoint = endpointsOf('Public market data', 5000);

const orderBookBudget = budget('v2/orderbook', { per: 'ip', limit: 60 });
/** Budget of the third version: no limit is stated, so it has that of the second, which it replaces. */
const orderBookV3Budget = assumedBudget('v3/orderbook', 'ip', 60);

export const orderBook = endpoint({
  name: 'orderBook',
  route: 'GET /v2/orderbook/{symbol}',
  access: 'none',
  budget: orderBookBudget,
  request: z.object({ symbol: symbolInput() }),
  reply: bookRecord,
  example: { symbol: 'BTCIRT' },
  summary: 'The order book of one market, turned the right way round.',
});

/** Order book of the third version, not in the interface: deployments serve it and deprecate the second. */
export const orderBookV3 = endpoint({
  name: 'orderBookV3',
  route: 'GET /v3/orderbook/{symbol}',
  access: 'none',
  budget: orderBookV3Budget,
  request: z.object({ symbol: symbolInput() }),
  reply: orientedBookRecord,
  example: { symbol: 'BTCIRT' },
  summary: 'The order book of one market, in the form that has bids and asks the right way round.',
});

/** Reads every book in the body, by market symbol; the status and unknown fields are skipped. */
const allBooksOf = (record: z.ZodType<OrderBook>) =>
  recordOf(z.unknown()).transform((body, context): Readonly<Record<string, OrderBook>> => {
    const books: [string, OrderBook][] = [];
    for (const [symbol, value] of Object.entries(body)) {
      if (typeof value !== 'object' || value === null || !('bids' in value)) continue;
      const book = record.safeParse(value);
      if (book.success) books.push([symbol, book.data]);
      else
        context.addIssue({ code: 'custom', path: [symbol], message: 'expected an order book', input: value });
    }
    return withoutPrototype(books);
  });

export const allOrderBooks = endpoint({
  name: 'allOrderBooks',
  route: 'GET /v2/orderbook/all',
  access: 'none',
  budget: orderBookBudget,
  timeoutMs: 10_000,
  reply: allBooksOf(bookRecord),
  summary: 'The order books of all markets, by market symbol.',
});

/** All books of the third version, not in the interface: deployments serve it and deprecate the second. */
export const allOrderBooksV3 = endpoint({
  name: 'allOrderBooksV3',
  route: 'GET /v3/orderbook/all',
  access: 'none',
  budget: orderBookV3Budget,
  timeoutMs: 10_000,
  reply: allBooksOf(orientedBookRecord),
  summary: 'The order books of all markets, in the form that has bids and asks the right way round.',
});

export const depth = endpoint({
  name: 'depth',
  route: 'GET /v2/depth/{symbol}',
  access: 'none',
  budget: budget('v2/depth', { per: 'ip', limit: 60 }),
  request: z.object({ symbol: symbolInput() }),
  reply: depthSides.extend({ lastTradePrice: decimalOrNull }).transform((wire) => ({
    /** Levels are aggregated and rounded by the exchange. */
    book: orientBook({ named: wire, updatedAtMs: wire.lastUpdate, buysAre: 'bids' }),
    lastTradePrice: wire.lastTradePrice,
  })),
  example: { symbol: 'BTCIRT' },
  summary: 'The aggregated depth of one market.',
  experimental: true,
});

export const publicTrades = endpoint({
  name: 'publicTrades',
  route: 'GET /v2/trades/{symbol}',
  access: 'none',
  budget: budget('v2/trades', { per: 'ip', limit: 15 }),
  request: z.object({ symbol: symbolInput() }),
  reply: z.object({ trades: publicTradeRecords }).transform((wire) => wire.trades),
  example: { symbol: 'BTCIRT' },
  summary: 'The latest trades of one market, as the exchange orders them. They carry no id.',
});

export const marketStats = endpoint({
  name: 'marketStats',
  route: 'GET|POST /market/stats',
  access: 'none',
  // The interface says 100; the newest public documentation says 20, and exceeding it means a lockout.
  budget: budget('market/stats', { per: 'ip', limit: 20 }),
  request: z.object({
    srcCurrency: currencyList().optional(),
    dstCurrency: currencyList()
      .optional()
      .describe('Deployments answer with all markets where both are left out.'),
  }),
  reply: marketStatsReply,
  example: { srcCurrency: 'btc', dstCurrency: 'rls' },
  summary: 'Statistics of markets for the day: best prices, volumes, range, change.',
});

export const history = endpoint({
  name: 'history',
  route: 'GET /market/udf/history',
  access: 'none',
  budget: assumedBudget('market/udf/history', 'ip'),
  timeoutMs: 10_000,
  request: z.object({
    symbol: symbolInput(),
    resolution: z.enum(RESOLUTIONS).describe('Minutes, or days with a D; 1D is the same as D.'),
    to: integer({ least: 0 }).describe('Unix time in seconds.'),
    from: integer({ least: 0 }).optional().describe('Unix time in seconds.'),
    countback: integer({ least: 1 }).optional().describe('Number of candles; overrides from.'),
    page: integer({ least: 1 }).optional(),
  }),
  failsInBody: true,
  reply: candlesReply,
  example: { symbol: 'BTCIRT', resolution: '60', to: 1_767_225_600, countback: 24 },
  summary: 'Candles of one market, at most 500 a request; an empty list where the range has none.',
});

export const globalStats = endpoint({
  name: 'globalStats',
  route: 'POST /market/global-stats',
  access: 'none',
  budget: budget('market/global-stats', { per: 'ip', limit: 100, minutes: 10 }),
  idempotent: true,
  reply: globalStatsReply,
  summary: 'Prices of other providers, by currency and provider.',
});

export const options = endpoint({
  name: 'options',
  route: 'GET /v2/options',
  access: 'none',
  budget: assumedBudget('v2/options', 'ip'),
  timeoutMs: 10_000,
  reply: optionsReply,
  summary: 'Minimum order values, and the price and amount steps of every market.',
  section: 'Wallets',
});
