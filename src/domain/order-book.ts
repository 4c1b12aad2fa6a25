import { Decimal } from 'decimal.js';
import type { DecimalText } from './decimal-text.ts';

/** One price level: price and the amount offered at it. */
export type BookLevel = readonly [price: DecimalText, amount: DecimalText];

/** A market's book as seen: bids falling, asks rising, best first, and every bid below every ask. */
export interface OrderBook {
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
  /** When the exchange says it was so; null where it does not say. */
  readonly updatedAtMs: number | null;
}

const compare = (left: DecimalText, right: DecimalText): number => {
  if (left === right) return 0;
  const difference = Number(left) - Number(right);
  // Floats decide only where they can not be wrong; neighbours closer than a float can tell apart are compared exactly.
  if (Math.abs(difference) > Math.abs(Number(left)) * 1e-12) return difference;
  return new Decimal(left).comparedTo(new Decimal(right));
};

const isSorted = (levels: readonly BookLevel[], direction: 1 | -1): boolean =>
  levels.every((level, index) => {
    const previous = levels[index - 1];
    return previous === undefined || compare(previous[0], level[0]) * direction < 0;
  });

/**
 * A book from two unlabelled lists of levels. The interface calls the sells `bids` and the buys `asks`, a deployment may one day turn
 * that round, so the names on the wire are not believed: the list with the lower prices is the buys. With one side empty there is
 * nothing to compare and `whenOneSided` decides.
 *
 * A book whose sides overlap is inconsistent (read while it changed): levels are dropped from the older belief, which is the deeper one, so
 * that what remains is never crossed.
 */
export function orientBook(options: {
  readonly named: { readonly bids: readonly BookLevel[]; readonly asks: readonly BookLevel[] };
  readonly updatedAtMs: number | null;
  /** Which wire name holds the buys when one list is empty. */
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

function uncross(book: OrderBook): OrderBook {
  const { bids, asks } = book;
  let bid = 0;
  let ask = 0;
  for (;;) {
    const bestBid = bids[bid];
    const bestAsk = asks[ask];
    if (bestBid === undefined || bestAsk === undefined || compare(bestBid[0], bestAsk[0]) < 0) break;
    bid += 1;
    ask += 1;
  }
  return bid === 0 ? book : { bids: bids.slice(bid), asks: asks.slice(ask), updatedAtMs: book.updatedAtMs };
}
