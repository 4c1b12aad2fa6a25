/**
 * The interface of a small exchange that exists nowhere: a pattern for your own. It counts orders and trades in
 * each market, so that two markets have the same numbers; the venue makes ids of market and number. `default` is the venue, as a
 * bot uses it; `wire` is the exchange's side of the same interface, so that `sarraf venue test` can hold the
 * venue against a faulty exchange. Each part of the interface is in both, one below the other.
 */
import {
  decimalOf,
  defineVenue,
  formatUnits,
  parseMarket,
  parseUnits,
  restOrder,
  restTrade,
  restTransaction,
  restWallet,
  UTC_BARS,
  venueOrderId,
  venueWalletId,
  type RestReply,
  type VenueCall,
  type VenueValues,
  type VenueWire,
} from '#venue';
import { z } from 'zod';

const side = z.enum(['buy', 'sell']);
const decimal = z.string();

const orderRow = z.object({
  id: z.int(),
  name: z.string().nullable(),
  market: z.string(),
  side,
  kind: z.enum(['limit', 'market', 'stop_limit', 'stop_market']).nullable(),
  amount: decimal,
  done: decimal,
  value: decimal.nullable(),
  fee: decimal.nullable(),
  price: decimal.nullable(),
  stop: decimal.nullable(),
  state: z.string(),
  at: z.int(),
});
const tradeRow = z.object({
  id: z.int(),
  order: z.int(),
  market: z.string(),
  side,
  price: decimal,
  amount: decimal,
  value: decimal,
  fee: decimal,
  at: z.int(),
});
const walletRow = z.object({ id: z.int(), asset: z.string(), total: decimal, held: decimal });
const lineRow = z.object({ id: z.int(), asset: z.string(), at: z.int(), amount: decimal, text: z.string() });
const marketRow = z.object({ market: z.string(), tick: decimal, lot: decimal, least: decimal });
const level = z.tuple([decimal, decimal]);
const bookReply = z.object({ at: z.int().nullable(), bids: z.array(level), asks: z.array(level) });
const candleRow = z.tuple([z.int(), decimal, decimal, decimal, decimal, decimal]);
const page = z.object({ rows: z.array(z.unknown()), more: z.boolean() });
const failure = z.object({ error: z.string(), text: z.string() });

/** The id of an order or a trade at the whole exchange: its market and its number there. */
const idOf = (market: string, number: number): string => `${market}-${number}`;
const marketIn = (id: string): string => id.split('-')[0] ?? '';
const numberIn = (id: string): number => Number(id.split('-')[1]);

const readOrder = (row: unknown) => {
  const { id, name, market, kind, amount, done, value, fee, price, stop, state, at, ...rest } =
    orderRow.parse(row);
  return restOrder({
    ...rest,
    id: idOf(market, id),
    clientOrderId: name,
    market,
    execution: kind,
    amount: decimalOf(amount),
    matchedAmount: decimalOf(done),
    price: price === null ? null : decimalOf(price),
    stopPrice: stop === null ? null : decimalOf(stop),
    total: value === null ? null : decimalOf(value),
    fee: fee === null ? null : decimalOf(fee),
    status: state,
    createdAtMs: at,
  });
};

const readTrade = (row: unknown) => {
  const { id, order, market, at, price, amount, value, fee, ...rest } = tradeRow.parse(row);
  return restTrade({
    ...rest,
    id: idOf(market, id),
    orderId: idOf(market, order),
    market,
    timeMs: at,
    // Its fees are in the currency received; one in a third currency is named here.
    feeCurrency: null,
    price: decimalOf(price),
    amount: decimalOf(amount),
    total: decimalOf(value),
    fee: decimalOf(fee),
  });
};

const readLine = (row: unknown) => {
  const { id, asset, at, amount, text } = lineRow.parse(row);
  const line = { id: String(id), currency: asset, atMs: at, description: text };
  return restTransaction({ ...line, amount: decimalOf(amount) });
};

const readLevels = (rows: readonly (readonly [string, string])[]) =>
  rows.map(([price, amount]) => [decimalOf(price), decimalOf(amount)] as const);

const unreadRow = (subject: string) => () => ({ subject });
const json = (fields: object): string => JSON.stringify(fields);
/** Path of one order: by its number, or by the name that the bot gave it. */
const orderPath = (order: Extract<VenueCall, { kind: 'order' | 'cancel' }>): string =>
  order.venueId === null
    ? `/markets/${order.market}/orders/named/${order.clientOrderId}`
    : `/markets/${marketIn(order.venueId)}/orders/${numberIn(order.venueId)}`;

export default defineVenue({
  name: 'tiny',
  credentials: ['token'],
  limits: {
    markets: { limit: 60, windowMs: 60_000, per: 'ip' },
    account: { limit: 60, windowMs: 60_000, per: 'token', hasReserve: true },
    trading: { limit: 60, windowMs: 60_000, per: 'token', hasReserve: true },
  },
  profile: {
    statuses: {
      accepted: ['new'],
      working: ['resting'],
      waiting: ['waiting'],
      filled: ['filled'],
      canceled: ['canceled'],
    },
    refusals: {
      noSuchOrder: 'no-such-order',
      clientOrderIdInUse: 'name-in-use',
      identicalOrder: 'same-again',
      dependOn: {
        price: ['wrong-side'],
        band: ['far-price'],
        rule: ['too-small'],
        funds: ['too-little-money'],
        elsewhere: ['closed'],
      },
    },
    priceBand: parseUnits('0.3'),
    identicalOrdersMs: 10_500,
    clientOrderId: { longest: 32, pattern: /^[a-z0-9-]+$/, canBeQueried: true },
    orderKinds: new Set(['limit', 'market', 'stop_limit', 'stop_market']),
    ownLists: {
      orders: { by: 'id', cursorOf: numberIn, scope: 'market', openScope: 'market' },
      trades: { by: 'id', cursorOf: numberIn, scope: 'market', usualReach: 1_000_000, listedDays: 3 },
      transactions: { by: 'id', cursorOf: Number },
    },
    absence: { refusedAfterMs: null, readings: 2, needsTrades: true },
    pageSizes: { orders: 1_000, trades: 500, transactions: 50, candles: 500 },
    timeframes: new Set(['1m', '5m', '15m', '30m', '1h', '4h', '1d']),
    barAnchors: UTC_BARS,
    bookCacheMs: 1_000,
  },
  authenticate: (request, { credential }) => ({
    ...request,
    headers: { ...request.headers, 'x-token': credential.kind === 'token' ? credential.token : '' },
  }),
  refusal({ status, body, headers }: RestReply) {
    if (status === 200 || status >= 500) return null;
    const said = failure.safeParse(body);
    // A proxy may have passed the request on: its words prove nothing.
    if (!said.success) return { kind: 'unknown', message: 'the reply is not one of the exchange' };
    const { error, text: message } = said.data;
    if (status === 429) {
      const seconds = headers['retry-after'];
      return {
        kind: 'limited',
        message,
        retryAfterMs: seconds === undefined ? null : Number(seconds) * 1_000,
      };
    }
    if (status === 401) return { kind: 'unauthorized', message };
    return { kind: 'refused', code: error, message, effect: 'none' };
  },
  calls: {
    options: {
      limit: 'markets',
      request: () => ({ method: 'GET', path: '/markets' }),
      read: (body) =>
        z
          .array(marketRow)
          .parse(body)
          .map(({ market, tick, lot, least }) => ({
            symbol: market,
            priceStep: decimalOf(tick),
            amountStep: decimalOf(lot),
            minOrderValue: decimalOf(least),
          })),
    },
    book: {
      limit: 'markets',
      request: ({ market }) => ({ method: 'GET', path: `/markets/${market}/book` }),
      read(body) {
        const { at, bids, asks } = bookReply.parse(body);
        return { updatedAtMs: at, bids: readLevels(bids), asks: readLevels(asks) };
      },
    },
    candles: {
      limit: 'markets',
      request: ({ market, timeframe, toMs, count }) => ({
        method: 'GET',
        path: `/markets/${market}/candles?length=${timeframe}&before=${toMs}&count=${count}`,
      }),
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
      limit: 'trading',
      request: ({ order }) => ({
        method: 'POST',
        path: `/markets/${parseMarket(`${order.base}-${order.quote}`).symbol}/orders`,
        headers: { 'content-type': 'application/json' },
        body: json({
          name: order.clientOrderId,
          side: order.side,
          kind: order.execution,
          amount: formatUnits(order.amount),
          price: order.price === null ? null : formatUnits(order.price),
          stop: order.stopPrice === null ? null : formatUnits(order.stopPrice),
          again: order.pro ?? false,
        }),
      }),
      read: readOrder,
    },
    cancel: {
      limit: 'trading',
      request: (call) => ({ method: 'DELETE', path: orderPath(call) }),
      read(body) {
        const order = readOrder(body);
        return { status: order.status, order };
      },
    },
    order: {
      limit: 'account',
      request: (call) => ({ method: 'GET', path: orderPath(call) }),
      read: readOrder,
    },
    orders: {
      limit: 'account',
      request: ({ market, status, from }) => ({
        method: 'GET',
        path: `/markets/${market}/orders?state=${status}&from=${from ?? 0}`,
      }),
      read(body, _call, each) {
        const { rows, more } = page.parse(body);
        return { items: each(rows, readOrder, unreadRow('order')), hasNext: more };
      },
    },
    trades: {
      limit: 'account',
      request: ({ market, from }) => ({ method: 'GET', path: `/markets/${market}/trades?from=${from}` }),
      read(body, _call, each) {
        const { rows, more } = page.parse(body);
        return { items: each(rows, readTrade, unreadRow('trade')), hasNext: more };
      },
    },
    wallets: {
      limit: 'account',
      request: () => ({ method: 'GET', path: '/wallets' }),
      read: (body, _call, each) =>
        each(
          body,
          (row) => {
            const { id, asset, total, held } = walletRow.parse(row);
            const money = { total: decimalOf(total), held: decimalOf(held) };
            return restWallet({ walletId: String(id), currency: asset, ...money });
          },
          unreadRow('wallet'),
        ),
    },
    transactions: {
      limit: 'account',
      request: ({ walletId, page: number }) => ({
        method: 'GET',
        path: `/wallets/${walletId}/lines?page=${number}`,
      }),
      read(body, _call, each) {
        const { rows, more } = page.parse(body);
        return { items: each(rows, readLine, unreadRow('line')), hasNext: more };
      },
    },
  },
});

/** The exchange's words in place of those of the exchange that stands behind the wire in tests. */
const STATES: Readonly<Record<string, string>> = {
  New: 'new',
  Active: 'resting',
  Inactive: 'waiting',
  Done: 'filled',
  Canceled: 'canceled',
};
const ERRORS: Readonly<Record<string, string>> = {
  NotFound: 'no-such-order',
  NotApplied: 'not-open',
  DuplicateClientOrderId: 'name-in-use',
  DuplicateOrder: 'same-again',
  PriceConditionFailed: 'wrong-side',
  UnexpectedMarketPrice: 'wrong-side',
  BadPrice: 'far-price',
  SmallOrder: 'too-small',
  InvalidOrderPrice: 'too-small',
  OverValueOrder: 'too-little-money',
  InsufficientBalance: 'too-little-money',
};

type Order = VenueValues['order'];
type Trade = VenueValues['trades']['items'][number];

const units = (value: Order['price']): string | null => (value === null ? null : formatUnits(value));

/**
 * Numbers of one market begin later than those of another one, so that orders of two markets have the same
 * number.
 */
const SHIFTS: Readonly<Record<string, number>> = { BTCIRT: 0, BTCUSDT: 1, USDTIRT: 2 };
const shiftOf = (market: string): number => SHIFTS[market] ?? 3;
const numberOf = (id: string | null, market: string | undefined): number =>
  Number(id) + shiftOf(market ?? '');
/** Returns the id or position behind the wire of a number. */
const behind = (number: number, market: string): number => Math.max(0, number - shiftOf(market));

const writeOrder = (order: Order) => ({
  id: numberOf(order.id, order.market?.symbol),
  name: order.clientOrderId,
  market: order.market?.symbol,
  side: order.side,
  kind: order.execution,
  amount: formatUnits(order.amount),
  done: formatUnits(order.matchedAmount),
  value: units(order.total),
  fee: units(order.fee),
  price: units(order.price),
  stop: units(order.stopPrice),
  state: STATES[order.status ?? ''] ?? order.status,
  at: order.createdAtMs,
});

const writeTrade = (trade: Trade) => ({
  id: numberOf(trade.id, trade.market?.symbol),
  order: numberOf(trade.orderId, trade.market?.symbol),
  market: trade.market?.symbol,
  side: trade.side,
  price: formatUnits(trade.price),
  amount: formatUnits(trade.amount),
  value: formatUnits(trade.total),
  fee: formatUnits(trade.fee),
  at: trade.timeMs,
});

type Writers = { readonly [Kind in VenueCall['kind']]?: (value: VenueValues[Kind]) => object };

/** The body of each call's reply. */
const WRITERS: Writers = {
  options: (rules) =>
    rules.map(({ symbol, priceStep, amountStep, minOrderValue }) => ({
      market: symbol,
      tick: priceStep,
      lot: amountStep,
      least: minOrderValue ?? '0',
    })),
  book: ({ updatedAtMs, bids, asks }) => ({ at: updatedAtMs, bids, asks }),
  candles: (bars) =>
    bars.map(({ openTimeMs, open, high, low, close, volume }) => [
      openTimeMs,
      open,
      high,
      low,
      close,
      volume,
    ]),
  place: writeOrder,
  order: writeOrder,
  cancel: ({ order }) => (order === null ? {} : writeOrder(order)),
  orders: ({ items, hasNext }) => ({ rows: items.map(writeOrder), more: hasNext }),
  trades: ({ items, hasNext }) => ({ rows: items.map(writeTrade), more: hasNext }),
  wallets: (wallets) =>
    wallets.map(({ walletId, currency, total, held }) => ({
      id: Number(walletId),
      asset: currency,
      total: formatUnits(total),
      held: formatUnits(held),
    })),
  transactions: ({ items, hasNext }) => ({
    rows: items.map(({ id, currency, atMs, amount, description }) => ({
      id: Number(id),
      asset: currency,
      at: atMs,
      amount: formatUnits(amount),
      text: description,
    })),
    more: hasNext,
  }),
};

const placement = z.object({
  name: z.string(),
  side,
  kind: z.enum(['limit', 'market', 'stop_limit', 'stop_market']),
  amount: decimal,
  price: decimal.nullable(),
  stop: decimal.nullable(),
  again: z.boolean(),
});

type Asked = Extract<VenueCall, { kind: 'order' }>;

const askedCall = (kind: 'order' | 'cancel', asked: Omit<Asked, 'kind'>): VenueCall =>
  ({ kind, ...asked }) as VenueCall;

function placeCall(market: string, body: string | null): VenueCall {
  const { name, kind, amount, price, stop, again, ...rest } = placement.parse(JSON.parse(body ?? ''));
  const { base, quote } = parseMarket(market);
  return {
    kind: 'place',
    order: {
      ...rest,
      base,
      quote,
      clientOrderId: name,
      execution: kind,
      amount: parseUnits(amount),
      price: price === null ? null : parseUnits(price),
      stopPrice: stop === null ? null : parseUnits(stop),
      pro: again,
    },
  };
}

/** The exchange's side of the interface. */
export const wire: VenueWire = {
  // A fill that stands for trades that did not arrive has the id of its order behind a word.
  idBehind: (id) =>
    id.replace(/([A-Z]+)-(\d+)$/, (_, market: string, number: string) =>
      String(behind(Number(number), market)),
    ),
  read({ method, path, body }) {
    const url = new URL(path, 'http://tiny');
    const [first, second = '', third, fourth, fifth] = url.pathname.slice(1).split('/');
    const of = (name: string): string => url.searchParams.get(name) ?? '';
    if (first === 'wallets')
      return second === ''
        ? { kind: 'wallets' }
        : { kind: 'transactions', walletId: venueWalletId(second), page: Number(of('page')) };
    if (first !== 'markets')
      throw new TypeError(`expected a request of this exchange, was ${method} ${path}`);
    switch (third) {
      case undefined:
        return { kind: 'options' };
      case 'book':
        return { kind: 'book', market: second };
      case 'candles':
        return {
          kind: 'candles',
          market: second,
          timeframe: of('length') as Extract<VenueCall, { kind: 'candles' }>['timeframe'],
          toMs: Number(of('before')),
          count: Number(of('count')),
        };
      case 'trades':
        return { kind: 'trades', market: second, from: behind(Number(of('from')), second) };
      case 'orders':
        if (method === 'POST') return placeCall(second, body);
        if (fourth === undefined)
          return {
            kind: 'orders',
            status: of('state') as 'open' | 'all',
            market: second,
            from: behind(Number(of('from')), second),
          };
        return askedCall(method === 'GET' ? 'order' : 'cancel', {
          market: second,
          ...(fourth === 'named'
            ? { venueId: null, clientOrderId: fifth ?? '' }
            : { venueId: venueOrderId(String(behind(Number(fourth), second))), clientOrderId: null }),
        });
      default:
        throw new TypeError(`expected a request of this exchange, was ${method} ${path}`);
    }
  },
  write(answer, call) {
    switch (answer.kind) {
      case 'value':
        return { status: 200, body: json(WRITERS[call.kind]?.(answer.value as never) ?? {}) };
      case 'refused':
        return {
          status: 400,
          body: json({ error: ERRORS[answer.code] ?? answer.code, text: answer.message }),
        };
      case 'limited': {
        const { retryAfterMs } = answer;
        const headers =
          retryAfterMs === null ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) };
        return { status: 429, headers, body: json({ error: 'too-many', text: 'over a limit' }) };
      }
      case 'unauthorized':
        return { status: 401, body: json({ error: 'bad-token', text: 'the token is not known' }) };
    }
  },
};
