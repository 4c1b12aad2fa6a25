import type { VenueOrder } from '../domain/order.ts';
import type { VenueTrade } from '../domain/trade.ts';
import type { VenueTradeId } from '../domain/venue-id.ts';
import type { ListCursor, OwnList, VenueProfile } from '../venues/port.ts';

/** Before everything that a list can have. */
export const LIST_START: ListCursor = 0;

/** Where an order or a trade stands in its list; null where its record does not say it. */
export function cursorOf<Id extends string>(
  list: OwnList<Id>,
  { id, timeMs }: { readonly id: Id | null; readonly timeMs: number | null },
): ListCursor | null {
  return list.by === 'time' ? timeMs : cursorOfId(list, id);
}

/** Where an order stands in the list of own orders; null where its record does not say it. */
export function cursorOfOrder(
  { ownLists }: Pick<VenueProfile, 'ownLists'>,
  { id, createdAtMs }: Pick<VenueOrder, 'id' | 'createdAtMs'>,
): ListCursor | null {
  return cursorOf(ownLists.orders, { id, timeMs: createdAtMs });
}

/** Where a trade stands. Without a time of its own it counts as traded when it was seen. */
export function cursorOfTrade(
  list: OwnList<VenueTradeId>,
  trade: Pick<VenueTrade, 'id' | 'timeMs'>,
  seenAtMs: number,
): ListCursor {
  return cursorOf(list, trade) ?? seenAtMs;
}

/** The same by the id alone; null where ids say nothing. */
export function cursorOfId<Id extends string>(list: OwnList<Id>, id: Id | null): ListCursor | null {
  return list.by === 'time' || id === null ? null : list.cursorOf(id);
}

/** Whether an id can be one of the list. */
export function isListId<Id extends string>(list: OwnList<Id>, id: Id): boolean {
  return list.by === 'time' ? id !== '' : list.cursorOf(id) > LIST_START;
}

/** Where a reading begins that has to show all that comes after a cursor. */
export function readingFrom(list: OwnList, cursor: ListCursor): ListCursor {
  return Math.max(LIST_START, cursor - overlapOf(list));
}

/** Where a reading goes on when all up to a cursor was looked at before. */
export function readingAfter(list: OwnList, cursor: ListCursor): ListCursor {
  return list.by === 'id' ? cursor + 1 : readingFrom(list, cursor);
}

/** Whether what stands at a cursor may be newer than all that stood at `floor` or before. */
export function mayFollow(list: OwnList, cursor: ListCursor, floor: ListCursor): boolean {
  return cursor > floor - overlapOf(list);
}

/** Whether it is newer for certain. */
export function surelyFollows(list: OwnList, cursor: ListCursor, floor: ListCursor): boolean {
  return cursor > floor + overlapOf(list);
}

/**
 * Where the page goes on whose last item stands at `last`. Others may stand at the same time, so that a list
 * by time is read from there again. Null where that leads no further: more items stand at one time than a
 * page has.
 */
export function nextPageFrom(
  list: OwnList,
  page: { readonly from: ListCursor; readonly last: ListCursor },
): ListCursor | null {
  if (list.by === 'id') return Math.max(page.from, page.last) + 1;
  return page.last > page.from ? page.last : null;
}

/** Where the page of own orders goes on that began at `from`; null where it leads no further. */
export function nextOrdersPage(
  venue: Pick<VenueProfile, 'ownLists'>,
  page: { readonly from: ListCursor | null; readonly items: readonly VenueOrder[] },
): ListCursor | null {
  const from = page.from ?? LIST_START;
  const cursors = page.items.map((record) => cursorOfOrder(venue, record) ?? from);
  return nextPageFrom(venue.ownLists.orders, { from, last: Math.max(from, ...cursors) });
}

function overlapOf(list: OwnList): number {
  return list.by === 'time' ? list.overlapMs : 0;
}
