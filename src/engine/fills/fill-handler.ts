import { present } from '../../domain/errors.ts';
import { formatUnits, NO_UNITS, type Units } from '../../domain/money.ts';
import { givenCurrencyOf, type VenueTrade } from '../../domain/trade.ts';
import { sentence, type Sentence } from '../../language/sentence.ts';
import type { Page, VenueCall, VenueProfile } from '../../venues/port.ts';
import { valueIn, type PriceOf } from '../../portfolio/holding.ts';
import type { FillRecord } from '../../records/fill.ts';
import { isFinal, type OrderRecord } from '../../records/order.ts';
import { cursorOf, ListPlaces, ownListOf, readingFrom } from '../own-list.ts';
import {
  BookedFills,
  nameOf,
  READ_AGAIN,
  type AppliedTrades,
  type ListReading,
  MOST_PENDING,
  TradeLists,
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

/** Request for one page of the trades list. */
export type TradesCall = Extract<VenueCall, { kind: 'trades' }>;

/** Time after which the trades of a closed order are read from its beginning, if some are missing, in ms. */
const REWIND_AFTER_MS = 20_000;

/** Number of readings with the same issue after which a trade that is not ours is ignored for good. */
const SET_APART_AFTER = 3;

/** Minimum time that readings have shown a trade which a person's `accept` leaves out, in ms. */
const SHOWN_FOR_MS = 60_000;

interface FillHandlerOptions {
  readonly blotter: OrderBlotter;
  readonly reports: OrderReportMatcher;
  readonly listeners: readonly FillListener[];
  /** Gets each fill that an order can not have, since it has ended or the amount is too large. */
  readonly reconciler: Reconciler;
  /** Last prices of markets, which value fees. */
  readonly priceOf: PriceOf;
  /** Maximum wait for the trades of a closed order, in ms; then its own record replaces them. */
  readonly waitMs: number;
}

/** A reading of all lists, one after the other. */
interface Reading {
  readonly lists: readonly ListReading[];
  /** Index of the list that is read now. */
  at: number;
  /** Closed orders whose trades are missing for long: it begins at the first trades of them all. */
  readonly late: readonly OrderRecord[];
  askedAtMs: number | null;
  applied: number;
}

/** Result of a reading of the trades. */
export interface FillsRead {
  readonly next: null;
  readonly askedAtMs: number;
  readonly applied: number;
  readonly isMissing: boolean;
}

/**
 * Books the account's trades, each once, as a fill of one of our orders or as foreign. `TradeOwner` decides
 * when an owner is certain; `AppliedTrades` remembers what is booked.
 */
export class FillHandler {
  private readonly blotter: OrderBlotter;
  private readonly reports: OrderReportMatcher;
  private readonly listeners: readonly FillListener[];
  private readonly reconciler: Reconciler;
  private readonly priceOf: PriceOf;
  private readonly list: VenueProfile['ownLists']['trades'];
  private readonly lists: TradeLists;
  readonly pending: PendingTrades;
  private readonly owner: TradeOwner;
  private readonly booked = new BookedFills();
  private readonly corrections: FillCorrections;
  private readonly placeholders: PlaceholderFills;
  private readonly feeRates = new SeenFeeRates();
  private rewoundAtMs = Number.NEGATIVE_INFINITY;
  /** Time of the request of the last such reading (`isWhole`) without an issue, in ms since 1970. */
  private readWholeAtMs = Number.NEGATIVE_INFINITY;
  /** The reading that runs now; null if none does. */
  private reading: Reading | null = null;
  /**
   * True in the first process of a mirror. Orders that were placed earlier are known only after they were
   * listed.
   */
  isNew = true;

  constructor(options: FillHandlerOptions) {
    const { blotter, reports } = options;
    this.blotter = blotter;
    this.reports = reports;
    this.listeners = options.listeners;
    this.reconciler = options.reconciler;
    this.priceOf = options.priceOf;
    this.list = blotter.venue.ownLists.trades;
    this.lists = new TradeLists(blotter.outbox, this.list);
    this.pending = new PendingTrades(blotter.outbox);
    const { lists, pending, feeRates, booked } = this;
    this.owner = new TradeOwner({ blotter, reports, lists, pending, feeRates, booked });
    this.corrections = new FillCorrections({ ...options, booked });
    this.placeholders = new PlaceholderFills({ ...options, booked, pending });
  }

  restore(state: MirrorState): void {
    for (const fill of state.fills) this.feeRates.learn(fill);
    this.booked.restore(state.fills);
    this.isNew = this.lists.restore(state, this.blotter.ownMarkets.listsOf(this.list));
  }

  /**
   * Accepts the balances on a person's command: removes fills beyond what their orders matched, and leaves
   * out trades that readings have shown and not confirmed. The books begin after all others are booked.
   */
  accept(): void {
    const { outbox, table } = this.blotter;
    this.corrections.removeBeyond();
    this.placeholders.accept();
    for (const { trade, sinceMs, seenAtMs, readings } of this.pending.byName.values()) {
      if (seenAtMs < sinceMs + SHOWN_FOR_MS) continue;
      const isOfKnown = trade.orderId !== null && table.byVenueId(trade.orderId) !== undefined;
      if (readings >= 2 && !isOfKnown) continue;
      this.pending.settled(trade);
      this.listOf(trade).leaveOut(trade, this.cursorOf(trade));
      outbox.alarm(
        `trade ${trade.id} of order ${trade.orderId} was not confirmed: it is left out of the books`,
      );
    }
  }

  /** Returns the text on the oldest unconfirmed trade; null if there is none. */
  waitingFor(): Sentence | null {
    for (const { trade } of this.pending.byName.values()) {
      return sentence('trade-unconfirmed', { trade: trade.id, order: String(trade.orderId) });
    }
    return null;
  }

  /** True if another reading would confirm a trade. */
  get wantsReading(): boolean {
    for (const { readings, trade } of this.pending.byName.values()) {
      if (readings < 2 && !this.owner.isBeingAsked(trade)) return true;
    }
    return false;
  }

  /** Begins a reading of all lists and returns the request for its first page; null if there is no list. */
  nextCall(): TradesCall | null {
    const { outbox, ownMarkets, table } = this.blotter;
    const beforeMs = outbox.nowMs - REWIND_AFTER_MS;
    const late: OrderRecord[] = [];
    if (table.settlingCount > 0 && this.rewoundAtMs < beforeMs)
      for (const order of table.unfinished())
        if (order.state === 'settling' && (order.closedAtMs ?? beforeMs) < beforeMs) late.push(order);
    if (late.length > 0) this.rewoundAtMs = outbox.nowMs;
    const floors = new ListPlaces(this.list, Number.POSITIVE_INFINITY);
    for (const floor of this.placeholders.floorsToRead()) floors.lower(floor);
    for (const { market, tradeFloor } of late) floors.lower({ market, cursor: tradeFloor });
    const lists = ownMarkets.listsOf(this.list).map((market) => {
      const list = this.lists.of(market);
      list.readings += 1;
      const { cursor, lowestKnown } = list;
      const after = Math.min(cursor, floors.of(market));
      return listReading(market, Math.max(readingFrom(this.list, after), Math.min(cursor, lowestKnown)));
    });
    this.reading = { lists, at: 0, late, askedAtMs: null, applied: 0 };
    const [first] = lists;
    if (first !== undefined) return callOf(first);
    this.end(this.reading, outbox.nowMs);
    return null;
  }

  /** Ends the reading, because a request got no usable answer. */
  failed(): void {
    this.reading = null;
  }

  /** Notes that a trade of the next page could not be read, so the reading counts as incomplete. */
  missed(): void {
    const { reading } = this;
    const list = reading?.lists[reading.at];
    if (list !== undefined) Object.assign(list, { hasIssue: true, isMissing: true });
  }

  /** Books trades that the venue pushes. They are correct, and no reading shows them again. */
  applyPushed(trades: readonly VenueTrade[]): void {
    for (const trade of trades) {
      const order = this.blotter.table.byVenueId(trade.orderId) ?? null;
      this.book(this.fillOf(trade, order), order);
    }
  }

  /**
   * Applies a page. Returns the request for the next page, or, after the last one of the last list, when the
   * reading began and how many trades it booked.
   */
  apply(page: Page<VenueTrade>, askedAtMs: number): { readonly next: TradesCall } | FillsRead {
    const reading = present(this.reading, 'a reading of trades that the page belongs to');
    const list = present(reading.lists[reading.at], 'a list that is read');
    reading.askedAtMs ??= askedAtMs;
    if (reading.applied === 0) reading.applied += this.settlePending();
    for (const trade of page.items) if (this.applyOne(trade, list)) reading.applied += 1;
    const first = page.items[0];
    const last = page.items.at(-1);
    const isFull = page.hasNext ?? page.items.length >= this.blotter.venue.pageSizes.trades;
    if (isFull && first !== undefined && last !== undefined) {
      // Trades are not quite in order, and two records of one trade may be on two pages: so some are read
      // again.
      const again = this.cursorOf(page.items.at(-READ_AGAIN) ?? last);
      if (again > this.cursorOf(first)) return { next: { ...callOf(list), from: again } };
      // A full page with nothing newer is an error of the exchange. Later trades are read the next time,
      // because the cursor has not moved past them.
      this.blotter.outbox.warn(
        `a page of trades from ${first.id} to ${last.id} is full but has no newer trade: the bot reads it again`,
      );
      list.hasIssue = true;
    }
    reading.at += 1;
    const next = reading.lists[reading.at];
    return next === undefined ? this.end(reading, reading.askedAtMs) : { next: callOf(next) };
  }

  private end({ lists, late, applied }: Reading, askedAtMs: number): FillsRead {
    this.reading = null;
    for (const reading of lists) {
      const list = this.lists.of(reading.market);
      if (!reading.isMissing) this.pending.forgetGone(reading);
      list.wasRead = true;
      if (!list.hasBegun && !this.pending.hasIn(list.market)) list.begin();
      if (applied > 0 && !reading.hasIssue) this.moveCursor(list);
    }
    if (late.length > 0 && lists.every(({ hasIssue }) => !hasIssue)) this.readWholeAtMs = askedAtMs;
    // Or an order matched less than reported, so its record is read again. On a narrow limit the trades would
    // wait for look-ups before them, which show nothing new.
    for (const { key, venueId, market } of late)
      if (this.blotter.table.get(key)?.state === 'settling') this.reports.inquiries.ask(venueId, market);
    return { next: null, askedAtMs, applied, isMissing: lists.some(({ isMissing }) => isMissing) };
  }

  /** True if a trade that is not booked yet may belong to the order. */
  mayHold(order: OrderRecord): boolean {
    return this.pending.byName.values().some(({ trade }) => this.owner.mayBeOf(trade, order));
  }

  private applyOne(trade: VenueTrade, reading: ListReading): boolean {
    const list = this.lists.of(reading.market);
    if (list.show(trade)) return false;
    if (this.hasIssue(trade, list)) {
      reading.hasIssue = true;
      return false;
    }
    const name = nameOf(trade);
    reading.shown.add(name);
    const at = { cursor: this.cursorOf(trade), reading: list.readings };
    const noted = this.pending.note(name, trade, at);
    const { byName } = this.pending;
    const [oldest = noted] = byName.size > MOST_PENDING ? byName.values() : [];
    if (byName.size > MOST_PENDING) {
      const { trade: given } = oldest;
      this.blotter.outbox.alarm(
        `the trade ${given.id} belongs to no order of this bot: it counts as foreign`,
      );
      this.settle(oldest);
      this.enter(given, null);
      if (!byName.has(name)) return false;
    }
    return this.attribute(noted);
  }

  /**
   * True if a trade has an issue. It is read again until it is right; if it is not ours, it is ignored after
   * some readings.
   */
  private hasIssue(trade: VenueTrade, list: AppliedTrades): boolean {
    const { blotter, reports } = this;
    const order = this.blotter.table.byVenueId(trade.orderId) ?? null;
    // Each side of a trade belongs to one order only.
    const own = String(trade.orderId);
    const holder = list.holderOf(trade) ?? own;
    const found = marketSymbolOf(trade);
    const { market: expected } = list;
    const issue =
      tradeIssue(trade, blotter.venue.ownLists, blotter.outbox.nowMs) ??
      (expected === null || expected === found ? null : { field: 'market', expected, found }) ??
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
    list.leaveOut(trade, this.cursorOf(trade));
    return true;
  }

  /** Books a pending trade if its owner is certain and its values are confirmed. True if it was settled. */
  private attribute(pending: PendingTrade): boolean {
    const { trade } = pending;
    const order = this.blotter.table.byVenueId(trade.orderId) ?? null;
    const isReady =
      order === null ? this.owner.isNobodys(pending, this.isFirst(trade)) : this.owner.isSure(pending, order);
    if (!isReady) {
      // The order's own record can confirm the trade sooner than another reading.
      if (order !== null && pending.readings < 2 && !isFinal(order) && !pending.isAskedFor) {
        pending.isAskedFor = true;
        this.reports.inquiries.ask(order.venueId, order.market);
      }
      return false;
    }
    const standing = this.owner.standingOf(pending, order);
    if (standing.kind === 'unclear') return false;
    this.settle(pending);
    if (standing.kind === 'new') this.enter(trade, order);
    else if (standing.kind === 'expected')
      this.corrections.replace(standing.placeholder, this.fillOf(trade, order));
    else if (standing.kind === 'booked') this.skip(trade, standing.as);
    else if (standing.kind === 'beyond')
      this.reconciler.breakAtFill(this.fillOf(trade, order), standing.order);
    return true;
  }

  /** Reports a trade that is booked already under another id. */
  private skip({ id, orderId }: VenueTrade, as: FillRecord | null): void {
    const { outbox } = this.blotter;
    const known = as === null ? 'of before all that the bot remembers' : `booked as ${as.tradeId}`;
    outbox.info(`trade ${id} of order ${orderId} is ${known}: the exchange has given it another id`);
    if (outbox.isJournaled)
      outbox.journal('fill', as?.orderKey ?? 'foreign', { trade: id, bookedAs: as?.tradeId ?? null });
  }

  /** Marks a trade as done, so that no further reading of it is needed. */
  private settle({ trade, lastReading }: PendingTrade): void {
    this.pending.settled(trade);
    this.listOf(trade).remember(trade, this.cursorOf(trade), lastReading);
  }

  private enter(trade: VenueTrade, order: OrderRecord | null): void {
    this.feeRates.learn(trade);
    if (order === null && !this.listOf(trade).hasBegun) this.reconciler.onOldTrade(marketSymbolOf(trade));
    const fill = this.fillOf(trade, order);
    this.booked.add(fill);
    this.book(fill, order);
  }

  private fillOf(trade: VenueTrade, order: OrderRecord | null): FillRecord {
    const feeCurrency = trade.feeCurrency === null ? null : givenCurrencyOf(trade);
    return {
      tradeId: trade.id,
      cursor: this.cursorOf(trade),
      venueOrderId: trade.orderId,
      orderKey: order === null ? null : order.key,
      strategy: order === null ? null : order.strategy,
      market: marketSymbolOf(trade),
      side: trade.side,
      // A trade without a time counts as traded when it was read.
      atMs: trade.timeMs ?? this.blotter.outbox.nowMs,
      price: trade.price,
      amount: trade.amount,
      total: trade.total,
      fee: trade.fee,
      feeCurrency,
      feeValue: feeCurrency === null ? null : this.valueOfFee(trade, feeCurrency),
    };
  }

  /** Returns a fee in the quote currency of its market, at last prices; null if it has none. */
  private valueOfFee({ market, price, fee }: VenueTrade, asset: string): Units | null {
    if (market === null) return null;
    const { marketNames } = this.blotter.venue;
    const priceOf: PriceOf = (of) => (of === market.symbol ? price : this.priceOf(of));
    return valueIn(market.quote, { asset, amount: fee }, { marketNames, priceOf });
  }

  /** Books a fill and notifies the listeners. */
  private book(fill: FillRecord, order: OrderRecord | null): void {
    const { blotter } = this;
    const { outbox } = blotter;
    blotter.furthestTrade.raise(fill);
    outbox.change({ kind: 'fill', fill });
    if (outbox.isWatched) outbox.notify({ kind: 'fill', fill });
    const { orderKey, tradeId, amount, price, total } = fill;
    let filled = order;
    if (order !== null) {
      if (!hasArrived(order) || order.filled + amount > order.amount)
        this.reconciler.breakAtFill(fill, order);
      else {
        const fee = fill.feeCurrency === null ? fill.fee : NO_UNITS;
        filled = blotter.apply(order, { kind: 'filled', atMs: outbox.nowMs, amount, total, fee });
      }
    }
    if (outbox.isJournaled) {
      outbox.journal('fill', orderKey ?? 'foreign', {
        tradeId,
        amount: formatUnits(amount),
        price: formatUnits(price),
        fee: formatUnits(fill.fee),
        ...(fill.feeCurrency !== null && { feeCurrency: fill.feeCurrency }),
      });
    }
    for (const listener of this.listeners) listener.onFill(fill, filled);
  }

  /**
   * Tries again to book the pending trades: their orders may have become known, or matched more. Returns how
   * many were settled.
   */
  settlePending(): number {
    let settled = 0;
    for (const pending of this.pending.byName.values()) if (this.attribute(pending)) settled += 1;
    return settled;
  }

  /** Books placeholders for trades that did not arrive in time. */
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

  private moveCursor(list: AppliedTrades): void {
    const isListed = (market: string): boolean => ownListOf(this.list, market) === list.market;
    const floors = [...this.placeholders.floors()];
    for (const { state, market, tradeFloor } of this.blotter.table.unfinished())
      if (state !== 'planned') floors.push({ market, cursor: tradeFloor });
    const pending = [...this.pending.byName.values()];
    list.moveCursor(
      pending.filter(({ trade }) => isListed(marketSymbolOf(trade))),
      floors.flatMap(({ market, cursor }) => (isListed(market) ? [cursor] : [])),
    );
  }

  /** Returns the list that shows a trade. */
  private listOf(trade: VenueTrade): AppliedTrades {
    return this.lists.of(marketSymbolOf(trade));
  }

  /**
   * True while the list of a trade is read for the first time: its trades are foreign, unless an order of
   * ours has them. A mirror that came from a copy can lack such orders.
   */
  private isFirst(trade: VenueTrade): boolean {
    const { hasBegun, wasRead } = this.listOf(trade);
    return !hasBegun && !wasRead && this.reports.lost.names.state.former.length === 0;
  }

  /** Returns a trade's place in the list. A trade without a time counts as traded when it was read. */
  private cursorOf(trade: VenueTrade): ListCursor {
    return cursorOf(this.list, trade) ?? this.blotter.outbox.nowMs;
  }
}

function listReading(market: string | null, from: ListCursor): ListReading {
  return { market, from, shown: new Set(), hasIssue: false, isMissing: false };
}

function callOf({ market, from }: ListReading): TradesCall {
  return { kind: 'trades', market, from };
}
