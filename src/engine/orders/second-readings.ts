import { type Outbox, persistLookup } from '../outbox.ts';
import type { VenueOrderId, VenueOrder } from '../../domain/order.ts';
import { isClosedStatus, isOpenStatus, type VenueProfile } from '../../venues/port.ts';
import { type OrderRecord, isFinal } from '../../records/order.ts';
import { isUnbindable } from './order-life.ts';
import type { OrderBlotter } from './order-blotter.ts';
import type { OrderTable } from './order-table.ts';

/** The signs that there are of an order's end. */
interface Signs {
  /** The last word that said so, and how many readings in a row said it. */
  word: string | null;
  readings: number;
  /**
   * True if a complete list of the open orders lacked it, or the exchange confirmed its end to the caller
   * that requested it.
   */
  isCorroborated: boolean;
}

/** Outcome of reading an order's status. */
type Ending =
  | 'open'
  | 'ended'
  /** It may have ended: ask again. */
  | 'doubtful';

/**
 * Decides if an order has ended. A word of one reply is not enough, since nothing comes after the end. A
 * known word needs a second sign: another reading with the same word, the order's absence from the list of
 * open orders, or the confirmed cancel. An unknown word needs both two readings and the absence.
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

  /** A sign besides its status that the order has ended. */
  corroborate(key: string): void {
    const signs = this.signs.get(key);
    if (signs === undefined) this.signs.set(key, { word: null, readings: 0, isCorroborated: true });
    else signs.isCorroborated = true;
  }

  /** One reading. `isWhole`: all of it is matched, as its amounts say too. */
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

  /** True if there is any sign that it has ended. */
  isNoted(key: string): boolean {
    return this.signs.has(key);
  }

  /** Orders that may have ended. */
  doubtful(): readonly string[] {
    const keys: string[] = [];
    for (const [key, { readings }] of this.signs) if (readings > 0) keys.push(key);
    return keys;
  }
}

/**
 * The id that two readings of an order have said, so that nothing of somebody else's is asked to end in its
 * place.
 */
export class SureIds {
  private readonly outbox: Outbox;
  private readonly isPushed: boolean;
  readonly seen = new Map<string, { readonly id: VenueOrderId; readonly step: number; isSure: boolean }>();

  /** `isPushed`: the venue pushes every change, so one reading is enough. */
  constructor(outbox: Outbox, isPushed = false) {
    this.outbox = outbox;
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
 * Records of open orders that came to nothing when they were taken in last. A venue in this process hands
 * over the same object for as long as an order stays as it is, and what it says was taken in already. No
 * venue changes a record that it has handed over.
 */
export class UnchangedRecords {
  /** One an open order. */
  readonly byId = new Map<VenueOrderId, { readonly record: VenueOrder; readonly order: OrderRecord }>();

  /** The order as it was when this very record changed nothing about it; undefined where it did not. */
  orderOf(record: VenueOrder): OrderRecord | undefined {
    const last = record.id === null ? undefined : this.byId.get(record.id);
    return last?.record === record ? last.order : undefined;
  }

  note(record: VenueOrder, order: OrderRecord): void {
    if (record.id !== null) this.byId.set(record.id, { record, order });
  }
}

/** An id that claims to be an order's own beside the one that it has. */
interface Claim {
  readonly venueId: VenueOrderId;
  /**
   * True if the exchange has the order under the claimed id, when asked for it; `isKnownThere`: under the
   * known one.
   */
  isThere: boolean;
  isKnownThere: boolean | null;
}

/** Outcome for an order's name under another id. */
type Dispute =
  /** Both are there: it was placed twice. */
  | { readonly kind: 'twin' }
  /** The other id is its own, and it has that now. */
  | { readonly kind: 'rebound'; readonly order: OrderRecord }
  /** Both are asked for. */
  | { readonly kind: 'undecided' };

interface DisputedIdsOptions {
  readonly blotter: OrderBlotter;
  readonly inquiries: OrderInquiries;
  readonly sureIds: SureIds;
}

/**
 * Decides which id is an order's own if two readings differ: the name of one of ours came under another id,
 * or the exchange has nothing under the known id. One of the readings was wrong, or the order is there twice;
 * only the exchange's answers to questions by id decide.
 */
export class DisputedIds {
  private readonly options: DisputedIdsOptions;
  readonly claims = new Map<string, Claim>();
  private readonly twins = new Set<VenueOrderId>();
  /** Orders of whose id one answer has said that there is nothing. */
  readonly missed = new Map<string, { readonly venueId: VenueOrderId; readonly step: number }>();

  constructor(options: DisputedIdsOptions) {
    this.options = options;
  }

  /** The name of an order came under `venueId`, which is not the id that is known of it. */
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
    if (!claim.isThere) inquiries.ask(venueId);
    if (claim.isKnownThere === null) inquiries.ask(order.venueId);
    return { kind: 'undecided' };
  }

  /** The exchange was asked for the known id, and gave the order itself, or another one's record. */
  sawKnown(order: OrderRecord, isOwn: boolean): void {
    const claim = this.claims.get(order.key);
    if (claim !== undefined) claim.isKnownThere = isOwn;
  }

  /** The exchange has nothing under an id that was asked for. */
  missing(askedId: VenueOrderId): void {
    const { table } = this.options.blotter;
    for (const [key, claim] of this.claims) {
      if (claim.venueId === askedId) this.claims.delete(key);
      else if (table.get(key)?.venueId === askedId) claim.isKnownThere = false;
    }
  }

  /**
   * Two answers that there is nothing under the id of an open order of ours: the id is wrong, and the order
   * is looked for by its name.
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

/** Maximum wait of a question for a slot. */
const WITHIN_MS = 60_000;

/** Questions under way at most; beyond it the next reading of a list asks again. */
const MOST_IN_PROGRESS = 40;

interface OrderInquiriesOptions {
  readonly outbox: Outbox;
  /** The code by which the exchange says that it has no such order. */
  readonly noSuchOrder: string;
  readonly table: Pick<OrderTable, 'byVenueId'>;
  /** An answer, and the id that was asked for. Answers whether it was doubted. */
  readonly onRecord: (record: VenueOrder, askedId: VenueOrderId) => boolean;
  /** The exchange knows no order of this id, or none can have it: it is beyond what may be asked for. */
  readonly onMissing: (askedId: VenueOrderId) => void;
}

/** Asks the exchange what it has under an id: to confirm what a list said, or to learn whose it is. */
export class OrderInquiries {
  private readonly options: OrderInquiriesOptions;
  private readonly inProgress = new Set<VenueOrderId>();

  constructor(options: OrderInquiriesOptions) {
    this.options = options;
  }

  isInProgress(venueId: VenueOrderId): boolean {
    return this.inProgress.has(venueId);
  }

  /** Asks for an order by its id, where that is known. */
  ask(venueId: VenueOrderId | null): void {
    const { outbox, noSuchOrder, table, onRecord, onMissing } = this.options;
    if (venueId === null || this.inProgress.has(venueId) || this.inProgress.size >= MOST_IN_PROGRESS) return;
    this.inProgress.add(venueId);
    outbox.ask(
      { kind: 'order', venueId, clientOrderId: null },
      { requestClass: 'resolve', dedupe: `look up ${venueId}`, withinMs: WITHIN_MS },
      (answer, { reply }) => {
        this.inProgress.delete(venueId);
        const before = table.byVenueId(venueId);
        const isDoubtful = answer.outcome === 'value' && onRecord(answer.value, venueId);
        // A question that the client itself refuses never left: no order has such an id.
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
