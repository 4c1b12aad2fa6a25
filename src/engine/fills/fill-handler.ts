import { formatUnits } from '../../domain/money.ts';
import type { VenueTrade } from '../../domain/trade.ts';
import { sentence, type Sentence } from '../../language/sentence.ts';
import type { Page, VenueCall, VenueProfile } from '../../venues/port.ts';
import type { FillRecord } from '../../records/fill.ts';
import { isFinal, type OrderRecord } from '../../records/order.ts';
import { cursorOf, readingFrom } from '../own-list.ts';
import {
  BookedFills,
  nameOf,
  READ_AGAIN,
  AppliedTrades,
  MOST_PENDING,
  type PendingTrade,
  PendingTrades,
  marketSymbolOf,
} from '../applied-trades.ts';
import { FillCorrections, type FillListener, PlaceholderFills, placeholderText } from './fill-corrections.ts';
import { SeenFeeRates, hasArrived, TradeOwner } from './trade-owner.ts';
import type { MirrorState } from '../mirror-change.ts';
import type { OrderBlotter } from '../orders/order-blotter.ts';
import type { OrderReportMatcher } from '../orders/order-report-matcher.ts';
import { tradeIssue, tradeMisfit } from '../feeds/plausibility.ts';
import type { Reconciler } from './reconciler.ts';
import type { ListCursor } from '../../domain/order.ts';

/** One page of the trades list. */
export type TradesCall = Extract<VenueCall, { kind: 'trades' }>;

/** An order whose fills do not add up for this long has its trades read from its own beginning. */
const REWIND_AFTER_MS = 20_000;

/**
 * Readings that say the same wrong thing of a trade that is not ours, after which it is set apart for good.
 */
const SET_APART_AFTER = 3;

/** Minimum age when a person accepts: a younger one may still come to its end by itself. */
const ACCEPTS_AFTER_MS = 60_000;

interface FillHandlerOptions {
  readonly blotter: OrderBlotter;
  readonly reports: OrderReportMatcher;
  readonly listeners: readonly FillListener[];
  /** Gets a fill of an order that is at its end, or beyond its amount: the books do not add up. */
  readonly reconciler: Reconciler;
  /** Maximum wait for the trades of a closed order, before its own record stands for them. */
  readonly waitMs: number;
}

interface Reading {
  readonly from: ListCursor;
  /** True if it starts at the first trades of the closed orders whose trades do not add up. */
  readonly isWhole: boolean;
  askedAtMs: number | null;
  applied: number;
  /** Names of what it has shown that is not in the books yet. */
  readonly shown: Set<string>;
  hasIssue: boolean;
  /** True if a trade of it could not be read. */
  isMissing: boolean;
}

/** Result of a reading of the trades. */
interface FillsRead {
  readonly next: null;
  readonly askedAtMs: number;
  readonly applied: number;
  readonly isMissing: boolean;
}

/**
 * Takes in the account's trades, each once, and enters each as a fill of the order of ours that it belongs
 * to, or as foreign. `TradeOwner` says when that is sure, and `AppliedTrades` what is in the books already.
 */
export class FillHandler {
  private readonly blotter: OrderBlotter;
  private readonly reports: OrderReportMatcher;
  private readonly listeners: readonly FillListener[];
  private readonly reconciler: Reconciler;
  private readonly list: VenueProfile['ownLists']['trades'];
  private readonly applied: AppliedTrades;
  readonly pending: PendingTrades;
  private readonly owner: TradeOwner;
  private readonly booked = new BookedFills();
  private readonly corrections: FillCorrections;
  private readonly placeholders: PlaceholderFills;
  private readonly feeRates = new SeenFeeRates();
  private rewoundAtMs = Number.NEGATIVE_INFINITY;
  /** Time of the last request for such a reading that had no issue. */
  private readWholeAtMs = Number.NEGATIVE_INFINITY;
  /** The reading under way. */
  private reading: Reading | null = null;
  /**
   * True in the first life of a mirror: orders that were placed before it are known only once they were
   * listed.
   */
  isNew = true;
  /**
   * True while the trades of before it are still being read; those are nobody's, except those of open orders.
   */
  private isFirst = true;

  constructor(options: FillHandlerOptions) {
    const { blotter, reports } = options;
    this.blotter = blotter;
    this.reports = reports;
    this.listeners = options.listeners;
    this.reconciler = options.reconciler;
    this.list = blotter.venue.ownLists.trades;
    this.applied = new AppliedTrades(blotter.outbox, this.list);
    this.pending = new PendingTrades(blotter.outbox);
    const { applied, pending, feeRates, booked } = this;
    this.owner = new TradeOwner({ blotter, reports, applied, pending, feeRates, booked });
    this.corrections = new FillCorrections({ ...options, booked });
    this.placeholders = new PlaceholderFills({ ...options, booked, pending });
  }

  restore(state: MirrorState): void {
    for (const fill of state.fills) this.feeRates.learn(fill);
    this.booked.restore(state.fills);
    this.isNew = !this.applied.restore(state);
    // A mirror that was put back from a copy is not new, however little is in it.
    this.isFirst = this.isNew && this.reports.lost.names.state.former.length === 0;
  }

  /**
   * A person takes the balances as they are: what is booked beyond an order is taken out, and trades that
   * nothing confirms are not waited for any more.
   */
  accept(): void {
    const { outbox } = this.blotter;
    this.corrections.removeBeyond();
    this.placeholders.accept();
    for (const { trade, sinceMs } of this.pending.byName.values()) {
      if (sinceMs + ACCEPTS_AFTER_MS > outbox.nowMs) continue;
      this.settle(trade);
      outbox.alarm(
        `trade ${trade.id} of order ${trade.orderId} was not confirmed: it is left out of the books`,
      );
    }
  }

  /** The oldest of them, and what it waits for; null where there is none. */
  waitingFor(): Sentence | null {
    for (const { trade } of this.pending.byName.values()) {
      return sentence('trade-unconfirmed', { trade: trade.id, order: String(trade.orderId) });
    }
    return null;
  }

  /** True if another reading would bring a trade into the books. */
  get wantsReading(): boolean {
    for (const { readings, trade } of this.pending.byName.values()) {
      if (readings < 2 && !this.owner.isBeingAsked(trade)) return true;
    }
    return false;
  }

  /** The next question: the beginning of a reading, or its next page. */
  nextCall(): TradesCall {
    const { nowMs } = this.blotter.outbox;
    const { cursor, lowestKnown } = this.applied;
    let after = cursor;
    const late: OrderRecord[] = [];
    for (const order of this.blotter.table.unfinished())
      if (order.state === 'settling' && (order.closedAtMs ?? nowMs) + REWIND_AFTER_MS < nowMs)
        late.push(order);
    for (const floor of this.placeholders.floorsToRead()) after = Math.min(after, floor);
    const isWhole = late.length > 0 && this.rewoundAtMs + REWIND_AFTER_MS < nowMs;
    if (isWhole) {
      this.rewoundAtMs = nowMs;
      after = Math.min(after, ...late.map(({ tradeFloor }) => tradeFloor));
      // Or it matched less than was reported.
      for (const order of late) this.reports.inquiries.ask(order.venueId);
    }
    const from = Math.max(readingFrom(this.list, after), Math.min(cursor, lowestKnown));
    this.reading = newReading(from, isWhole);
    this.applied.readings += 1;
    return { kind: 'trades', from };
  }

  /** The question was not answered. */
  failed(): void {
    this.reading = null;
  }

  /** A trade of the page that comes next could not be read: it is read again. */
  missed(): void {
    this.reading ??= newReading(this.applied.cursor, false);
    this.reading.hasIssue = true;
    this.reading.isMissing = true;
  }

  /** Trades that a trusted venue pushes: each once, and right. No reading shows them again. */
  applyPushed(trades: readonly VenueTrade[]): void {
    for (const trade of trades) {
      const order = this.blotter.table.byVenueId(trade.orderId) ?? null;
      this.book(this.fillOf(trade, order), order);
    }
  }

  /**
   * Takes in a page. Answers the next page's question, or, at the end, when the reading began and how many
   * trades were new.
   */
  apply(page: Page<VenueTrade>, askedAtMs: number): { readonly next: TradesCall } | FillsRead {
    const reading = (this.reading ??= newReading(this.applied.cursor, false));
    reading.askedAtMs ??= askedAtMs;
    if (reading.applied === 0) reading.applied += this.settlePending();
    for (const trade of page.items) if (this.applyOne(trade, reading)) reading.applied += 1;
    const first = page.items[0];
    const last = page.items.at(-1);
    const isFull = page.hasNext ?? page.items.length >= this.blotter.venue.pageSizes.trades;
    if (isFull && first !== undefined && last !== undefined) {
      // They do not come quite in order, and two records of one trade may be parted by the end of a page:
      // some are read again.
      const again = this.cursorOf(page.items.at(-READ_AGAIN) ?? last);
      if (again > this.cursorOf(first)) return { next: { kind: 'trades', from: again } };
      // No full page has one trade alone, or goes backwards. What comes after it is read the next time, from
      // a cursor that lies before it.
      this.blotter.outbox.warn(
        `a page of trades from ${first.id} to ${last.id} is full but has no newer trade: the bot reads it again`,
      );
      reading.hasIssue = true;
    }
    this.reading = null;
    if (!reading.isMissing) this.pending.forgetGone(reading.from, reading.shown);
    if (this.isFirst) this.applied.persistCursor();
    this.isFirst = false;
    if (reading.applied > 0 && !reading.hasIssue) this.moveCursor();
    if (reading.isWhole && !reading.hasIssue) this.readWholeAtMs = reading.askedAtMs;
    const { askedAtMs: sinceMs, applied, isMissing } = reading;
    return { next: null, askedAtMs: sinceMs, applied, isMissing };
  }

  /** True if a trade that is nobody's yet may belong to an order. */
  mayHold(order: OrderRecord): boolean {
    for (const { trade } of this.pending.byName.values()) {
      if (this.owner.mayBeOf(trade, order)) return true;
    }
    return false;
  }

  private applyOne(trade: VenueTrade, reading: Reading): boolean {
    if (this.applied.show(trade)) return false;
    if (this.hasIssue(trade)) {
      reading.hasIssue = true;
      return false;
    }
    const name = nameOf(trade);
    reading.shown.add(name);
    const at = { cursor: this.cursorOf(trade), reading: this.applied.readings };
    const noted = this.pending.note(name, trade, at);
    const { byName } = this.pending;
    const [oldest = noted] = byName.size > MOST_PENDING ? byName.values() : [];
    if (byName.size > MOST_PENDING) {
      const { trade: given } = oldest;
      this.blotter.outbox.alarm(
        `the trade ${given.id} belongs to no order of this bot: it counts as foreign`,
      );
      this.settle(given);
      this.enter(given, null);
      if (!byName.has(name)) return false;
    }
    return this.attribute(noted);
  }

  /**
   * True if a trade has an issue. It is then read again until it is right, or set apart if it is none of
   * ours.
   */
  private hasIssue(trade: VenueTrade): boolean {
    const { blotter, reports } = this;
    const order = this.blotter.table.byVenueId(trade.orderId) ?? null;
    // Each side of a trade is of one order.
    const own = String(trade.orderId);
    const holder = this.applied.holderOf(trade) ?? own;
    const issue =
      tradeIssue(trade, blotter.venue.ownLists, blotter.outbox.nowMs) ??
      (order === null ? null : tradeMisfit(trade, order)) ??
      (holder === own ? null : { field: 'orderId', expected: holder, found: own });
    const subject = `trade ${trade.id}`;
    if (issue === null) {
      if (reports.findings.entries.size > 0) reports.findings.clear(subject);
      return false;
    }
    const isGrave = order !== null && !isFinal(order);
    const readings = reports.findings.note(subject, issue, { isGrave });
    if (readings < SET_APART_AFTER || isGrave) return true;
    blotter.outbox.alarm(
      `trade ${trade.id} is not ours and can not be right: it is left out of the books`,
      subject,
    );
    this.applied.remember(trade, this.cursorOf(trade));
    return true;
  }

  /** Enters a pending trade where it is known whose it is and that it is right. Answers whether it did. */
  private attribute(pending: PendingTrade): boolean {
    const { trade } = pending;
    const order = this.blotter.table.byVenueId(trade.orderId) ?? null;
    const isReady =
      order === null ? this.owner.isNobodys(pending, this.isFirst) : this.owner.isSure(pending, order);
    if (!isReady) {
      // Its own record says at once what another reading would say later.
      if (order !== null && pending.readings < 2 && !isFinal(order) && !pending.isAskedFor) {
        pending.isAskedFor = true;
        this.reports.inquiries.ask(order.venueId);
      }
      return false;
    }
    const standing = this.owner.standingOf(pending, order);
    if (standing.kind === 'unclear') return false;
    this.settle(trade);
    if (standing.kind === 'new') this.enter(trade, order);
    else if (standing.kind === 'expected')
      this.corrections.replace(standing.placeholder, this.fillOf(trade, order));
    else if (standing.kind === 'booked') this.skip(trade, standing.as);
    else if (standing.kind === 'beyond')
      this.reconciler.breakAtFill(this.fillOf(trade, order), standing.order);
    return true;
  }

  /** The exchange has given what is booked another id. */
  private skip({ id, orderId }: VenueTrade, as: FillRecord | null): void {
    const { outbox } = this.blotter;
    const known = as === null ? 'of before all that the bot remembers' : `booked as ${as.tradeId}`;
    outbox.info(`trade ${id} of order ${orderId} is ${known}: the exchange has given it another id`);
    if (outbox.isJournaled)
      outbox.journal('fill', as?.orderKey ?? 'foreign', { trade: id, bookedAs: as?.tradeId ?? null });
  }

  /** No reading has to show it again. */
  private settle(trade: VenueTrade): void {
    this.pending.settled(trade);
    this.applied.remember(trade, this.cursorOf(trade));
  }

  private enter(trade: VenueTrade, order: OrderRecord | null): void {
    this.feeRates.learn(trade);
    const fill = this.fillOf(trade, order);
    this.booked.add(fill);
    this.book(fill, order);
  }

  private fillOf(trade: VenueTrade, order: OrderRecord | null): FillRecord {
    return {
      tradeId: trade.id,
      cursor: this.cursorOf(trade),
      venueOrderId: trade.orderId,
      orderKey: order === null ? null : order.key,
      strategy: order === null ? null : order.strategy,
      market: marketSymbolOf(trade),
      side: trade.side,
      // Without a time of its own it counts as traded when it was seen.
      atMs: trade.timeMs ?? this.blotter.outbox.nowMs,
      price: trade.price,
      amount: trade.amount,
      total: trade.total,
      fee: trade.fee,
    };
  }

  /** Enters a fill in the books, and tells of it. */
  private book(fill: FillRecord, order: OrderRecord | null): void {
    const { blotter } = this;
    const { outbox } = blotter;
    if (fill.cursor > blotter.furthestTrade) blotter.furthestTrade = fill.cursor;
    outbox.change({ kind: 'fill', fill });
    if (outbox.isWatched) outbox.notify({ kind: 'fill', fill });
    const { orderKey, tradeId, amount, price, total, fee } = fill;
    let filled = order;
    if (order !== null) {
      if (!hasArrived(order) || order.filled + amount > order.amount)
        this.reconciler.breakAtFill(fill, order);
      else filled = blotter.apply(order, { kind: 'filled', atMs: outbox.nowMs, amount, total, fee });
    }
    if (outbox.isJournaled) {
      outbox.journal('fill', orderKey ?? 'foreign', {
        tradeId,
        amount: formatUnits(amount),
        price: formatUnits(price),
        fee: formatUnits(fee),
      });
    }
    for (const listener of this.listeners) listener.onFill(fill, filled);
  }

  /**
   * Looks again: orders that were not known the last time may be by now, or have shown what they matched.
   * Answers how many entered.
   */
  settlePending(): number {
    let settled = 0;
    for (const pending of this.pending.byName.values()) if (this.attribute(pending)) settled += 1;
    return settled;
  }

  /** Books what stands for trades that do not come. */
  pump(): void {
    for (const { fill, order } of this.placeholders.due(this.readWholeAtMs)) {
      const { listedDays } = this.list;
      this.blotter.outbox.alarm(
        `${placeholderText({ fill, order })} (the exchange lists trades of ${listedDays} days)`,
        order.key,
      );
      this.booked.add(fill);
      this.book(fill, order);
    }
  }

  private moveCursor(): void {
    const floors = [...this.placeholders.floors()];
    for (const { state, tradeFloor } of this.blotter.table.unfinished())
      if (state !== 'planned') floors.push(tradeFloor);
    this.applied.moveCursor(this.pending.byName.values(), floors);
  }

  /** Where a trade stands. Without a time of its own it counts as traded when it was seen. */
  private cursorOf(trade: VenueTrade): ListCursor {
    return cursorOf(this.list, trade) ?? this.blotter.outbox.nowMs;
  }
}

function newReading(from: ListCursor, isWhole: boolean): Reading {
  return { from, isWhole, askedAtMs: null, applied: 0, shown: new Set(), hasIssue: false, isMissing: false };
}
