import type { DecimalText } from '../../domain/decimal-text.ts';
import type { BookLevel } from '../../domain/order-book.ts';
import type { Side } from '../../domain/order.ts';
import { ListedLevels, type LevelLists } from '../../recording/record-columns.ts';
import type { StepReader } from './step-reader.ts';

/** Levels before the first book. */
const NO_BOOKS = new ListedLevels([[]]);

/**
 * One side of the recorded book that counts now, best first. A level is read into steps when it is first
 * asked for: most books pass by without anybody trading in them.
 */
export class FollowedSide {
  readonly side: Side;
  /** Number of levels. */
  length = 0;
  private readonly reader: StepReader;
  private books: LevelLists = NO_BOOKS;
  private row = 0;
  /** Counts books: what was read of a level holds for the one in which it was read. */
  private version = 0;
  /** Place found by the last price search. */
  private lastPlace = 0;
  private readonly prices = new ReadSteps();
  private readonly amounts = new ReadSteps();

  constructor(side: Side, reader: StepReader) {
    this.side = side;
    this.reader = reader;
  }

  /** As they were recorded. */
  get levels(): readonly BookLevel[] {
    return this.books.levelsOf(this.row);
  }

  /** Shows one of some books. */
  show(books: LevelLists, row: number): void {
    this.books = books;
    this.row = row;
    this.length = books.lengthOf(row);
    this.version += 1;
  }

  /** In price steps; 0 where there is no such level. */
  priceAt(index: number): number {
    const { prices, version } = this;
    if (prices.versions[index] === version) return prices.steps[index] ?? 0;
    const text = this.books.priceAt(this.row, index);
    if (prices.texts[index] === text) return prices.again(index, version);
    return prices.keep(index, version, { text, steps: text === undefined ? 0 : this.reader.price(text) });
  }

  /** In amount steps. */
  amountAt(index: number): number {
    const { amounts, version } = this;
    if (amounts.versions[index] === version) return amounts.steps[index] ?? 0;
    const text = this.books.amountAt(this.row, index);
    if (amounts.texts[index] === text) return amounts.again(index, version);
    return amounts.keep(index, version, { text, steps: text === undefined ? 0 : this.reader.amount(text) });
  }

  /**
   * Returns the amount offered at a price: 0 if the book shows that nobody is there, null if it does not
   * reach so far.
   */
  at(price: number): number | null {
    const { length } = this;
    if (length === 0) return 0;
    const first = this.firstFrom(price);
    if (first === length) return null;
    let found = 0;
    // Prices that are not on the steps may share one.
    for (let index = first; index < length && this.priceAt(index) === price; index += 1)
      found += this.amountAt(index);
    return found;
  }

  /** True if the book shows the amount at a price. */
  reaches(price: number): boolean {
    return this.length > 0 && !this.isBetter(this.priceAt(this.length - 1), price);
  }

  /** True if one price of this side is nearer to the middle than another. */
  isBetter(price: number, other: number): boolean {
    return this.side === 'buy' ? price > other : price < other;
  }

  /** The place of the first level that is not better than a price; the number of levels where all are. */
  firstFrom(price: number): number {
    const { length, lastPlace } = this;
    // Our orders stay where they are, and a book moves little from one to the next.
    if (lastPlace < length && !this.isBetter(this.priceAt(lastPlace), price)) {
      if (lastPlace === 0 || this.isBetter(this.priceAt(lastPlace - 1), price)) return lastPlace;
    }
    if (length === 0 || this.isBetter(this.priceAt(length - 1), price)) return length;
    let low = 0;
    let high = length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.isBetter(this.priceAt(middle), price)) low = middle + 1;
      else high = middle;
    }
    this.lastPlace = low;
    return low;
  }
}

/**
 * Steps read from levels, by their place, with the book they were read from. One longer than the longest side
 * of a book.
 */
class ReadSteps {
  readonly versions: number[] = [];
  readonly texts: (DecimalText | undefined)[] = [];
  readonly steps: number[] = [];

  keep(
    index: number,
    version: number,
    { text, steps }: { readonly text: DecimalText | undefined; readonly steps: number },
  ): number {
    this.versions[index] = version;
    this.texts[index] = text;
    this.steps[index] = steps;
    return steps;
  }

  /** The text there is what it was in the book that was read before. */
  again(index: number, version: number): number {
    this.versions[index] = version;
    return this.steps[index] ?? 0;
  }
}
