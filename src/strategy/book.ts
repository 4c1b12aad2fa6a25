import type { DecimalText } from '../domain/decimal-text.ts';
import type { BookLevel, OrderBook, BookSides } from '../domain/order-book.ts';

/** One price of a book, and what is offered at it. */
export interface Level {
  /** In the quote currency. */
  readonly price: number;
  /** In the base currency. */
  readonly amount: number;
  /** The same numbers with every digit. */
  readonly exact: { readonly price: DecimalText; readonly amount: DecimalText };
}

/** The order book as it was read last. */
export interface Book extends BookSides<readonly Level[]> {
  readonly market: string;
  /** The highest offer to buy; null where there is none. */
  readonly bestBid: Level | null;
  /** The lowest offer to sell; null where there is none. */
  readonly bestAsk: Level | null;
  /** Time of this state by the exchange, in ms since 1970; null if the exchange gives none. */
  readonly updatedAtMs: number | null;
}

/** A book whose levels are made when they are looked at. */
class ShownBook implements Book {
  readonly market: string;
  readonly updatedAtMs: number | null;
  readonly #bids: readonly BookLevel[];
  readonly #asks: readonly BookLevel[];
  #bidLevels: readonly Level[] | null = null;
  #askLevels: readonly Level[] | null = null;

  constructor(market: string, { bids, asks, updatedAtMs }: OrderBook) {
    this.market = market;
    this.updatedAtMs = updatedAtMs;
    this.#bids = bids;
    this.#asks = asks;
    Object.freeze(this);
  }

  get bids(): readonly Level[] {
    return (this.#bidLevels ??= levelsOf(this.#bids));
  }

  get asks(): readonly Level[] {
    return (this.#askLevels ??= levelsOf(this.#asks));
  }

  get bestBid(): Level | null {
    return this.bids[0] ?? null;
  }

  get bestAsk(): Level | null {
    return this.asks[0] ?? null;
  }

  toJSON(): Book {
    const { market, bids, asks, bestBid, bestAsk, updatedAtMs } = this;
    return { market, bids, asks, bestBid, bestAsk, updatedAtMs };
  }
}

Object.freeze(ShownBook.prototype);

function levelsOf(levels: readonly BookLevel[]): readonly Level[] {
  return Object.freeze(
    levels.map(([price, amount]) =>
      Object.freeze({
        price: Number(price),
        amount: Number(amount),
        exact: Object.freeze({ price, amount }),
      }),
    ),
  );
}

/** By what they were made of: a book that ten strategies look at is read once. */
const SHOWN = new WeakMap<OrderBook, Book>();

/**
 * The book that a strategy is shown. The engine never changes a book, so the levels are read when they are
 * wanted.
 */
export function bookOf(market: string, book: OrderBook): Book {
  let shown = SHOWN.get(book);
  if (shown === undefined) SHOWN.set(book, (shown = new ShownBook(market, book)));
  return shown;
}
