import type { Market } from '../domain/market.ts';
import type { BookSide } from './matching-book.ts';
import type { MarketState } from './market-state.ts';

/** Levels shown a side. */
const BOOK_DEPTH = 24;

/** The interface caches books: calls within less than a second get what the first of them got. */
const BOOK_CACHE_MS = 1_000;

/** A level in steps of the view's grid. */
export interface ViewLevel {
  readonly price: number;
  readonly amount: number;
}

/** Public view of a book for a second. Best first on both sides. */
export interface BookView {
  readonly takenAtMs: number;
  /** The last change of the book before that; where there was none yet, when it was first looked at. */
  readonly changedAtMs: number;
  readonly grid: Market;
  readonly buys: readonly ViewLevel[];
  readonly sells: readonly ViewLevel[];
  readonly lastPrice: number;
}

/** The books as the public sees them, each remade at most once a second. One entry a market. */
export class BookViews {
  private readonly views = new Map<MarketState, BookView>();

  of(market: MarketState, timeMs: number): BookView {
    const cached = this.views.get(market);
    if (cached !== undefined && timeMs - cached.takenAtMs < BOOK_CACHE_MS && timeMs >= cached.takenAtMs)
      return cached;
    market.bookChangedAtMs ??= timeMs;
    const view: BookView = {
      takenAtMs: timeMs,
      changedAtMs: market.bookChangedAtMs,
      grid: market.grid,
      buys: levelsOf(market.book.buys),
      sells: levelsOf(market.book.sells),
      lastPrice: market.lastPrice,
    };
    this.views.set(market, view);
    return view;
  }
}

function levelsOf(side: BookSide): readonly ViewLevel[] {
  return side.top(BOOK_DEPTH).map(({ price, amount }) => ({ price, amount }));
}

/**
 * The levels gathered into coarser ones, as the depth endpoint shows them. The interface says only that they
 * are aggregated and rounded: here prices go to four significant digits, buys down and sells up, so that a
 * gathered level never looks better than its parts.
 */
export function aggregateLevels(
  levels: readonly ViewLevel[],
  direction: 'down' | 'up',
): readonly ViewLevel[] {
  const gathered = new Map<number, number>();
  for (const { price, amount } of levels) {
    const unit = 10 ** Math.max(0, Math.floor(Math.log10(price)) - 3);
    const rounded = (direction === 'down' ? Math.floor(price / unit) : Math.ceil(price / unit)) * unit;
    gathered.set(rounded, (gathered.get(rounded) ?? 0) + amount);
  }
  return [...gathered].map(([price, amount]) => ({ price, amount }));
}
