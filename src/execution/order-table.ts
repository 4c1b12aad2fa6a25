import { invariant } from '../domain/invariant.ts';
import type { VenueOrderId } from '../domain/venue-id.ts';
import { isFinal, type OrderRecord } from './order-record.ts';

/**
 * Orders that came to their end and are kept in memory, so that a late record or fill still finds them: up to
 * twice as many, then the oldest go. That is more than a quarter of an hour of the most that the exchange
 * lets anybody place, in pairs, and so what a restart is given; the mirror has all.
 */
const FINAL_KEPT = 1_000;

const NONE: readonly OrderRecord[] = [];

/**
 * One order's place in the table: the order changes, the place stays, so that a change costs one look-up
 * however many lists it is in.
 */
interface Place {
  order: OrderRecord;
}

/** Orders by each of their names. */
interface Names {
  readonly byKey: Map<string, Place>;
  readonly byVenueId: Map<VenueOrderId, Place>;
}

/**
 * All orders of this bot that matter now, found by any of their names. Holds values: a changed order is put
 * in place of the old one.
 */
export class OrderTable {
  /** Every order that is not at its end, and those that came to it last. */
  private newer: Names = noNames();
  /** Those that came to their end before them. They go all at once, which costs nothing for each. */
  private older: Names = noNames();
  /** Ends since `newer` was begun. */
  private ends = 0;
  /** Not final, oldest first. */
  private readonly live = new Set<Place>();
  /** The place that was asked for or changed last: an order is looked up several times in a row. */
  private last: Place | null = null;
  private liveList: readonly OrderRecord[] | null = null;
  /** Parts of that list by strategy, of those that asked for theirs since it was made. */
  private readonly liveByStrategy = new Map<string, readonly OrderRecord[]>();

  get(key: string): OrderRecord | undefined {
    return this.placeOf(key)?.order;
  }

  /** By the id on the wire, which is the key of every order but the stop leg of an OCO. */
  byClientOrderId(id: string | null): OrderRecord | undefined {
    return id === null ? undefined : this.get(id);
  }

  byVenueId(id: VenueOrderId | null): OrderRecord | undefined {
    if (id === null) return undefined;
    const { last } = this;
    return last?.order.venueId === id ? last.order : this.placeOfVenueId(id)?.order;
  }

  /** How many orders are not at their end. */
  get liveCount(): number {
    return this.live.size;
  }

  /** Orders that are not at their end, oldest first. */
  unfinished(): readonly OrderRecord[] {
    this.liveList ??= ordersAt(this.live);
    return this.liveList;
  }

  /** The same of one strategy. */
  unfinishedOf(strategy: string): readonly OrderRecord[] {
    // Strategies look at every bar, and mostly there are none.
    if (this.live.size === 0) return NONE;
    let own = this.liveByStrategy.get(strategy);
    if (own === undefined) {
      own = this.unfinished().filter((order) => order.strategy === strategy);
      this.liveByStrategy.set(strategy, own);
    }
    return own;
  }

  /** Enters an order under a name that no order had before. */
  add(order: OrderRecord): void {
    const { key, venueId } = order;
    const { byKey } = this.newer;
    const { size } = byKey;
    const place = { order };
    byKey.set(key, place);
    invariant(byKey.size > size, () => `expected a name that no order has, was ${key}`);
    this.last = place;
    if (venueId !== null) this.enterVenueId(venueId, place);
    this.forgetLists();
    if (isFinal(order)) this.end(place);
    else this.live.add(place);
  }

  /** Enters a new value of an order, or an order that is new. */
  put(order: OrderRecord): void {
    const { key, venueId } = order;
    const place = this.placeOf(key);
    if (place === undefined) {
      this.add(order);
      return;
    }
    const before = place.order;
    place.order = order;
    this.last = place;
    if (before.venueId !== venueId) {
      if (before.venueId !== null) this.forgetVenueId(before.venueId);
      if (venueId !== null) this.enterVenueId(venueId, place);
    }
    this.forgetLists();
    const wasLive = !isFinal(before);
    if (isFinal(order)) {
      if (wasLive) this.end(place);
    } else if (!wasLive) {
      this.live.add(place);
      // It lives again, and may stand among those that go next.
      enterNames(this.newer, place);
    }
  }

  private forgetLists(): void {
    this.liveList = null;
    if (this.liveByStrategy.size > 0) this.liveByStrategy.clear();
  }

  private placeOf(key: string): Place | undefined {
    const { last } = this;
    if (last?.order.key === key) return last;
    return this.newer.byKey.get(key) ?? this.older.byKey.get(key);
  }

  private placeOfVenueId(id: VenueOrderId): Place | undefined {
    return this.newer.byVenueId.get(id) ?? this.older.byVenueId.get(id);
  }

  private enterVenueId(venueId: VenueOrderId, place: Place): void {
    const { byVenueId } = this.newer;
    const other = byVenueId.get(venueId);
    invariant(
      other === undefined || other === place,
      () => `expected one order for the id ${venueId}, were ${other?.order.key} and ${place.order.key}`,
    );
    byVenueId.set(venueId, place);
  }

  private forgetVenueId(venueId: VenueOrderId): void {
    this.newer.byVenueId.delete(venueId);
    this.older.byVenueId.delete(venueId);
  }

  private end(place: Place): void {
    this.live.delete(place);
    if (this.ends === FINAL_KEPT) this.forgetOldest(place);
    this.ends += 1;
  }

  private forgetOldest(ended: Place): void {
    this.older = this.newer;
    this.newer = noNames();
    this.ends = 0;
    enterNames(this.newer, ended);
    for (const place of this.live) enterNames(this.newer, place);
  }
}

function noNames(): Names {
  return { byKey: new Map(), byVenueId: new Map() };
}

function enterNames({ byKey, byVenueId }: Names, place: Place): void {
  const { key, venueId } = place.order;
  byKey.set(key, place);
  if (venueId !== null) byVenueId.set(venueId, place);
}

function ordersAt(places: ReadonlySet<Place>): readonly OrderRecord[] {
  if (places.size === 0) return NONE;
  const orders: OrderRecord[] = [];
  for (const { order } of places) orders.push(order);
  return orders;
}
