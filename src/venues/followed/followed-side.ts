import type { DecimalText } from '../../domain/decimal-text.ts';
import type { BookLevel } from '../../domain/order-book.ts';
import type { Side } from '../../domain/order.ts';
import { ListedLevels, type LevelLists } from '../../recording/records.ts';
import type { StepReader } from './queue-places.ts';
import type { LiquidityModel } from '../fill-rules.ts';
import type { MarketState, SimulatedOrder } from '../../simulator/market-state.ts';
import type { FlowTrader } from '../../simulator/flow-trader.ts';

/** Value of the levels before the first book. */
const NO_BOOKS = new ListedLevels([[]]);

/** One side of the recorded book, best first. A level is converted to steps when it is needed. */
export class FollowedSide {
  readonly side: Side;
  /** Number of levels. */
  length = 0;
  private readonly reader: StepReader;
  private books: LevelLists = NO_BOOKS;
  private row = 0;
  /** Counter of books: converted levels are valid for one of them. */
  private version = 0;
  /** Index found by the last price search. */
  private lastPlace = 0;
  private readonly prices = new ReadSteps();
  private readonly amounts = new ReadSteps();

  constructor(side: Side, reader: StepReader) {
    this.side = side;
    this.reader = reader;
  }

  /** The levels as they were recorded. */
  get levels(): readonly BookLevel[] {
    return this.books.levelsOf(this.row);
  }

  /** Sets the current book, as a row of some books. */
  show(books: LevelLists, row: number): void {
    this.books = books;
    this.row = row;
    this.length = books.lengthOf(row);
    this.version += 1;
  }

  /** Returns the price of a level in price steps; 0 if there is no such level. */
  priceAt(index: number): number {
    const { prices, version } = this;
    if (prices.versions[index] === version) return prices.steps[index] ?? 0;
    const text = this.books.priceAt(this.row, index);
    if (prices.texts[index] === text) return prices.again(index, version);
    return prices.add(index, version, { text, steps: text === undefined ? 0 : this.reader.price(text) });
  }

  /** Returns the amount of a level in amount steps. */
  amountAt(index: number): number {
    const { amounts, version } = this;
    if (amounts.versions[index] === version) return amounts.steps[index] ?? 0;
    const text = this.books.amountAt(this.row, index);
    if (amounts.texts[index] === text) return amounts.again(index, version);
    return amounts.add(index, version, { text, steps: text === undefined ? 0 : this.reader.amount(text) });
  }

  /** Returns the amount offered at a price: 0 if the book shows none, null if it does not reach so far. */
  at(price: number): number | null {
    const { length } = this;
    if (length === 0) return 0;
    const first = this.firstFrom(price);
    if (first === length) return null;
    let found = 0;
    // Prices that are not on the grid may fall on the same step.
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

  /** Returns the index of the first level that is not better than a price; their number if all are. */
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

/** Converted steps by level index, with their book. At most as long as the longest side of a book. */
class ReadSteps {
  readonly versions: number[] = [];
  readonly texts: (DecimalText | undefined)[] = [];
  readonly steps: number[] = [];

  add(
    index: number,
    version: number,
    { text, steps }: { readonly text: DecimalText | undefined; readonly steps: number },
  ): number {
    this.versions[index] = version;
    this.texts[index] = text;
    this.steps[index] = steps;
    return steps;
  }

  /** Returns the stored steps, if the text of a level is the same as in an earlier book. */
  again(index: number, version: number): number {
    this.versions[index] = version;
    return this.steps[index] ?? 0;
  }
}

interface ConsumedLevel {
  amount: number;
  /** Amount that the recorded book showed at the price when we took. */
  readonly shown: number;
}

/** Amounts available to us on one side of the recorded book: less our fills and later ones of others. */
export class Liquidity {
  readonly side: FollowedSide;
  private readonly rule: LiquidityModel['liquidity'];
  /** Our fills by price. At most one for each level of a book: levels that a new book lacks are dropped. */
  private readonly consumed = new Map<number, ConsumedLevel>();
  /** The worst price at which others have taken since the last book, and the amount there; 0: none. */
  private tradedPrice = 0;
  private tradedAmount = 0;

  constructor(side: FollowedSide, rule: LiquidityModel['liquidity']) {
    this.side = side;
    this.rule = rule;
  }

  get isUntouched(): boolean {
    return this.consumed.size === 0;
  }

  /** Resets the trades of others; call it after each new book. */
  onBook(): void {
    this.tradedPrice = 0;
    this.tradedAmount = 0;
    if (this.consumed.size === 0) return;
    if (this.rule === 'next-book') this.consumed.clear();
    for (const [price, { shown }] of this.consumed)
      if (this.side.at(price) !== shown) this.consumed.delete(price);
  }

  /** Records that others took from this side at a price. All better levels are then used up. */
  onTrade(price: number, amount: number): void {
    if (this.tradedPrice === 0 || this.side.isBetter(this.tradedPrice, price)) {
      this.tradedPrice = price;
      this.tradedAmount = amount;
    } else if (price === this.tradedPrice) this.tradedAmount += amount;
  }

  /** Records that we took an amount at a price. */
  consume(price: number, amount: number): void {
    const shown = this.side.at(price) ?? 0;
    const before = this.consumed.get(price);
    if (before !== undefined) before.amount += amount;
    else if (shown > 0) this.consumed.set(price, { amount, shown });
  }

  /** Returns the amount that the public sees at a level: the recorded one less our fills. */
  shownAt(index: number): number {
    const amount = this.side.amountAt(index);
    if (this.consumed.size === 0) return amount;
    return Math.max(0, amount - (this.consumed.get(this.side.priceAt(index))?.amount ?? 0));
  }

  /** Returns the amount available at a level. */
  leftAt(index: number): number {
    const price = this.side.priceAt(index);
    if (this.tradedPrice !== 0 && this.side.isBetter(price, this.tradedPrice)) return 0;
    const others = price === this.tradedPrice ? this.tradedAmount : 0;
    return Math.max(0, this.shownAt(index) - others);
  }
}

/**
 * Orders in the simulator's own book that stand for recorded levels while an order of ours may trade with
 * them. At other times that book holds only our orders, so that a recorded book costs nothing.
 */
export class StandIns {
  private readonly market: MarketState;
  private readonly maker: FlowTrader;
  private readonly standing: { readonly order: SimulatedOrder; readonly of: Liquidity }[] = [];

  constructor(market: MarketState, maker: FlowTrader) {
    this.market = market;
    this.maker = maker;
  }

  /**
   * Places orders for the best levels of a side, until they hold `amount` or a level is worse than `limit`;
   * levels better than `from` are left out. So is a level that would trade with the other side of the book:
   * recorded books are crossed at times.
   */
  stand(
    of: Liquidity,
    reach: { readonly amount: number; readonly limit: number | null; readonly from?: number },
    timeMs: number,
  ): void {
    const { side } = of;
    const { limit, from } = reach;
    const opposite = this.market.book.sideOf(side.side === 'buy' ? 'sell' : 'buy').best;
    let missing = reach.amount;
    for (let index = 0; index < side.length && missing > 0; index += 1) {
      const price = side.priceAt(index);
      if (limit !== null && side.isBetter(limit, price)) return;
      const amount = of.leftAt(index);
      if (amount === 0 || (from !== undefined && side.isBetter(price, from))) continue;
      if (opposite !== undefined && !side.isBetter(opposite.price, price)) continue;
      missing -= amount;
      const order = this.maker.place(
        this.market,
        { side: side.side, price, amount, execution: 'limit' },
        timeMs,
      );
      if (order !== null) this.standing.push({ order, of });
    }
  }

  /** Cancels all of them. Amounts that were traded with them are missing from their levels from now on. */
  withdraw(timeMs: number): void {
    for (const { order, of } of this.standing) {
      if (order.matched > 0) of.consume(order.price, order.matched);
      if (order.isOpen) this.maker.cancel(order, timeMs);
    }
    this.standing.length = 0;
  }
}
