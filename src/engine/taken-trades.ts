import type { FillRecord } from '../execution/fill-record.ts';
import type { OrderRecord } from '../execution/order-record.ts';
import type { MirrorState } from './mirror-change.ts';
import type { Outbox } from './outbox.ts';

/** Trades that every reading reads again: their ids do not come quite in order. */
export const READ_AGAIN = 20;

/** Names of trades that are remembered at most; beyond it nothing below the rest is read again. */
const MOST_TAKEN = 20_000;

export const KEPT_CURSOR = 'cursor.trades';

/** What names a trade: with oneself it has two records of one id. */
export interface TradeName {
  readonly id: number;
  readonly orderId: number | null;
  readonly side: string;
}

/** The trades that are in the books, and from which id the next reading reads. */
export class TakenTrades {
  /** From which id the next reading reads. */
  cursor = 1;
  /** Below it, it is not known what was taken. */
  lowestKnown = 1;
  private readonly outbox: Outbox;
  /** Trades at or above the lowest id that may be read again, by their name. */
  private readonly taken = new Map<string, number>();
  /** The order of each side of those trades. */
  private readonly sides = new Map<string, string>();
  /** The highest ids of all that was taken, rising, each once: the cursor is the first of them. */
  private readonly newestIds: number[] = [];

  constructor(outbox: Outbox) {
    this.outbox = outbox;
  }

  /** Takes over what the mirror kept. Answers whether it had a cursor. */
  restore({ fills, kept }: MirrorState): boolean {
    const ids = fills.map(({ tradeId }) => tradeId).toSorted((left, right) => left - right);
    for (const fill of fills) this.remember(nameOfFill(fill));
    const cursor = kept[KEPT_CURSOR];
    this.cursor = cursor === undefined ? 1 : Number(cursor);
    // Below what was restored it is not known what was taken in.
    this.lowestKnown = ids[0] ?? this.cursor;
    return cursor !== undefined;
  }

  has(trade: TradeName): boolean {
    return this.taken.has(nameOf(trade));
  }

  /** The order that has a side of a trade; undefined where none has it yet. */
  holderOf({ id, side }: Pick<TradeName, 'id' | 'side'>): string | undefined {
    return this.sides.get(`${id} ${side}`);
  }

  remember(trade: TradeName): void {
    const { id, orderId, side } = trade;
    this.taken.set(nameOf(trade), id);
    this.sides.set(`${id} ${side}`, String(orderId));
    const { newestIds } = this;
    const lower = newestIds.findLastIndex((other) => other <= id);
    if (newestIds[lower] === id) return;
    newestIds.splice(lower + 1, 0, id);
    if (newestIds.length > READ_AGAIN) newestIds.shift();
  }

  keepCursor(): void {
    this.outbox.keep(KEPT_CURSOR, this.cursor);
  }

  /**
   * The cursor stays behind every trade that may still come, and behind those that are not in the books yet.
   */
  moveCursor(pendingIds: readonly number[], unfinished: readonly OrderRecord[]): void {
    // Below the first ones of all there may be some that come later.
    let cursor = this.newestIds.length < READ_AGAIN ? this.cursor : (this.newestIds[0] ?? this.cursor);
    for (const id of pendingIds) cursor = Math.min(cursor, id);
    let lowest = cursor;
    for (const { state, tradeIdFloor } of unfinished) {
      if (state !== 'planned') lowest = Math.min(lowest, tradeIdFloor);
    }
    if (cursor > this.cursor) {
      this.cursor = cursor;
      this.keepCursor();
    }
    this.forgetBelow(lowest, cursor);
  }

  private forgetBelow(readAgain: number, cursor: number): void {
    if (this.taken.size < 4 * READ_AGAIN) return;
    let lowest = readAgain;
    if (this.taken.size > MOST_TAKEN) {
      const ids = [...new Set(this.taken.values())].toSorted((left, right) => left - right);
      lowest = Math.max(lowest, ids.at(-MOST_TAKEN / 2) ?? lowest);
    }
    for (const [name, id] of this.taken) {
      if (id >= lowest) continue;
      this.taken.delete(name);
      this.sides.delete(`${id} buy`);
      this.sides.delete(`${id} sell`);
    }
    this.lowestKnown = Math.max(this.lowestKnown, Math.min(lowest, cursor));
  }
}

/** One text for one trade of one order. */
export function nameOf({ id, orderId, side }: TradeName): string {
  return `${id} ${orderId} ${side}`;
}

function nameOfFill({ tradeId, venueOrderId, side }: FillRecord): TradeName {
  return { id: tradeId, orderId: venueOrderId, side };
}
