import { z } from 'zod';
import { formatUnits, parseUnits } from '../domain/money.ts';
import { venueOrderId, type Execution } from '../domain/order.ts';
import { MARKET_NAMES } from '../exchange/market-names.ts';
import type { HttpRequest } from '../exchange/transport.ts';
import type { VenueCall, VenueValues } from './port.ts';
import type { VenueWire, VenueWireAnswer } from './venue-wire.ts';

/**
 * The exchange's side of `binance-spot` over the built-in simulated exchange, with its faults, for the
 * contract and the fuzzer. The simulator of this interface is `simulated-exchange.ts`.
 */

const { parseMarket } = MARKET_NAMES;

/** Numbers of one market begin later than those of another one, so that two orders have the same number. */
const SHIFTS: Readonly<Record<string, number>> = { BTCIRT: 0, BTCUSDT: 1, USDTIRT: 2 };
const shiftOf = (symbol: string): number => SHIFTS[symbol] ?? 3;
const numberOf = (id: string | null, symbol: string): number => Number(id) + shiftOf(symbol);
const behind = (number: number, symbol: string): number => Math.max(0, number - shiftOf(symbol));

type Order = VenueValues['order'];
type Trade = VenueValues['trades']['items'][number];

const STATES: Readonly<Record<string, string>> = {
  New: 'PENDING_NEW',
  Active: 'NEW',
  Inactive: 'NEW',
  Done: 'FILLED',
  Canceled: 'CANCELED',
};
const TYPES: Readonly<Record<Execution, string>> = {
  limit: 'LIMIT',
  market: 'MARKET',
  stop_limit: 'STOP_LOSS_LIMIT',
  stop_market: 'STOP_LOSS',
};

/** Refusals of the built-in exchange as this one words them. */
const REFUSALS: Readonly<Record<string, readonly [code: number, message: string]>> = {
  NotFound: [-2013, 'Order does not exist.'],
  NotApplied: [-2011, 'Unknown order sent.'],
  DuplicateClientOrderId: [-2010, 'Duplicate order sent.'],
  PriceConditionFailed: [-2010, 'Order would trigger immediately.'],
  UnexpectedMarketPrice: [-2010, 'Order would trigger immediately.'],
  BadPrice: [-1013, 'Filter failure: PERCENT_PRICE_BY_SIDE'],
  SmallOrder: [-1013, 'Filter failure: NOTIONAL'],
  InvalidOrderPrice: [-1013, 'Filter failure: PRICE_FILTER'],
  OverValueOrder: [-2010, 'Account has insufficient balance for requested action.'],
  InsufficientBalance: [-2010, 'Account has insufficient balance for requested action.'],
  MarketClosed: [-1013, 'Market is closed.'],
};
/** A cancel answers in other words. */
const CANCEL_REFUSAL = [-2011, 'Unknown order sent.'] as const;

const text = (units: Order['price']): string => (units === null ? '0.00000000' : formatUnits(units));

function writeOrder(order: Order) {
  const symbol = order.market?.symbol ?? '';
  const isWaiting = order.status === 'Inactive';
  return {
    symbol,
    orderId: numberOf(order.id, symbol),
    orderListId: -1,
    clientOrderId: order.clientOrderId ?? '',
    price: text(order.price),
    origQty: text(order.amount),
    executedQty: text(order.matchedAmount),
    cummulativeQuoteQty: order.total === null ? '-1' : text(order.total),
    status: STATES[order.status ?? ''] ?? order.status ?? 'NEW',
    timeInForce: 'GTC',
    type: TYPES[order.execution ?? 'limit'],
    side: order.side.toUpperCase(),
    stopPrice: text(order.stopPrice),
    time: order.createdAtMs,
    updateTime: order.createdAtMs,
    isWorking: !isWaiting,
    workingTime: isWaiting ? -1 : order.createdAtMs,
  };
}

function writeTrade(trade: Trade) {
  const symbol = trade.market?.symbol ?? '';
  const isBuyer = trade.side === 'buy';
  const received = isBuyer ? trade.market?.base : trade.market?.quote;
  return {
    symbol,
    id: numberOf(trade.id, symbol),
    orderId: numberOf(trade.orderId, symbol),
    orderListId: -1,
    price: text(trade.price),
    qty: text(trade.amount),
    quoteQty: text(trade.total),
    commission: text(trade.fee),
    commissionAsset: (trade.feeCurrency ?? received ?? '').toUpperCase(),
    time: trade.timeMs,
    isBuyer,
    isMaker: false,
    isBestMatch: true,
  };
}

type Writers = { readonly [Kind in VenueCall['kind']]?: (value: VenueValues[Kind]) => unknown };

/** The body of each call's reply. */
const WRITERS: Writers = {
  options: (rules) => ({
    timezone: 'UTC',
    rateLimits: [],
    symbols: rules.map(({ symbol, priceStep, amountStep, minOrderValue }) => {
      const { base, quote } = parseMarket(symbol);
      return {
        symbol,
        status: 'TRADING',
        baseAsset: base.toUpperCase(),
        quoteAsset: quote.toUpperCase(),
        baseAssetPrecision: 8,
        quoteAssetPrecision: 8,
        filters: [
          { filterType: 'PRICE_FILTER', minPrice: '0', maxPrice: '0', tickSize: priceStep },
          { filterType: 'LOT_SIZE', minQty: amountStep, maxQty: '9000', stepSize: amountStep },
          { filterType: 'NOTIONAL', minNotional: minOrderValue ?? '0', applyMinToMarket: true },
        ],
      };
    }),
  }),
  book: ({ bids, asks }) => ({ lastUpdateId: 1, bids, asks }),
  candles: (bars) =>
    bars.map((bar) => {
      const { openTimeMs, open, high, low, close, volume } = bar;
      return [openTimeMs, open, high, low, close, volume, openTimeMs, '0', 0, '0', '0', '0'];
    }),
  'public-trades': (trades) =>
    trades.map(({ timeMs, price, amount, side }, id) => ({
      id,
      price,
      qty: amount,
      time: timeMs,
      isBuyerMaker: side === 'sell',
    })),
  stats: (markets) =>
    markets.map(({ market, ...day }) => ({
      symbol: market.symbol,
      bidPrice: day.bestBuy ?? '0',
      askPrice: day.bestSell ?? '0',
      volume: day.baseVolume ?? '0',
      quoteVolume: day.quoteVolume ?? '0',
      lastPrice: day.latest ?? '0',
      openPrice: day.dayOpen ?? '0',
      highPrice: day.dayHigh ?? '0',
      lowPrice: day.dayLow ?? '0',
      priceChangePercent: day.dayChange ?? '0',
    })),
  place: writeOrder,
  order: writeOrder,
  cancel: ({ order }) =>
    order === null
      ? {}
      : { ...writeOrder(order), clientOrderId: 'id-of-the-cancel', origClientOrderId: order.clientOrderId },
  orders: ({ items }) => items.map(writeOrder),
  trades: ({ items }) => items.map(writeTrade),
  wallets: (wallets) => ({
    balances: wallets.map(({ currency, total, held }) => ({
      asset: currency.toUpperCase(),
      free: formatUnits((total - held) as typeof total),
      locked: formatUnits(held),
    })),
  }),
};

const EXECUTIONS = Object.fromEntries(Object.entries(TYPES).map(([execution, type]) => [type, execution]));

const placement = z.object({
  symbol: z.string(),
  side: z.enum(['BUY', 'SELL']),
  type: z.string(),
  timeInForce: z.string().optional(),
  quantity: z.string(),
  price: z.string().optional(),
  stopPrice: z.string().optional(),
  newClientOrderId: z.string(),
});

const unitsOrNull = (value: string | undefined) => (value === undefined ? null : parseUnits(value));

function placeCall(fields: URLSearchParams): VenueCall {
  const { symbol, side, type, timeInForce, quantity, newClientOrderId, ...prices } = placement.parse(
    Object.fromEntries(fields),
  );
  const { base, quote } = parseMarket(symbol);
  return {
    kind: 'place',
    order: {
      base,
      quote,
      clientOrderId: newClientOrderId,
      side: side === 'BUY' ? 'buy' : 'sell',
      execution: timeInForce === 'IOC' ? 'market' : (EXECUTIONS[type] as Execution),
      amount: parseUnits(quantity),
      price: unitsOrNull(prices.price),
      stopPrice: unitsOrNull(prices.stopPrice),
      // This exchange takes identical orders.
      pro: true,
    },
  };
}

function askedCall(kind: 'order' | 'cancel', fields: URLSearchParams): VenueCall {
  const market = fields.get('symbol') ?? '';
  const number = fields.get('orderId');
  return number === null
    ? { kind, market, venueId: null, clientOrderId: fields.get('origClientOrderId') ?? '' }
    : { kind, market, venueId: venueOrderId(String(behind(Number(number), market))), clientOrderId: null };
}

function read({ method, path }: HttpRequest): VenueCall {
  const { pathname, searchParams: fields } = new URL(path, 'http://binance-spot');
  const market = fields.get('symbol') ?? '';
  const from = (name: string): number => behind(Number(fields.get(name)), market);
  switch (pathname.replace('/api/v3/', '')) {
    case 'exchangeInfo':
      return { kind: 'options' };
    case 'depth':
      return { kind: 'book', market };
    case 'trades':
      return { kind: 'public-trades', market };
    case 'ticker/24hr': {
      const names = z
        .array(z.string())
        .parse(JSON.parse(fields.get('symbols') ?? ''))
        .map(parseMarket);
      const quote = [...new Set(names.map((name) => name.quote))];
      return { kind: 'stats', base: [...new Set(names.map(({ base }) => base))], quote };
    }
    case 'klines':
      return {
        kind: 'candles',
        market,
        timeframe: fields.get('interval') as Extract<VenueCall, { kind: 'candles' }>['timeframe'],
        toMs: Number(fields.get('endTime')) + 1,
        count: Number(fields.get('limit')),
      };
    case 'order':
      if (method === 'POST') return placeCall(fields);
      return askedCall(method === 'GET' ? 'order' : 'cancel', fields);
    case 'openOrders':
      return { kind: 'orders', status: 'open', market, from: null };
    case 'allOrders':
      return { kind: 'orders', status: 'all', market, from: from('orderId') };
    case 'myTrades':
      return { kind: 'trades', market, from: from('fromId') };
    case 'account':
      return { kind: 'wallets' };
    default:
      throw new TypeError(`expected a request of this exchange, was ${method} ${path}`);
  }
}

const failed = (status: number, code: number, msg: string) => ({
  status,
  body: JSON.stringify({ code, msg }),
});

function write(answer: VenueWireAnswer, { kind }: VenueCall): ReturnType<VenueWire['write']> {
  switch (answer.kind) {
    case 'value':
      return { status: 200, body: JSON.stringify(WRITERS[kind]?.(answer.value as never) ?? {}) };
    case 'refused': {
      const { code, message } = answer;
      const [own, said] = (kind === 'cancel' ? CANCEL_REFUSAL : REFUSALS[code]) ?? [-2010, message];
      return failed(400, own, said);
    }
    case 'limited': {
      const { retryAfterMs } = answer;
      const headers = retryAfterMs === null ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) };
      return { ...failed(429, -1003, 'Too much request weight used.'), headers };
    }
    case 'unauthorized':
      return failed(401, -2015, 'Invalid API-key, IP, or permissions for action.');
  }
}

export const BINANCE_WIRE: VenueWire = {
  // A fill that stands for trades that did not arrive has the id of its order behind a word.
  idBehind: (id) =>
    id.replace(/([A-Z]+)-(\d+)$/, (_, symbol: string, number: string) =>
      String(behind(Number(number), symbol)),
    ),
  read,
  write,
};
