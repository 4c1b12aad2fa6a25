import { ZERO } from '../domain/decimal-text.ts';
import { invariant, present } from '../domain/invariant.ts';
import { formatUnits, NO_UNITS, unitsOf, type Units } from '../domain/money.ts';
import type { VenueOrder } from '../domain/order.ts';
import type { VenueOrderId } from '../domain/venue-id.ts';
import { marketOfCurrencies } from '../domain/market-symbol.ts';
import { KnownNames } from '../execution/known-names.ts';
import { isUnbindable, type VenueTerms } from '../execution/order-life.ts';
import { OrderEndings } from '../execution/order-endings.ts';
import { isManualOrderId, readOrderName, stopLegKey } from '../execution/order-names.ts';
import { isFinal, type OrderRecord } from '../execution/order-record.ts';
import { cursorOfOrder, LIST_START } from '../execution/own-list.ts';
import { latestArrivalMs } from '../execution/unknown-orders.ts';
import { isClosedStatus, isOpenStatus, type ListCursor } from '../venues/port.ts';
import type { FlawLog } from './flaw-log.ts';
import { OrderInquiries } from './order-inquiries.ts';
import { Namesakes } from './namesakes.ts';
import type { OrderBlotter } from './order-blotter.ts';
import type { Flaw } from './plausibility/flaw.ts';
import { orderFlaw, orderMisfit } from './plausibility/order-flaw.ts';
import { SureIds } from './sure-ids.ts';

/** Foreign order ids that are remembered, so that their trades are known to be foreign. The oldest go. */
const FOREIGN_KEPT = 20_000;

/** The intent of an order that was taken over: the mirror does not know it. */
export const ADOPTED = 'adopted';

/** Whose an order in a list is. */
export type ReportMatch =
  | { readonly kind: 'own'; readonly order: OrderRecord }
  | { readonly kind: 'foreign' }
  /** Another one carries the name of one of ours, and both are there: it was placed twice. */
  | { readonly kind: 'twin'; readonly of: OrderRecord }
  /**
   * It contradicts itself or what is known, or says something that one reading can not prove. Nothing of it
   * was used, and it is asked for again.
   */
  | { readonly kind: 'doubtful' };

/** What is known of a record besides what it says. */
export interface ReportContext {
  /** The order that the reply was asked for. */
  readonly known?: OrderRecord;
  /** The id that was asked for. */
  readonly askedId?: VenueOrderId;
  /** Told by a venue that is no stranger: a backtest's. */
  readonly isTrusted?: boolean;
}

/** An id that claims to be an order's own beside the one that it has. */
interface Claim {
  readonly venueId: VenueOrderId;
  /** Whether the exchange has the order under the claimed id, when asked for it; and under the known one. */
  isThere: boolean;
  isKnownThere: boolean | null;
}

export interface OrderReportMatcherOptions {
  readonly blotter: OrderBlotter;
  readonly instance: string;
  readonly lateArrivalMs: number;
  readonly findings: FlawLog;
  /** Whether the venue tells of every change by itself: then nothing has to be read twice. */
  readonly isTold?: boolean;
  /** Told of the answer to a question by id. */
  readonly onRecord: (record: VenueOrder, askedId: VenueOrderId) => void;
}

/**
 * Finds the order of ours that a record of the exchange is of, from whichever list or reply, and takes in
 * what it says: by its name, by its id, or as the second leg of a pair. What does not fit is not used. What
 * can not be undone is believed of two readings only: an end, another id, an order taken over.
 */
export class OrderReportMatcher {
  readonly findings: FlawLog;
  readonly inquiries: OrderInquiries;
  readonly endings: OrderEndings;
  readonly sureIds: SureIds;
  names = new KnownNames('');
  readonly namesakes: Namesakes;
  private readonly blotter: OrderBlotter;
  private readonly instance: string;
  private readonly foreignIds = new Set<VenueOrderId>();
  /** Nameless ids that one reading has told. */
  private readonly strangers = new Set<VenueOrderId>();
  private readonly claims = new Map<string, Claim>();
  private readonly twins = new Set<VenueOrderId>();
  /** Orders of whose id one answer has said that there is nothing. */
  private readonly missed = new Map<string, { readonly venueId: VenueOrderId; readonly step: number }>();
  private readonly lessMatched = new Map<string, { readonly matched: Units; readonly step: number }>();

  constructor({
    blotter,
    findings,
    instance,
    lateArrivalMs,
    isTold = false,
    onRecord,
  }: OrderReportMatcherOptions) {
    this.blotter = blotter;
    const { absence, ownLists } = blotter.venue;
    this.namesakes = new Namesakes({
      lateArrivalMs: latestArrivalMs(absence, lateArrivalMs),
      list: ownLists.orders,
    });
    this.instance = instance;
    this.findings = findings;
    this.endings = new OrderEndings(blotter.venue, isTold);
    this.sureIds = new SureIds(blotter.outbox, isTold);
    this.inquiries = new OrderInquiries({
      outbox: blotter.outbox,
      noSuchOrder: blotter.venue.refusals.noSuchOrder,
      onRecord,
      onMissing: (askedId) => this.missing(askedId),
    });
    blotter.listen((order) => {
      if (!isFinal(order)) return;
      this.findings.forget(order.key);
      this.endings.forget(order.key);
      this.sureIds.forget(order.key);
      this.claims.delete(order.key);
      this.lessMatched.delete(order.key);
      this.missed.delete(order.key);
    });
  }

  isForeign(venueOrderId: VenueOrderId): boolean {
    return this.foreignIds.has(venueOrderId);
  }

  /** Whether it is being found out whose an order is. */
  isAsking(venueOrderId: VenueOrderId): boolean {
    return this.inquiries.isUnderWay(venueOrderId);
  }

  /** Whether a record is of an order of this instance that is not known here, and is to be taken over. */
  isMissing(record: VenueOrder): boolean {
    const { clientOrderId, status } = record;
    if (this.find(record) !== undefined) return false;
    if (this.pairOf(record) !== undefined) return true;
    const name = readOrderName(clientOrderId);
    if (name?.instance !== this.instance) return false;
    const id = idOf(record);
    const cursor = this.cursorOf(record);
    if (this.foreignIds.has(id) && this.namesakes.has(name, cursor, this.names.state.epoch)) return false;
    return (
      status === null || isOpenStatus(this.blotter.venue, status) || this.names.mayBeMissing(name, cursor)
    );
  }

  /** Takes in a record, for the order it was asked for or for whichever it is of. */
  take(record: VenueOrder, way: ReportContext = {}): ReportMatch {
    // As it is now: the other leg of a pair may have told of it since.
    const order =
      way.known === undefined ? this.find(record) : (this.blotter.table.get(way.known.key) ?? way.known);
    if (way.isTrusted === true)
      return order === undefined ? { kind: 'foreign' } : this.takeIn(order, record, record.status);
    const flaw = orderFlaw(record, this.blotter.venue) ?? this.wrongAnswer(record, way);
    if (flaw !== null && !this.isConfirmed(order, record, flaw)) return this.doubt(order, record, flaw);
    if (order === undefined) return this.takeStranger(record, way);
    return this.takeOwn(order, record, way);
  }

  /**
   * Whether a reply to the placement of an order is its own: it carries the name that was sent, or, as the
   * second leg of a pair, each names the other; and its terms are those that were asked for.
   */
  isOfPlacement(record: VenueOrder, order: OrderRecord, first: VenueOrder | null): boolean {
    const isNamed =
      first === null
        ? record.clientOrderId !== null && record.clientOrderId === order.clientOrderId
        : record.clientOrderId === null && record.pairId === first.id && first.pairId === record.id;
    const flaw = orderFlaw(record, this.blotter.venue) ?? orderMisfit(record, order);
    const holder = this.blotter.table.byVenueId(record.id);
    if (flaw === null && isNamed && (holder === undefined || holder.key === order.key)) return true;
    const found = flaw ?? {
      field: 'clientOrderId',
      expected: order.clientOrderId ?? 'that of a second leg',
      found: String(record.clientOrderId),
    };
    this.findings.note(order.key, found, { isGrave: true });
    return false;
  }

  private takeOwn(order: OrderRecord, record: VenueOrder, way: ReportContext): ReportMatch {
    const id = idOf(record);
    const misfit = orderMisfit(record, order);
    if (misfit !== null && !this.isConfirmed(order, record, misfit)) {
      // It has another one's record under the id that we know.
      const claim = this.claims.get(order.key);
      if (claim !== undefined && way.askedId === order.venueId) claim.isKnownThere = false;
      return this.doubt(order, record, misfit);
    }
    if (order.venueId !== null && order.venueId !== id) return this.takeClaim(order, record, way);
    const holder = this.blotter.table.byVenueId(id);
    if (holder !== undefined && holder.key !== order.key) {
      return this.doubt(order, record, {
        field: 'id',
        expected: `another than that of ${holder.key}`,
        found: String(id),
      });
    }
    if (way.askedId === id) {
      const claim = this.claims.get(order.key);
      if (claim !== undefined) claim.isKnownThere = true;
    }
    if (order.state === 'rejected' && way.askedId !== id) {
      this.inquiries.ask(id);
      return { kind: 'doubtful' };
    }
    const cursor = this.cursorOf(record);
    this.blotter.sawOrderAt(cursor);
    this.sureIds.saw(order.key, id);
    if (this.sureIds.isSure(order.key)) this.namesakes.noteOwn(order, cursor, this.names.state.epoch);
    if (order.state === 'rejected') this.tellRevival(order, id);
    return this.takeIn(order, record, this.statusOf(order, record), way.askedId === id);
  }

  /** The status as far as it is believed; null where it has to be read again. */
  private statusOf(order: OrderRecord, record: VenueOrder): string | null {
    const { status } = record;
    if (status === null || isFinal(order)) return status;
    const ending = this.endings.read(order.key, status, record.matchedAmount === record.amount);
    if (isOpenStatus(this.blotter.venue, status) || isClosedStatus(this.blotter.venue, status)) {
      if (orderFlaw(record, this.blotter.venue) === null && orderMisfit(record, order) === null)
        this.findings.clear(order.key);
    } else
      this.findings.note(
        order.key,
        { field: 'status', expected: 'a status of the interface', found: status },
        { isGrave: true },
      );
    if (ending !== 'doubtful') return status;
    if (record.id !== null) this.inquiries.ask(record.id, order.clientOrderId ?? '');
    return null;
  }

  private takeIn(
    order: OrderRecord,
    record: VenueOrder,
    status: string | null,
    isAsked = false,
  ): ReportMatch {
    const { blotter } = this;
    // They are said once and stay; reading them anew from every list would cost more than all the rest of it.
    const terms = order.venueStatus === null ? termsOf(record) : null;
    const isOpen = status === null || isOpenStatus(blotter.venue, status);
    const report = { venueId: record.id, status, isOpen, matched: matchedOf(record), terms };
    const next = blotter.apply(order, { kind: 'seen', atMs: blotter.outbox.nowMs, report });
    const settled = isAsked ? this.settleLess(next, record) : next;
    return { kind: 'own', order: this.pairWith(settled, record) };
  }

  /** What is closed does not match less than it did: two answers that say less than was noted are right. */
  private settleLess(order: OrderRecord, record: VenueOrder): OrderRecord {
    const { blotter, lessMatched } = this;
    const matched = matchedOf(record);
    const isLess = matched < order.matched && matched >= order.filled;
    if (
      order.state !== 'settling' ||
      !isLess ||
      record.status === null ||
      isOpenStatus(blotter.venue, record.status)
    )
      return order;
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

  /** It was asked for by an id, and another one came: the answer to another question. */
  private wrongAnswer(record: VenueOrder, { askedId }: ReportContext): Flaw | null {
    if (askedId === undefined || record.id === askedId) return null;
    return { field: 'id', expected: `${askedId}, which was asked for`, found: String(record.id) };
  }

  /**
   * Two readings that say the same of what counts are believed, though something beside it contradicts them.
   */
  private isConfirmed(order: OrderRecord | undefined, record: VenueOrder, flaw: Flaw): boolean {
    if (flaw.isSoft !== true) return false;
    return this.findings.note(order?.key ?? `order ${record.id}`, flaw, { isGrave: false }) >= 2;
  }

  private doubt(order: OrderRecord | undefined, record: VenueOrder, flaw: Flaw): ReportMatch {
    const { id } = record;
    const readings = this.findings.note(order?.key ?? `order ${id}`, flaw, {
      isGrave: order !== undefined && !isFinal(order),
    });
    // Lists tell the same every few seconds, so that asking once is enough.
    if (order !== undefined && !isFinal(order) && readings === 1) this.inquiries.about(order);
    const cursor = cursorOfOrder(this.blotter.venue, record);
    const isKnownPlace = cursor !== null && cursor <= this.blotter.furthestOrder;
    if (order === undefined && id !== null && readings === 1 && isKnownPlace) this.inquiries.ask(id);
    return { kind: 'doubtful' };
  }

  /**
   * The name of one of ours under another id: one of the two ids was read wrong, or the order is there twice.
   * Both are asked for.
   */
  private takeClaim(order: OrderRecord, record: VenueOrder, way: ReportContext): ReportMatch {
    const { claims, inquiries, blotter, twins } = this;
    const venueId = idOf(record);
    if (twins.has(venueId)) return { kind: 'twin', of: order };
    if (isFinal(order) && order.venueId === null) return { kind: 'doubtful' };
    let claim = claims.get(order.key);
    if (claim?.venueId !== venueId)
      claims.set(order.key, (claim = { venueId, isThere: false, isKnownThere: null }));
    if (way.askedId === venueId) claim.isThere = true;
    if (claim.isThere && claim.isKnownThere === true) {
      claims.delete(order.key);
      twins.add(venueId);
      return { kind: 'twin', of: order };
    }
    if (
      claim.isThere &&
      claim.isKnownThere === false &&
      blotter.table.byVenueId(venueId) === undefined &&
      !isFinal(order)
    ) {
      claims.delete(order.key);
      blotter.outbox.warn(
        `${order.key}: id: ${order.venueId} came in one reply, and the exchange has the order as ${venueId}: that id counts`,
        order.key,
      );
      this.sureIds.forget(order.key);
      return this.takeOwn(blotter.apply(order, { kind: 'rebound', venueId }), record, way);
    }
    if (!claim.isThere) inquiries.ask(venueId);
    if (claim.isKnownThere === null) inquiries.about(order);
    return { kind: 'doubtful' };
  }

  /** The exchange has nothing under an id that was asked for. */
  private missing(askedId: VenueOrderId): void {
    for (const [key, claim] of this.claims) {
      if (claim.venueId === askedId) this.claims.delete(key);
      else if (this.blotter.table.get(key)?.venueId === askedId) claim.isKnownThere = false;
    }
    const order = this.blotter.table.byVenueId(askedId);
    if (order === undefined) this.meetStranger(askedId, null);
    else this.missOwn(order, askedId);
  }

  /**
   * Two answers that there is nothing under the id of an open order of ours: the id is wrong, and the order
   * is looked for by its name.
   */
  private missOwn(order: OrderRecord, venueId: VenueOrderId): void {
    const { claims, blotter, missed } = this;
    if (!isUnbindable(order) || claims.has(order.key)) return;
    const before = missed.get(order.key);
    const { steps } = blotter.outbox;
    if (before?.venueId !== venueId) {
      missed.set(order.key, { venueId, step: steps });
      return;
    }
    if (before.step === steps) return;
    missed.delete(order.key);
    this.sureIds.forget(order.key);
    blotter.outbox.warn(
      `${order.key}: id: ${venueId} came in a reply, and the exchange has no such order: the bot looks for it by its clientOrderId`,
      order.key,
    );
    blotter.apply(order, { kind: 'unbound' });
  }

  /** A record without a place is flawed, and was doubted before this is asked. */
  private cursorOf(record: VenueOrder): ListCursor {
    const cursor = cursorOfOrder(this.blotter.venue, record);
    return present(cursor, () => `where the order ${record.id} stands, whose record has no flaw`);
  }

  private find(record: VenueOrder): OrderRecord | undefined {
    const { table } = this.blotter;
    const byName = table.byClientOrderId(record.clientOrderId);
    if (byName !== undefined) return byName;
    const byId = table.byVenueId(record.id);
    if (byId !== undefined) return byId;
    // The stop leg of an OCO has no clientOrderId: its pair says whose it is.
    if (record.clientOrderId !== null) return undefined;
    const first = table.byVenueId(record.pairId);
    return first === undefined || first.pairKey === null ? undefined : table.get(first.pairKey);
  }

  /**
   * The stop leg of a pair whose reply is missing has no name: until the first leg is found, nothing says
   * whose it is.
   */
  private mayBeStopLeg({ clientOrderId, pairId }: VenueOrder): boolean {
    if (clientOrderId !== null || pairId === null) return false;
    // Or that of a pair whose first leg is being looked at: of one that is foreign it is foreign too.
    if (!this.foreignIds.has(pairId) && this.blotter.table.byVenueId(pairId) === undefined) {
      if (this.inquiries.isUnderWay(pairId)) return true;
      // Where too many questions are under way the next list asks again; until then it is nobody's for
      // certain.
      if (!this.strangers.has(pairId)) {
        this.inquiries.ask(pairId);
        return true;
      }
    }
    return this.blotter.table
      .unfinished()
      .some((order) => order.clientOrderId === null && order.venueId === null && order.state !== 'planned');
  }

  /** The first leg of the pair that a nameless record is the second of, where that was taken over alone. */
  private pairOf({ clientOrderId, pairId }: VenueOrder): OrderRecord | undefined {
    if (clientOrderId !== null || pairId === null) return undefined;
    const first = this.blotter.table.byVenueId(pairId);
    return first?.intentId === ADOPTED && first.pairKey === null ? first : undefined;
  }

  /** The first leg names the other, so that a late list or trade finds that too. */
  private pairWith(order: OrderRecord, record: VenueOrder): OrderRecord {
    const { blotter } = this;
    const { pairId } = record;
    if (order.pairKey === null || pairId === null) return order;
    const other = blotter.table.get(order.pairKey);
    if (
      other === undefined ||
      other.venueId !== null ||
      (other.state !== 'sending' && other.state !== 'unknown')
    ) {
      return order;
    }
    if (blotter.table.byVenueId(pairId) !== undefined) return order;
    const report = { venueId: pairId, status: null, isOpen: true, matched: NO_UNITS, terms: null };
    blotter.apply(other, { kind: 'seen', atMs: blotter.outbox.nowMs, report });
    return order;
  }

  /**
   * A record of no order that is known here: somebody else's, or one of this instance that the mirror has
   * lost.
   */
  private takeStranger(record: VenueOrder, way: ReportContext): ReportMatch {
    const id = idOf(record);
    this.blotter.sawOrderAt(this.cursorOf(record));
    if (this.isMissing(record)) {
      // One reading may have got the name or the status wrong, or lack what it takes to take it over.
      const isWhole = record.market !== null && record.status !== null;
      if (isWhole && way.askedId === id) {
        return this.isNamesakes(record, id) ? { kind: 'foreign' } : this.takeOver(record, way);
      }
      if (way.askedId !== id) this.inquiries.ask(id);
      return { kind: 'doubtful' };
    }
    if (this.mayBeStopLeg(record)) return { kind: 'foreign' };
    if (way.askedId === id) this.addForeign(id, record.clientOrderId);
    else this.meetStranger(id, record.clientOrderId);
    return { kind: 'foreign' };
  }

  /**
   * Whether an order with this instance's name is another bot's: then it stays untouched, and that is told
   * once.
   */
  private isNamesakes(record: VenueOrder, id: VenueOrderId): boolean {
    const { clientOrderId } = record;
    const name = readOrderName(clientOrderId);
    if (name === null || !this.namesakes.has(name, this.cursorOf(record), this.names.state.epoch))
      return false;
    this.addForeign(id, clientOrderId);
    if (this.namesakes.isFirstOf(name)) {
      this.blotter.outbox.alarm(
        `expected orders named "${this.instance}-…" from this bot alone, found ${clientOrderId} (${id}), which was placed meanwhile: another bot trades on this account under the same instance name. End one of them, and give it another instance and the same ledger. Its orders stay untouched from now on; those that were taken over before are in these books`,
        clientOrderId,
      );
    }
    return true;
  }

  private takeOver(record: VenueOrder, way: ReportContext): ReportMatch {
    const first = this.pairOf(record);
    if (first !== undefined) {
      const leg = this.adopt(record, {
        key: stopLegKey(first.key),
        strategy: first.strategy,
        pairKey: first.key,
      });
      this.blotter.add({ ...first, pairKey: leg.key });
      return this.takeOwn(leg, record, way);
    }
    const { clientOrderId: key } = record;
    const name = readOrderName(key);
    invariant(
      key !== null && name !== null,
      () => `expected the name of an order of ours to take over, was ${key}`,
    );
    return this.takeOwn(this.adopt(record, { key, strategy: name.strategy, pairKey: null }), record, way);
  }

  /**
   * Foreign is what two readings say is nobody's: else its trades, which may be ours, would be given away for
   * good.
   */
  private meetStranger(id: VenueOrderId, name: string | null): void {
    if (this.foreignIds.has(id)) return;
    if (this.strangers.delete(id)) this.addForeign(id, name);
    else {
      this.strangers.add(id);
      forgetBeyond(this.strangers);
    }
  }

  /**
   * An order that carries this instance's name and is not in the mirror: the mirror was lost, or put back
   * from a copy. It is ours all the same.
   */
  private adopt(record: VenueOrder, name: Pick<OrderRecord, 'key' | 'strategy' | 'pairKey'>): OrderRecord {
    const { blotter } = this;
    const { nowMs } = blotter.outbox;
    const { key } = name;
    const { base, quote } = present(record.market, () => `the market of ${key}, which is taken over`);
    const order: OrderRecord = {
      ...name,
      clientOrderId: record.clientOrderId,
      intentId: ADOPTED,
      tag: null,
      market: marketOfCurrencies(base, quote).symbol,
      marketVersion: 0,
      side: record.side,
      execution: record.execution ?? 'limit',
      price: record.price === null ? null : unitsOf(record.price),
      stopPrice: record.stopPrice === null ? null : unitsOf(record.stopPrice),
      amount: unitsOf(record.amount),
      plannedAtMs: record.createdAtMs ?? nowMs,
      sentAtMs: nowMs,
      attempts: 1,
      state: 'sending',
      venueId: null,
      venueStatus: null,
      matched: NO_UNITS,
      filled: NO_UNITS,
      filledTotal: NO_UNITS,
      fee: NO_UNITS,
      reason: null,
      closedAtMs: null,
      // Its fills may be older than anything that was read since.
      orderFloor: LIST_START,
      tradeFloor: LIST_START,
    };
    blotter.add(order);
    blotter.outbox.warn(
      `${key} is ${record.status} at the exchange and was not known to the bot: it is taken over`,
      key,
    );
    return order;
  }

  private tellRevival({ key, reason }: OrderRecord, id: VenueOrderId): void {
    this.blotter.outbox.alarm(
      `${key} was given up (${reason}), and the exchange has it as ${id}: it is taken over with its fills`,
      key,
    );
  }

  private addForeign(id: VenueOrderId, name: string | null): void {
    if (this.foreignIds.has(id)) return;
    this.foreignIds.add(id);
    if (name !== null && isManualOrderId(name)) {
      // The trades that it brings have its id alone.
      this.blotter.outbox.journal('notice', name, { venueId: id });
      this.blotter.outbox.info(
        `order ${id} was placed by hand (${name}): it belongs to no strategy and stays untouched`,
        name,
      );
    }
    forgetBeyond(this.foreignIds);
  }
}

function forgetBeyond(ids: Set<VenueOrderId>): void {
  if (ids.size <= FOREIGN_KEPT) return;
  for (const oldest of ids) {
    ids.delete(oldest);
    return;
  }
}

function termsOf({ amount, price, stopPrice }: VenueOrder): VenueTerms {
  return {
    amount: unitsOf(amount),
    price: price === null ? null : unitsOf(price),
    stopPrice: stopPrice === null ? null : unitsOf(stopPrice),
  };
}

/** Most orders in a list have matched nothing. */
function matchedOf({ matchedAmount }: VenueOrder): Units {
  return matchedAmount === ZERO ? NO_UNITS : unitsOf(matchedAmount);
}

/** A record without an id is flawed, and was doubted before this is asked. */
function idOf({ id, clientOrderId }: VenueOrder): VenueOrderId {
  return present(id, () => `the id of the order ${clientOrderId}, whose record has no flaw`);
}
