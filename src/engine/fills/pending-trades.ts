import { formatUnits } from '../../domain/money.ts';
import type { VenueTrade } from '../../domain/trade.ts';
import type { VenueOrderId, VenueTradeId, ListCursor } from '../../domain/order.ts';
import { cursorOfTrade } from '../own-list.ts';
import type { OwnList } from '../../venues/port.ts';
import type { Outbox } from '../outbox.ts';
import { nameOf } from '../taken-trades.ts';

/** Trades whose owner is not known yet; beyond it the oldest counts as foreign, and is reported. */
const MOST_PENDING = 1_000;

/** A trade that so many readings in a row lack, and for so long, never was: lists lag by less. */
const GONE_AFTER_READINGS = 3;
const GONE_AFTER_MS = 30_000;

/** A trade that was read and is not in the books yet. */
export interface PendingTrade {
  trade: VenueTrade;
  /** Position in the list. */
  cursor: ListCursor;
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
  /** The reading that showed it first, by its number. */
  readonly firstReading: number;
  seenAtMs: number;
  misses: number;
}

/** Trades that were read and are not in the books yet: what each reading said of them. */
export class PendingTrades {
  private readonly outbox: Outbox;
  private readonly list: OwnList<VenueTradeId>;
  private readonly byName = new Map<string, PendingTrade>();

  constructor(outbox: Outbox, list: OwnList<VenueTradeId>) {
    this.outbox = outbox;
    this.list = list;
  }

  get size(): number {
    return this.byName.size;
  }

  all(): IterableIterator<PendingTrade> {
    return this.byName.values();
  }

  names(): IterableIterator<string> {
    return this.byName.keys();
  }

  get(name: string): PendingTrade | undefined {
    return this.byName.get(name);
  }

  /** True if a trade of an order is among them. */
  hasOf(orderId: VenueOrderId | null): boolean {
    for (const { trade } of this.byName.values()) if (trade.orderId === orderId) return true;
    return false;
  }

  cursors(): readonly ListCursor[] {
    return [...this.byName.values()].map(({ cursor }) => cursor);
  }

  /** Notes what a reading said of a trade. Answers the oldest that there is no more room for; mostly null. */
  note(trade: VenueTrade, reading: number): VenueTrade | null {
    const { nowMs, steps } = this.outbox;
    const name = nameOf(trade);
    const cursor = cursorOfTrade(this.list, trade, nowMs);
    const text = saidOf(trade);
    const before = this.byName.get(name);
    if (before === undefined) {
      this.byName.set(name, {
        trade,
        cursor,
        text,
        readings: 1,
        isAskedFor: false,
        step: steps,
        sinceMs: nowMs,
        firstReading: reading,
        seenAtMs: nowMs,
        misses: 0,
      });
      return this.beyondBound();
    }
    if (before.text !== text) {
      this.outbox.warn(`trade ${trade.id}: two readings differ (${before.text}; ${text}): it is read again`);
      before.readings = 0;
      before.step = -1;
    }
    if (before.step !== steps) {
      before.readings += 1;
      before.isAskedFor = false;
    }
    Object.assign(before, { trade, cursor, text, step: steps, seenAtMs: nowMs, misses: 0 });
    return null;
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

  private beyondBound(): VenueTrade | null {
    if (this.byName.size <= MOST_PENDING) return null;
    for (const { trade } of this.byName.values()) return trade;
    return null;
  }
}

/** All that counts of a trade, as text. */
function saidOf(trade: VenueTrade): string {
  const { price, amount, total, fee } = trade;
  return `${[price, amount, total, fee].map(formatUnits).join(' ')} ${marketSymbolOf(trade)}`;
}

/** The market of a trade; `?` where it names none. */
export function marketSymbolOf({ market }: VenueTrade): string {
  return market?.symbol ?? '?';
}
