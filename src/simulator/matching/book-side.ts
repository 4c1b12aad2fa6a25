import type { Side } from '../../domain/order.ts';
import { PriceLevel, type BookOrder } from '../price-level.ts';

/**
 * One side of a book. Levels lie in an array with the best price last, where nearly all changes happen, so
 * that an insertion moves only the few levels that are better, and the best level is read and dropped without
 * moving any.
 */
export class BookSide {
  readonly side: Side;
  private readonly levels: PriceLevel[] = [];
  private readonly byPrice = new Map<number, PriceLevel>();
  /** 1 when a higher price is better (buys), -1 when a lower one is. */
  private readonly direction: 1 | -1;

  constructor(side: Side) {
    this.side = side;
    this.direction = side === 'buy' ? 1 : -1;
  }

  get best(): PriceLevel | undefined {
    return this.levels[this.levels.length - 1];
  }

  get levelCount(): number {
    return this.levels.length;
  }

  /** Best first, at most `depth`. */
  top(depth: number): PriceLevel[] {
    const taken: PriceLevel[] = [];
    for (let index = this.levels.length - 1; index >= 0 && taken.length < depth; index -= 1) {
      const level = this.levels[index];
      if (level !== undefined) taken.push(level);
    }
    return taken;
  }

  add(order: BookOrder): void {
    let level = this.byPrice.get(order.price);
    if (level === undefined) {
      level = new PriceLevel(order.price);
      this.byPrice.set(order.price, level);
      this.insert(level);
    }
    level.append(order);
  }

  remove(order: BookOrder): void {
    const level = order.level;
    if (level === null) return;
    level.unlink(order);
    if (level.head === null) this.drop(level);
  }

  /** True if a taker that pays no worse than `limit` may trade at `price` of this side. */
  reaches(price: number, limit: number): boolean {
    return this.direction === 1 ? price >= limit : price <= limit;
  }

  /** Every order, best price first, oldest first within a price. */
  *orders(): Generator<BookOrder> {
    for (let index = this.levels.length - 1; index >= 0; index -= 1) {
      let order = this.levels[index]?.head ?? null;
      while (order !== null) {
        yield order;
        order = order.next;
      }
    }
  }

  private insert(level: PriceLevel): void {
    const { levels } = this;
    const last = levels[levels.length - 1];
    if (last === undefined || this.isBetter(level.price, last.price)) {
      levels.push(level);
      return;
    }
    levels.splice(this.positionOf(level.price), 0, level);
  }

  private drop(level: PriceLevel): void {
    this.byPrice.delete(level.price);
    const { levels } = this;
    if (levels[levels.length - 1] === level) levels.pop();
    else levels.splice(this.positionOf(level.price), 1);
  }

  /** Index of the first level that is not worse than `price`. */
  private positionOf(price: number): number {
    let low = 0;
    let high = this.levels.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const level = this.levels[middle];
      if (level !== undefined && this.isBetter(price, level.price)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private isBetter(price: number, other: number): boolean {
    return this.direction === 1 ? price > other : price < other;
  }
}
