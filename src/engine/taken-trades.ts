import type { VenueOrderId, VenueTradeId, ListCursor } from '../domain/order.ts';
import type { OwnList } from '../venues/port.ts';
import { isPlaceholder, type FillRecord } from '../records/fill.ts';
import { LIST_START, readingFrom } from './own-list.ts';
import type { MirrorState } from './mirror-change.ts';
import type { Outbox } from './outbox.ts';

/** Trades that every reading reads again: they do not come quite in order. */
export const READ_AGAIN = 20;

/** Names of trades that are remembered at most; beyond it nothing below the rest is read again. */
export const MOST_TAKEN = 20_000;

export const KEPT_CURSOR = 'cursor.trades';

/** Identity of a trade: a trade with oneself has two records of one id. */
interface TradeName {
  readonly id: VenueTradeId;
  readonly orderId: VenueOrderId | null;
  readonly side: string;
}

/** The trades that are in the books, and where the next reading begins. */
export class TakenTrades {
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
  private readonly taken = new Map<
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
    const { kept } = state;
    const fills = state.fills.filter((fill) => !isPlaceholder(fill));
    let lowest = Number.POSITIVE_INFINITY;
    for (const fill of fills) {
      this.remember(nameOfFill(fill), fill.cursor);
      lowest = Math.min(lowest, fill.cursor);
    }
    const cursor = kept[KEPT_CURSOR];
    this.cursor = cursor === undefined ? LIST_START : Number(cursor);
    // Below what was restored it is not known what was taken in.
    this.lowestKnown = fills.length === 0 ? this.cursor : lowest;
    if (fills.length >= MOST_TAKEN) this.passOver(lowest);
    return cursor !== undefined;
  }

  /** Marks a trade as shown. True if it was applied before. */
  show(trade: TradeName): boolean {
    const before = this.taken.get(nameOf(trade));
    if (before !== undefined) before.shownIn = this.readings;
    return before !== undefined;
  }

  /** True if a reading has shown it since the one with that number began. */
  isShownSince(reading: number, fill: FillRecord): boolean {
    const shownIn = this.taken.get(nameOf(nameOfFill(fill)))?.shownIn;
    return shownIn !== undefined && shownIn >= reading;
  }

  /** The order that has a side of a trade; undefined where none has it yet. */
  holderOf({ id, side }: Pick<TradeName, 'id' | 'side'>): string | undefined {
    return this.sides.get(`${id} ${side}`);
  }

  remember(trade: TradeName, at: ListCursor): void {
    const { id, orderId, side } = trade;
    this.taken.set(nameOf(trade), { id, at, shownIn: this.readings });
    this.sides.set(`${id} ${side}`, String(orderId));
    const { newest } = this;
    const lower = newest.findLastIndex((other) => other <= at);
    if (newest[lower] === at) return;
    newest.splice(lower + 1, 0, at);
    if (newest.length > READ_AGAIN) newest.shift();
  }

  keepCursor(): void {
    this.outbox.keep(KEPT_CURSOR, this.cursor);
  }

  /**
   * The cursor stays behind every trade that may still come, and behind those that are not in the books yet.
   * `floors`: where else readings may begin.
   */
  moveCursor(pending: readonly ListCursor[], floors: readonly ListCursor[]): void {
    // Below the first ones of all there may be some that come later.
    let cursor = this.newest.length < READ_AGAIN ? this.cursor : (this.newest[0] ?? this.cursor);
    for (const at of pending) cursor = Math.min(cursor, at);
    let lowest = cursor;
    for (const floor of floors) lowest = Math.min(lowest, floor);
    if (cursor > this.cursor) {
      this.cursor = cursor;
      this.keepCursor();
    }
    this.forgetBelow(readingFrom(this.list, lowest), cursor);
  }

  private forgetBelow(readAgain: ListCursor, cursor: ListCursor): void {
    if (this.taken.size < 4 * READ_AGAIN) return;
    let lowest = readAgain;
    if (this.taken.size > MOST_TAKEN) {
      const places = new Set([...this.taken.values()].map(({ at }) => at));
      const rising = [...places].toSorted((left, right) => left - right);
      lowest = Math.max(lowest, rising.at(-MOST_TAKEN / 2) ?? lowest);
      this.passOver(lowest);
    }
    for (const [name, { id, at }] of this.taken) {
      if (at >= lowest) continue;
      this.taken.delete(name);
      this.sides.delete(`${id} buy`);
      this.sides.delete(`${id} sell`);
    }
    this.lowestKnown = Math.max(this.lowestKnown, Math.min(lowest, Math.max(cursor, this.cursor)));
  }

  /** Skips what is not remembered: if read again, it would be applied a second time. */
  private passOver(lowest: ListCursor): void {
    if (this.cursor >= lowest) return;
    this.cursor = lowest;
    this.keepCursor();
  }
}

/** One text for one trade of one order. */
export function nameOf({ id, orderId, side }: TradeName): string {
  return `${id} ${orderId} ${side}`;
}

function nameOfFill({ tradeId, venueOrderId, side }: FillRecord): TradeName {
  return { id: tradeId, orderId: venueOrderId, side };
}
