import { EnginePart } from './engine-settings.ts';
import { invariant, present } from '../domain/errors.ts';
import type { VenueOrder, VenueOrderId } from '../domain/order.ts';
import { retainNewest } from '../domain/retain-newest.ts';
import { KnownNames, readOrderName, stopLegKey, type OrderName, isManualOrderId } from './order-names.ts';
import { unsentOrder, type OrderRecord } from '../records/order.ts';
import { LIST_START, ListPlaces, surelyFollows, type ListPlace } from './own-list.ts';
import { latestArrivalMs } from './orders/unknown-orders.ts';
import { isOpenStatus, type VenueProfile } from '../venues/port.ts';
import type { OrderBlotter } from './orders/order-blotter.ts';
import { OutboxPart } from './outbox.ts';

/** Intent id of orders that were taken over, whose intent is not in the mirror. */
export const ADOPTED = 'adopted';

export interface LostOrdersOptions {
  readonly blotter: OrderBlotter;
  readonly foreign: ForeignOrders;
  readonly instance: string;
  readonly lateArrivalMs: number;
}

/**
 * Orders with this instance's name that are missing in the mirror, because it was lost or restored from a
 * copy. They are ours, unless another bot uses the same instance name.
 */
export class LostOrders extends EnginePart<LostOrdersOptions> {
  names: KnownNames;
  readonly conflictingInstances: ConflictingInstances;

  constructor(options: LostOrdersOptions) {
    super(options);
    const { absence, ownLists } = options.blotter.venue;
    this.names = new KnownNames('', ownLists.orders);
    this.conflictingInstances = new ConflictingInstances({
      lateArrivalMs: latestArrivalMs(absence, options.lateArrivalMs),
      list: ownLists.orders,
    });
  }

  /** True if an unknown record is an order of this instance that has to be taken over. */
  includes(record: VenueOrder, place: ListPlace): boolean {
    const { blotter, foreign, instance } = this.options;
    const { id, clientOrderId, status } = record;
    if (this.pairOf(record) !== undefined) return true;
    const name = readOrderName(clientOrderId);
    if (name?.instance !== instance) return false;
    const isForeign = id !== null && foreign.has(id);
    if (isForeign && this.conflictingInstances.has(name, place, this.names.state.epoch)) return false;
    return status === null || isOpenStatus(blotter.venue, status) || this.names.mayBeMissing(name, place);
  }

  /**
   * True if an order with this instance's name belongs to another bot. Then it stays untouched, and the first
   * one is reported.
   */
  isOfConflictingInstance({ id, clientOrderId }: VenueOrder, place: ListPlace): boolean {
    const { blotter, foreign, instance } = this.options;
    const name = readOrderName(clientOrderId);
    if (id === null || name === null) return false;
    if (!this.conflictingInstances.has(name, place, this.names.state.epoch)) return false;
    foreign.add(id, clientOrderId);
    if (this.conflictingInstances.isFirstOf(name)) {
      blotter.outbox.alarm(
        `expected orders named "${instance}-…" from this bot alone, found ${clientOrderId} (${id}), which was placed meanwhile: another bot trades on this account under the same instance name. End one of them, and give it another instance and the same ledger. Its orders stay untouched from now on; those that were taken over before are in these books`,
        clientOrderId,
      );
    }
    return true;
  }

  /** Adds the order of a record to ours. The record's status and fills are not applied yet. */
  adopt(record: VenueOrder): OrderRecord {
    const first = this.pairOf(record);
    if (first !== undefined) {
      const { key, strategy } = first;
      const leg = this.enter(record, { key: stopLegKey(key), strategy, pairKey: key });
      this.options.blotter.complete({ ...first, pairKey: leg.key });
      return leg;
    }
    const { clientOrderId: key } = record;
    const name = readOrderName(key);
    invariant(
      key !== null && name !== null,
      () => `expected the name of an order of ours to take over, was ${key}`,
    );
    return this.enter(record, { key, strategy: name.strategy, pairKey: null });
  }

  /** Returns the first leg of which a nameless record is the second, if only the first was taken over. */
  private pairOf({ clientOrderId, pairId }: VenueOrder): OrderRecord | undefined {
    if (clientOrderId !== null || pairId === null) return undefined;
    const first = this.options.blotter.table.byVenueId(pairId);
    return first?.intentId === ADOPTED && first.pairKey === null ? first : undefined;
  }

  private enter(record: VenueOrder, name: Pick<OrderRecord, 'key' | 'strategy' | 'pairKey'>): OrderRecord {
    const { blotter } = this.options;
    const order = adopted(record, { name, nowMs: blotter.outbox.nowMs });
    blotter.add(order);
    blotter.outbox.warn(
      `${order.key} is ${record.status} at the exchange and was not known to the bot: it is taken over`,
      order.key,
    );
    return order;
  }
}

/** Returns an order for a record, as if it were just sent; applying the record then shows its status. */
function adopted(
  record: VenueOrder,
  of: { readonly name: Pick<OrderRecord, 'key' | 'strategy' | 'pairKey'>; readonly nowMs: number },
): OrderRecord {
  const { name, nowMs } = of;
  const { symbol } = present(record.market, () => `the market of ${name.key}, which is taken over`);
  const unsent = unsentOrder({
    ...name,
    clientOrderId: record.clientOrderId,
    intentId: ADOPTED,
    exit: null,
    market: symbol,
    marketVersion: 0,
    side: record.side,
    execution: record.execution ?? 'limit',
    price: record.price,
    stopPrice: record.stopPrice,
    amount: record.amount,
    plannedAtMs: record.createdAtMs ?? nowMs,
    // Its fills may be older than everything that was read so far.
    orderFloor: LIST_START,
    tradeFloor: LIST_START,
    arrivalBid: null,
    arrivalAsk: null,
  });
  return { ...unsent, sentAtMs: nowMs, attempts: 1, state: 'sending' };
}

/** Maximum number of epochs of other mirrors whose report is remembered; the oldest are dropped. */
const MOST_REPORTED = 100;

/**
 * Distinguishes orders of another bot, which trades now on this account under the same instance name, from
 * those of a lost mirror. Orders of this process, sent when no order of an earlier process could still
 * arrive, mark a place in their list. Orders of another epoch beyond it are of another bot. Nothing is known
 * of a list before this bot has placed an order there.
 */
class ConflictingInstances {
  private readonly lateArrivalMs: number;
  private readonly list: VenueProfile['ownLists']['orders'];
  private beganAtMs = Number.POSITIVE_INFINITY;
  private readonly floors: ListPlaces;
  private readonly reported = new Set<string>();

  constructor(options: {
    readonly lateArrivalMs: number;
    readonly list: VenueProfile['ownLists']['orders'];
  }) {
    this.lateArrivalMs = options.lateArrivalMs;
    this.list = options.list;
    this.floors = new ListPlaces(options.list, Number.POSITIVE_INFINITY);
  }

  /** Notes the start of this process. */
  begin(nowMs: number): void {
    this.beganAtMs = nowMs;
  }

  /** Notes the place of an order that certainly is this bot's. */
  noteOwn({ clientOrderId, sentAtMs }: OrderRecord, place: ListPlace, epoch: string): void {
    if (sentAtMs === null || sentAtMs <= this.beganAtMs + this.lateArrivalMs) return;
    if (readOrderName(clientOrderId)?.epoch === epoch) this.floors.lower(place);
  }

  /** True if an order with this instance's name was placed by another bot. */
  has(name: OrderName, { market, cursor }: ListPlace, epoch: string): boolean {
    return name.epoch !== epoch && surelyFollows(this.list, cursor, this.floors.of(market));
  }

  /** True for the first order of another bot: only the first one is reported. */
  isFirstOf({ epoch }: OrderName): boolean {
    if (this.reported.has(epoch)) return false;
    this.reported.add(epoch);
    retainNewest(this.reported, MOST_REPORTED);
    return true;
  }
}

/**
 * Maximum number of foreign order ids that are remembered, to recognize their trades; the oldest are dropped.
 */
const FOREIGN_RETAINED = 20_000;

/**
 * Orders on this account that are not this bot's. An order counts as foreign after two readings show that: a
 * wrong decision would give up its trades for good.
 */
export class ForeignOrders extends OutboxPart {
  private readonly foreign = new Set<VenueOrderId>();
  /** Ids that one reading has shown as foreign. */
  private readonly strangers = new Set<VenueOrderId>();

  has(id: VenueOrderId): boolean {
    return this.foreign.has(id);
  }

  /** True if one reading, but no second one, has shown the order as foreign. */
  isStranger(id: VenueOrderId): boolean {
    return this.strangers.has(id);
  }

  /** Notes a reading that shows the order as foreign. The second one makes it final. */
  meet(id: VenueOrderId, name: string | null): void {
    if (this.foreign.has(id)) return;
    if (this.strangers.delete(id)) this.add(id, name);
    else {
      this.strangers.add(id);
      retainNewest(this.strangers, FOREIGN_RETAINED);
    }
  }

  /** Marks an order as foreign for good. */
  add(id: VenueOrderId, name: string | null): void {
    if (this.foreign.has(id)) return;
    this.foreign.add(id);
    if (name !== null && isManualOrderId(name)) {
      // Its trades have only this id, so the journal connects it with the name.
      this.outbox.journal('notice', name, { venueId: id });
      this.outbox.info(
        `order ${id} was placed by hand (${name}): it belongs to no strategy and stays untouched`,
        name,
      );
    }
    retainNewest(this.foreign, FOREIGN_RETAINED);
  }
}
