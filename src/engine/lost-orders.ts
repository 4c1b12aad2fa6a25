import { invariant, present } from '../domain/errors.ts';
import type { VenueOrder, ListCursor, VenueOrderId } from '../domain/order.ts';
import { retainNewest } from '../domain/retain-newest.ts';
import { KnownNames, readOrderName, stopLegKey, type OrderName, isManualOrderId } from './order-names.ts';
import { unsentOrder, type OrderRecord } from '../records/order.ts';
import { LIST_START, surelyFollows } from './own-list.ts';
import { latestArrivalMs } from './orders/unknown-orders.ts';
import { isOpenStatus, type OwnList } from '../venues/port.ts';
import type { OrderBlotter } from './orders/order-blotter.ts';
import type { Outbox } from './outbox.ts';

/** The intent of an order that was taken over: the mirror does not know it. */
export const ADOPTED = 'adopted';

interface LostOrdersOptions {
  readonly blotter: OrderBlotter;
  readonly foreign: ForeignOrders;
  readonly instance: string;
  readonly lateArrivalMs: number;
}

/**
 * Orders that carry this instance's name and are not in the mirror, since it was lost, or put back from a
 * copy. They are ours all the same, but for those of another bot under the same instance name.
 */
export class LostOrders {
  names = new KnownNames('');
  readonly conflictingInstances: ConflictingInstances;
  private readonly options: LostOrdersOptions;

  constructor(options: LostOrdersOptions) {
    this.options = options;
    const { absence, ownLists } = options.blotter.venue;
    this.conflictingInstances = new ConflictingInstances({
      lateArrivalMs: latestArrivalMs(absence, options.lateArrivalMs),
      list: ownLists.orders,
    });
  }

  /** True if a record of no order known here is of this instance, and is to be taken over. */
  includes(record: VenueOrder, cursor: ListCursor): boolean {
    const { blotter, foreign, instance } = this.options;
    const { id, clientOrderId, status } = record;
    if (this.pairOf(record) !== undefined) return true;
    const name = readOrderName(clientOrderId);
    if (name?.instance !== instance) return false;
    const isForeign = id !== null && foreign.has(id);
    if (isForeign && this.conflictingInstances.has(name, cursor, this.names.state.epoch)) return false;
    return status === null || isOpenStatus(blotter.venue, status) || this.names.mayBeMissing(name, cursor);
  }

  /**
   * True if an order with this instance's name is another bot's: then it stays untouched, and that is
   * reported once.
   */
  isOfConflictingInstance({ id, clientOrderId }: VenueOrder, cursor: ListCursor): boolean {
    const { blotter, foreign, instance } = this.options;
    const name = readOrderName(clientOrderId);
    if (id === null || name === null) return false;
    if (!this.conflictingInstances.has(name, cursor, this.names.state.epoch)) return false;
    foreign.add(id, clientOrderId);
    if (this.conflictingInstances.isFirstOf(name)) {
      blotter.outbox.alarm(
        `expected orders named "${instance}-…" from this bot alone, found ${clientOrderId} (${id}), which was placed meanwhile: another bot trades on this account under the same instance name. End one of them, and give it another instance and the same ledger. Its orders stay untouched from now on; those that were taken over before are in these books`,
        clientOrderId,
      );
    }
    return true;
  }

  /** Enters the order of a record as one of ours. What the record says of it is not taken in yet. */
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

  /** The first leg of the pair that a nameless record is the second of, where that was taken over alone. */
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

/** The order of a record as one that was sent just now, so that the record then says what became of it. */
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
    // Its fills may be older than anything that was read since.
    orderFloor: LIST_START,
    tradeFloor: LIST_START,
  });
  return { ...unsent, sentAtMs: nowMs, attempts: 1, state: 'sending' };
}

/** Marks of other mirrors that were reported; the oldest go. */
const MOST_REPORTED = 100;

/**
 * Tells the orders of another bot that trades now, on the same account and under the same instance name, from
 * those of a mirror that was lost. What the list of own orders shows beyond an
 * order of this life, sent when nothing of an earlier life could arrive any more, was placed in this life,
 * and not by this bot. Where this bot has placed nothing yet, nothing is known.
 */
class ConflictingInstances {
  private readonly lateArrivalMs: number;
  private readonly list: OwnList;
  private beganAtMs = Number.POSITIVE_INFINITY;
  private floor: ListCursor = Number.POSITIVE_INFINITY;
  private readonly reported = new Set<string>();

  constructor(options: { readonly lateArrivalMs: number; readonly list: OwnList }) {
    this.lateArrivalMs = options.lateArrivalMs;
    this.list = options.list;
  }

  /** This life begins. */
  begin(nowMs: number): void {
    this.beganAtMs = nowMs;
  }

  /** An order of this bot is at the exchange for certain, and stands there in its list. */
  noteOwn({ clientOrderId, sentAtMs }: OrderRecord, cursor: ListCursor, epoch: string): void {
    if (cursor >= this.floor || sentAtMs === null || sentAtMs <= this.beganAtMs + this.lateArrivalMs) return;
    if (readOrderName(clientOrderId)?.epoch === epoch) this.floor = cursor;
  }

  /** True if an order with this instance's name was placed by another bot. */
  has(name: OrderName, cursor: ListCursor, epoch: string): boolean {
    return name.epoch !== epoch && surelyFollows(this.list, cursor, this.floor);
  }

  /** True if this is the first order of another bot: it is worth an error once, its others are not. */
  isFirstOf({ epoch }: OrderName): boolean {
    if (this.reported.has(epoch)) return false;
    this.reported.add(epoch);
    retainNewest(this.reported, MOST_REPORTED);
    return true;
  }
}

/** Foreign order ids that are remembered, so that their trades are known to be foreign. The oldest go. */
const FOREIGN_RETAINED = 20_000;

/**
 * Orders on this account that are not this bot's. Foreign is what two readings say is nobody's: else its
 * trades, which may be ours, would be given away for good.
 */
export class ForeignOrders {
  private readonly outbox: Outbox;
  private readonly foreign = new Set<VenueOrderId>();
  /** Ids that one reading has shown. */
  private readonly strangers = new Set<VenueOrderId>();

  constructor(outbox: Outbox) {
    this.outbox = outbox;
  }

  has(id: VenueOrderId): boolean {
    return this.foreign.has(id);
  }

  /** True if one reading shows that it is nobody's, and no second one yet. */
  isStranger(id: VenueOrderId): boolean {
    return this.strangers.has(id);
  }

  /** One reading says that it is nobody's. The second makes it foreign. */
  meet(id: VenueOrderId, name: string | null): void {
    if (this.foreign.has(id)) return;
    if (this.strangers.delete(id)) this.add(id, name);
    else {
      this.strangers.add(id);
      retainNewest(this.strangers, FOREIGN_RETAINED);
    }
  }

  /** It is somebody else's for certain. */
  add(id: VenueOrderId, name: string | null): void {
    if (this.foreign.has(id)) return;
    this.foreign.add(id);
    if (name !== null && isManualOrderId(name)) {
      // The trades that it brings have its id alone.
      this.outbox.journal('notice', name, { venueId: id });
      this.outbox.info(
        `order ${id} was placed by hand (${name}): it belongs to no strategy and stays untouched`,
        name,
      );
    }
    retainNewest(this.foreign, FOREIGN_RETAINED);
  }
}
