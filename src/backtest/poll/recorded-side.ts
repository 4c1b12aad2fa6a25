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
  /** In steps; -1 where a level has not been read. */
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
    const { prices, amounts } = this;
    this.levels = levels;
    prices.length = levels.length;
    amounts.length = levels.length;
    prices.fill(-1);
    amounts.fill(-1);
  }

  /** In price steps; 0 where there is no such level. */
  priceAt(index: number): number {
    const known = this.prices[index];
    if (known !== -1) return known ?? 0;
    const level = this.levels[index];
    return (this.prices[index] = level === undefined ? 0 : this.reader.price(level[0]));
  }

  /** In amount steps. */
  amountAt(index: number): number {
    const known = this.amounts[index];
    if (known !== -1) return known ?? 0;
    const level = this.levels[index];
    return (this.amounts[index] = level === undefined ? 0 : this.reader.amount(level[1]));
  }

  /** What is offered at a price: nothing where the book shows that nobody is there, null where it does not reach so far. */
  at(price: number): number | null {
    if (!this.reaches(price)) return this.length === 0 ? 0 : null;
    let found = 0;
    for (let index = 0; index < this.length; index += 1) {
      const other = this.priceAt(index);
      // Prices that are not on the steps may share one.
      if (other === price) found += this.amountAt(index);
      else if (this.isBetter(price, other)) break;
    }
    return found;
  }

  /** Whether the book shows what is at a price. */
  reaches(price: number): boolean {
    return this.length > 0 && !this.isBetter(this.priceAt(this.length - 1), price);
  }

  /** Whether one price of this side is nearer to the middle than another. */
  isBetter(price: number, other: number): boolean {
    return this.side === 'buy' ? price > other : price < other;
  }
}
