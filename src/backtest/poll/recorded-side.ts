import type { BookLevel } from '../../domain/order-book.ts';
import type { Side } from '../../domain/order.ts';
import type { StepReader } from './step-reader.ts';

const NO_LEVELS: readonly BookLevel[] = [];

/**
 * One side of the recorded book that counts now, best first. A level is read into steps when it is first asked for: most books pass by without anybody
 * trading in them.
 */
export class RecordedSide {
  readonly side: Side;
  levels: readonly BookLevel[] = NO_LEVELS;
  private readonly reader: StepReader;
  private readonly prices: number[] = [];
  private readonly amounts: number[] = [];

  constructor(side: Side, reader: StepReader) {
    this.side = side;
    this.reader = reader;
  }

  get length(): number {
    return this.levels.length;
  }

  show(levels: readonly BookLevel[]): void {
    this.levels = levels;
    this.prices.length = 0;
    this.amounts.length = 0;
  }

  /** In price steps; 0 where there is no such level. */
  priceAt(index: number): number {
    this.read(index);
    return this.prices[index] ?? 0;
  }

  /** In amount steps. */
  amountAt(index: number): number {
    this.read(index);
    return this.amounts[index] ?? 0;
  }

  /** What is offered at a price: nothing where the book shows that nobody is there, null where it does not reach so far. */
  at(price: number): number | null {
    let found = 0;
    for (let index = 0; index < this.length; index += 1) {
      const other = this.priceAt(index);
      // Prices that are not on the steps may share one.
      if (other === price) found += this.amountAt(index);
      else if (this.isBetter(price, other)) return found;
    }
    const isLast = this.length > 0 && this.priceAt(this.length - 1) !== price;
    return found === 0 && isLast ? null : found;
  }

  /** Whether one price of this side is nearer to the middle than another. */
  isBetter(price: number, other: number): boolean {
    return this.side === 'buy' ? price > other : price < other;
  }

  private read(index: number): void {
    while (this.prices.length <= index) {
      const level = this.levels[this.prices.length];
      if (level === undefined) return;
      this.prices.push(this.reader.price(level[0]));
      this.amounts.push(this.reader.amount(level[1]));
    }
  }
}
