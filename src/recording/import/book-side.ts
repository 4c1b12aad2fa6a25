import type { DecimalText } from '../../domain/decimal-text.ts';
import type { BookLevel } from '../../domain/order-book.ts';

/** Levels of one side that are kept: what is farther from the best price than these is forgotten. */
const MOST_LEVELS = 10_000;

/** One side of a book that changes level by level: its levels in an array, best first. Prices are told apart by their numbers. */
export class BookSide {
  /** -1 for bids, whose best is the highest; 1 for asks. */
  private readonly direction: 1 | -1;
  private readonly keys: number[] = [];
  private readonly levels: BookLevel[] = [];

  constructor(side: 'bids' | 'asks') {
    this.direction = side === 'asks' ? 1 : -1;
  }

  /** Sets the amount at a price; 0 takes the level away. */
  set(price: DecimalText, amount: DecimalText): void {
    const key = Number(price) * this.direction;
    const at = this.placeOf(key);
    const isThere = this.keys[at] === key;
    if (amount === '0') {
      if (!isThere) return;
      this.keys.splice(at, 1);
      this.levels.splice(at, 1);
    } else if (isThere) this.levels[at] = [price, amount];
    else {
      this.keys.splice(at, 0, key);
      this.levels.splice(at, 0, [price, amount]);
      if (this.keys.length > MOST_LEVELS) {
        this.keys.pop();
        this.levels.pop();
      }
    }
  }

  clear(): void {
    this.keys.length = 0;
    this.levels.length = 0;
  }

  /** The best levels. */
  top(count: number): readonly BookLevel[] {
    return this.levels.slice(0, count);
  }

  /** All levels. */
  all(): readonly BookLevel[] {
    return [...this.levels];
  }

  private placeOf(key: number): number {
    let low = 0;
    let high = this.keys.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.keys[middle] ?? 0) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
