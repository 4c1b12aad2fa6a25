import { present } from '../domain/invariant.ts';
import { marketOfCurrencies } from '../domain/market-symbol.ts';
import { formatUnits, unitsOf } from '../domain/money.ts';
import type { VenueTrade } from '../domain/trade.ts';
import type { Page, VenueCall } from '../venues/port.ts';
import type { FillRecord } from '../execution/fill-record.ts';
import { isFinal, type OrderRecord } from '../execution/order-record.ts';
import { SeenFeeRates } from './fee-rates.ts';
import type { MirrorState } from './mirror-change.ts';
import type { OrderBlotter } from './order-blotter.ts';
import type { OrderReportMatcher } from './order-report-matcher.ts';
import type { Flaw } from './plausibility/flaw.ts';
import { tradeFlaw, tradeMisfit } from './plausibility/trade-flaw.ts';

/** One page of the trades list. */
export type TradesCall = Extract<VenueCall, { kind: 'trades' }>;

/** Trades that every reading reads again: their ids do not come quite in order. */
const READ_AGAIN = 20;

/** Trades that wait to be told whose they are; beyond it the oldest counts as foreign, and is told. */
const MOST_UNATTRIBUTED = 1_000;

/** An order whose fills do not add up for this long has its trades read from its own beginning. */
const REWIND_AFTER_MS = 20_000;

/** Names of trades that are remembered at most; beyond it nothing below the rest is read again. */
const MOST_TAKEN = 20_000;

export const KEPT_CURSOR = 'cursor.trades';

/** The next trade of the account is seldom further on than this: all users' trades are counted together. */
const USUAL_REACH = 1_000_000;

/**
 * Readings that say the same wrong thing of a trade that is not ours, after which it is set apart for good.
 */
const SET_APART_AFTER = 3;

/** A trade that so many readings in a row lack, and for so long, never was: lists lag by less. */
const GONE_AFTER_READINGS = 3;
const GONE_AFTER_MS = 30_000;

/** Whose a trade is can not be found out for longer: then it counts as foreign, and is told. */
const ASKS_FOR_MS = 300_000;

/** Told of each trade of the account: with the order as it then is, or null for a foreign one. */
type FillTaker = (fill: FillRecord, order: OrderRecord | null) => void;

/** A trade that was read and is not in the books yet. */
interface Pending {
  trade: VenueTrade;
  /** All that counts of it. */
  text: string;
  /** Readings in a row that said exactly this. */
  readings: number;
  /**
   * Its order was asked for since the last reading. An answer that does not settle it would else ask again at
   * once, without an end.
   */
  isAskedFor: boolean;
  step: number;
  readonly sinceMs: number;
  seenAtMs: number;
  misses: number;
}

interface Reading {
  readonly fromId: number;
  askedAtMs: number | null;
  taken: number;
  /** Names of what it has shown that is not in the books yet. */
  readonly shown: Set<string>;
  hasFlaw: boolean;
}

/** What a reading of the trades came to. */
export interface FillsRead {
  readonly next: null;
  readonly askedAtMs: number;
  readonly taken: number;
}

/**
 * Takes in the account's trades, each once, and finds the order of ours that each belongs to. What is in the
 * books stays there, so a trade enters them only when two things say it: its record and the order's, which
 * has matched as much, or two readings of it. Whose order it is of is asked before it counts as foreign.
 */
export class FillHandler {
  private readonly blotter: OrderBlotter;
  private readonly reports: OrderReportMatcher;
  private readonly onFill: FillTaker;
  private readonly onImpossible: (fill: FillRecord, order: OrderRecord) => void;
  /** From which id the next reading reads. */
  private cursor = 1;
  /** Trades at or above the lowest id that may be read again, by their name. */
  private readonly taken = new Map<string, number>();
  /** The order of each side of those trades. */
  private readonly takenSides = new Map<string, string>();
  /** The highest ids of all that was taken, rising, each once: the cursor is the first of them. */
  private readonly newestIds: number[] = [];
  private readonly pending = new Map<string, Pending>();
  private readonly feeRates = new SeenFeeRates();
  private rewoundAtMs = Number.NEGATIVE_INFINITY;
  /** The reading under way. */
  private reading: Reading | null = null;

  constructor(options: {
    readonly blotter: OrderBlotter;
    readonly reports: OrderReportMatcher;
    readonly onFill: FillTaker;
    /** A fill of an order that is at its end, or beyond its amount: the books do not add up. */
    readonly onImpossible: (fill: FillRecord, order: OrderRecord) => void;
  }) {
    this.blotter = options.blotter;
    this.reports = options.reports;
    this.onFill = options.onFill;
    this.onImpossible = options.onImpossible;
  }

  restore(state: MirrorState): void {
    const ids = state.fills.map(({ tradeId }) => tradeId).toSorted((left, right) => left - right);
    for (const fill of state.fills) {
      this.remember(nameOf(fill.tradeId, fill.venueOrderId, fill.side), {
        id: fill.tradeId,
        side: fill.side,
      });
      this.feeRates.learn(fill);
    }
    const kept = state.kept[KEPT_CURSOR];
    this.isNew = kept === undefined;
    // A mirror that was put back from a copy is not new, however little is in it.
    this.isFirst = this.isNew && this.reports.names.state.former.length === 0;
    this.cursor = kept === undefined ? 1 : Number(kept);
    // Below what was restored it is not known what was taken in.
    this.lowestKnown = ids[0] ?? this.cursor;
  }

  private lowestKnown = 1;

  /**
   * Whether this is the first life of a mirror: orders that were placed before it are known only once they
   * were listed.
   */
  isNew = true;
  /** Whether the trades of before it are still being read, which are nobody's but those of open orders. */
  private isFirst = true;

  /** Whether a trade was read that is not in the books yet: what the books say is not all. */
  get isWaiting(): boolean {
    return this.pending.size > 0;
  }

  /** The oldest of them, and what it waits for; null where there is none. */
  waitingFor(): string | null {
    for (const { trade } of this.pending.values()) {
      return `trade ${trade.id} of order ${trade.orderId} is read, and not yet known to be right and whose it is`;
    }
    return null;
  }

  /** Whether another reading would bring a trade into the books. */
  get wantsReading(): boolean {
    for (const { readings, trade } of this.pending.values()) {
      if (readings < 2 && !this.isBeingAsked(trade)) return true;
    }
    return false;
  }

  /** The next question: the beginning of a reading, or its next page. */
  nextCall(): TradesCall {
    const { nowMs } = this.blotter.outbox;
    let fromId = this.cursor;
    const late = this.blotter.table
      .unfinished()
      .filter(
        ({ state, closedAtMs }) => state === 'settling' && (closedAtMs ?? nowMs) + REWIND_AFTER_MS < nowMs,
      );
    if (late.length > 0 && this.rewoundAtMs + REWIND_AFTER_MS < nowMs) {
      this.rewoundAtMs = nowMs;
      const floor = Math.min(...late.map(({ tradeIdFloor }) => tradeIdFloor));
      fromId = Math.max(1, Math.min(fromId, floor), Math.min(fromId, this.lowestKnown));
      // Or it matched less than was told.
      for (const order of late) this.reports.inquiries.about(order);
    }
    this.reading = newReading(fromId);
    return { kind: 'trades', fromId };
  }

  /** The question was not answered. */
  failed(): void {
    this.reading = null;
  }

  /** Trades as a venue tells them that is no stranger: at once, and right. */
  takeTold(trades: readonly VenueTrade[]): void {
    for (const trade of trades) {
      const name = nameOf(trade.id, trade.orderId, trade.side);
      if (!this.taken.has(name)) this.enter(name, trade, this.blotter.table.byVenueId(trade.orderId) ?? null);
    }
    this.moveCursor();
  }

  /**
   * Takes in a page. Answers the next page's question, or, at the end, when the reading began and how many
   * trades were new.
   */
  take(page: Page<VenueTrade>, askedAtMs: number): { readonly next: TradesCall } | FillsRead {
    const reading = (this.reading ??= newReading(this.cursor));
    reading.askedAtMs ??= askedAtMs;
    if (reading.taken === 0) reading.taken += this.settlePending();
    for (const trade of page.items) if (this.takeOne(trade, reading)) reading.taken += 1;
    const lastId = page.items.at(-1)?.id ?? 0;
    const isFull = page.hasNext ?? page.items.length >= this.blotter.venue.pageSizes.trades;
    if (isFull && lastId > 0) {
      // Ids do not come quite in order, and two records of one trade may be parted by the end of a page: some
      // are read again.
      const again = page.items.at(-READ_AGAIN)?.id ?? lastId;
      const firstId = present(page.items[0], 'a trade on a page that has a last one').id;
      if (again > firstId) return { next: { kind: 'trades', fromId: again } };
      // No full page has one trade alone, or falling ids. What comes after it is read the next time, from a
      // cursor that lies before it.
      this.blotter.outbox.warn(
        `a page of trades from ${firstId} to ${lastId} is said to be full and leads no further: it is read again`,
      );
      reading.hasFlaw = true;
    }
    this.reading = null;
    this.forgetGone(reading);
    if (this.isFirst) this.blotter.outbox.keep(KEPT_CURSOR, this.cursor);
    this.isFirst = false;
    if (reading.taken > 0 && !reading.hasFlaw) this.moveCursor();
    return { next: null, askedAtMs: reading.askedAtMs, taken: reading.taken };
  }

  /** Whether a trade that is nobody's yet may be of an order. */
  mayHold(order: OrderRecord): boolean {
    for (const { trade } of this.pending.values()) {
      if (isPossible(trade, order)) return true;
    }
    return false;
  }

  private takeOne(trade: VenueTrade, reading: Reading): boolean {
    const name = nameOf(trade.id, trade.orderId, trade.side);
    if (this.taken.has(name)) return false;
    if (this.isFlawed(name, trade)) {
      reading.hasFlaw = true;
      return false;
    }
    reading.shown.add(name);
    this.note(name, trade);
    return this.attribute(name);
  }

  private note(name: string, trade: VenueTrade): void {
    const { nowMs, steps } = this.blotter.outbox;
    const text = `${trade.price} ${trade.amount} ${trade.total} ${trade.fee} ${marketOf(trade)}`;
    const before = this.pending.get(name);
    if (before === undefined) {
      this.pending.set(name, {
        trade,
        text,
        readings: 1,
        isAskedFor: false,
        step: steps,
        sinceMs: nowMs,
        seenAtMs: nowMs,
        misses: 0,
      });
      this.boundPending();
      return;
    }
    if (before.text !== text) {
      this.blotter.outbox.warn(
        `trade ${trade.id}: two readings differ (${before.text}; ${text}): it is read again`,
      );
      before.readings = 0;
      before.step = -1;
    }
    if (before.step !== steps) {
      before.readings += 1;
      before.isAskedFor = false;
    }
    Object.assign(before, { trade, text, step: steps, seenAtMs: nowMs, misses: 0 });
  }

  /**
   * Whether something about a trade can not be right. Then it is read again, until it is, or set apart where
   * it is none of ours.
   */
  private isFlawed(name: string, trade: VenueTrade): boolean {
    const { blotter, reports } = this;
    const order = blotter.table.byVenueId(trade.orderId);
    const flaw =
      tradeFlaw(trade, blotter.outbox.nowMs) ??
      (order === undefined ? null : tradeMisfit(trade, order)) ??
      this.takenByOther(trade);
    const subject = `trade ${trade.id}`;
    if (flaw === null) {
      reports.findings.clear(subject);
      return false;
    }
    const isGrave = order !== undefined && !isFinal(order);
    const readings = reports.findings.note(subject, flaw, { isGrave });
    if (readings < SET_APART_AFTER || isGrave) return true;
    blotter.outbox.alarm(
      `trade ${trade.id} is none of ours and can not be right: it is left out of the books`,
      subject,
    );
    this.remember(name, trade);
    return true;
  }

  /** Each side of a trade is of one order. */
  private takenByOther(trade: VenueTrade): Flaw | null {
    const holder = this.takenSides.get(sideOf(trade));
    const own = String(trade.orderId);
    return holder === undefined || holder === own ? null : { field: 'orderId', expected: holder, found: own };
  }

  /** Enters a pending trade where it is known whose it is and that it is right. Answers whether it did. */
  private attribute(name: string): boolean {
    const pending = this.pending.get(name);
    if (pending === undefined) return false;
    const { trade } = pending;
    const order = this.blotter.table.byVenueId(trade.orderId);
    const isReady = order === undefined ? this.isNobodys(pending) : this.isSure(pending, order);
    if (!isReady) {
      // Its own record says at once what another reading would say later.
      if (order !== undefined && pending.readings < 2 && !isFinal(order) && !pending.isAskedFor) {
        pending.isAskedFor = true;
        this.reports.inquiries.about(order);
      }
      return false;
    }
    this.enter(name, trade, order ?? null);
    return true;
  }

  /** A fill of an order that says itself that it has matched as much needs no second reading. */
  private isSure({ trade, readings }: Pending, order: OrderRecord): boolean {
    if (readings >= 2) return true;
    const amount = unitsOf(trade.amount);
    if (order.matched < order.filled + amount || !hasArrived(order)) return false;
    // Two sides of one id are a trade with oneself, or an id that was read wrong; and so may be one far above
    // all others.
    const { highestTradeId } = this.blotter;
    if (highestTradeId === 0 || trade.id > highestTradeId + USUAL_REACH) return false;
    if (this.takenSides.has(`${trade.id} buy`) || this.takenSides.has(`${trade.id} sell`)) return false;
    for (const { trade: other } of this.pending.values())
      if (other !== trade && other.id === trade.id) return false;
    return this.feeRates.isUsual(trade);
  }

  /**
   * A trade of an order that nobody knows may be of one whose reply is missing, or of one that the mirror
   * lost: that is found out first.
   */
  private isNobodys({ trade, readings, sinceMs }: Pending): boolean {
    const { reports, blotter } = this;
    const { orderId } = trade;
    if (orderId !== null && reports.isForeign(orderId)) return this.isFirst || readings >= 2;
    if (this.mayBeOurs(trade) || (orderId !== null && reports.isAsking(orderId))) return false;
    if (this.isFirst) return true;
    // What the copy of the mirror did not have is being looked for.
    if (reports.names.state.isSearching) return false;
    if (orderId === null) return readings >= 2;
    if (sinceMs + ASKS_FOR_MS < blotter.outbox.nowMs) {
      blotter.outbox.alarm(
        `trade ${trade.id}: whose order ${orderId} is could not be found out: it counts as foreign`,
      );
      return true;
    }
    reports.inquiries.ask(orderId);
    return false;
  }

  private isBeingAsked({ orderId }: VenueTrade): boolean {
    return (
      orderId !== null &&
      this.blotter.table.byVenueId(orderId) === undefined &&
      this.reports.isAsking(orderId)
    );
  }

  private mayBeOurs(trade: VenueTrade): boolean {
    return this.blotter.table
      .unfinished()
      .some(
        (order) =>
          order.venueId === null &&
          (order.state === 'sending' || order.state === 'unknown') &&
          isPossible(trade, order),
      );
  }

  private enter(name: string, trade: VenueTrade, order: OrderRecord | null): void {
    const { blotter } = this;
    this.pending.delete(name);
    for (const [other, pending] of this.pending)
      if (sideOf(pending.trade) === sideOf(trade)) this.pending.delete(other);
    this.remember(name, trade);
    if (trade.id > blotter.highestTradeId) blotter.highestTradeId = trade.id;
    const fill: FillRecord = {
      tradeId: trade.id,
      venueOrderId: trade.orderId,
      orderKey: order?.key ?? null,
      strategy: order?.strategy ?? null,
      market: marketOf(trade),
      side: trade.side,
      // Without a time of its own it counts as traded when it was seen.
      atMs: trade.timeMs ?? this.blotter.outbox.nowMs,
      price: unitsOf(trade.price),
      amount: unitsOf(trade.amount),
      total: unitsOf(trade.total),
      fee: unitsOf(trade.fee),
    };
    this.feeRates.learn(fill);
    blotter.outbox.change({ kind: 'fill', fill });
    blotter.outbox.tell({ kind: 'fill', fill });
    if (order !== null && (!hasArrived(order) || order.filled + fill.amount > order.amount)) {
      this.onImpossible(fill, order);
      this.tell(fill, order);
      return;
    }
    const { amount, total, fee } = fill;
    const filled =
      order === null
        ? null
        : blotter.apply(order, { kind: 'filled', atMs: blotter.outbox.nowMs, amount, total, fee });
    this.tell(fill, filled);
  }

  private tell(fill: FillRecord, order: OrderRecord | null): void {
    const { outbox } = this.blotter;
    if (outbox.isJournaled) {
      const { orderKey, tradeId, amount, price, fee } = fill;
      outbox.journal('fill', orderKey ?? 'foreign', {
        tradeId,
        amount: formatUnits(amount),
        price: formatUnits(price),
        fee: formatUnits(fee),
      });
    }
    this.onFill(fill, order);
  }

  /**
   * Looks again: orders that were not known the last time may be by now, or have told of what they matched.
   * Answers how many entered.
   */
  settlePending(): number {
    let settled = 0;
    if (this.pending.size === 0) return settled;
    for (const name of this.pending.keys()) if (this.attribute(name)) settled += 1;
    return settled;
  }

  /**
   * What complete readings lack that would have had it never was: one reading had got its id or its order
   * wrong.
   */
  private forgetGone({ fromId, shown }: Reading): void {
    const { nowMs } = this.blotter.outbox;
    for (const [name, pending] of this.pending) {
      if (shown.has(name) || pending.trade.id < fromId) continue;
      pending.misses += 1;
      if (pending.misses < GONE_AFTER_READINGS || pending.seenAtMs + GONE_AFTER_MS > nowMs) continue;
      this.pending.delete(name);
      this.blotter.outbox.warn(
        `trade ${pending.trade.id} of order ${pending.trade.orderId} was told once and is in no list since: it never was`,
      );
    }
  }

  private boundPending(): void {
    if (this.pending.size <= MOST_UNATTRIBUTED) return;
    for (const [name, { trade }] of this.pending) {
      this.blotter.outbox.alarm(`the trade ${trade.id} is nobody's: it counts as foreign`);
      this.enter(name, trade, null);
      return;
    }
  }

  private remember(name: string, { id, side }: { readonly id: number; readonly side: string }): void {
    this.taken.set(name, id);
    this.takenSides.set(`${id} ${side}`, orderIn(name));
    const { newestIds } = this;
    const lower = newestIds.findLastIndex((other) => other <= id);
    if (newestIds[lower] === id) return;
    const place = lower + 1;
    newestIds.splice(place, 0, id);
    if (newestIds.length > READ_AGAIN) newestIds.shift();
  }

  /**
   * The cursor stays behind every trade that may still come, and behind those that are not in the books yet.
   */
  private moveCursor(): void {
    // Below the first ones of all there may be some that come later.
    let cursor = this.newestIds.length < READ_AGAIN ? this.cursor : (this.newestIds[0] ?? this.cursor);
    for (const { trade } of this.pending.values()) cursor = Math.min(cursor, trade.id);
    let lowest = cursor;
    for (const { state, tradeIdFloor } of this.blotter.table.unfinished()) {
      if (state !== 'planned') lowest = Math.min(lowest, tradeIdFloor);
    }
    if (cursor > this.cursor) {
      this.cursor = cursor;
      this.blotter.outbox.keep(KEPT_CURSOR, cursor);
    }
    if (this.taken.size < 4 * READ_AGAIN) return;
    if (this.taken.size > MOST_TAKEN) {
      const ids = [...new Set(this.taken.values())].toSorted((left, right) => left - right);
      lowest = Math.max(lowest, ids.at(-MOST_TAKEN / 2) ?? lowest);
    }
    for (const [name, id] of this.taken) {
      if (id >= lowest) continue;
      this.taken.delete(name);
      this.takenSides.delete(`${id} buy`);
      this.takenSides.delete(`${id} sell`);
    }
    this.lowestKnown = Math.max(this.lowestKnown, Math.min(lowest, cursor));
  }
}

function newReading(fromId: number): Reading {
  return { fromId, askedAtMs: null, taken: 0, shown: new Set(), hasFlaw: false };
}

/** Whether an order can have fills. */
function hasArrived({ state }: OrderRecord): boolean {
  return state !== 'planned' && state !== 'filled' && state !== 'cancelled' && state !== 'rejected';
}

/**
 * Whether a trade can be of an order whose id is not known: ids only grow, so what is older than its plan is
 * not its own.
 */
function isPossible(trade: VenueTrade, { side, market, tradeIdFloor, orderIdFloor }: OrderRecord): boolean {
  return (
    trade.side === side &&
    trade.id > tradeIdFloor &&
    (trade.orderId === null || trade.orderId > orderIdFloor) &&
    marketOf(trade) === market
  );
}

function nameOf(tradeId: number, orderId: number | null, side: string): string {
  return `${tradeId} ${orderId} ${side}`;
}

/** The order in the name of a trade. */
function orderIn(name: string): string {
  return present(name.split(' ', 2)[1], () => `an order in the name "${name}" of a trade`);
}

/** One side of a trade: with oneself it has two. */
function sideOf({ id, side }: VenueTrade): string {
  return `${id} ${side}`;
}

/** The market of a trade by its pair; the display names say nothing. */
function marketOf({ market }: VenueTrade): string {
  return market === null ? '?' : marketOfCurrencies(market.base, market.quote).symbol;
}
