import type { LostOrdersOptions } from '../lost-orders.ts';
import { present } from '../../domain/errors.ts';
import { formatUnits, NO_UNITS, type Units } from '../../domain/money.ts';
import type { VenueOrder, VenueOrderId } from '../../domain/order.ts';
import { retainNewest } from '../../domain/retain-newest.ts';
import { OrderEndings, SureIds, UnchangedRecords, DisputedIds, OrderInquiries } from './second-readings.ts';
import { isFinal, type OrderRecord } from '../../records/order.ts';
import { cursorOfOrder, type ListPlace } from '../own-list.ts';
import { marketSymbolOf } from '../applied-trades.ts';
import { isClosedStatus, isOpenStatus } from '../../venues/port.ts';
import type { IssueLog } from '../issue-log.ts';
import { ForeignOrders, LostOrders } from '../lost-orders.ts';
import type { OrderBlotter } from './order-blotter.ts';
import { type ValidationIssue, orderIssue, orderMisfit } from '../feeds/plausibility.ts';
import { english } from '../../language/sentence.ts';

/** Result of matching a record of the exchange with our orders. */
export type ReportMatch =
  | { readonly kind: 'own'; readonly order: OrderRecord }
  | { readonly kind: 'foreign' }
  /** The record has the name of one of our orders, but another id, and both exist: it was placed twice. */
  | { readonly kind: 'twin'; readonly of: OrderRecord }
  /**
   * The record contradicts itself or known facts, or one reading can not prove what it shows. It was not used
   * and is requested again.
   */
  | { readonly kind: 'doubtful' };

/** The exchange's last answer about an order that was requested by its id. */
interface StatedOrder {
  readonly record: VenueOrder;
  readonly atMs: number;
}

/** Maximum number of answers that are remembered; the oldest are dropped. */
const MOST_STATED = 1_000;

/** The request that a record answers. */
export interface ReportContext {
  /** Order that the request was about. */
  readonly known?: OrderRecord;
  /** Id that was requested. */
  readonly askedId?: VenueOrderId;
}

interface OrderReportMatcherOptions extends Pick<
  LostOrdersOptions,
  'blotter' | 'instance' | 'lateArrivalMs'
> {
  readonly findings: IssueLog;
  /** True if the venue pushes every change, so that nothing has to be read twice. */
  readonly isPushed?: boolean;
  /** Called if one of our orders exists twice, with the record and id of the second one. */
  readonly onTwin: (order: OrderRecord, record: VenueOrder, id: VenueOrderId) => void;
  /** Called with each order that is taken over, and its record. */
  readonly onTakeover: (order: OrderRecord, record: VenueOrder) => void;
}

/**
 * Finds out which of our orders a record belongs to, by name, by id, or as the second leg of a pair, and
 * applies the record. Records that do not fit are not used. What can not be undone needs two readings: an
 * end, another id, an order that is taken over.
 */
export class OrderReportMatcher {
  readonly findings: IssueLog;
  readonly inquiries: OrderInquiries;
  readonly endings: OrderEndings;
  readonly sureIds: SureIds;
  readonly lost: LostOrders;
  private readonly blotter: OrderBlotter;
  private readonly foreign: ForeignOrders;
  private readonly disputed: DisputedIds;
  private readonly isPushed: boolean;
  private readonly onTakeover: OrderReportMatcherOptions['onTakeover'];
  private readonly onTwin: OrderReportMatcherOptions['onTwin'];
  private readonly unchanged = new UnchangedRecords();
  private readonly stated = new Map<VenueOrderId, StatedOrder>();
  private readonly lessMatched = new Map<string, { readonly matched: Units; readonly step: number }>();

  constructor({
    blotter,
    findings,
    instance,
    lateArrivalMs,
    isPushed = false,
    onTakeover,
    onTwin,
  }: OrderReportMatcherOptions) {
    this.blotter = blotter;
    this.onTakeover = onTakeover;
    this.onTwin = onTwin;
    this.findings = findings;
    this.endings = new OrderEndings(blotter.venue, isPushed);
    this.sureIds = new SureIds(blotter.outbox, isPushed);
    this.inquiries = new OrderInquiries({
      outbox: blotter.outbox,
      noSuchOrder: blotter.venue.refusals.noSuchOrder,
      table: blotter.table,
      onRecord: (record, askedId) => this.apply(record, { askedId }).kind === 'doubtful',
      onMissing: (askedId) => this.missing(askedId),
    });
    const { inquiries, sureIds } = this;
    this.disputed = new DisputedIds({ blotter, inquiries, sureIds });
    this.foreign = new ForeignOrders(blotter.outbox);
    this.lost = new LostOrders({ blotter, foreign: this.foreign, instance, lateArrivalMs });
    this.isPushed = isPushed;
    blotter.listen(['end'], ({ key, venueId }) => {
      if (this.findings.entries.size > 0) this.findings.forget(key);
      // Nothing of a pushing venue is read twice, so there is nothing to forget.
      if (isPushed) return;
      this.endings.signs.delete(key);
      this.sureIds.seen.delete(key);
      this.disputed.claims.delete(key);
      this.disputed.missed.delete(key);
      this.lessMatched.delete(key);
      if (venueId !== null) this.unchanged.byId.delete(venueId);
    });
  }

  isForeign(venueOrderId: VenueOrderId): boolean {
    return this.foreign.has(venueOrderId);
  }

  /** True while the order is being requested by its id. */
  isAsking(venueOrderId: VenueOrderId): boolean {
    return this.inquiries.isInProgress(venueOrderId);
  }

  /** True if an order of this instance is missing in the table and has to be taken over. */
  isMissing(record: VenueOrder): boolean {
    return this.find(record) === undefined && this.lost.includes(record, this.placeOf(record));
  }

  /** Returns the exchange's last answer about an order that was requested by its id, ours or not. */
  statedOf(venueOrderId: VenueOrderId): StatedOrder | undefined {
    return this.stated.get(venueOrderId);
  }

  private noteStated(record: VenueOrder, { askedId }: ReportContext): void {
    if (askedId === undefined) return;
    this.stated.delete(askedId);
    this.stated.set(askedId, { record, atMs: this.blotter.outbox.nowMs });
    retainNewest(this.stated, MOST_STATED);
  }

  /** Applies a record to the order that it was requested for, or else to the order that it belongs to. */
  apply(record: VenueOrder, context: ReportContext = {}): ReportMatch {
    const unchanged = this.unchanged.orderOf(record);
    if (unchanged !== undefined && context.askedId === undefined && this.isNothingNew(unchanged))
      return { kind: 'own', order: unchanged };
    // The current value: the other leg of a pair may have changed the order since.
    const order =
      context.known === undefined
        ? this.find(record)
        : (this.blotter.table.get(context.known.key) ?? context.known);
    if (this.isPushed)
      return order === undefined ? { kind: 'foreign' } : this.adopt(order, record, record.status);
    const issue = orderIssue(record, this.blotter.venue) ?? this.wrongAnswer(record, context);
    if (issue !== null && !this.isConfirmed(order, record, issue)) return this.doubt(order, record, issue);
    this.noteStated(record, context);
    const match =
      order === undefined ? this.applyStranger(record, context) : this.applyOwn(order, record, context);
    if (match.kind === 'twin' && record.id !== null && context.known === undefined)
      this.onTwin(match.of, record, record.id);
    if (match.kind === 'own' && match.order === order && this.isSettled(order, record))
      this.unchanged.note(record, order);
    return match;
  }

  /** Applies the reply to an order's placement, after `isOfPlacement` has confirmed it. */
  applyPlaced(record: VenueOrder, order: OrderRecord): ReportMatch {
    // The current value: the other leg of a pair may have changed the order since.
    const current = this.blotter.table.get(order.key) ?? order;
    if (!this.isPushed) return this.bind(current, record, {});
    this.blotter.sawOrderAt(this.placeOf(record));
    return this.adopt(current, record, record.status);
  }

  /**
   * True if a record in a placement's reply belongs to the order: it has the sent client order id (or, for a
   * second leg, both legs name each other) and the requested terms.
   */
  isOfPlacement(record: VenueOrder, order: OrderRecord, first: VenueOrder | null): boolean {
    const isNamed =
      first === null
        ? record.clientOrderId !== null && record.clientOrderId === order.clientOrderId
        : record.clientOrderId === null && record.pairId === first.id && first.pairId === record.id;
    if (isNamed && this.isPushed) return true;
    const issue = orderIssue(record, this.blotter.venue) ?? orderMisfit(record, order);
    const holder = this.blotter.table.byVenueId(record.id);
    if (issue === null && isNamed && (holder === undefined || holder.key === order.key)) return true;
    const found = issue ?? {
      field: 'clientOrderId',
      expected: order.clientOrderId ?? 'that of a second leg',
      found: String(record.clientOrderId),
    };
    this.findings.note(order.key, found, { isGrave: true });
    return false;
  }

  /** True if the same record, read again, could add nothing. */
  private isSettled(order: OrderRecord, record: VenueOrder): boolean {
    const { venue } = this.blotter;
    const isOpen = record.status !== null && isOpenStatus(venue, record.status) && !isFinal(order);
    // A second leg may still learn its id from the first leg.
    if (!isOpen || order.pairKey !== null || !this.sureIds.isSure(order.key)) return false;
    return this.isAtKnownPlace(record);
  }

  /** True if a record has a place before the certain end of its list. */
  private isAtKnownPlace(record: VenueOrder): boolean {
    const { venue, furthestOrder } = this.blotter;
    const cursor = cursorOfOrder(venue, record);
    return cursor !== null && cursor <= furthestOrder.of(marketSymbolOf(record));
  }

  /** True if nothing came since the last reading that the same record would change again. */
  private isNothingNew(order: OrderRecord): boolean {
    const { key } = order;
    return (
      this.blotter.table.get(key) === order && this.findings.entries.size === 0 && !this.endings.isNoted(key)
    );
  }

  private applyOwn(order: OrderRecord, record: VenueOrder, context: ReportContext): ReportMatch {
    const misfit = orderMisfit(record, order);
    if (misfit !== null && !this.isConfirmed(order, record, misfit)) {
      // The exchange has another order under the known id.
      if (context.askedId === order.venueId) this.disputed.sawKnown(order, false);
      return this.doubt(order, record, misfit);
    }
    return this.bind(order, record, context);
  }

  /** Applies a record whose client order id and terms fit the order. */
  private bind(order: OrderRecord, record: VenueOrder, context: ReportContext): ReportMatch {
    const id = idOf(record);
    if (order.venueId !== null && order.venueId !== id) return this.applyUnderOtherId(order, record, context);
    const holder = this.blotter.table.byVenueId(id);
    if (holder !== undefined && holder.key !== order.key) {
      return this.doubt(order, record, {
        field: 'id',
        expected: `another than that of ${holder.key}`,
        found: String(id),
      });
    }
    if (context.askedId === id && this.disputed.claims.size > 0) this.disputed.sawKnown(order, true);
    if (order.state === 'rejected' && context.askedId !== id) {
      this.inquiries.ask(id, order.market);
      return { kind: 'doubtful' };
    }
    const place = this.placeOf(record);
    this.blotter.sawOrderAt(place);
    this.sureIds.saw(order.key, id);
    if (this.sureIds.isSure(order.key)) {
      const { conflictingInstances, names } = this.lost;
      conflictingInstances.noteOwn(order, place, names.state.epoch);
    }
    if (order.state === 'rejected')
      this.blotter.outbox.alarm(
        `${order.key} was given up (${english(order.reason)}), and the exchange has it as ${id}: it is taken over with its fills`,
        order.key,
      );
    return this.adopt(order, record, this.statusOf(order, record), context.askedId === id);
  }

  /** Returns the status if it can be trusted; null if the order has to be read again. */
  private statusOf(order: OrderRecord, record: VenueOrder): string | null {
    const { status } = record;
    if (status === null || isFinal(order)) return status;
    const ending = this.endings.read(order.key, status, record.matchedAmount === record.amount);
    if (isOpenStatus(this.blotter.venue, status) || isClosedStatus(this.blotter.venue, status)) {
      const isNoted = this.findings.entries.has(order.key);
      if (isNoted && orderIssue(record, this.blotter.venue) === null && orderMisfit(record, order) === null)
        this.findings.clear(order.key);
    } else
      this.findings.note(
        order.key,
        { field: 'status', expected: 'a status of the interface', found: status },
        { isGrave: true },
      );
    if (ending !== 'doubtful') return status;
    if (record.id !== null) this.inquiries.ask(record.id, order.market);
    return null;
  }

  private adopt(order: OrderRecord, record: VenueOrder, status: string | null, isAsked = false): ReportMatch {
    const { blotter } = this;
    // The accepted terms are applied once; later records do not change them.
    const terms = order.venueStatus === null ? record : null;
    const isOpen = status === null || isOpenStatus(blotter.venue, status);
    const report = { venueId: record.id, status, isOpen, matched: record.matchedAmount, terms };
    const next = blotter.apply(order, { kind: 'seen', atMs: blotter.outbox.nowMs, report });
    const settled = isAsked && next.state === 'settling' ? this.settleLess(next, record) : next;
    if (settled.pairKey !== null) this.pairWith(settled.pairKey, record);
    return { kind: 'own', order: settled };
  }

  /**
   * Lowers the matched amount of a closed order after two answers showed less: matched amounts never fall, so
   * the earlier, larger one was wrong.
   */
  private settleLess(order: OrderRecord, record: VenueOrder): OrderRecord {
    const { blotter, lessMatched } = this;
    const matched = record.matchedAmount;
    const isLess = matched < order.matched && matched >= order.filled;
    if (!isLess || record.status === null || isOpenStatus(blotter.venue, record.status)) return order;
    const before = lessMatched.get(order.key);
    const { steps } = blotter.outbox;
    if (before === undefined || before.matched !== matched || before.step === steps) {
      lessMatched.set(order.key, { matched, step: steps });
      return order;
    }
    blotter.outbox.warn(
      `${order.key}: matchedAmount: ${formatUnits(order.matched)} came in one reply, and two later ones say ${formatUnits(matched)}: the later ones count`,
      order.key,
    );
    return blotter.apply(order, { kind: 'matched less', matched });
  }

  /** Returns an issue if a record has another id than was requested; else null. */
  private wrongAnswer(record: VenueOrder, { askedId }: ReportContext): ValidationIssue | null {
    if (askedId === undefined || record.id === askedId) return null;
    return { field: 'id', expected: `${askedId}, which was asked for`, found: String(record.id) };
  }

  /** True if two readings show the same soft issue, which leaves the important fields right. */
  private isConfirmed(order: OrderRecord | undefined, record: VenueOrder, issue: ValidationIssue): boolean {
    if (issue.isSoft !== true) return false;
    return this.findings.note(order?.key ?? `order ${record.id}`, issue, { isGrave: false }) >= 2;
  }

  private doubt(order: OrderRecord | undefined, record: VenueOrder, issue: ValidationIssue): ReportMatch {
    const { id } = record;
    const readings = this.findings.note(order?.key ?? `order ${id}`, issue, {
      isGrave: order !== undefined && !isFinal(order),
    });
    // Lists repeat themselves every few seconds, so one request is enough.
    if (order !== undefined && !isFinal(order) && readings === 1)
      this.inquiries.ask(order.venueId, order.market);
    if (order === undefined && id !== null && readings === 1 && this.isAtKnownPlace(record))
      this.inquiries.ask(id, record.market?.symbol ?? null);
    return { kind: 'doubtful' };
  }

  /** Handles a record with the client order id of one of our orders but another id, by `DisputedIds`. */
  private applyUnderOtherId(order: OrderRecord, record: VenueOrder, context: ReportContext): ReportMatch {
    const venueId = idOf(record);
    const dispute = this.disputed.apply(order, venueId, context.askedId === venueId);
    if (dispute.kind === 'rebound') return this.applyOwn(dispute.order, record, context);
    return dispute.kind === 'twin' ? { kind: 'twin', of: order } : { kind: 'doubtful' };
  }

  /** Handles the answer that the exchange has no order under the requested id. */
  private missing(askedId: VenueOrderId): void {
    this.disputed.missing(askedId);
    const order = this.blotter.table.byVenueId(askedId);
    if (order === undefined) this.foreign.meet(askedId, null);
    else this.disputed.missingOwn(order, askedId);
  }

  /** Returns the record's place in its list. A record without one has an issue and does not get here. */
  private placeOf(record: VenueOrder): ListPlace {
    const cursor = cursorOfOrder(this.blotter.venue, record);
    return {
      market: marketSymbolOf(record),
      cursor: present(cursor, () => `where the order ${record.id} stands, whose record has no issue`),
    };
  }

  private find(record: VenueOrder): OrderRecord | undefined {
    const { table } = this.blotter;
    const byName = table.get(record.clientOrderId);
    if (byName !== undefined) return byName;
    const byId = table.byVenueId(record.id);
    if (byId !== undefined) return byId;
    // The stop leg of an OCO has no clientOrderId: the id of its pair shows whose it is.
    if (record.clientOrderId !== null) return undefined;
    const first = table.byVenueId(record.pairId);
    return first === undefined || first.pairKey === null ? undefined : table.get(first.pairKey);
  }

  /**
   * True if a record without client order id may be the stop leg of one of our pairs. That is unknown until
   * the first leg is found.
   */
  private mayBeStopLeg({ clientOrderId, pairId, market }: VenueOrder): boolean {
    if (clientOrderId !== null || pairId === null) return false;
    // Or that of a pair whose first leg is being requested: if that is foreign, so is this one.
    if (!this.foreign.has(pairId) && this.blotter.table.byVenueId(pairId) === undefined) {
      if (this.inquiries.isInProgress(pairId)) return true;
      // If too many requests are in flight, the next list asks again; until then it stays undecided.
      if (!this.foreign.isStranger(pairId)) {
        this.inquiries.ask(pairId, market?.symbol ?? null);
        return true;
      }
    }
    return this.blotter.table
      .unfinished()
      .some((order) => order.clientOrderId === null && order.venueId === null && order.state !== 'planned');
  }

  /** Gives the other leg of a pair its id, as the first leg's record names it. */
  private pairWith(pairKey: string, { pairId }: VenueOrder): void {
    const { blotter } = this;
    const other = pairId === null ? undefined : blotter.table.get(pairKey);
    const mayLearn =
      other !== undefined &&
      other.venueId === null &&
      (other.state === 'sending' || other.state === 'unknown') &&
      blotter.table.byVenueId(pairId) === undefined;
    if (!mayLearn) return;
    const report = { venueId: pairId, status: null, isOpen: true, matched: NO_UNITS, terms: null };
    blotter.apply(other, { kind: 'seen', atMs: blotter.outbox.nowMs, report });
  }

  /**
   * Handles a record of an order that is not in the table: it is foreign, or was lost with an earlier mirror.
   */
  private applyStranger(record: VenueOrder, context: ReportContext): ReportMatch {
    const id = idOf(record);
    const place = this.placeOf(record);
    this.blotter.sawOrderAt(place);
    if (this.lost.includes(record, place)) {
      // One reading may show a wrong name or status, and may lack fields that a takeover needs.
      const isWhole = record.market !== null && record.status !== null;
      if (isWhole && context.askedId === id) {
        if (this.lost.isOfConflictingInstance(record, place)) return { kind: 'foreign' };
        const match = this.applyOwn(this.lost.adopt(record), record, context);
        if (match.kind === 'own') this.onTakeover(match.order, record);
        return match;
      }
      if (context.askedId !== id) this.inquiries.ask(id, record.market?.symbol ?? null);
      return { kind: 'doubtful' };
    }
    if (this.mayBeStopLeg(record)) return { kind: 'foreign' };
    this.foreign.meet(id, record.clientOrderId);
    return { kind: 'foreign' };
  }
}

/** Returns a record's id. A record without one has an issue and does not get here. */
function idOf({ id, clientOrderId }: VenueOrder): VenueOrderId {
  return present(id, () => `the id of the order ${clientOrderId}, whose record has no issue`);
}
