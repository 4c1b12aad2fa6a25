import { Decimal } from 'decimal.js';
import type { DecimalText } from './decimal-text.ts';
import type { MarketName } from './market-symbol.ts';

/** Numbers of a market's day, to rank by: no money is made of them. Null where nothing tells them. */
export interface DayNumbers {
  readonly baseVolume: number | null;
  readonly quoteVolume: number | null;
  readonly latest: number | null;
  readonly dayLow: number | null;
  readonly dayHigh: number | null;
  /** Percent. */
  readonly dayChange: number | null;
}

/** A market's day as the exchange sums it up. A closed market may tell nothing but that it is closed. */
export interface MarketStats {
  readonly market: MarketName;
  readonly isClosed: boolean;
  readonly closedReason: string | null;
  readonly bestSell: DecimalText | null;
  readonly bestBuy: DecimalText | null;
  readonly baseVolume: DecimalText | null;
  readonly quoteVolume: DecimalText | null;
  readonly latest: DecimalText | null;
  readonly mark: DecimalText | null;
  readonly dayLow: DecimalText | null;
  readonly dayHigh: DecimalText | null;
  readonly dayOpen: DecimalText | null;
  readonly dayClose: DecimalText | null;
  /** Percent. */
  readonly dayChange: DecimalText | null;
  /** The numbers that its texts are, where they are at hand without them. */
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

/** The same for both sides, such as a schema. */
export function bothSides<Levels>(levels: Levels): BookSides<Levels> {
  return { bids: levels, asks: levels };
}

/** A market's book as seen: bids falling, asks rising, best first, and every bid below every ask. */
export interface OrderBook extends BookSides {
  /** Time of the book as stated by the exchange; null if not stated. */
  readonly updatedAtMs: number | null;
  /** Price of the last trade, if the exchange sends it with the book. */
  readonly lastTradePrice?: DecimalText;
}

/** Digits that a float surely holds: a shorter text is compared by its number. */
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
 * A book from two unlabelled lists of levels. The interface calls the sells `bids` and the buys `asks`, a
 * deployment may one day turn that round, so the names on the wire are not believed: the list with the lower
 * prices is the buys. With one side empty there is nothing to compare and `whenOneSided` decides.
 *
 * A book whose sides overlap was read while it changed. Which side is the older is not known, so the best
 * level of both is dropped until every bid is below every ask.
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

/** Drops as many best levels of both sides as overlap. */
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
