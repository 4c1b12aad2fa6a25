import type { VenueOrder, ListCursor } from '../domain/order.ts';
import type { OwnList, VenueProfile } from '../venues/port.ts';

/** Place before everything in a list. */
export const LIST_START: ListCursor = 0;

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

/** Returns where the page of own orders after the one from `from` starts; null if that makes no progress. */
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
