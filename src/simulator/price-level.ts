import type { Side } from '../domain/order.ts';

/**
 * Order resting in a book: the links and the two numbers that matching needs. The exchange's own order
 * extends it, so matching needs no lookups.
 */
export class BookOrder {
  readonly id: number;
  readonly side: Side;
  /** Price at which it rests, in price steps. */
  price: number;
  /** Not yet filled, in amount steps. */
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
  /** Sum of what its orders have left. */
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
