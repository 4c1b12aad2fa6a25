import type { Side } from '../../domain/order.ts';
import type { BookOrder, PriceLevel } from '../../simulator/price-level.ts';
import type { QueuePlace } from '../liquidity-model.ts';

/**
 * Amount of others, in amount steps, ahead of each own resting order at its price. Infinite if the recorded
 * book never showed that price.
 */
export class QueuePlaces {
  private readonly rule: QueuePlace;
  private readonly ahead = new WeakMap<BookOrder, number>();
  /** Sides of which no book has shown yet that nobody stands before any order of ours. */
  private readonly waiting = { buy: true, sell: true };

  constructor(rule: QueuePlace) {
    this.rule = rule;
  }

  /**
   * Gives every order of a level a place that has none yet. `shown`: what others have there; null where that
   * is not known.
   */
  enlist(level: PriceLevel, shown: number | null): void {
    for (let order = level.head; order !== null; order = order.next) {
      if (this.ahead.has(order)) continue;
      this.ahead.set(order, this.placeBehind(shown ?? Number.POSITIVE_INFINITY));
      this.waiting[order.side] = true;
    }
  }

  /**
   * True if others may be ahead of own orders on a side. In most books nobody is ahead of them any more, and
   * none of the orders need be checked.
   */
  mayWait(side: Side): boolean {
    return this.waiting[side];
  }

  /** Notes that a fill may have triggered other own orders, of which nothing is known yet. */
  onFill(): void {
    this.waiting.buy = true;
    this.waiting.sell = true;
  }

  /** No level of a side of ours has anybody before it. */
  clear(side: Side): void {
    this.waiting[side] = false;
  }

  /** True if others are ahead of any order of a level. */
  hasAhead(level: PriceLevel): boolean {
    for (let order = level.head; order !== null; order = order.next) if (this.aheadOf(order) > 0) return true;
    return false;
  }

  /** A new book shows what others have at a level: no more than that can stand before us. */
  onBook(level: PriceLevel, shown: number | null): void {
    if (shown === null) return;
    for (let order = level.head; order !== null; order = order.next) {
      this.ahead.set(order, Math.min(this.aheadOf(order), shown));
    }
  }

  /**
   * Others traded at the price of a level, in our direction: what stood before us is served first. Answers
   * how much of it is ours; the level's orders get it in their own order.
   */
  onTrade(level: PriceLevel, amount: number): number {
    let ours = 0;
    for (let order = level.head; order !== null; order = order.next) {
      const left = amount - this.aheadOf(order) - ours;
      ours += Math.max(0, Math.min(order.remaining, left));
    }
    for (let order = level.head; order !== null; order = order.next) {
      this.ahead.set(order, Math.max(0, this.aheadOf(order) - (amount - ours)));
    }
    return ours;
  }

  aheadOf(order: BookOrder): number {
    return this.ahead.get(order) ?? Number.POSITIVE_INFINITY;
  }

  private placeBehind(shown: number): number {
    const { rule } = this;
    if (rule.kind === 'back') return shown;
    if (rule.kind === 'front' || rule.millionths === 0) return 0;
    return Math.ceil(shown * (rule.millionths / 1_000_000));
  }
}
