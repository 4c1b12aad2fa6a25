import { invariant, present } from '../../domain/errors.ts';
import type { VenueOrderId } from '../../domain/order.ts';
import { isFinal, type OrderRecord } from '../../records/order.ts';

/**
 * Number of ended orders that are surely kept in memory, so that late records and fills find their order; at
 * twice as many, the older half is dropped. That is more than anyone can place in 15 minutes, and as many as
 * a restart loads. The mirror has all.
 */
const FINAL_RETAINED = 1_000;

const NONE: readonly OrderRecord[] = [];

/**
 * A slot that holds the current value of one order. A change replaces the value, so the lists that share the
 * slot need no update.
 */
interface Place {
  order: OrderRecord;
  /** True if its newest generation has it in its indexes. */
  isIndexed: boolean;
}

/**
 * The orders that matter now, found by key or by the exchange's id. Orders are values: a changed order
 * replaces the old one.
 */
export class OrderTable {
  /** All unfinished orders and those that ended last. */
  private newer = new Generation();
  /** Orders that ended before those in `newer`. They are dropped all at once, which is cheap. */
  private older = new Generation();
  /** Number of orders that have ended since `newer` was created. */
  private ends = 0;
  /** Unfinished orders, oldest first. */
  readonly live: Place[] = [];
  /** The order that was read or changed last: one order is usually looked up several times in a row. */
  private last: Place | null = null;
  /** Cached lists of unfinished orders, of each strategy and, under null, of all. */
  private readonly liveLists = new Map<string | null, readonly OrderRecord[]>();
  /** Number of closed orders that still miss fills. */
  settlingCount = 0;

  /** Returns an order by its key: its clientOrderId, or, for the stop leg of an OCO, one made from it. */
  get(key: string | null): OrderRecord | undefined {
    return key === null ? undefined : this.placeOf(key)?.order;
  }

  /** Returns an order by the exchange's id. Throws `INVARIANT` if two orders have the same id. */
  byVenueId(id: VenueOrderId | null): OrderRecord | undefined {
    if (id === null) return undefined;
    const { last } = this;
    if (last?.order.venueId === id) return last.order;
    return (this.newer.byVenueId(id) ?? this.older.byVenueId(id))?.order;
  }

  /** Returns the orders that have not ended, oldest first: all, or those of one strategy. */
  unfinished(strategy: string | null = null): readonly OrderRecord[] {
    // Strategies read this at every bar, and usually there is no order.
    if (this.live.length === 0) return NONE;
    let list = this.liveLists.get(strategy);
    if (list !== undefined) return list;
    const own: OrderRecord[] = [];
    for (const { order } of this.live) if (strategy === null || order.strategy === strategy) own.push(order);
    this.liveLists.set(strategy, (list = own));
    return list;
  }

  /** Adds an order whose key no other order has. */
  add(order: OrderRecord): void {
    const place = { order, isIndexed: false };
    if (order.state === 'settling') this.settlingCount += 1;
    this.newer.add(place);
    this.last = place;
    if (this.liveLists.size > 0) this.liveLists.clear();
    if (isFinal(order)) this.end(place);
    else this.live.push(place);
  }

  /** Replaces an order by its new value, or adds a new order. */
  put(order: OrderRecord): void {
    const place = this.placeOf(order.key);
    if (place === undefined) {
      this.add(order);
      return;
    }
    const before = place.order;
    place.order = order;
    if (before.state === 'settling') this.settlingCount -= 1;
    if (order.state === 'settling') this.settlingCount += 1;
    this.last = place;
    if (before.venueId !== order.venueId) {
      if (before.venueId !== null) {
        this.newer.venueIds.delete(before.venueId);
        this.older.venueIds.delete(before.venueId);
      }
      if (place.isIndexed) this.newer.enterVenueId(place);
    }
    if (this.liveLists.size > 0) this.liveLists.clear();
    const wasLive = !isFinal(before);
    if (isFinal(order)) {
      if (wasLive) this.end(place);
    } else if (!wasLive) {
      this.live.push(place);
      // The order is live again, but may be in the generation that is dropped next.
      this.newer.add(place);
    }
  }

  private placeOf(key: string): Place | undefined {
    const { last } = this;
    return last?.order.key === key ? last : (this.newer.byKey(key) ?? this.older.byKey(key));
  }

  private end(place: Place): void {
    const index = this.live.indexOf(place);
    if (index >= 0) this.live.splice(index, 1);
    if (this.ends === FINAL_RETAINED) this.forgetOldest(place);
    this.ends += 1;
  }

  private forgetOldest(ended: Place): void {
    this.older = this.newer;
    this.newer = new Generation();
    this.ends = 0;
    this.newer.add(ended);
    for (const place of this.live) this.newer.add(place);
  }
}

/**
 * Orders that are dropped together. Indexes are built at the first look-up only, since most look-ups find the
 * order in `last`.
 */
class Generation {
  private readonly places: Place[] = [];
  private indexed = 0;
  private readonly keys = new Map<string, Place>();
  readonly venueIds = new Map<VenueOrderId, Place>();

  add(place: Place): void {
    place.isIndexed = false;
    this.places.push(place);
  }

  byKey(key: string): Place | undefined {
    if (this.indexed < this.places.length) this.index();
    return this.keys.get(key);
  }

  byVenueId(id: VenueOrderId): Place | undefined {
    if (this.indexed < this.places.length) this.index();
    return this.venueIds.get(id);
  }

  enterVenueId(place: Place): void {
    const { venueId } = place.order;
    if (venueId === null) return;
    const other = this.venueIds.get(venueId);
    invariant(
      other === undefined || other === place,
      () => `expected one order for the id ${venueId}, were ${other?.order.key} and ${place.order.key}`,
    );
    this.venueIds.set(venueId, place);
  }

  index(): void {
    const { places, keys } = this;
    for (; this.indexed < places.length; this.indexed += 1) {
      const place = present(places[this.indexed], 'a place of the generation');
      const { key } = place.order;
      const other = keys.get(key);
      invariant(
        other === undefined || other === place,
        () => `expected a name that no order has, was ${key}`,
      );
      keys.set(key, place);
      this.enterVenueId(place);
      place.isIndexed = true;
    }
  }
}
