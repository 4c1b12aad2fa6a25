import type { Side } from '../domain/order.ts';

/** An order that rests in a book: its links, and the two numbers that matching needs. */
export class BookOrder {
  readonly id: number;
  readonly side: Side;
  /** Price at which it rests, in price steps. */
  price: number;
  /** Amount not yet filled, in amount steps. */
  remaining: number;
  level: PriceLevel | null = null;
  previous: BookOrder | null = null;
  next: BookOrder | null = null;

  constructor(id: number, side: Side, price: number, remaining: number) {
    this.id = id;
    this.side = side;
    this.price = price;
    this.remaining = remaining;
  }
}

/** All orders at one price, first come first served, as a linked list. */
export class PriceLevel {
  price: number;
  /** Sum of the remaining amounts of its orders. */
  amount = 0;
  head: BookOrder | null = null;
  tail: BookOrder | null = null;

  constructor(price: number) {
    this.price = price;
  }

  append(order: BookOrder): void {
    order.level = this;
    order.previous = this.tail;
    order.next = null;
    if (this.tail === null) this.head = order;
    else this.tail.next = order;
    this.tail = order;
    this.amount += order.remaining;
  }

  unlink(order: BookOrder): void {
    if (order.previous === null) this.head = order.next;
    else order.previous.next = order.next;
    if (order.next === null) this.tail = order.previous;
    else order.next.previous = order.previous;
    this.amount -= order.remaining;
    order.level = null;
    order.previous = null;
    order.next = null;
  }
}

/**
 * One side of a book. Levels are an array with the best price last, where nearly all changes happen: an
 * insertion moves only the few better levels, and the best level is read and dropped without moving any.
 */
export class BookSide {
  readonly side: Side;
  private readonly levels: PriceLevel[] = [];
  private readonly byPrice = new Map<number, PriceLevel>();
  /** 1 if a higher price is better (buys), -1 if a lower one is. */
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

  /** Returns at most `depth` levels, best first. */
  top(depth: number): PriceLevel[] {
    const levels: PriceLevel[] = [];
    for (let index = this.levels.length - 1; index >= 0 && levels.length < depth; index -= 1) {
      const level = this.levels[index];
      if (level !== undefined) levels.push(level);
    }
    return levels;
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

  /** True if a taker whose limit is `limit` may trade at `price` of this side. */
  reaches(price: number, limit: number): boolean {
    return this.direction === 1 ? price >= limit : price <= limit;
  }

  /** Iterates all orders, best price first, oldest first within a price. */
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

  /** Returns the index of the first level that is not worse than `price`. */
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

/** Handler of the matches of a taker. */
export interface MatchHandler<Order extends BookOrder> {
  /** Returns the amount of a match to trade. Less than all of it ends the taker, which is out of money. */
  reach(taker: Order, match: { readonly price: number; readonly amount: number }): number;
  /** Called after each match: both orders are reduced, and a maker with nothing left is out of the book. */
  onMatch(taker: Order, maker: Order, amount: number): void;
}

/**
 * A book that matches by price, then time. A match trades at the resting order's price.
 *
 * Unlike a real market: no order is hidden, orders of one user trade with each other, and matching takes
 * no time.
 */
export class MatchingBook<Order extends BookOrder = BookOrder> {
  readonly buys = new BookSide('buy');
  readonly sells = new BookSide('sell');

  sideOf(side: Side): BookSide {
    return side === 'buy' ? this.buys : this.sells;
  }

  /** Rests an order. It must not cross the other side: the caller matches it first. */
  add(order: Order): void {
    this.sideOf(order.side).add(order);
  }

  remove(order: Order): void {
    this.sideOf(order.side).remove(order);
  }

  /** Trades `taker` with orders at `limit` or better, until it is full or none is left within the limit. */
  match(taker: Order, limit: number, handler: MatchHandler<Order>): void {
    const opposite = taker.side === 'buy' ? this.sells : this.buys;
    while (taker.remaining > 0) {
      const level = opposite.best;
      if (level === undefined || !opposite.reaches(level.price, limit)) return;
      const maker = level.head as Order;
      const possible = taker.remaining < maker.remaining ? taker.remaining : maker.remaining;
      const matched = handler.reach(taker, { price: level.price, amount: possible });
      if (matched === 0) return;
      taker.remaining -= matched;
      maker.remaining -= matched;
      level.amount -= matched;
      if (maker.remaining === 0) opposite.remove(maker);
      handler.onMatch(taker, maker, matched);
      if (matched < possible) return;
    }
  }
}

/** An order that waits for a price. */
interface StopOrder {
  readonly id: number;
  readonly side: Side;
  readonly stopPrice: number;
}

/**
 * Stop orders of a market that wait for their price. A buy is triggered when the last price is at its stop or
 * above, a sell when it is at its stop or below. Several are triggered in the order of their distance, then
 * of their ids.
 */
export class StopBook<Order extends StopOrder> {
  /** Highest stop first: the next one to trigger on a rise is last. */
  private readonly buys: Order[] = [];
  /** Lowest stop first: the next one to trigger on a fall is last. */
  private readonly sells: Order[] = [];

  get size(): number {
    return this.buys.length + this.sells.length;
  }

  add(order: Order): void {
    const list = this.listOf(order);
    const index = list.findIndex((other) => wakesBefore(other, order));
    if (index === -1) list.push(order);
    else list.splice(index, 0, order);
  }

  remove(order: Order): void {
    const list = this.listOf(order);
    const index = list.indexOf(order);
    if (index !== -1) list.splice(index, 1);
  }

  /** Removes and returns the next order that `lastPrice` triggers. */
  removeWoken(lastPrice: number): Order | undefined {
    const buy = this.buys[this.buys.length - 1];
    if (buy !== undefined && lastPrice >= buy.stopPrice) return this.buys.pop();
    const sell = this.sells[this.sells.length - 1];
    if (sell !== undefined && lastPrice <= sell.stopPrice) return this.sells.pop();
    return undefined;
  }

  all(): readonly Order[] {
    return [...this.buys, ...this.sells];
  }

  private listOf(order: Order): Order[] {
    return order.side === 'buy' ? this.buys : this.sells;
  }
}

/** True if `one` is triggered before `other`; both have the same side. */
function wakesBefore(one: StopOrder, other: StopOrder): boolean {
  if (one.stopPrice !== other.stopPrice)
    return one.side === 'buy' ? one.stopPrice < other.stopPrice : one.stopPrice > other.stopPrice;
  return one.id < other.id;
}
