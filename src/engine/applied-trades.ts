import type { VenueOrderId, VenueTradeId, ListCursor } from '../domain/order.ts';
import type { OwnList } from '../venues/port.ts';
import { isPlaceholder, type FillRecord } from '../records/fill.ts';
import { LIST_START, readingFrom } from './own-list.ts';
import type { MirrorState } from './mirror-change.ts';
import type { Outbox } from './outbox.ts';
import { NO_UNITS, type Units, formatUnits } from '../domain/money.ts';
import type { VenueTrade } from '../domain/trade.ts';

/** Trades that every reading reads again: they do not come quite in order. */
export const READ_AGAIN = 20;

/** Names of trades that are remembered at most; beyond it nothing below the rest is read again. */
export const MOST_APPLIED = 20_000;

export const STORED_CURSOR = 'cursor.trades';

/** Identity of a trade: a trade with oneself has two records of one id. */
interface TradeName {
  readonly id: VenueTradeId;
  readonly orderId: VenueOrderId | null;
  readonly side: string;
}

/** The trades that are in the books, and where the next reading begins. */
export class AppliedTrades {
  /** Start of the next reading, except for the overlap of a list by time. */
  cursor: ListCursor = LIST_START;
  /** Below it, it is not known what was taken. */
  lowestKnown: ListCursor = LIST_START;
  private readonly outbox: Outbox;
  private readonly list: OwnList;
  /** Number of readings that have begun. */
  readings = 0;
  /**
   * Trades at or beyond the first place that may be read again, by their name, and which reading showed them
   * last.
   */
  private readonly applied = new Map<
    string,
    { readonly id: VenueTradeId; readonly at: ListCursor; shownIn: number }
  >();
  /** The order of each side of those trades. */
  private readonly sides = new Map<string, string>();
  /** The furthest places of all that was taken, rising, each once: the cursor is the first of them. */
  private readonly newest: ListCursor[] = [];

  constructor(outbox: Outbox, list: OwnList) {
    this.outbox = outbox;
    this.list = list;
  }

  /** Takes over what the mirror kept. Answers whether it had a cursor. */
  restore(state: MirrorState): boolean {
    const { stored: retained } = state;
    const fills = state.fills.filter((fill) => !isPlaceholder(fill));
    let lowest = Number.POSITIVE_INFINITY;
    for (const fill of fills) {
      this.remember(nameOfFill(fill), fill.cursor);
      lowest = Math.min(lowest, fill.cursor);
    }
    const cursor = retained[STORED_CURSOR];
    this.cursor = cursor === undefined ? LIST_START : Number(cursor);
    // Below what was restored it is not known what was taken in.
    this.lowestKnown = fills.length === 0 ? this.cursor : lowest;
    if (fills.length >= MOST_APPLIED) this.skip(lowest);
    return cursor !== undefined;
  }

  /** Marks a trade as shown. True if it was applied before. */
  show(trade: TradeName): boolean {
    const before = this.applied.get(nameOf(trade));
    if (before !== undefined) before.shownIn = this.readings;
    return before !== undefined;
  }

  /** True if a reading has shown it since the one with that number began. */
  isShownSince(reading: number, fill: FillRecord): boolean {
    const shownIn = this.applied.get(nameOf(nameOfFill(fill)))?.shownIn;
    return shownIn !== undefined && shownIn >= reading;
  }

  /** The order that has a side of a trade; undefined where none has it yet. */
  holderOf({ id, side }: Pick<TradeName, 'id' | 'side'>): string | undefined {
    return this.sides.get(`${id} ${side}`);
  }

  remember(trade: TradeName, at: ListCursor): void {
    const { id, orderId, side } = trade;
    this.applied.set(nameOf(trade), { id, at, shownIn: this.readings });
    this.sides.set(`${id} ${side}`, String(orderId));
    const { newest } = this;
    const lower = newest.findLastIndex((other) => other <= at);
    if (newest[lower] === at) return;
    newest.splice(lower + 1, 0, at);
    if (newest.length > READ_AGAIN) newest.shift();
  }

  persistCursor(): void {
    this.outbox.persist(STORED_CURSOR, this.cursor);
  }

  /**
   * The cursor stays behind every trade that may still come, and behind those that are not in the books yet.
   * `floors`: where else readings may begin.
   */
  moveCursor(pending: Iterable<Pick<PendingTrade, 'cursor'>>, floors: readonly ListCursor[]): void {
    // Below the first ones of all there may be some that come later.
    let cursor = this.newest.length < READ_AGAIN ? this.cursor : (this.newest[0] ?? this.cursor);
    for (const at of pending) cursor = Math.min(cursor, at.cursor);
    let lowest = cursor;
    for (const floor of floors) lowest = Math.min(lowest, floor);
    if (cursor > this.cursor) {
      this.cursor = cursor;
      this.persistCursor();
    }
    if (this.applied.size >= 4 * READ_AGAIN) this.forgetBelow(readingFrom(this.list, lowest), cursor);
  }

  private forgetBelow(readAgain: ListCursor, cursor: ListCursor): void {
    let lowest = readAgain;
    if (this.applied.size > MOST_APPLIED) {
      const places = new Set([...this.applied.values()].map(({ at }) => at));
      const rising = [...places].toSorted((left, right) => left - right);
      lowest = Math.max(lowest, rising.at(-MOST_APPLIED / 2) ?? lowest);
      this.skip(lowest);
    }
    for (const [name, { id, at }] of this.applied) {
      if (at >= lowest) continue;
      this.applied.delete(name);
      this.sides.delete(`${id} buy`);
      this.sides.delete(`${id} sell`);
    }
    this.lowestKnown = Math.max(this.lowestKnown, Math.min(lowest, Math.max(cursor, this.cursor)));
  }

  /** Skips what is not remembered: if read again, it would be applied a second time. */
  private skip(lowest: ListCursor): void {
    if (this.cursor >= lowest) return;
    this.cursor = lowest;
    this.persistCursor();
  }
}

/** One text for one trade of one order. */
export function nameOf({ id, orderId, side }: TradeName): string {
  return `${id} ${orderId} ${side}`;
}

function nameOfFill({ tradeId, venueOrderId, side }: FillRecord): TradeName {
  return { id: tradeId, orderId: venueOrderId, side };
}

/** Fills that are remembered; beyond it those of the oldest orders go. */
const MOST_BOOKED = 20_000;

/** Trades do not come quite in the order of their times. */
const OUT_OF_ORDER_MS = 600_000;

const NONE: readonly FillRecord[] = [];

/**
 * The fills that are in the books, by the exchange's id of their order: so that a trade is known that comes
 * under another id, and nothing is booked beyond what an order matched.
 */
export class BookedFills {
  private readonly byOrder = new Map<VenueOrderId, readonly FillRecord[]>();
  /** Those that stand for trades of an order that did not come; never many. */
  readonly standing = new Map<VenueOrderId, FillRecord>();
  private size = 0;
  /** Of what was traded before this, some is not remembered. */
  private completeSinceMs = Number.NEGATIVE_INFINITY;

  /** Takes over what the mirror gave back: of what is older, it may have more. */
  restore(fills: readonly FillRecord[]): void {
    let oldestMs = Number.POSITIVE_INFINITY;
    for (const fill of fills) {
      this.add(fill);
      if (!isPlaceholder(fill)) oldestMs = Math.min(oldestMs, fill.atMs);
    }
    if (oldestMs < Number.POSITIVE_INFINITY) this.completeSinceMs = Math.max(this.completeSinceMs, oldestMs);
  }

  /** Those of an order, as they came. */
  of(orderId: VenueOrderId | null): readonly FillRecord[] {
    return orderId === null ? NONE : (this.byOrder.get(orderId) ?? NONE);
  }

  orders(): IterableIterator<VenueOrderId> {
    return this.byOrder.keys();
  }

  amountOf(orderId: VenueOrderId | null): Units {
    return this.of(orderId).reduce((sum, { amount }) => (sum + amount) as Units, NO_UNITS);
  }

  /**
   * A fill of the same order that is equal in all but its id. `isListed`: whether the list has shown a fill
   * beside the trade, which then is another one.
   */
  alikeOf(
    { id, orderId, side, timeMs, price, amount }: VenueTrade,
    isListed: (fill: FillRecord) => boolean,
  ): FillRecord | undefined {
    return this.of(orderId).find(
      (fill) =>
        !isListed(fill) &&
        fill.tradeId !== id &&
        fill.side === side &&
        fill.atMs === timeMs &&
        fill.price === price &&
        fill.amount === amount,
    );
  }

  /** True if a trade is older than all that is remembered: it was booked, or found to be nobody's, before. */
  isForgotten({ timeMs }: VenueTrade): boolean {
    return timeMs !== null && timeMs + OUT_OF_ORDER_MS < this.completeSinceMs;
  }

  add(fill: FillRecord): void {
    const { venueOrderId } = fill;
    if (venueOrderId === null) return;
    this.byOrder.set(venueOrderId, [...this.of(venueOrderId), fill]);
    if (isPlaceholder(fill)) this.standing.set(venueOrderId, fill);
    this.size += 1;
    if (this.size > MOST_BOOKED) this.forgetOldest();
  }

  remove(fill: FillRecord): void {
    const { venueOrderId } = fill;
    const before = this.of(venueOrderId);
    const left = before.filter((other) => other !== fill);
    if (venueOrderId === null || left.length === before.length) return;
    this.size -= 1;
    if (isPlaceholder(fill)) this.standing.delete(venueOrderId);
    if (left.length === 0) this.byOrder.delete(venueOrderId);
    else this.byOrder.set(venueOrderId, left);
  }

  private forgetOldest(): void {
    for (const [orderId, fills] of this.byOrder) {
      this.byOrder.delete(orderId);
      this.standing.delete(orderId);
      this.size -= fills.length;
      for (const { atMs } of fills) this.completeSinceMs = Math.max(this.completeSinceMs, atMs);
      return;
    }
  }
}

/** Trades whose owner is not known yet; beyond it the oldest counts as foreign, and is reported. */
export const MOST_PENDING = 1_000;

/** A trade that so many readings in a row lack, and for so long, never was: lists lag by less. */
const GONE_AFTER_READINGS = 3;
const GONE_AFTER_MS = 30_000;

/** A trade that was read and is not in the books yet. */
export interface PendingTrade {
  trade: VenueTrade;
  /** Position in the list. */
  cursor: ListCursor;
  /** Readings in a row that said exactly this. */
  readings: number;
  /**
   * Its order was asked for since the last reading. An answer that does not settle it would else ask again at
   * once, without an end.
   */
  isAskedFor: boolean;
  step: number;
  readonly sinceMs: number;
  /** The reading that showed it first, by its number. */
  readonly firstReading: number;
  seenAtMs: number;
  misses: number;
}

/** Trades that were read and are not in the books yet: what each reading said of them. */
export class PendingTrades {
  private readonly outbox: Outbox;
  readonly byName = new Map<string, PendingTrade>();

  constructor(outbox: Outbox) {
    this.outbox = outbox;
  }

  /** True if a trade of an order is among them. */
  hasOf(orderId: VenueOrderId | null): boolean {
    for (const { trade } of this.byName.values()) if (trade.orderId === orderId) return true;
    return false;
  }

  /** Notes what a reading said of a trade, by its name, and where it stands in the list. */
  note(
    name: string,
    trade: VenueTrade,
    at: { readonly cursor: ListCursor; readonly reading: number },
  ): PendingTrade {
    const { nowMs, steps } = this.outbox;
    const { cursor, reading } = at;
    const before = this.byName.get(name);
    if (before === undefined) {
      const pending: PendingTrade = {
        trade,
        cursor,
        readings: 1,
        isAskedFor: false,
        step: steps,
        sinceMs: nowMs,
        firstReading: reading,
        seenAtMs: nowMs,
        misses: 0,
      };
      this.byName.set(name, pending);
      return pending;
    }
    const was = before.trade;
    const isSame =
      was.price === trade.price &&
      was.amount === trade.amount &&
      was.total === trade.total &&
      was.fee === trade.fee &&
      was.market?.symbol === trade.market?.symbol;
    if (!isSame) {
      this.outbox.warn(
        `trade ${trade.id}: two readings differ (${tradeText(was)}; ${tradeText(trade)}): it is read again`,
      );
      before.readings = 0;
      before.step = -1;
    }
    if (before.step !== steps) {
      before.readings += 1;
      before.isAskedFor = false;
    }
    return Object.assign(before, { trade, cursor, step: steps, seenAtMs: nowMs, misses: 0 });
  }

  /** It is in the books, and with it whatever else was read of the same side. */
  settled(trade: VenueTrade): void {
    this.byName.delete(nameOf(trade));
    for (const [name, { trade: other }] of this.byName) {
      if (other.id === trade.id && other.side === trade.side) this.byName.delete(name);
    }
  }

  /**
   * Drops trades that complete readings lack although they would have had them: such a trade never existed;
   * one reading had got its id or its order wrong. `shown`: the names shown by a reading that began at
   * `from`.
   */
  forgetGone(from: ListCursor, shown: ReadonlySet<string>): void {
    const { nowMs } = this.outbox;
    for (const [name, pending] of this.byName) {
      const { trade, cursor } = pending;
      if (shown.has(name) || cursor < from) continue;
      pending.misses += 1;
      if (pending.misses < GONE_AFTER_READINGS || pending.seenAtMs + GONE_AFTER_MS > nowMs) continue;
      this.byName.delete(name);
      this.outbox.warn(
        `trade ${trade.id} of order ${trade.orderId} came in one reply and is in no list since: it does not count`,
      );
    }
  }
}

/** All that counts of a trade, as text. */
function tradeText(trade: VenueTrade): string {
  const { price, amount, total, fee } = trade;
  return `${[price, amount, total, fee].map(formatUnits).join(' ')} ${marketSymbolOf(trade)}`;
}

/** The market of a trade; `?` where it names none. */
export function marketSymbolOf({ market }: VenueTrade): string {
  return market?.symbol ?? '?';
}
