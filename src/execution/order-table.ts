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

/**
 * All orders of this bot that matter now, found by any of their names. Holds values: a changed order is put
 * in place of the old one.
 */
export class OrderTable {
  private readonly byKey = new Map<string, Place>();
  private readonly placeOfVenueId = new Map<VenueOrderId, Place>();
  /** Not final, oldest first. */
  private readonly live = new Set<Place>();
  private readonly liveByStrategy = new Map<string, Set<Place>>();
  private readonly finals: Place[] = [];
  /** The place that was asked for or changed last: an order is looked up several times in a row. */
  private last: Place | null = null;
  private liveList: readonly OrderRecord[] | null = null;

  get(key: string): OrderRecord | undefined {
    return this.placeOf(key)?.order;
  }

  /** By the id on the wire, which is the key of every order but the stop leg of an OCO. */
  byClientOrderId(id: string | null): OrderRecord | undefined {
    return id === null ? undefined : this.get(id);
  }

  byVenueId(id: VenueOrderId | null): OrderRecord | undefined {
    if (id === null) return undefined;
    return this.last?.order.venueId === id ? this.last.order : this.placeOfVenueId.get(id)?.order;
  }

  /** Orders that are not at their end, oldest first. */
  unfinished(): readonly OrderRecord[] {
    this.liveList ??= ordersAt(this.live);
    return this.liveList;
  }

  /** The same of one strategy. */
  unfinishedOf(strategy: string): readonly OrderRecord[] {
    // Strategies look at every bar, and mostly there are none.
    return this.live.size === 0 ? NONE : ordersAt(this.liveByStrategy.get(strategy));
  }

  /** Enters an order, or a new value of it. */
  put(order: OrderRecord): void {
    const { key, venueId } = order;
    let place = this.placeOf(key);
    const before = place?.order;
    if (place === undefined) this.byKey.set(key, (place = { order }));
    else place.order = order;
    this.last = place;
    if (before?.venueId !== venueId) {
      if (before !== undefined && before.venueId !== null) this.placeOfVenueId.delete(before.venueId);
      if (venueId !== null) this.enterVenueId(venueId, place);
    }
    this.liveList = null;
    if (isFinal(order)) {
      if (before === undefined || !isFinal(before)) this.end(place);
    } else if (before === undefined || isFinal(before)) this.begin(place);
  }

  private placeOf(key: string): Place | undefined {
    const { last } = this;
    return last?.order.key === key ? last : this.byKey.get(key);
  }

  private enterVenueId(venueId: VenueOrderId, place: Place): void {
    const other = this.placeOfVenueId.get(venueId);
    invariant(
      other === undefined || other === place,
      () => `expected one order for the id ${venueId}, were ${other?.order.key} and ${place.order.key}`,
    );
    this.placeOfVenueId.set(venueId, place);
  }

  private begin(place: Place): void {
    this.live.add(place);
    const { strategy } = place.order;
    const own = this.liveByStrategy.get(strategy);
    if (own === undefined) this.liveByStrategy.set(strategy, new Set([place]));
    else own.add(place);
  }

  private end(place: Place): void {
    const { strategy } = place.order;
    this.live.delete(place);
    this.liveByStrategy.get(strategy)?.delete(place);
    this.finals.push(place);
    if (this.finals.length > FINAL_KEPT * 2) this.forgetOldest();
  }

  private forgetOldest(): void {
    this.last = null;
    for (const { order } of this.finals.splice(0, FINAL_KEPT)) {
      this.byKey.delete(order.key);
      if (order.venueId !== null) this.placeOfVenueId.delete(order.venueId);
    }
  }
}

function ordersAt(places: ReadonlySet<Place> | undefined): readonly OrderRecord[] {
  if (places === undefined || places.size === 0) return NONE;
  const orders: OrderRecord[] = [];
  for (const { order } of places) orders.push(order);
  return orders;
}
