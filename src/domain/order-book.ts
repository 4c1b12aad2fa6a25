import { Decimal } from 'decimal.js';
import type { DecimalText } from './decimal-text.ts';
import type { MarketName } from './market-symbol.ts';

/** Statistics of a market's last day, as decimals or as numbers. Null if not stated. */
export interface StatsFigures<Figure> {
  /** The lowest offer to sell, in the quote currency. */
  readonly bestSell: Figure | null;
  /** The highest offer to buy, in the quote currency. */
  readonly bestBuy: Figure | null;
  /** Volume within the day, in the base currency. */
  readonly baseVolume: Figure | null;
  /** Volume within the day, in the quote currency. */
  readonly quoteVolume: Figure | null;
  /** Price of the last trade, in the quote currency. */
  readonly latest: Figure | null;
  /** Fair price according to the exchange, in the quote currency. */
  readonly mark: Figure | null;
  readonly dayLow: Figure | null;
  readonly dayHigh: Figure | null;
  readonly dayOpen: Figure | null;
  readonly dayClose: Figure | null;
  /** Change of the price within the day, in percent. */
  readonly dayChange: Figure | null;
}

/** Numbers of a market's day for ranking; they are never used as money. */
export type DayNumbers = Pick<
  StatsFigures<number>,
  'baseVolume' | 'quoteVolume' | 'latest' | 'dayLow' | 'dayHigh' | 'dayChange'
>;

/** Statistics of a market's day by the exchange. A closed market may state only that it is closed. */
export interface MarketStats extends StatsFigures<DecimalText> {
  readonly market: MarketName;
  readonly isClosed: boolean;
  readonly closedReason: string | null;
  /** Its decimals as numbers, if the source has them as numbers too. */
  readonly numbers?: DayNumbers;
}

/** One price level: price and the amount offered at it. */
export type BookLevel = readonly [price: DecimalText, amount: DecimalText];

/** Both sides of a book, best first. */
export interface BookSides<Levels = readonly BookLevel[]> {
  /** Offers to buy, the highest first. */
  readonly bids: Levels;
  /** Offers to sell, the lowest first. */
  readonly asks: Levels;
}

/** Returns the same value for both sides, such as a schema. */
export function bothSides<Levels>(levels: Levels): BookSides<Levels> {
  return { bids: levels, asks: levels };
}

/** A market's book as read: bids falling, asks rising, best first, and every bid below every ask. */
export interface OrderBook extends BookSides {
  /** Time of the book as stated by the exchange; null if not stated. */
  readonly updatedAtMs: number | null;
  /** Price of the last trade, if the exchange sends it with the book. */
  readonly lastTradePrice?: DecimalText;
}

/** Digits that a float always holds: shorter texts are compared as numbers. */
const EXACT_DIGITS = 15;

const compare = (left: DecimalText, right: DecimalText): number => {
  if (left === right) return 0;
  if (left.length <= EXACT_DIGITS && right.length <= EXACT_DIGITS) return Number(left) - Number(right);
  return new Decimal(left).comparedTo(new Decimal(right));
};

const isSorted = (levels: readonly BookLevel[], direction: 1 | -1): boolean =>
  levels.every((level, index) => {
    const previous = levels[index - 1];
    return previous === undefined || compare(previous[0], level[0]) * direction < 0;
  });

/**
 * Makes a book from two lists of levels whose names are not trusted: the interface calls the sells `bids` and
 * the buys `asks`, and a deployment may one day swap them. So the list with the lower prices is the buys. If
 * one side is empty, nothing can be compared and `buysAre` decides.
 *
 * A book whose sides overlap was read while it changed. Which side is older is not known, so the best level
 * of both is dropped until every bid is below every ask.
 */
export function orientBook(options: {
  readonly named: BookSides;
  readonly updatedAtMs: number | null;
  /** Wire name of the list of buys, used when one list is empty. */
  readonly buysAre: 'bids' | 'asks';
}): OrderBook {
  const { named, updatedAtMs, buysAre } = options;
  const expectedBuys = buysAre === 'bids' ? named.bids : named.asks;
  const expectedSells = buysAre === 'bids' ? named.asks : named.bids;
  const swap = medianIsHigher(expectedBuys, expectedSells);
  const bids = sorted(swap ? expectedSells : expectedBuys, -1);
  const asks = sorted(swap ? expectedBuys : expectedSells, 1);
  return uncross({ bids, asks, updatedAtMs });
}

function medianIsHigher(left: readonly BookLevel[], right: readonly BookLevel[]): boolean {
  const one = left[left.length >> 1];
  const other = right[right.length >> 1];
  return one !== undefined && other !== undefined && compare(one[0], other[0]) > 0;
}

function sorted(levels: readonly BookLevel[], direction: 1 | -1): readonly BookLevel[] {
  if (isSorted(levels, direction)) return levels;
  return levels.toSorted((left, right) => compare(left[0], right[0]) * direction);
}

/** Drops the best levels of both sides until they no longer overlap. */
function uncross(book: OrderBook): OrderBook {
  const { bids, asks, updatedAtMs } = book;
  let dropped = 0;
  for (;;) {
    const bid = bids[dropped];
    const ask = asks[dropped];
    if (bid === undefined || ask === undefined || compare(bid[0], ask[0]) < 0) break;
    dropped += 1;
  }
  return dropped === 0 ? book : { bids: bids.slice(dropped), asks: asks.slice(dropped), updatedAtMs };
}
