import { messageOf, SarrafError } from '../domain/errors.ts';
import { parseMarket, resolutionOf } from '../exchange/market-names.ts';
import type { VenueOrder, ListCursor } from '../domain/order.ts';
import type {
  AskedOrder,
  MarketRule,
  OcoRequest,
  OrderRequest,
  UnreadRow,
  VenueCall,
  VenueCallKind,
  VenueValues,
} from './port.ts';
import type { ExchangeClient } from '../exchange/client.ts';
import type { CallOptions } from '../exchange/client-options.ts';
import type { EndpointName, EndpointReply, EndpointRequest } from '../exchange/endpoints.ts';
import type { EndpointResult, DecodedRefusal } from '../exchange/reply-decoder.ts';
import { otherSide } from '../records/margin.ts';
import { formatUnits } from '../domain/money.ts';
import {
  unreadRow,
  venueOrder,
  venueTrade,
  walletReading,
  walletTransaction,
  wholeId,
} from './read-records.ts';

/** The endpoint that answers each call. */
export const ENDPOINT_OF = {
  place: 'addOrder',
  'place-oco': 'addOrder',
  cancel: 'updateOrderStatus',
  'cancel-old': 'cancelOldOrders',
  order: 'orderStatus',
  orders: 'ordersList',
  trades: 'tradesList',
  wallets: 'wallets',
  transactions: 'walletTransactions',
  book: 'orderBook',
  books: 'allOrderBooks',
  stats: 'marketStats',
  'public-trades': 'publicTrades',
  candles: 'history',
  options: 'options',
  pools: 'liquidityPools',
  'margin-wallets': 'wallets',
  'delegation-limit': 'delegationLimit',
  transfer: 'transfer',
} as const satisfies Readonly<Record<VenueCallKind, EndpointName>>;

type EndpointOf<Kind extends VenueCallKind> = (typeof ENDPOINT_OF)[Kind];

/** The largest pages of its lists. */
export const PAGE_SIZES = { orders: 1_000, trades: 500, transactions: 50, candles: 500 } as const;

/** Reply to a call, converted to the engine's types. Null if the reply lacks the requested data. */
type VenueReply =
  | {
      readonly ok: true;
      readonly value: VenueValues[VenueCallKind] | null;
      readonly unread?: readonly UnreadRow[];
    }
  | DecodedRefusal;

/** A call in terms of the exchange's interface. */
interface VenueRequest {
  readonly kind: VenueCallKind;
  readonly endpoint: EndpointName;
  /** @throws SarrafError as the client does. */
  readonly send: (client: ExchangeClient, options: CallOptions) => Promise<VenueReply>;
}

/** Connects a request with the function that reads its reply as an answer of `kind`. */
function request<Kind extends VenueCallKind>(
  kind: Kind,
  fields: EndpointRequest<EndpointOf<Kind>>,
  read: (reply: EndpointReply<EndpointOf<Kind>>) => VenueValues[Kind] | null,
  eachRow = false,
): VenueRequest {
  const endpoint: EndpointOf<Kind> = ENDPOINT_OF[kind];
  return {
    kind,
    endpoint,
    async send(client, options) {
      const asked = eachRow ? { ...options, eachRow } : options;
      const result: EndpointResult<EndpointOf<Kind>> = await client.call(endpoint, fields, asked);
      if (!result.ok) return result;
      const value = readSafely(endpoint, () => read(result.value));
      if (result.unread === undefined) return { ok: true, value };
      return { ok: true, value, unread: result.unread.map(unreadRow) };
    },
  };
}

/** Reads a reply; a value that the engine's types cannot express is an error of the request. */
function readSafely<Value>(endpoint: EndpointName, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    const why = messageOf(error);
    throw new SarrafError('UNEXPECTED_REPLY', `${endpoint}: the reply can not be used: ${why}`, {
      cause: error,
    });
  }
}

/** Returns the order of a call: by the exchange's id, or by ours while that is unknown. */
function reference<Field extends 'id' | 'order'>(
  field: Field,
  { venueId, clientOrderId }: AskedOrder,
): { readonly [Name in Field]?: number } & { readonly clientOrderId?: string } {
  return (venueId === null ? { clientOrderId } : { [field]: wholeId(venueId) }) as ReturnType<
    typeof reference<Field>
  >;
}

function placement(order: OrderRequest): EndpointRequest<'addOrder'> {
  const { base, quote, side, execution, amount, price, stopPrice, clientOrderId, pro } = order;
  return {
    type: side,
    execution,
    srcCurrency: base,
    dstCurrency: quote,
    amount: formatUnits(amount),
    ...(price === null ? {} : { price: formatUnits(price) }),
    ...(stopPrice === null ? {} : { stopPrice: formatUnits(stopPrice) }),
    clientOrderId,
    ...(pro === undefined ? {} : { pro }),
  };
}

function pairPlacement(order: OcoRequest): EndpointRequest<'addOrder'> {
  const { base, quote, side, amount, price, stopPrice, stopLimitPrice, clientOrderId, pro } = order;
  return {
    type: side,
    execution: 'limit',
    mode: 'oco',
    srcCurrency: base,
    dstCurrency: quote,
    amount: formatUnits(amount),
    price: formatUnits(price),
    stopPrice: formatUnits(stopPrice),
    stopLimitPrice: formatUnits(stopLimitPrice),
    clientOrderId,
    ...(pro === undefined ? {} : { pro }),
  };
}

/** Returns the request for a page of orders: all details, the largest page, by rising id. */
function ordersPage(call: Extract<VenueCall, { kind: 'orders' }>): EndpointRequest<'ordersList'> {
  const { status, from, market } = call;
  return {
    status,
    details: 2,
    order: 'id',
    pageSize: PAGE_SIZES.orders,
    ...(from === null ? {} : { fromId: fromIdOf(from) }),
    ...ofMarket(market),
  };
}

/** Returns the fields that bound a list to one market; none for all markets. */
function ofMarket(market: string | null): Pick<EndpointRequest<'ordersList'>, 'srcCurrency' | 'dstCurrency'> {
  if (market === null) return {};
  const { base, quote } = parseMarket(market);
  return { srcCurrency: base, dstCurrency: quote };
}

/** Returns the first id of a page; the interface counts ids from 1. */
const fromIdOf = (cursor: ListCursor): number => Math.max(1, cursor);

/** Compares by rising id, whatever order the exchange gave. Items without an id are first. */
const byId = (left: { readonly id: number | null }, right: { readonly id: number | null }): number =>
  (left.id ?? 0) - (right.id ?? 0);

function rulesOf(options: EndpointReply<'options'>): readonly MarketRule[] {
  const symbols = new Set([...Object.keys(options.priceSteps), ...Object.keys(options.amountSteps)]);
  return [...symbols].map((symbol) => ({
    symbol,
    priceStep: options.priceSteps[symbol] ?? null,
    amountStep: options.amountSteps[symbol] ?? null,
    minOrderValue: options.minOrders[quoteOf(symbol)] ?? null,
  }));
}

/** Returns the quote currency of a market; empty if it is unknown. */
function quoteOf(symbol: string): string {
  try {
    return parseMarket(symbol).quote;
  } catch {
    return '';
  }
}

/** Returns both legs of a pair; null if one is missing, so that its fate is unknown. */
const bothLegs = (reply: EndpointReply<'addOrder'>): readonly [VenueOrder, VenueOrder] | null =>
  reply.pair === null ? null : [venueOrder(reply.order), venueOrder(reply.pair)];

function transferOf({
  currency,
  amount,
  from,
}: Extract<VenueCall, { kind: 'transfer' }>): EndpointRequest<'transfer'> {
  return { currency, amount: formatUnits(amount), src: from, dst: otherSide(from) };
}

/** Converts a call of the engine to a request of the interface. */
export function venueRequest(call: VenueCall): VenueRequest {
  const { kind } = call;
  switch (kind) {
    case 'place':
      return request(kind, placement(call.order), ({ order }) => venueOrder(order));
    case 'place-oco':
      return request(kind, pairPlacement(call.order), bothLegs);
    case 'cancel':
      return request(
        kind,
        { ...reference('order', call), status: 'canceled' },
        ({ updatedStatus, order }) => ({
          status: updatedStatus,
          order: order === null ? null : venueOrder(order),
        }),
      );
    case 'cancel-old':
      return request(kind, {}, (reply) => reply);
    case 'order':
      return request(kind, reference('id', call), venueOrder);
    case 'orders':
      return request(
        kind,
        ordersPage(call),
        ({ items, hasNext }) => ({
          items: items.toSorted(byId).map(venueOrder),
          hasNext,
        }),
        call.status === 'open',
      );
    case 'trades':
      return request(
        kind,
        {
          fromId: fromIdOf(call.from),
          tradeOrder: 'asc',
          pageSize: PAGE_SIZES.trades,
          ...ofMarket(call.market),
        },
        ({ items, hasNext }) => ({ items: items.toSorted(byId).map(venueTrade), hasNext }),
        true,
      );
    case 'wallets':
      return request(kind, {}, (wallets) => wallets.map(walletReading), true);
    case 'transactions':
      return request(
        kind,
        { wallet: wholeId(call.walletId), page: call.page, pageSize: PAGE_SIZES.transactions },
        ({ items, hasNext }) => ({ items: items.map(walletTransaction), hasNext }),
        true,
      );
    case 'book':
      return request(kind, { symbol: call.market }, (book) => book);
    case 'books':
      return request(kind, {}, (books) => books);
    case 'stats':
      return request(
        kind,
        { srcCurrency: call.base.join(','), dstCurrency: call.quote.join(',') },
        (stats) => stats,
        true,
      );
    case 'public-trades':
      return request(kind, { symbol: call.market }, (trades) => trades);
    case 'candles':
      return request(
        kind,
        // `to` is the last second at which a bar may begin, inclusive.
        {
          symbol: call.market,
          resolution: resolutionOf(call.timeframe),
          to: Math.max(0, Math.ceil(call.toMs / 1_000) - 1),
          countback: call.count,
        },
        (candles) => candles,
      );
    case 'options':
      return request(kind, {}, rulesOf, true);
    case 'pools':
      return request(kind, {}, (pools) =>
        Object.entries(pools).map(([symbol, pool]) => ({ currency: symbol.toLowerCase(), ...pool })),
      );
    case 'margin-wallets':
      return request(kind, { type: 'margin' }, (wallets) => wallets.map(walletReading));
    case 'delegation-limit':
      return request(kind, { currency: call.currency }, (limit) => limit);
    case 'transfer':
      return request(kind, transferOf(call), () => null);
  }
}
