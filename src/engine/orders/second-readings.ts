import { EnginePart } from '../engine-settings.ts';
import { type Outbox, persistLookup, OutboxPart } from '../outbox.ts';
import type { VenueOrderId, VenueOrder } from '../../domain/order.ts';
import { isClosedStatus, isOpenStatus, type VenueProfile } from '../../venues/port.ts';
import { type OrderRecord, isFinal } from '../../records/order.ts';
import { isUnbindable } from './order-life.ts';
import type { OrderBlotter } from './order-blotter.ts';
import type { OrderTable } from './order-table.ts';

/** Signs that an order has ended. */
interface Signs {
  /** Last status that showed an end, and the number of readings in a row with it. */
  word: string | null;
  readings: number;
  /**
   * True if a complete list of open orders did not contain the order, or the answer to its cancel confirmed
   * the end.
   */
  isCorroborated: boolean;
}

/** Outcome of reading an order's status. */
type Ending =
  | 'open'
  | 'ended'
  /** The order may have ended; it has to be read again. */
  | 'doubtful';

/**
 * Decides if an order has ended. One reply is not enough, because an end is final. A known status needs a
 * second sign: another reading with the same status, the order's absence from the list of open orders, or a
 * confirmed cancel. An unknown status needs two readings and the absence.
 */
export class OrderEndings {
  readonly signs = new Map<string, Signs>();
  private readonly venue: Pick<VenueProfile, 'statuses'>;
  private readonly enough: number;

  /** `isPushed`: the venue pushes every change, so one reading of a known status is enough. */
  constructor(venue: Pick<VenueProfile, 'statuses'>, isPushed = false) {
    this.venue = venue;
    this.enough = isPushed ? 1 : 2;
  }

  /** Notes a sign of an order's end other than its status. */
  corroborate(key: string): void {
    const signs = this.signs.get(key);
    if (signs === undefined) this.signs.set(key, { word: null, readings: 0, isCorroborated: true });
    else signs.isCorroborated = true;
  }

  /** Applies one reading of a status. `isWhole`: the record shows that the whole amount is matched. */
  read(key: string, status: string, isWhole: boolean): Ending {
    if (isOpenStatus(this.venue, status)) {
      this.signs.delete(key);
      return 'open';
    }
    const before = this.signs.get(key);
    const readings = before?.word === status ? before.readings + 1 : 1;
    const isCorroborated = before?.isCorroborated ?? false;
    this.signs.set(key, { word: status, readings, isCorroborated });
    if (!isClosedStatus(this.venue, status)) return readings >= 2 && isCorroborated ? 'ended' : 'doubtful';
    return (this.venue.statuses.filled.includes(status) && isWhole) ||
      readings >= this.enough ||
      isCorroborated
      ? 'ended'
      : 'doubtful';
  }

  /** True if there is a sign that the order has ended. */
  isNoted(key: string): boolean {
    return this.signs.has(key);
  }

  /** Returns the keys of orders that may have ended by their status. */
  doubtful(): readonly string[] {
    const keys: string[] = [];
    for (const [key, { readings }] of this.signs) if (readings > 0) keys.push(key);
    return keys;
  }
}

/**
 * Remembers the exchange's id of each order, and whether two readings agree on it: a cancel by a wrong id
 * would end somebody else's order.
 */
export class SureIds extends OutboxPart {
  private readonly isPushed: boolean;
  readonly seen = new Map<string, { readonly id: VenueOrderId; readonly step: number; isSure: boolean }>();

  /** `isPushed`: the venue pushes every change, so one reading is enough. */
  constructor(outbox: Outbox, isPushed = false) {
    super(outbox);
    this.isPushed = isPushed;
  }

  saw(key: string, id: VenueOrderId): void {
    const { steps } = this.outbox;
    const before = this.seen.get(key);
    if (before?.id !== id) this.seen.set(key, { id, step: steps, isSure: false });
    else if (before.step !== steps) before.isSure = true;
  }

  isSure(key: string): boolean {
    return this.isPushed || (this.seen.get(key)?.isSure ?? false);
  }
}

/**
 * Records of open orders that changed nothing when they were last applied. A venue in this process returns
 * the same object until the order changes, so the same object need not be applied again. Venues never change
 * a record that they have returned.
 */
export class UnchangedRecords {
  /** Last such record of each open order, by the exchange's id. */
  readonly byId = new Map<VenueOrderId, { readonly record: VenueOrder; readonly order: OrderRecord }>();

  /** Returns the order that this same record object left unchanged; undefined if there is none. */
  orderOf(record: VenueOrder): OrderRecord | undefined {
    const last = record.id === null ? undefined : this.byId.get(record.id);
    return last?.record === record ? last.order : undefined;
  }

  note(record: VenueOrder, order: OrderRecord): void {
    if (record.id !== null) this.byId.set(record.id, { record, order });
  }
}

/** A second id under which an order's name was seen. */
interface Claim {
  readonly venueId: VenueOrderId;
  /**
   * True if the exchange has shown the order under the claimed id. `isKnownThere`: the same for the known id;
   * null until it was requested.
   */
  isThere: boolean;
  isKnownThere: boolean | null;
}

/** Result for an order whose name was seen under another id. */
type Dispute =
  /** Both ids exist: the order was placed twice. */
  | { readonly kind: 'twin' }
  /** The other id is right; `order` has it now. */
  | { readonly kind: 'rebound'; readonly order: OrderRecord }
  /** Both ids are being requested. */
  | { readonly kind: 'undecided' };

interface DisputedIdsOptions {
  readonly blotter: OrderBlotter;
  readonly inquiries: OrderInquiries;
  readonly sureIds: SureIds;
}

/**
 * Decides which id is right if readings differ: an order's name came under another id, or the exchange has
 * nothing under the known id. Either a reading was wrong or the order exists twice. Only answers to requests
 * by id decide that.
 */
export class DisputedIds extends EnginePart<DisputedIdsOptions> {
  readonly claims = new Map<string, Claim>();
  private readonly twins = new Set<VenueOrderId>();
  /** Orders for whose id one answer showed nothing, by key. */
  readonly missed = new Map<string, { readonly venueId: VenueOrderId; readonly step: number }>();

  /** Applies a record of the order's name under `venueId`. `isAsked`: it answers a request for that id. */
  apply(order: OrderRecord, venueId: VenueOrderId, isAsked: boolean): Dispute {
    const { claims, twins } = this;
    const { blotter, inquiries, sureIds } = this.options;
    if (twins.has(venueId)) return { kind: 'twin' };
    if (isFinal(order) && order.venueId === null) return { kind: 'undecided' };
    let claim = claims.get(order.key);
    if (claim?.venueId !== venueId)
      claims.set(order.key, (claim = { venueId, isThere: false, isKnownThere: null }));
    if (isAsked) claim.isThere = true;
    if (claim.isThere && claim.isKnownThere === true) {
      claims.delete(order.key);
      twins.add(venueId);
      return { kind: 'twin' };
    }
    const isFree = blotter.table.byVenueId(venueId) === undefined && !isFinal(order);
    if (claim.isThere && claim.isKnownThere === false && isFree) {
      claims.delete(order.key);
      blotter.outbox.warn(
        `${order.key}: id: ${order.venueId} came in one reply, and the exchange has the order as ${venueId}: that id counts`,
        order.key,
      );
      sureIds.seen.delete(order.key);
      return { kind: 'rebound', order: blotter.apply(order, { kind: 'rebound', venueId }) };
    }
    if (!claim.isThere) inquiries.ask(venueId, order.market);
    if (claim.isKnownThere === null) inquiries.ask(order.venueId, order.market);
    return { kind: 'undecided' };
  }

  /** Applies the answer for the known id. `isOwn`: it shows the order itself, not another one. */
  sawKnown(order: OrderRecord, isOwn: boolean): void {
    const claim = this.claims.get(order.key);
    if (claim !== undefined) claim.isKnownThere = isOwn;
  }

  /** Applies the answer that the exchange has no order under the requested id. */
  missing(askedId: VenueOrderId): void {
    const { table } = this.options.blotter;
    for (const [key, claim] of this.claims) {
      if (claim.venueId === askedId) this.claims.delete(key);
      else if (table.get(key)?.venueId === askedId) claim.isKnownThere = false;
    }
  }

  /**
   * Applies the answer that there is nothing under the id of our open order. After the second one the id
   * counts as wrong, and the order is searched for by its name.
   */
  missingOwn(order: OrderRecord, venueId: VenueOrderId): void {
    const { claims, missed } = this;
    const { blotter, sureIds } = this.options;
    if (!isUnbindable(order) || claims.has(order.key)) return;
    const before = missed.get(order.key);
    const { steps } = blotter.outbox;
    if (before?.venueId !== venueId) {
      missed.set(order.key, { venueId, step: steps });
      return;
    }
    if (before.step === steps) return;
    missed.delete(order.key);
    sureIds.seen.delete(order.key);
    blotter.outbox.warn(
      `${order.key}: id: ${venueId} came in a reply, and the exchange has no such order: the bot looks for it by its clientOrderId`,
      order.key,
    );
    blotter.apply(order, { kind: 'unbound' });
  }
}

/** Maximum wait of a look-up for a slot, in ms. */
export const LOOKUP_WITHIN_MS = 60_000;

/**
 * Maximum number of requests in flight. Further ones are dropped: the next reading of a list repeats them.
 */
const MOST_IN_PROGRESS = 40;

interface OrderInquiriesOptions {
  readonly outbox: Outbox;
  /** The exchange's code for an order that does not exist. */
  readonly noSuchOrder: string;
  readonly table: Pick<OrderTable, 'byVenueId'>;
  /** Applies a record; `askedId` is the requested id. Returns true if the record was doubted. */
  readonly onRecord: (record: VenueOrder, askedId: VenueOrderId) => boolean;
  /** Called if the exchange has no order under an id, or the id is invalid for a request. */
  readonly onMissing: (askedId: VenueOrderId) => void;
}

/** Requests orders by the exchange's id, to confirm what a list showed or to find their owner. */
export class OrderInquiries extends EnginePart<OrderInquiriesOptions> {
  private readonly inProgress = new Set<VenueOrderId>();

  isInProgress(venueId: VenueOrderId): boolean {
    return this.inProgress.has(venueId);
  }

  /** Requests an order by its id; nothing if the id is null. `market`: as in `AskedOrder`. */
  ask(venueId: VenueOrderId | null, market: string | null): void {
    const { outbox, noSuchOrder, table, onRecord, onMissing } = this.options;
    if (venueId === null || this.inProgress.has(venueId) || this.inProgress.size >= MOST_IN_PROGRESS) return;
    this.inProgress.add(venueId);
    outbox.ask(
      { kind: 'order', market, venueId, clientOrderId: null },
      { requestClass: 'resolve', dedupe: `look up ${venueId}`, withinMs: LOOKUP_WITHIN_MS },
      (answer, { reply }) => {
        this.inProgress.delete(venueId);
        const before = table.byVenueId(venueId);
        const isDoubtful = answer.outcome === 'value' && onRecord(answer.value, venueId);
        // A request that the client itself refuses was never sent: no order has such an id.
        const isNone =
          answer.outcome === 'refused'
            ? answer.code === noSuchOrder
            : answer.outcome === 'failed' && answer.code === 'INVALID_REQUEST';
        if (isNone) onMissing(venueId);
        persistLookup(outbox, { before, after: table.byVenueId(venueId) }, { answer, reply, isDoubtful });
      },
    );
  }
}
