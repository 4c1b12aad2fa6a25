import { createHash, createHmac, createPrivateKey, sign } from 'node:crypto';
import { z } from 'zod';
import { UTC_BARS } from '../domain/candle.ts';
import { messageOf } from '../domain/errors.ts';
import { addUnits, formatUnits, parseUnits, type Units } from '../domain/money.ts';
import { venueOrderId, type Execution } from '../domain/order.ts';
import { MARKET_NAMES } from '../exchange/market-names.ts';
import { bothSides, type MarketStats } from '../domain/order-book.ts';
import type { OrderRequest, VenueCall } from './port.ts';
import { restOrder, restTrade, restWallet } from './rest-records.ts';
import {
  decimalOf,
  defineVenue,
  type RestCredential,
  type RestRefusal,
  type RestReply,
  type RestRequest,
} from './rest-venue.ts';

/**
 * The second exchange: the REST interface for spot trading that several exchanges serve from their own
 * addresses. Limits and weights are those of July 2026. Ids count in each market, so an id here is that of
 * the market and the number.
 */

/** Longest time from the stamp of a request until the exchange takes it, in ms. */
const RECEIVE_WINDOW_MS = 5_000;
/**
 * Age in ms from which a request is refused, with what its clock may be off and what its lists may lag
 * behind: "rarely seconds".
 */
const REFUSED_AFTER_MS = 30_000;

const MOST_ROWS = 1_000;
/** Levels of a book that cost the least weight. */
const LEVELS = 100;
const MOST_TRADES = 500;

const id = z.int().nonnegative();
const decimal = z.string();
const side = z.enum(['BUY', 'SELL']).transform((word) => (word === 'BUY' ? 'buy' : 'sell'));

const filterRow = z.object({ filterType: z.string() }).catchall(z.unknown());
const symbolRow = z.object({
  symbol: z.string(),
  status: z.string(),
  baseAsset: z.string(),
  quoteAsset: z.string(),
  baseAssetPrecision: z.int().min(0).max(30),
  quoteAssetPrecision: z.int().min(0).max(30),
  filters: z.array(filterRow),
});
const placed = z.object({
  symbol: z.string(),
  orderId: id,
  clientOrderId: z.string(),
  origClientOrderId: z.string().optional(),
  price: decimal,
  origQty: decimal,
  executedQty: decimal,
  cummulativeQuoteQty: decimal,
  status: z.string(),
  type: z.string(),
  timeInForce: z.string(),
  side,
  stopPrice: decimal.optional(),
  isWorking: z.boolean().optional(),
  workingTime: z.int().optional(),
  time: z.int().optional(),
  transactTime: z.int().optional(),
});
const tradeRow = z.object({
  symbol: z.string(),
  id,
  orderId: id,
  price: decimal,
  qty: decimal,
  quoteQty: decimal,
  commission: decimal,
  commissionAsset: z.string(),
  time: z.int(),
  isBuyer: z.boolean(),
});
const level = z.tuple([decimal, decimal]);
const publicTrade = z.object({ price: decimal, qty: decimal, time: z.int(), isBuyerMaker: z.boolean() });
const balance = z.object({ asset: z.string(), free: decimal, locked: decimal });
const candleRow = z.tuple([z.int(), decimal, decimal, decimal, decimal, decimal], z.unknown());
const dayRow = z.object({
  symbol: z.string(),
  bidPrice: decimal,
  askPrice: decimal,
  volume: decimal,
  quoteVolume: decimal,
  lastPrice: decimal,
  openPrice: decimal,
  highPrice: decimal,
  lowPrice: decimal,
  priceChangePercent: decimal,
});
const failure = z.object({ code: z.int().negative(), msg: z.string() });

const idOf = (symbol: string, number: number): string => `${symbol}-${number}`;
const numberIn = (text: string): number => Number(text.slice(text.lastIndexOf('-') + 1));

/** Kinds of orders by their types. Those that take profits are as stops, for orders of other programs. */
const EXECUTIONS: ReadonlyMap<string, Execution> = new Map([
  ['LIMIT', 'limit'],
  ['LIMIT_MAKER', 'limit'],
  ['MARKET', 'market'],
  ['STOP_LOSS', 'stop_market'],
  ['TAKE_PROFIT', 'stop_market'],
  ['STOP_LOSS_LIMIT', 'stop_limit'],
  ['TAKE_PROFIT_LIMIT', 'stop_limit'],
]);

/** Types of orders that the bot places. */
const TYPES = { limit: 'LIMIT', market: 'MARKET', stop_limit: 'STOP_LOSS_LIMIT', stop_market: 'STOP_LOSS' };

const isZero = (text: string): boolean => /^0*(?:\.0*)?$/.test(text);
const orNone = (text: string | undefined) => (text === undefined || isZero(text) ? null : decimalOf(text));

/**
 * Id of a cancel, which later queries may show in place of the order's own: so it can be told from one. It is
 * unique among open orders, and the same for the same order.
 */
const CANCEL_NAME = 'cancel-';
const cancelName = ({ market, venueId, clientOrderId }: Extract<VenueCall, { kind: 'cancel' }>): string =>
  CANCEL_NAME +
  createHash('sha256')
    .update(`${market} ${venueId ?? clientOrderId}`)
    .digest('hex')
    .slice(0, 24);

/** Returns the client id of an order; null where the reply has that of its cancel in place of it. */
const ownName = (name: string): string | null => (name === '' || name.startsWith(CANCEL_NAME) ? null : name);

const readOrder = (row: unknown) => {
  const { symbol, orderId, clientOrderId, origClientOrderId, status, type, ...order } = placed.parse(row);
  const isWaiting = order.isWorking === false || order.workingTime === -1;
  const spent = order.cummulativeQuoteQty;
  return restOrder({
    id: idOf(symbol, orderId),
    clientOrderId: ownName(origClientOrderId ?? clientOrderId),
    market: symbol,
    side: order.side,
    execution: type === 'LIMIT' && order.timeInForce !== 'GTC' ? 'market' : (EXECUTIONS.get(type) ?? null),
    amount: decimalOf(order.origQty),
    matchedAmount: decimalOf(order.executedQty),
    price: orNone(order.price),
    stopPrice: orNone(order.stopPrice),
    // Below zero: it is not known, as of old orders.
    total: spent.startsWith('-') ? null : decimalOf(spent),
    // Orders have no fees; their trades do.
    fee: null,
    status: status === 'NEW' && isWaiting ? 'NEW_WAITING' : status,
    createdAtMs: order.time ?? order.transactTime ?? null,
  });
};

const readTrade = (row: unknown) => {
  const { symbol, id: number, orderId, isBuyer, commissionAsset, ...trade } = tradeRow.parse(row);
  const { base, quote } = MARKET_NAMES.parseMarket(symbol);
  const feeCurrency = commissionAsset.toLowerCase();
  return restTrade({
    id: idOf(symbol, number),
    orderId: idOf(symbol, orderId),
    market: symbol,
    side: isBuyer ? 'buy' : 'sell',
    timeMs: trade.time,
    price: decimalOf(trade.price),
    amount: decimalOf(trade.qty),
    total: decimalOf(trade.quoteQty),
    fee: decimalOf(trade.commission),
    feeCurrency: feeCurrency === (isBuyer ? base : quote) ? null : feeCurrency,
  });
};

const levels = (rows: readonly (readonly [string, string])[]) =>
  rows.map(([price, amount]) => [decimalOf(price), decimalOf(amount)] as const);

/** Names a row that cannot be read by its order, as far as that can be read. */
const unreadRow = (what: string) => (row: unknown) => {
  const of = z.object({ symbol: z.string(), orderId: id }).safeParse(row).data;
  if (of === undefined) return { subject: what };
  const { symbol, orderId } = of;
  const venueId = idOf(symbol, orderId);
  return { subject: `${what} of ${venueId}`, venueOrderId: venueOrderId(venueId), market: symbol };
};

/** Returns the step of a filter, or that of the precision where the filter is switched off. */
function stepOf(row: z.output<typeof symbolRow>, name: string, field: string, precision: number) {
  const step = row.filters.find(({ filterType }) => filterType === name)?.[field];
  return typeof step === 'string' && !isZero(step)
    ? decimalOf(step)
    : decimalOf(precision === 0 ? '1' : `0.${'1'.padStart(precision, '0')}`);
}

/** Returns the rule of a market that trades, and that is priced in a currency of the bot; none of others. */
function ruleOf(row: z.output<typeof symbolRow>) {
  const { symbol, status, baseAsset, quoteAsset, filters } = row;
  const pair = `${baseAsset}-${quoteAsset}`.toLowerCase();
  if (status !== 'TRADING' || !isKnownPair(symbol, pair)) return [];
  const least = filters.find(({ filterType }) => filterType === 'NOTIONAL' || filterType === 'MIN_NOTIONAL');
  const { minNotional = '0' } = z.object({ minNotional: decimal.optional() }).parse(least ?? {});
  return [
    {
      symbol,
      priceStep: stepOf(row, 'PRICE_FILTER', 'tickSize', row.quoteAssetPrecision),
      amountStep: stepOf(row, 'LOT_SIZE', 'stepSize', row.baseAssetPrecision),
      minOrderValue: decimalOf(minNotional),
    },
  ];
}

function isKnownPair(symbol: string, pair: string): boolean {
  try {
    return MARKET_NAMES.parseMarket(symbol).statsKey === pair;
  } catch {
    return false;
  }
}

const query = (fields: Readonly<Record<string, string | number | null>>): string =>
  Object.entries(fields)
    .flatMap(([name, value]) => (value === null ? [] : [`${name}=${encodeURIComponent(value)}`]))
    .join('&');

const get = (path: string, fields: Parameters<typeof query>[0] = {}): RestRequest => ({
  method: 'GET',
  path: `/api/v3/${path}?${query(fields)}`,
});

const textOrNull = (units: Units | null): string | null => (units === null ? null : formatUnits(units));

/**
 * Type and prices of an order. A market order there has no bound on its price, so one with a bound is sent
 * as a limit order that never rests.
 */
function priceFields({ execution, price, stopPrice }: OrderRequest) {
  const isBound = execution === 'market' && price !== null;
  const isLimit = execution.includes('limit') || isBound;
  return {
    type: isBound ? 'LIMIT' : TYPES[execution],
    timeInForce: isBound ? 'IOC' : isLimit ? 'GTC' : null,
    price: isLimit ? textOrNull(price) : null,
    stopPrice: textOrNull(stopPrice),
  };
}

/** Fields that name an order: its number, or the id that the bot gave it. */
const named = ({ market, venueId, clientOrderId }: Extract<VenueCall, { kind: 'order' | 'cancel' }>) => ({
  symbol: market,
  orderId: venueId === null ? null : numberIn(venueId),
  origClientOrderId: venueId === null ? clientOrderId : null,
});

/** Symbols of the statistics that are asked for: all pairs of the currencies that have a name. */
const symbolsOf = ({ base, quote }: Extract<VenueCall, { kind: 'stats' }>): readonly string[] =>
  base.flatMap((one) =>
    quote.flatMap((other) =>
      one === other || other !== 'usdt' ? [] : [MARKET_NAMES.marketOfCurrencies(one, other).symbol],
    ),
  );

const readStats = (row: unknown): MarketStats => {
  const { symbol, ...day } = dayRow.parse(row);
  const latest = decimalOf(day.lastPrice);
  return {
    market: MARKET_NAMES.parseMarket(symbol),
    isClosed: false,
    closedReason: null,
    bestSell: orNone(day.askPrice),
    bestBuy: orNone(day.bidPrice),
    baseVolume: decimalOf(day.volume),
    quoteVolume: decimalOf(day.quoteVolume),
    latest,
    mark: null,
    dayLow: decimalOf(day.lowPrice),
    dayHigh: decimalOf(day.highPrice),
    dayOpen: decimalOf(day.openPrice),
    dayClose: latest,
    dayChange: decimalOf(day.priceChangePercent),
  };
};

/** Codes whose calls may have been executed, whatever the HTTP status. */
const UNKNOWN_CODES: ReadonlySet<number> = new Set([-1000, -1001, -1006, -1007, -1008, -1016]);
const BAD_CREDENTIALS: ReadonlySet<number> = new Set([-1002, -1022, -2014, -2015]);
const TOO_MANY_ORDERS = -1015;

/** Parts of messages that split a code into several, each with the word that is added to it. */
const SPLITS: readonly (readonly [code: number, part: RegExp, word: string])[] = [
  [-2010, /Duplicate order/, 'duplicate'],
  [-2010, /insufficient balance/, 'balance'],
  [-2010, /would immediately match|would trigger immediately/, 'price'],
  [-2010, /Filter failure: MAX_|Order book liquidity/, 'elsewhere'],
  [-2010, /Filter failure: PERCENT_PRICE/, 'band'],
  [-2010, /Filter failure/, 'filter'],
  [-1013, /Filter failure: PERCENT_PRICE/, 'band'],
  [-1013, /Filter failure: MAX_/, 'elsewhere'],
  [-1013, /Filter failure|Invalid quantity/, 'filter'],
];

/** Codes that the profile names. */
const PLAIN_CODES: ReadonlySet<number> = new Set([-1013, -1111, -1112, -1121, -2010, -2011, -2013]);
const MOST_WORDS = 120;

function codeOf({ code, msg }: z.output<typeof failure>): string {
  const word = SPLITS.find(([of, part]) => of === code && part.test(msg))?.[2];
  if (word !== undefined) return `${code} ${word}`;
  // Codes that decide something are alone; others have the words of the exchange for people.
  return PLAIN_CODES.has(code) ? String(code) : `${code} ${msg.slice(0, MOST_WORDS)}`;
}

function refusal({ status, headers, body }: RestReply): RestRefusal | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 500) return null;
  const said = failure.safeParse(body);
  if (status === 418 || status === 429) {
    const seconds = headers['retry-after'];
    return {
      kind: 'limited',
      message: said.data?.msg ?? 'over a limit',
      retryAfterMs: seconds === undefined || !/^\d+$/.test(seconds) ? null : Number(seconds) * 1_000,
      limit: said.data?.code === TOO_MANY_ORDERS ? 'orders' : 'weight',
    };
  }
  // A firewall or a proxy answers with a page: its words do not show what the exchange did.
  if (!said.success) return { kind: 'unknown', message: 'the reply is not one of the exchange' };
  const { code, msg: message } = said.data;
  if (UNKNOWN_CODES.has(code)) return { kind: 'unknown', message };
  if (status === 401 || BAD_CREDENTIALS.has(code)) return { kind: 'unauthorized', message };
  return { kind: 'refused', code: codeOf(said.data), message, effect: 'none' };
}

const numberOf = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,12}$/.test(text) ? Number(text) : null;

/** Calls that cost nothing if they succeed. */
const FREE: ReadonlySet<VenueCall['kind']> = new Set(['place', 'cancel']);

/** Signs the query: as HMAC with a secret, or by Ed25519 with a private key in PEM; percent-encoded. */
export function binanceSignature(query: string, credential: RestCredential): string {
  if (credential.kind !== 'secret') throw new TypeError('expected apiKey and apiSecret');
  const { apiSecret } = credential;
  if (!apiSecret.includes('PRIVATE KEY')) return createHmac('sha256', apiSecret).update(query).digest('hex');
  try {
    return encodeURIComponent(sign(null, Buffer.from(query), createPrivateKey(apiSecret)).toString('base64'));
  } catch (error) {
    throw new TypeError(`expected an Ed25519 private key in PEM as apiSecret: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function authenticate(
  request: RestRequest,
  { credential, nowMs }: { readonly credential: RestCredential; readonly nowMs: number },
): RestRequest {
  const [path = '', fields = ''] = request.path.split('?', 2);
  const timed = `${fields === '' ? '' : `${fields}&`}${query({ recvWindow: RECEIVE_WINDOW_MS, timestamp: Math.floor(nowMs) })}`;
  const apiKey = credential.kind === 'secret' ? credential.apiKey : '';
  return {
    ...request,
    path: `${path}?${timed}&signature=${binanceSignature(timed, credential)}`,
    headers: { ...request.headers, 'x-mbx-apikey': apiKey },
  };
}

export const BINANCE_SPOT = defineVenue({
  name: 'binance-spot',
  credentials: ['secret'],
  limits: {
    weight: { limit: 6_000, windowMs: 60_000, per: 'ip', hasReserve: true },
    // The count of a day, 160000, holds too: this is 155520 a day.
    orders: { limit: 18, windowMs: 10_000, per: 'token' },
  },
  profile: {
    statuses: {
      accepted: ['PENDING_NEW'],
      working: ['NEW', 'PARTIALLY_FILLED'],
      waiting: ['NEW_WAITING'],
      filled: ['FILLED'],
      canceled: ['CANCELED', 'EXPIRED', 'EXPIRED_IN_MATCH', 'REJECTED'],
    },
    refusals: {
      noSuchOrder: '-2013',
      clientOrderIdInUse: '-2010 duplicate',
      identicalOrder: null,
      dependOn: {
        price: ['-2010 price'],
        band: ['-1013 band', '-2010 band'],
        rule: ['-1013 filter', '-2010 filter', '-1111'],
        funds: ['-2010 balance'],
        elsewhere: ['-1013', '-1013 elsewhere', '-2010', '-2010 elsewhere', '-1112', '-1121'],
      },
    },
    // The usual percent filter allows a fifth to five times the average: beyond this the market says.
    priceBand: parseUnits('0.8'),
    identicalOrdersMs: 0,
    clientOrderId: { longest: 36, pattern: /^[A-Za-z0-9-]{1,36}$/, canBeQueried: true },
    orderKinds: new Set(['limit', 'market', 'stop_limit', 'stop_market']),
    ownLists: {
      orders: { by: 'id', cursorOf: numberIn, scope: 'market', openScope: 'market' },
      trades: { by: 'id', cursorOf: numberIn, scope: 'market', usualReach: 100_000_000, listedDays: 90 },
      transactions: null,
    },
    absence: { refusedAfterMs: REFUSED_AFTER_MS, readings: 2, needsTrades: true },
    pageSizes: { orders: MOST_ROWS, trades: MOST_ROWS, transactions: MOST_ROWS, candles: MOST_ROWS },
    timeframes: new Set(['1m', '5m', '15m', '30m', '1h', '4h', '6h', '12h', '1d']),
    barAnchors: UTC_BARS,
    bookCacheMs: 0,
  },
  authenticate,
  refusal,
  usage: ({ status, headers }, { kind }) => ({
    weight: { used: numberOf(headers['x-mbx-used-weight-1m']), isCounted: status !== 200 || !FREE.has(kind) },
    orders: { used: numberOf(headers['x-mbx-order-count-10s']) },
  }),
  calls: {
    options: {
      limit: 'weight',
      weight: 20,
      request: () => get('exchangeInfo', { showPermissionSets: 'false' }),
      read: (body) =>
        z
          .object({ symbols: z.array(symbolRow) })
          .parse(body)
          .symbols.flatMap(ruleOf),
    },
    book: {
      limit: 'weight',
      weight: 5,
      request: ({ market }) => get('depth', { symbol: market, limit: LEVELS }),
      read(body) {
        const { bids, asks } = z.object(bothSides(z.array(level))).parse(body);
        return { updatedAtMs: null, bids: levels(bids), asks: levels(asks) };
      },
    },
    'public-trades': {
      limit: 'weight',
      weight: 25,
      request: ({ market }) => get('trades', { symbol: market, limit: MOST_TRADES }),
      read: (body) =>
        z
          .array(publicTrade)
          .parse(body)
          .map(({ price, qty, time, isBuyerMaker }) => ({
            timeMs: time,
            price: decimalOf(price),
            amount: decimalOf(qty),
            side: isBuyerMaker ? 'sell' : 'buy',
          })),
    },
    stats: {
      limit: 'weight',
      weight: {
        most: 80,
        of: (call) => {
          const { length } = symbolsOf(call);
          return length <= 20 ? 2 : length <= 100 ? 40 : 80;
        },
      },
      request: (call) => get('ticker/24hr', { symbols: JSON.stringify(symbolsOf(call)) }),
      read: (body) => z.array(z.unknown()).parse(body).map(readStats),
    },
    candles: {
      limit: 'weight',
      weight: 2,
      request: ({ market, timeframe, toMs, count }) =>
        get('klines', { symbol: market, interval: timeframe, endTime: toMs - 1, limit: count }),
      read: (body) =>
        z
          .array(candleRow)
          .parse(body)
          .map(([openTimeMs, open, high, low, close, volume]) => ({
            openTimeMs,
            open: decimalOf(open),
            high: decimalOf(high),
            low: decimalOf(low),
            close: decimalOf(close),
            volume: decimalOf(volume),
          })),
    },
    place: {
      limit: 'orders',
      also: { weight: 1 },
      request: ({ order }) => ({
        method: 'POST',
        path: `/api/v3/order?${query({
          symbol: MARKET_NAMES.marketOfCurrencies(order.base, order.quote).symbol,
          side: order.side.toUpperCase(),
          ...priceFields(order),
          quantity: formatUnits(order.amount),
          newClientOrderId: order.clientOrderId,
          newOrderRespType: 'RESULT',
        })}`,
      }),
      read: readOrder,
    },
    cancel: {
      limit: 'weight',
      request: (call) => ({
        method: 'DELETE',
        path: `/api/v3/order?${query({ ...named(call), newClientOrderId: cancelName(call) })}`,
      }),
      read(body) {
        const order = readOrder(body);
        return { status: order.status, order };
      },
    },
    order: {
      limit: 'weight',
      weight: 4,
      request: (call) => get('order', named(call)),
      read: readOrder,
    },
    orders: {
      limit: 'weight',
      weight: { most: 20, of: ({ status }) => (status === 'open' ? 6 : 20) },
      request: ({ market, status, from }) =>
        status === 'open'
          ? get('openOrders', { symbol: market })
          : get('allOrders', { symbol: market, orderId: from ?? 0, limit: MOST_ROWS }),
      // The list of open orders is always whole: it is far shorter than a page.
      read: (body, _call, each) => ({ items: each(body, readOrder, unreadRow('order')), hasNext: null }),
    },
    trades: {
      limit: 'weight',
      weight: 20,
      request: ({ market, from }) => get('myTrades', { symbol: market, fromId: from, limit: MOST_ROWS }),
      read: (body, _call, each) => ({
        items: each(body, readTrade, unreadRow('trade')),
        hasNext: null,
      }),
    },
    wallets: {
      limit: 'weight',
      weight: 20,
      request: () => get('account', { omitZeroBalances: 'true' }),
      read: (body, _call, each) =>
        each(
          z.object({ balances: z.unknown() }).parse(body).balances,
          (row) => {
            const { asset, free, locked } = balance.parse(row);
            const held = decimalOf(locked);
            const total = decimalOf(formatUnits(addUnits(parseUnits(free), parseUnits(locked))));
            return restWallet({ walletId: asset, currency: asset.toLowerCase(), total, held });
          },
          (row) => {
            const asset = z.object({ asset: z.string() }).safeParse(row).data?.asset ?? null;
            return { subject: `wallet ${asset ?? '?'}`, currency: asset?.toLowerCase() ?? null };
          },
        ),
    },
  },
});
