import { NO_UNITS, type Units } from '../../domain/money.ts';
import type { VenueTrade } from '../../domain/trade.ts';
import type { VenueOrderId } from '../../domain/order.ts';
import { isPlaceholder, type FillRecord } from '../../records/fill.ts';

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
  private readonly standing = new Map<VenueOrderId, FillRecord>();
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

  /** Returns the placeholder for missing trades of an order. */
  placeholderOf(orderId: VenueOrderId | null): FillRecord | undefined {
    return orderId === null ? undefined : this.standing.get(orderId);
  }

  placeholders(): readonly FillRecord[] {
    return [...this.standing.values()];
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
