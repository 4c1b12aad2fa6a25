import { marketOfCurrencies } from '../domain/market-symbol.ts';
import { unitsOf } from '../domain/money.ts';
import type { VenueTrade } from '../domain/trade.ts';
import type { Page, VenueCall } from '../domain/venue-call.ts';
import type { FillRecord } from '../execution/fill-record.ts';
import type { OrderRecord } from '../execution/order-record.ts';
import type { MirrorState } from './mirror-change.ts';
import type { OrderKeeper } from './order-keeper.ts';
import type { OrderSightings } from './order-sightings.ts';

/** Trades that every reading reads again: their ids do not come quite in order. */
const READ_AGAIN = 20;

/** Trades of one page. */
const TRADES_PAGE = 500;

/** Trades that wait to be told whose they are; beyond it the oldest counts as foreign, and is told. */
const MOST_UNATTRIBUTED = 1_000;

/** An order whose fills do not add up for this long has its trades read from its own beginning. */
const REWIND_AFTER_MS = 20_000;

/** Names of trades that are remembered at most; beyond it nothing below the rest is read again. */
const MOST_TAKEN = 20_000;

const CURSOR = 'cursor.trades';

/** Told of each trade of the account: with the order as it then is, or null for a foreign one. */
type FillTaker = (fill: FillRecord, order: OrderRecord | null) => void;

/** Takes in the account's trades, each once, and finds the order of ours that each belongs to. */
export class FillReader {
  private readonly keeper: OrderKeeper;
  private readonly sightings: OrderSightings;
  private readonly onFill: FillTaker;
  private readonly onImpossible: (fill: FillRecord, order: OrderRecord) => void;
  /** From which id the next reading reads. */
  private cursor = 1;
  /** Trades at or above the lowest id that may be read again, by their name. */
  private readonly taken = new Map<string, number>();
  /** The highest ids of all that was taken, rising, each once: the cursor is the first of them. */
  private readonly newestIds: number[] = [];
  private readonly unattributed = new Map<string, VenueTrade>();
  private rewoundAtMs = Number.NEGATIVE_INFINITY;
  /** The reading under way. */
  private reading: { readonly fromId: number; askedAtMs: number | null; taken: number } | null = null;

  constructor(options: {
    readonly keeper: OrderKeeper;
    readonly sightings: OrderSightings;
    readonly onFill: FillTaker;
    /** A fill of an order that is at its end, or beyond its amount: the books do not add up. */
    readonly onImpossible: (fill: FillRecord, order: OrderRecord) => void;
  }) {
    this.keeper = options.keeper;
    this.sightings = options.sightings;
    this.onFill = options.onFill;
    this.onImpossible = options.onImpossible;
  }

  restore(state: MirrorState): void {
    const ids = state.fills.map(({ tradeId }) => tradeId).toSorted((left, right) => left - right);
    for (const { tradeId, venueOrderId, side } of state.fills) {
      this.remember(nameOf(tradeId, venueOrderId, side), tradeId);
    }
    const kept = state.kept[CURSOR];
    this.isNew = kept === undefined;
    this.cursor = kept === undefined ? 1 : Number(kept);
    // Below what was restored it is not known what was taken in.
    this.lowestKnown = ids[0] ?? this.cursor;
  }

  private lowestKnown = 1;

  /** Whether this is the first reading of a mirror: orders that were placed before it are known only once they were listed. */
  isNew = true;

  /** The next question: the beginning of a reading, or its next page. */
  nextCall(): VenueCall {
    const { nowMs } = this.keeper.outbox;
    let fromId = this.cursor;
    const late = this.keeper.table
      .unfinished()
      .filter(({ state, closedAtMs }) => state === 'settling' && (closedAtMs ?? nowMs) + REWIND_AFTER_MS < nowMs);
    if (late.length > 0 && this.rewoundAtMs + REWIND_AFTER_MS < nowMs) {
      this.rewoundAtMs = nowMs;
      const floor = Math.min(...late.map(({ tradeIdFloor }) => tradeIdFloor));
      fromId = Math.max(1, Math.min(fromId, floor), Math.min(fromId, this.lowestKnown));
    }
    this.reading = { fromId, askedAtMs: null, taken: 0 };
    return { kind: 'trades', fromId };
  }

  /** The question was not answered. */
  failed(): void {
    this.reading = null;
  }

  /**
   * Takes in a page. Answers the next page's question, or, at the end, when the reading began and how many trades were new.
   */
  take(
    page: Page<VenueTrade>,
    askedAtMs: number,
  ): { readonly next: VenueCall } | { readonly next: null; readonly askedAtMs: number; readonly taken: number } {
    const reading = (this.reading ??= { fromId: this.cursor, askedAtMs, taken: 0 });
    reading.askedAtMs ??= askedAtMs;
    if (reading.taken === 0) reading.taken += this.settleUnattributed();
    for (const trade of page.items) if (this.takeOne(trade)) reading.taken += 1;
    const lastId = page.items.at(-1)?.id ?? 0;
    const isFull = page.hasNext ?? page.items.length >= TRADES_PAGE;
    if (isFull && lastId > 0) {
      // Ids do not come quite in order, and two records of one trade may be parted by the end of a page: some are read again.
      const again = page.items.at(-READ_AGAIN)?.id ?? lastId;
      const isStuck = again <= (page.items[0]?.id ?? 0);
      return { next: { kind: 'trades', fromId: isStuck ? lastId + 1 : again } };
    }
    this.reading = null;
    if (reading.taken > 0) this.moveCursor();
    return { next: null, askedAtMs: reading.askedAtMs, taken: reading.taken };
  }

  /** Whether a trade that is nobody's yet may be of an order. */
  mayHold(order: OrderRecord): boolean {
    for (const trade of this.unattributed.values()) {
      if (isPossible(trade, order)) return true;
    }
    return false;
  }

  private takeOne(trade: VenueTrade): boolean {
    const name = nameOf(trade.id, trade.orderId, trade.side);
    if (this.taken.has(name) || this.unattributed.has(name)) return false;
    if (trade.id > this.keeper.highestTradeId) this.keeper.highestTradeId = trade.id;
    return this.attribute(name, trade);
  }

  private attribute(name: string, trade: VenueTrade): boolean {
    const { table } = this.keeper;
    const order = table.byVenueId(trade.orderId);
    if (order === undefined && this.mayBeOurs(trade)) {
      this.unattributed.set(name, trade);
      this.boundUnattributed();
      return false;
    }
    this.unattributed.delete(name);
    this.remember(name, trade.id);
    this.enter(trade, order ?? null);
    return true;
  }

  /** A trade of an order that nobody knows may be of one whose reply is missing, and whose id is not known yet. */
  private mayBeOurs(trade: VenueTrade): boolean {
    if (trade.orderId !== null && this.sightings.isForeign(trade.orderId)) return false;
    return this.keeper.table
      .unfinished()
      .some(
        (order) =>
          order.venueId === null &&
          (order.state === 'sending' || order.state === 'unknown') &&
          isPossible(trade, order),
      );
  }

  private enter(trade: VenueTrade, order: OrderRecord | null): void {
    const fill: FillRecord = {
      tradeId: trade.id,
      venueOrderId: trade.orderId,
      orderKey: order?.key ?? null,
      strategy: order?.strategy ?? null,
      market: marketOf(trade),
      side: trade.side,
      // Without a time of its own it counts as traded when it was seen.
      atMs: trade.timeMs ?? this.keeper.outbox.nowMs,
      price: unitsOf(trade.price),
      amount: unitsOf(trade.amount),
      total: unitsOf(trade.total),
      fee: unitsOf(trade.fee),
    };
    const { keeper } = this;
    keeper.outbox.change({ kind: 'fill', fill });
    keeper.outbox.tell({ kind: 'fill', fill });
    if (order !== null && (!hasArrived(order) || order.filled + fill.amount > order.amount)) {
      this.onImpossible(fill, order);
      this.onFill(fill, order);
      return;
    }
    const { amount, total, fee } = fill;
    const filled =
      order === null ? null : keeper.apply(order, { kind: 'filled', atMs: keeper.outbox.nowMs, amount, total, fee });
    this.onFill(fill, filled);
  }

  /** Asks again whose they are: orders that were not known the last time may be by now. Answers how many were told. */
  private settleUnattributed(): number {
    let settled = 0;
    for (const [name, trade] of this.unattributed) if (this.attribute(name, trade)) settled += 1;
    return settled;
  }

  private boundUnattributed(): void {
    if (this.unattributed.size <= MOST_UNATTRIBUTED) return;
    for (const [name, trade] of this.unattributed) {
      this.unattributed.delete(name);
      this.remember(name, trade.id);
      this.keeper.outbox.alarm(`the trade ${trade.id} is nobody's: it counts as foreign`);
      this.enter(trade, null);
      return;
    }
  }

  private remember(name: string, tradeId: number): void {
    this.taken.set(name, tradeId);
    const { newestIds } = this;
    let place = newestIds.length;
    while (place > 0 && (newestIds[place - 1] ?? 0) > tradeId) place -= 1;
    if (newestIds[place - 1] === tradeId) return;
    newestIds.splice(place, 0, tradeId);
    if (newestIds.length > READ_AGAIN) newestIds.shift();
  }

  /** The cursor stays behind every trade that may still come, and behind those that are nobody's yet. */
  private moveCursor(): void {
    // Below the first ones of all there may be some that come later.
    let cursor = this.newestIds.length < READ_AGAIN ? this.cursor : (this.newestIds[0] ?? this.cursor);
    for (const { id } of this.unattributed.values()) cursor = Math.min(cursor, id);
    let lowest = cursor;
    for (const { state, tradeIdFloor } of this.keeper.table.unfinished()) {
      if (state !== 'planned') lowest = Math.min(lowest, tradeIdFloor);
    }
    if (cursor > this.cursor) {
      this.cursor = cursor;
      this.keeper.outbox.keep(CURSOR, cursor);
    }
    if (this.taken.size < 4 * READ_AGAIN) return;
    if (this.taken.size > MOST_TAKEN) {
      const ids = [...new Set(this.taken.values())].toSorted((left, right) => left - right);
      lowest = Math.max(lowest, ids.at(-MOST_TAKEN / 2) ?? lowest);
    }
    for (const [name, id] of this.taken) if (id < lowest) this.taken.delete(name);
    this.lowestKnown = Math.max(this.lowestKnown, Math.min(lowest, cursor));
  }
}

/** Whether an order can have fills. */
function hasArrived({ state }: OrderRecord): boolean {
  return state !== 'planned' && state !== 'filled' && state !== 'cancelled' && state !== 'rejected';
}

/** Whether a trade can be of an order whose id is not known: ids only grow, so what is older than its plan is not its own. */
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

/** The market of a trade by its pair; the display names say nothing. */
function marketOf({ market }: VenueTrade): string {
  return market === null ? '?' : marketOfCurrencies(market.src, market.dst).symbol;
}
