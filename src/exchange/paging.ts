import { SarrafError } from '../domain/errors.ts';
import type { EndpointName, EndpointReply, EndpointRequest } from './endpoints.ts';
import type { ExchangeOrder, ExchangeTrade } from './order.ts';
import type { EndpointResult } from './reply-decoder.ts';
import type { ReplyPage } from './reply-types.ts';

/** Part of a client that the iterators need. */
export interface Caller {
  call<Name extends EndpointName>(name: Name, request: EndpointRequest<Name>): Promise<EndpointResult<Name>>;
}

/** Lists that are read by page number. */
export type PagedName = 'ordersList' | 'tradesList' | 'walletTransactions' | 'deposits' | 'withdrawals';

export type PagedRequest<Name extends PagedName> = Omit<EndpointRequest<Name>, 'page' | 'fromId'>;

export type PagedItem<Name extends PagedName> =
  EndpointReply<Name> extends ReplyPage<infer Item> ? Item : never;

export type OrderQuery = Omit<EndpointRequest<'ordersList'>, 'page' | 'order' | 'details'> & {
  readonly maxPages?: number;
};

export type TradeQuery = Omit<EndpointRequest<'tradesList'>, 'page' | 'tradeOrder'> & {
  readonly maxPages?: number;
};

/** Maximum number of pages that an iterator reads; one more throws `TOO_MANY_PAGES`: no rest is lost. */
const DEFAULT_MAX_PAGES = 100;
const ORDERS_PAGE_SIZE = 1000;
const TRADES_PAGE_SIZE = 500;

async function valueOf<Name extends EndpointName>(
  caller: Caller,
  name: Name,
  request: EndpointRequest<Name>,
): Promise<EndpointReply<Name>> {
  const result = await caller.call(name, request);
  if (result.ok) return result.value;
  throw new SarrafError('REFUSED', `${name}: refused with ${result.code}: ${result.message}`, {
    details: { refusal: result },
    retry: result.retry,
    outcome: result.outcome,
  });
}

const tooManyPages = (name: string, maxPages: number): SarrafError =>
  new SarrafError('TOO_MANY_PAGES', `${name}: expected at most ${maxPages} pages, there are more`);

/**
 * Yields the pages of a list until it ends. If `hasNext` is missing, the end is an empty page, or one that
 * repeats the page before (a list without paging answers every page number alike).
 */
async function* pages<Item>(
  read: (page: number) => Promise<ReplyPage<Item>>,
  options: { readonly name: string; readonly maxPages: number },
): AsyncGenerator<readonly Item[], void, undefined> {
  let previous = '';
  for (let page = 1; ; page += 1) {
    if (page > options.maxPages) throw tooManyPages(options.name, options.maxPages);
    const { items, hasNext } = await read(page);
    if (items.length === 0) return;
    if (hasNext === null) {
      const content = JSON.stringify(items);
      if (content === previous) return;
      previous = content;
    }
    yield items;
    if (hasNext === false) return;
  }
}

export async function* iteratePages<Name extends PagedName>(
  caller: Caller,
  name: Name,
  options: { readonly request: PagedRequest<Name>; readonly maxPages?: number },
): AsyncGenerator<PagedItem<Name>, void, undefined> {
  const read = async (page: number): Promise<ReplyPage<PagedItem<Name>>> => {
    const value: unknown = await valueOf(caller, name, { ...options.request, page } as EndpointRequest<Name>);
    return value as ReplyPage<PagedItem<Name>>;
  };
  for await (const items of pages(read, { name, maxPages: options.maxPages ?? DEFAULT_MAX_PAGES }))
    yield* items;
}

/**
 * Yields orders by ascending id. Each request asks from the id after the last one, since the interface gives
 * one page for a `fromId`. All states, unless the query has another one.
 */
export async function* iterateOrders(
  caller: Caller,
  query: OrderQuery,
): AsyncGenerator<ExchangeOrder, void, undefined> {
  const { maxPages = DEFAULT_MAX_PAGES, fromId, ...filters } = query;
  const pageSize = filters.pageSize ?? ORDERS_PAGE_SIZE;
  let nextId = fromId ?? 1;
  for (let page = 1; ; page += 1) {
    if (page > maxPages) throw tooManyPages('ordersList', maxPages);
    const request = {
      status: 'all' as const,
      ...filters,
      pageSize,
      details: 2,
      order: 'id' as const,
      fromId: nextId,
    };
    const { items, hasNext } = await valueOf(caller, 'ordersList', request);
    let lastId = Number(nextId) - 1;
    for (const order of items) {
      if (order.id === null || order.id <= lastId) {
        const found = order.id ?? 'no id';
        throw new SarrafError(
          'UNEXPECTED_REPLY',
          `ordersList: expected ascending ids above ${lastId}, was ${found}`,
          {
            outcome: 'none',
          },
        );
      }
      lastId = order.id;
      yield order;
    }
    if (items.length === 0 || hasNext === false) return;
    nextId = lastId + 1;
  }
}

/**
 * Yields own trades by ascending time. `fromId` stays and the page number counts: trades can come in another
 * order than their ids, so that continuing from the highest id could miss one. A trade that moves between
 * pages during the reading comes once.
 */
export async function* iterateTrades(
  caller: Caller,
  query: TradeQuery,
): AsyncGenerator<ExchangeTrade, void, undefined> {
  const { maxPages = DEFAULT_MAX_PAGES, ...filters } = query;
  const pageSize = filters.pageSize ?? TRADES_PAGE_SIZE;
  /** Yields trades of at most maxPages full pages. */
  const seen = new Set<string>();
  // The interface ends at page 100.
  const bound = Math.min(maxPages, DEFAULT_MAX_PAGES);
  const read = (page: number): Promise<ReplyPage<ExchangeTrade>> =>
    valueOf(caller, 'tradesList', { ...filters, pageSize, tradeOrder: 'asc' as const, page });
  for await (const items of pages(read, { name: 'tradesList', maxPages: bound })) {
    for (const trade of items) {
      // A trade with oneself is one id in two records, one for each of the two orders.
      const key = `${trade.id} ${trade.orderId} ${trade.side}`;
      if (seen.has(key)) continue;
      seen.add(key);
      yield trade;
    }
  }
}
