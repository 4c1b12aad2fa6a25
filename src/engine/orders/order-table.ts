import { invariant, present } from '../../domain/errors.ts';
import type { VenueOrderId } from '../../domain/order.ts';
import { isFinal, type OrderRecord } from '../../records/order.ts';

/**
 * Orders that came to their end and are kept in memory, so that a late record or fill still finds them: up to
 * twice as many, then the oldest go. That is more than a quarter of an hour of the most that the exchange
 * lets anybody place, in pairs, and so what a restart is given; the mirror has all.
 */
const FINAL_RETAINED = 1_000;

const NONE: readonly OrderRecord[] = [];

/**
 * One order's place in the table: the order changes, the place stays, so that a change costs one look-up
 * however many lists it is in.
 */
interface Place {
  order: OrderRecord;
  /** True if the generation it was last entered in has it under its names. */
  isIndexed: boolean;
}

/**
 * All orders of this bot that matter now, found by any of their names. Holds values: a changed order is put
 * in place of the old one.
 */
export class OrderTable {
  /** Every order that is not at its end, and those that came to it last. */
  private newer = new Generation();
  /** Those that came to their end before them. They go all at once, which costs nothing for each. */
  private older = new Generation();
  /** Ends since `newer` was begun. */
  private ends = 0;
  /** Not final, oldest first. */
  readonly live: Place[] = [];
  /** The place that was asked for or changed last: an order is looked up several times in a row. */
  private last: Place | null = null;
  /** The list of all that are live, and of each strategy's, since they were asked for. */
  private readonly liveLists = new Map<string | null, readonly OrderRecord[]>();
  /** Number of closed orders whose fills are not all read. */
  settlingCount = 0;

  /** By its key, which is also the id on the wire of every order but the stop leg of an OCO. */
  get(key: string | null): OrderRecord | undefined {
    return key === null ? undefined : this.placeOf(key)?.order;
  }

  /** Throws `INVARIANT` where two orders have it. */
  byVenueId(id: VenueOrderId | null): OrderRecord | undefined {
    if (id === null) return undefined;
    const { last } = this;
    if (last?.order.venueId === id) return last.order;
    return (this.newer.byVenueId(id) ?? this.older.byVenueId(id))?.order;
  }

  /** Orders that are not at their end, oldest first: all, or those of one strategy. */
  unfinished(strategy: string | null = null): readonly OrderRecord[] {
    // Strategies look at every bar, and mostly there are none.
    if (this.live.length === 0) return NONE;
    let list = this.liveLists.get(strategy);
    if (list !== undefined) return list;
    const own: OrderRecord[] = [];
    for (const { order } of this.live) if (strategy === null || order.strategy === strategy) own.push(order);
    this.liveLists.set(strategy, (list = own));
    return list;
  }

  /** Enters an order under a name that no order had before. */
  add(order: OrderRecord): void {
    const place = { order, isIndexed: false };
    if (order.state === 'settling') this.settlingCount += 1;
    this.newer.add(place);
    this.last = place;
    if (this.liveLists.size > 0) this.liveLists.clear();
    if (isFinal(order)) this.end(place);
    else this.live.push(place);
  }

  /** Enters a new value of an order, or an order that is new. */
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
      // It lives again, and may stand among those that go next.
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
 * Orders that came together. They are entered under their names when one is first looked for by a name: of
 * most, whoever asks has just had the last.
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
