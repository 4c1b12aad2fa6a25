import type { VenueOrder, ListCursor } from '../domain/order.ts';
import { nameOfList } from './stored-records.ts';
import type { MirrorState } from './mirror-change.ts';
import type { ListScope, OwnList, VenueCall, VenueProfile } from '../venues/port.ts';

/** Place before everything in a list. */
export const LIST_START: ListCursor = 0;

interface Scoped {
  readonly scope: ListScope;
}

/** Returns the market of the list that shows a market's items; null if one list shows those of the venue. */
export function ownListOf({ scope }: Scoped, market: string): string | null {
  return scope === 'venue' ? null : market;
}

/** Place of an order in the list of its market, or in that of the venue. */
export interface ListPlace {
  readonly market: string;
  readonly cursor: ListCursor;
}

/** One place for each list of a kind. Those of other markets say nothing about that of a market. */
export class ListPlaces {
  /** Place of the list of the venue, or of each list until it is set. */
  private one: ListCursor;
  /** Places by market; null if one list has the items of all. */
  private readonly byMarket: Map<string | null, ListCursor> | null;

  /** `first`: the place of each list until it is set. */
  constructor({ scope }: Scoped, first = LIST_START) {
    this.one = first;
    this.byMarket = scope === 'venue' ? null : new Map();
  }

  /** Returns the place in the list of a market; null stands for the list of the venue. */
  of(market: string | null): ListCursor {
    return this.byMarket?.get(market) ?? this.one;
  }

  set({ market, cursor }: ListPlace): void {
    if (this.byMarket === null) this.one = cursor;
    else this.byMarket.set(market, cursor);
  }

  /** Moves the place of a list forward; never back. */
  raise(place: ListPlace): void {
    if (place.cursor > this.of(place.market)) this.set(place);
  }

  /** Moves the place of a list back; never forward. */
  lower(place: ListPlace): void {
    if (place.cursor < this.of(place.market)) this.set(place);
  }
}

const ONE_LIST: readonly null[] = [null];

/**
 * Markets whose own lists are read, where each market has lists of its own: those of the strategies, those of
 * own orders, those that the open orders show, and those whose list has been read before. A market stays,
 * since what is traded in it while its list is not read would later look new.
 */
export class OwnMarkets {
  private readonly markets: Set<string>;
  private readonly traded: ReadonlySet<string>;
  private readonly others: Set<string>;

  /** `traded`: markets that the strategies name; `others`: those in which they may trade as well. */
  constructor(traded: Iterable<string>, others: Iterable<string> = []) {
    this.traded = new Set(traded);
    this.markets = new Set(this.traded);
    this.others = new Set(others);
  }

  restore({ orders, stored }: Pick<MirrorState, 'orders' | 'stored'>): void {
    for (const { market } of orders) this.add(market);
    const prefix = nameOfList('cursor.trades', '');
    for (const name of Object.keys(stored)) if (name.startsWith(prefix)) this.add(name.slice(prefix.length));
  }

  add(market: string): void {
    this.markets.add(market);
  }

  /** Removes a market whose lists the venue refuses. False if a strategy names it. */
  drop(market: string): boolean {
    if (this.traded.has(market)) return false;
    const isOther = this.others.delete(market);
    return this.markets.delete(market) || isOther;
  }

  /** Returns the market of each list that is read; null for the list of the venue. */
  listsOf({ scope }: Scoped): readonly (string | null)[] {
    return scope === 'venue' ? ONE_LIST : [...this.markets];
  }

  /** Returns the market of each list that can have an order of ours, known or not, as `listsOf` does. */
  everyListOf({ scope }: Scoped): readonly (string | null)[] {
    return scope === 'venue' ? ONE_LIST : [...new Set([...this.markets, ...this.others])];
  }
}

/** Returns the place of an order or a trade in its list; null if its record does not contain it. */
export function cursorOf<Id extends string>(
  list: OwnList<Id>,
  { id, timeMs }: { readonly id: Id | null; readonly timeMs: number | null },
): ListCursor | null {
  if (list.by === 'time') return timeMs;
  return id === null ? null : list.cursorOf(id);
}

/** Returns the place of an order in the list of own orders; null if its record does not contain it. */
export function cursorOfOrder(
  { ownLists }: Pick<VenueProfile, 'ownLists'>,
  { id, createdAtMs }: Pick<VenueOrder, 'id' | 'createdAtMs'>,
): ListCursor | null {
  return cursorOf(ownLists.orders, { id, timeMs: createdAtMs });
}

/** Returns the place that an id has in a list; null if the list is by time, or without an id. */
export function cursorOfId<Id extends string>(list: OwnList<Id>, id: Id | null): ListCursor | null {
  return list.by === 'time' || id === null ? null : list.cursorOf(id);
}

/** True if an id can belong to the list. */
export function isListId<Id extends string>(list: OwnList<Id>, id: Id): boolean {
  return list.by === 'time' ? id !== '' : list.cursorOf(id) > LIST_START;
}

/** Returns where to start a reading that has to include everything after a place. */
export function readingFrom(list: OwnList, cursor: ListCursor): ListCursor {
  return Math.max(LIST_START, cursor - overlapOf(list));
}

/** Returns where to start the next reading if everything up to a place was read. */
export function readingAfter(list: OwnList, cursor: ListCursor): ListCursor {
  return list.by === 'id' ? cursor + 1 : readingFrom(list, cursor);
}

/** True if the item at a place may be newer than everything up to `floor`. */
export function mayFollow(list: OwnList, cursor: ListCursor, floor: ListCursor): boolean {
  return cursor > floor - overlapOf(list);
}

/** True if the item at a place is certainly newer than everything up to `floor`. */
export function surelyFollows(list: OwnList, cursor: ListCursor, floor: ListCursor): boolean {
  return cursor > floor + overlapOf(list);
}

/**
 * Returns where the page after one that ends at `last` starts. A list by time is read from `last` again, as
 * more items may have that time. Null if that makes no progress: more items have one time than fit on a page.
 */
export function nextPageFrom(
  list: OwnList,
  page: { readonly from: ListCursor; readonly last: ListCursor },
): ListCursor | null {
  if (list.by === 'id') return Math.max(page.from, page.last) + 1;
  return page.last > page.from ? page.last : null;
}

/** Returns the calls for the first page of each list of open orders. */
export function openOrdersCalls(
  { ownLists: { orders } }: Pick<VenueProfile, 'ownLists'>,
  markets: OwnMarkets,
): readonly OrdersCall[] {
  const lists = markets.everyListOf({ scope: orders.openScope });
  return lists.map((market) => ({ kind: 'orders', status: 'open', market, from: null }));
}

/** Call for a page of own orders. */
export type OrdersCall = Extract<VenueCall, { kind: 'orders' }>;

/**
 * Returns the call for the page of own orders after the one of a call; null if that makes no progress. A list
 * of all markets has no next page where the cursors are those of single markets.
 */
export function nextOrdersPage(
  venue: Pick<VenueProfile, 'ownLists'>,
  call: OrdersCall,
  items: readonly VenueOrder[],
): OrdersCall | null {
  const { orders } = venue.ownLists;
  if (orders.scope === 'market' && call.market === null) return null;
  const from = call.from ?? LIST_START;
  const cursors = items.map((record) => cursorOfOrder(venue, record) ?? from);
  const next = nextPageFrom(orders, { from, last: Math.max(from, ...cursors) });
  return next === null ? null : { ...call, from: next };
}

function overlapOf(list: OwnList): number {
  return list.by === 'time' ? list.overlapMs : 0;
}
