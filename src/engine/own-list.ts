import type { VenueOrder, ListCursor } from '../domain/order.ts';
import type { OwnList, VenueProfile } from '../venues/port.ts';

/** Before everything that a list can have. */
export const LIST_START: ListCursor = 0;

/** Returns the position of an order or a trade in its list; null if its record does not contain it. */
export function cursorOf<Id extends string>(
  list: OwnList<Id>,
  { id, timeMs }: { readonly id: Id | null; readonly timeMs: number | null },
): ListCursor | null {
  if (list.by === 'time') return timeMs;
  return id === null ? null : list.cursorOf(id);
}

/** Returns the position of an order in the list of own orders; null if its record does not contain it. */
export function cursorOfOrder(
  { ownLists }: Pick<VenueProfile, 'ownLists'>,
  { id, createdAtMs }: Pick<VenueOrder, 'id' | 'createdAtMs'>,
): ListCursor | null {
  return cursorOf(ownLists.orders, { id, timeMs: createdAtMs });
}

/** The same by the id alone; null where ids say nothing. */
export function cursorOfId<Id extends string>(list: OwnList<Id>, id: Id | null): ListCursor | null {
  return list.by === 'time' || id === null ? null : list.cursorOf(id);
}

/** True if an id can belong to the list. */
export function isListId<Id extends string>(list: OwnList<Id>, id: Id): boolean {
  return list.by === 'time' ? id !== '' : list.cursorOf(id) > LIST_START;
}

/** Returns the start of a reading that has to include everything after a cursor. */
export function readingFrom(list: OwnList, cursor: ListCursor): ListCursor {
  return Math.max(LIST_START, cursor - overlapOf(list));
}

/** Returns the start of the next reading when all up to a cursor was read before. */
export function readingAfter(list: OwnList, cursor: ListCursor): ListCursor {
  return list.by === 'id' ? cursor + 1 : readingFrom(list, cursor);
}

/** True if the item at a cursor may be newer than everything at or before `floor`. */
export function mayFollow(list: OwnList, cursor: ListCursor, floor: ListCursor): boolean {
  return cursor > floor - overlapOf(list);
}

/** True if it is certainly newer. */
export function surelyFollows(list: OwnList, cursor: ListCursor, floor: ListCursor): boolean {
  return cursor > floor + overlapOf(list);
}

/**
 * Returns the start of the page after the one whose last item is at `last`. Others may have the same time, so
 * a list by time is read from there again. Null if that makes no progress: more items have one time than fit
 * on a page.
 */
export function nextPageFrom(
  list: OwnList,
  page: { readonly from: ListCursor; readonly last: ListCursor },
): ListCursor | null {
  if (list.by === 'id') return Math.max(page.from, page.last) + 1;
  return page.last > page.from ? page.last : null;
}

/** Returns the start of the page of own orders after the one from `from`; null if it makes no progress. */
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
