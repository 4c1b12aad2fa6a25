import type { DecimalText } from '../domain/decimal-text.ts';
import type { BookLevel, OrderBook, BookSides } from '../domain/order-book.ts';

/** One price level of a book. */
export interface Level {
  /** Price in the quote currency. */
  readonly price: number;
  /** Amount in the base currency. */
  readonly amount: number;
  /** These numbers as exact decimals. */
  readonly exact: { readonly price: DecimalText; readonly amount: DecimalText };
}

/** The order book as it was last read. */
export interface Book extends BookSides<readonly Level[]> {
  readonly market: string;
  /** The highest offer to buy; null if there is none. */
  readonly bestBid: Level | null;
  /** The lowest offer to sell; null if there is none. */
  readonly bestAsk: Level | null;
  /** Time of this state on the exchange's clock, in ms since 1970; null if the exchange gives none. */
  readonly updatedAtMs: number | null;
}

/** A book whose levels are made when they are first read. */
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

/** Shown books by the engine's book, so that a book that ten strategies read is made once. */
const SHOWN = new WeakMap<OrderBook, Book>();

/**
 * Returns the book as strategies see it. Levels are made when they are first read, which is safe because the
 * engine never changes a book.
 */
export function bookOf(market: string, book: OrderBook): Book {
  let shown = SHOWN.get(book);
  if (shown === undefined) SHOWN.set(book, (shown = new ShownBook(market, book)));
  return shown;
}
