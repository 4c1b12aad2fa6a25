import type { VenueOrderId, VenueTradeId, ListCursor, Side } from '../domain/order.ts';
import type { VenueProfile } from '../venues/port.ts';
import type { MarketName } from '../domain/market-symbol.ts';
import { isPlaceholder, type FillRecord } from '../records/fill.ts';
import { LIST_START, ownListOf, readingFrom } from './own-list.ts';
import type { MirrorState } from './mirror-change.ts';
import { MOST_LEFT_OUT, nameOfList, restored, type LeftOutTrade } from './stored-records.ts';
import { type Outbox, OutboxPart } from './outbox.ts';
import { NO_UNITS, type Units, formatUnits } from '../domain/money.ts';
import { isoText } from '../domain/time-text.ts';
import type { VenueTrade } from '../domain/trade.ts';

/** Number of trades that each reading reads again, because trades do not arrive quite in order. */
export const READ_AGAIN = 20;

/**
 * Maximum number of trade names that are remembered. If there are more, trades at lower places are not read
 * again.
 */
export const MOST_APPLIED = 20_000;

/** Identity of a trade. A trade with oneself has two records with the same id, so the side counts, too. */
interface TradeName {
  readonly id: VenueTradeId;
  readonly orderId: VenueOrderId | null;
  readonly side: Side;
}

type TradesList = VenueProfile['ownLists']['trades'];

/** Trades of one list that are in the books, and the place where its next reading begins. */
export class AppliedTrades extends OutboxPart {
  /** Market of the list; null for the list of the venue. */
  readonly market: string | null;
  /** Start of the next reading; a list by time is read from a little earlier. */
  cursor: ListCursor = LIST_START;
  /** Lowest place from which all booked trades are remembered. */
  lowestKnown: ListCursor = LIST_START;
  private readonly list: TradesList;
  /** True once the list was read to its end in this process. */
  wasRead = false;
  /**
   * True once the list was read to its end and all its trades had an owner. Until then its foreign trades can
   * be from before the books began.
   */
  hasBegun = false;
  /** Number of readings that have begun in this process. */
  readings = 0;
  /**
   * Booked trades in the part of the list that may be read again, by name. `shownIn` is the number of the
   * last reading that showed the trade.
   */
  private readonly applied = new Map<
    string,
    { readonly id: VenueTradeId; readonly at: ListCursor; shownIn: number }
  >();
  /** Order id of each of those trades, by trade id and side. */
  private readonly sides = new Map<string, string>();
  /** Trades that are never booked; the mirror has no fills of them. */
  private leftOut: readonly LeftOutTrade[] = [];
  /** The furthest places of booked trades, ascending, each once. The cursor moves to the first of them. */
  private readonly newest: ListCursor[] = [];

  constructor(outbox: Outbox, list: TradesList, market: string | null) {
    super(outbox);
    this.list = list;
    this.market = market;
  }

  /** Restores the trades and the cursor from the mirror. True if the mirror had a cursor. */
  restore(state: Pick<MirrorState, 'fills' | 'stored'>): boolean {
    const { stored: retained } = state;
    const fills = state.fills.filter(
      (fill) => !isPlaceholder(fill) && ownListOf(this.list, fill.market) === this.market,
    );
    let lowest = Number.POSITIVE_INFINITY;
    for (const fill of fills) {
      this.remember(nameOfFill(fill), fill.cursor);
      lowest = Math.min(lowest, fill.cursor);
    }
    this.leftOut = restored(retained, 'left-out-trades', nameOfList('left-out-trades', this.market)) ?? [];
    for (const trade of this.leftOut) this.remember(nameOfFill(trade), trade.cursor);
    const cursor = restored(retained, 'cursor.trades', nameOfList('cursor.trades', this.market));
    this.hasBegun = cursor !== null;
    this.cursor = cursor ?? LIST_START;
    // Below the restored fills it is not known which trades were booked.
    this.lowestKnown = fills.length === 0 ? this.cursor : lowest;
    if (fills.length >= MOST_APPLIED) this.skip(lowest);
    return this.hasBegun;
  }

  /** Notes that the current reading showed a trade. True if the trade is booked already. */
  show(trade: TradeName): boolean {
    const before = this.applied.get(nameOf(trade));
    if (before !== undefined) before.shownIn = this.readings;
    return before !== undefined;
  }

  /** True if the fill was shown by reading number `reading` or a later one. */
  isShownSince(reading: number, fill: FillRecord): boolean {
    const shownIn = this.applied.get(nameOf(nameOfFill(fill)))?.shownIn;
    return shownIn !== undefined && shownIn >= reading;
  }

  /** Returns the order id that a side of a trade is booked for; undefined if it is not booked. */
  holderOf({ id, side }: Pick<TradeName, 'id' | 'side'>): string | undefined {
    return this.sides.get(`${id} ${side}`);
  }

  /** `shownIn`: the number of the last reading that showed it. */
  remember(trade: TradeName, at: ListCursor, shownIn = this.readings): void {
    const { id, orderId, side } = trade;
    this.applied.set(nameOf(trade), { id, at, shownIn });
    this.sides.set(`${id} ${side}`, String(orderId));
    const { newest } = this;
    const lower = newest.findLastIndex((other) => other <= at);
    if (newest[lower] === at) return;
    newest.splice(lower + 1, 0, at);
    if (newest.length > READ_AGAIN) newest.shift();
  }

  /** Marks a trade as done without a fill: over restarts too, it is not booked when it is read again. */
  leaveOut(trade: TradeName, cursor: ListCursor): void {
    this.remember(trade, cursor);
    const { id: tradeId, orderId: venueOrderId, side } = trade;
    this.leftOut = [...this.leftOut, { tradeId, venueOrderId, side, cursor }].slice(-MOST_LEFT_OUT);
    this.outbox.persist(nameOfList('left-out-trades', this.market), this.leftOut);
  }

  /** Notes that the list has begun: a restart goes on at its cursor. */
  begin(): void {
    this.hasBegun = true;
    this.persistCursor();
  }

  private persistCursor(): void {
    this.outbox.persist(nameOfList('cursor.trades', this.market), this.cursor);
  }

  /**
   * Moves the cursor forward, but not past trades that may still arrive or are not booked yet. Places from
   * `floors` on may be read again, so trades there stay remembered.
   */
  moveCursor(pending: Iterable<Pick<PendingTrade, 'cursor'>>, floors: readonly ListCursor[]): void {
    // Trades that arrive later can have places up to the first of the newest ones.
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

  /** Moves the cursor past trades that are not remembered: read again, they would be booked twice. */
  private skip(lowest: ListCursor): void {
    if (this.cursor >= lowest) return;
    this.cursor = lowest;
    this.persistCursor();
  }
}

/** The lists of own trades that are read: one of the venue, or one of each market. */
export class TradeLists extends OutboxPart {
  private readonly list: TradesList;
  private readonly lists = new Map<string | null, AppliedTrades>();
  private state: Pick<MirrorState, 'fills' | 'stored'> = { fills: [], stored: {} };

  constructor(outbox: Outbox, list: TradesList) {
    super(outbox);
    this.list = list;
  }

  /** Restores the lists that are read from the mirror. True if none has a cursor there. */
  restore(state: MirrorState, markets: readonly (string | null)[]): boolean {
    this.state = state;
    const lists = markets.map((market) => this.of(market));
    // Others begin without a cursor.
    const fills = state.fills.filter(({ market }) => !this.lists.has(ownListOf(this.list, market)));
    this.state = { fills, stored: {} };
    return lists.every(({ hasBegun }) => !hasBegun);
  }

  /** Returns the list that shows the trades of a market; null stands for the list of the venue. */
  of(market: string | null): AppliedTrades {
    const key = this.list.scope === 'venue' ? null : market;
    const known = this.lists.get(key);
    if (known !== undefined) return known;
    const list = new AppliedTrades(this.outbox, this.list, key);
    list.restore(this.state);
    this.lists.set(key, list);
    return list;
  }
}

/** Returns the name of a trade: a text of its id, order and side. */
export function nameOf({ id, orderId, side }: TradeName): string {
  return `${id} ${orderId} ${side}`;
}

function nameOfFill({ tradeId, venueOrderId, side }: Omit<LeftOutTrade, 'cursor'>): TradeName {
  return { id: tradeId, orderId: venueOrderId, side };
}

/** Maximum number of fills that are remembered; if there are more, those of the oldest order are dropped. */
const MOST_BOOKED = 20_000;

/** Maximum time by which trades in the list can be out of order, in ms. */
export const OUT_OF_ORDER_MS = 600_000;

const NONE: readonly FillRecord[] = [];

/**
 * Fills in the books, by the exchange's id of their order. They show that a trade is booked already under
 * another id, and prevent that more is booked than the order matched.
 */
export class BookedFills {
  private readonly byOrder = new Map<VenueOrderId, readonly FillRecord[]>();
  /** Placeholder fills, for trades of closed orders that never arrived; always few. */
  readonly standing = new Map<VenueOrderId, FillRecord>();
  private size = 0;
  /** Time in ms since 1970 before which some booked fills are no longer remembered. */
  private completeSinceMs = Number.NEGATIVE_INFINITY;

  /** Restores the fills that the mirror gave; the mirror may have older ones. */
  restore(fills: readonly FillRecord[]): void {
    let oldestMs = Number.POSITIVE_INFINITY;
    for (const fill of fills) {
      this.add(fill);
      if (!isPlaceholder(fill)) oldestMs = Math.min(oldestMs, fill.atMs);
    }
    if (oldestMs < Number.POSITIVE_INFINITY) this.completeSinceMs = Math.max(this.completeSinceMs, oldestMs);
  }

  /** Returns the fills of an order, in the order of their arrival. */
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
   * Returns a fill of the same order that differs from the trade only by its id, or by a time that could not
   * be read. Fills are ignored that the list shows beside the trade (`isListed`): they are other trades.
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
        (timeMs === null || fill.atMs === timeMs) &&
        fill.price === price &&
        fill.amount === amount,
    );
  }

  /** True if a trade is older than all remembered fills: it was booked before, or found to be foreign. */
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

/**
 * Maximum number of trades that wait for their owner. If there are more, the oldest counts as foreign, with
 * an alarm.
 */
export const MOST_PENDING = 1_000;

/** A trade missing in this many readings in a row, for this long, never existed: lists lag by less. */
const GONE_AFTER_READINGS = 3;
const GONE_AFTER_MS = 30_000;

/** A trade that was read and is not in the books yet. */
export interface PendingTrade {
  trade: VenueTrade;
  /** Place in the list. */
  cursor: ListCursor;
  /** Number of readings in a row that showed exactly these values. */
  readings: number;
  /**
   * True if its order was requested since the last reading. It prevents endless requests when the answer
   * settles nothing.
   */
  isAskedFor: boolean;
  step: number;
  readonly sinceMs: number;
  /** Number of the first reading that showed it, and of the last. */
  readonly firstReading: number;
  lastReading: number;
  seenAtMs: number;
  misses: number;
}

/** Reading of one list, with what it has shown. */
export interface ListReading {
  /** Market of the list; null for the list of the venue. */
  readonly market: string | null;
  readonly from: ListCursor;
  /** Names of the trades that it has shown and that are not booked yet. */
  readonly shown: Set<string>;
  hasIssue: boolean;
  /** True if one of its trades could not be read. */
  isMissing: boolean;
}

/** Trades that were read but not booked yet, with what each reading showed. */
export class PendingTrades extends OutboxPart {
  readonly byName = new Map<string, PendingTrade>();

  /** True if a trade of the market waits here; null: of any. */
  hasIn(market: string | null): boolean {
    for (const { trade } of this.byName.values())
      if (market === null || marketSymbolOf(trade) === market) return true;
    return false;
  }

  /** True if a trade of the order waits here. */
  hasOf(orderId: VenueOrderId | null): boolean {
    for (const { trade } of this.byName.values()) if (trade.orderId === orderId) return true;
    return false;
  }

  /** Notes a trade and its place as a reading showed them. New values start the count anew. */
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
        lastReading: reading,
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
      was.feeCurrency === trade.feeCurrency &&
      was.timeMs === trade.timeMs &&
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
    const shown = { trade, cursor, step: steps, lastReading: reading, seenAtMs: nowMs, misses: 0 };
    return Object.assign(before, shown);
  }

  /** Removes a booked trade, and all others that were read with its id and side. */
  settled(trade: VenueTrade): void {
    this.byName.delete(nameOf(trade));
    for (const [name, { trade: other }] of this.byName) {
      if (other.id === trade.id && other.side === trade.side) this.byName.delete(name);
    }
  }

  /**
   * Drops trades that several complete readings did not show: they never existed, one reply had a wrong id or
   * order. `shown`: names of the trades in the reading of a list that began at `from`.
   */
  forgetGone({ market, from, shown }: ListReading): void {
    const { nowMs } = this.outbox;
    for (const [name, pending] of this.byName) {
      const { trade, cursor } = pending;
      if (shown.has(name) || cursor < from || (market !== null && marketSymbolOf(trade) !== market)) continue;
      pending.misses += 1;
      if (pending.misses < GONE_AFTER_READINGS || pending.seenAtMs + GONE_AFTER_MS > nowMs) continue;
      this.byName.delete(name);
      this.outbox.warn(
        `trade ${trade.id} of order ${trade.orderId} came in one reply and is in no list since: it does not count`,
      );
    }
  }
}

/** Writes the values of a trade that two readings must agree in. */
function tradeText(trade: VenueTrade): string {
  const { price, amount, total, fee, feeCurrency, timeMs } = trade;
  const time = timeMs === null ? 'without a time' : isoText(timeMs);
  const paid = feeCurrency === null ? '' : ` ${feeCurrency}`;
  return `${[price, amount, total, fee].map(formatUnits).join(' ')}${paid} ${marketSymbolOf(trade)} ${time}`;
}

/** Returns the symbol of the market of an order or trade; `?` if the record names none. */
export function marketSymbolOf({ market }: { readonly market: MarketName | null }): string {
  return market?.symbol ?? '?';
}
