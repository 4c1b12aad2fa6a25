import { present } from '../../domain/invariant.ts';
import { formatAmount, formatPrice, type Market } from '../../domain/market.ts';
import type { Amount, Price } from '../../domain/money.ts';
import type { BookLevel, OrderBook } from '../../domain/order-book.ts';
import { oppositeOf } from '../../domain/order.ts';
import { knownTime } from '../../recording/record-columns.ts';
import { BOOK_LEVELS } from '../../recording/records.ts';
import type { PriceLevel } from '../../simulator/price-level.ts';
import type { MarketState } from '../../simulator/market-state.ts';
import type { Liquidity } from './liquidity.ts';
import type { FollowedRules } from '../liquidity-model.ts';
import type { FollowedMarket } from '../followed-market.ts';

const NO_BOOK: OrderBook = { bids: [], asks: [], updatedAtMs: null };

/**
 * The book as it is polled: the recorded one, and where what is ours shows, without what we took and with our
 * own orders in it.
 */
export function shownBook(market: FollowedMarket, own: FollowedRules['own']): OrderBook {
  const { hasBook, bids, asks, state } = market;
  if (!hasBook) return NO_BOOK;
  const updatedAtMs = knownTime(market.bookTimeMs);
  if (own === 'hidden') return { bids: bids.side.levels, asks: asks.side.levels, updatedAtMs };
  return { bids: shownSide(bids, state), asks: shownSide(asks, state), updatedAtMs };
}

function shownSide(of: Liquidity, state: MarketState): readonly BookLevel[] {
  const { side } = of;
  const resting = state.book.sideOf(side.side);
  if (isAsRecorded(of, state)) {
    return side.length <= BOOK_LEVELS ? side.levels : side.levels.slice(0, BOOK_LEVELS);
  }
  const met = state.book.sideOf(oppositeOf(side.side)).best?.price ?? null;
  const own = resting.top(BOOK_LEVELS);
  if (of.isUntouched && (met === null || side.isBetter(met, side.priceAt(0)))) return withOwn(of, own, state);
  const levels: BookLevel[] = [];
  const { levels: allRecorded } = side;
  let mine = 0;
  for (let index = 0; index < side.length && levels.length < BOOK_LEVELS; index += 1) {
    const price = side.priceAt(index);
    for (let level = own[mine]; level !== undefined && side.isBetter(level.price, price); level = own[mine]) {
      levels.push(levelOf(state, level.price, level.amount));
      mine += 1;
    }
    // Where an order of ours rests on the other side, whoever was there has traded since.
    const isMet = met !== null && !side.isBetter(met, price);
    const left = isMet ? of.leftAt(index) : of.shownAt(index);
    const level = own[mine];
    const ours = level?.price === price ? level.amount : 0;
    if (ours > 0) mine += 1;
    const recorded = allRecorded[index];
    if (recorded !== undefined && ours === 0 && left === side.amountAt(index)) levels.push(recorded);
    else if (left + ours > 0) levels.push(levelOf(state, price, left + ours));
  }
  for (const { price, amount } of own.slice(mine)) levels.push(levelOf(state, price, amount));
  return levels.slice(0, BOOK_LEVELS);
}

/**
 * Returns the recorded levels with our orders among them, if we took nothing: only the levels of our orders
 * are read.
 */
function withOwn({ side }: Liquidity, own: readonly PriceLevel[], state: MarketState): readonly BookLevel[] {
  const { levels: recorded } = side;
  const levels: BookLevel[] = [];
  let next = 0;
  for (const { price, amount } of own) {
    const place = side.firstFrom(price);
    for (; next < place; next += 1) levels.push(present(recorded[next], 'a recorded level'));
    const isThere = side.priceAt(place) === price;
    levels.push(levelOf(state, price, amount + (isThere ? side.amountAt(place) : 0)));
    if (isThere) next += 1;
  }
  for (; next < recorded.length; next += 1) levels.push(present(recorded[next], 'a recorded level'));
  if (levels.length > BOOK_LEVELS) levels.length = BOOK_LEVELS;
  return levels;
}

/** True if nothing of ours changes a side as shown: most of the time, and then it costs nothing. */
function isAsRecorded(of: Liquidity, { book }: MarketState): boolean {
  const { side } = of;
  const { best } = book.sideOf(side.side);
  const met = book.sideOf(oppositeOf(side.side)).best;
  if (!of.isUntouched) return false;
  if (best !== undefined && (side.length < BOOK_LEVELS || side.reaches(best.price))) return false;
  return met === undefined || side.isBetter(met.price, side.priceAt(0));
}

/**
 * Levels as they were last written, by the grid of their market and their price: most orders of ours stand as
 * they stood in the book before.
 */
const WRITTEN = new WeakMap<Market, Map<number, { readonly amount: number; readonly level: BookLevel }>>();

/** Prices remembered of a market; beyond it all are forgotten. */
const MOST_WRITTEN = 256;

function levelOf({ grid }: MarketState, price: number, amount: number): BookLevel {
  let written = WRITTEN.get(grid);
  if (written === undefined) WRITTEN.set(grid, (written = new Map()));
  const known = written.get(price);
  if (known?.amount === amount) return known.level;
  if (written.size >= MOST_WRITTEN) written.clear();
  const level: BookLevel = [formatPrice(grid, price as Price), formatAmount(grid, amount as Amount)];
  written.set(price, { amount, level });
  return level;
}
