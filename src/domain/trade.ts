import type { DecimalText } from './decimal-text.ts';
import type { MarketName } from './market-symbol.ts';
import type { Units, TooFine } from './money.ts';
import type { Side, VenueOrderId, VenueTradeId } from './order.ts';

/** Amounts of a trade, in units of 1e-10. `total` is before the fee. */
export interface TradeAmounts {
  readonly side: Side;
  readonly amount: bigint;
  readonly total: bigint;
  readonly fee: bigint;
  /** Currency of the fee, in lower case; null for the one received: base of a buy, quote of a sell. */
  readonly feeCurrency: string | null;
}

/** A trade of the account as the exchange reports it, with money in units of 1e-10. */
export interface VenueTrade extends TradeAmounts {
  readonly id: VenueTradeId;
  readonly orderId: VenueOrderId | null;
  readonly market: MarketName | null;
  /** Null if the exchange's text is no valid time. */
  readonly timeMs: number | null;
  readonly price: Units;
  readonly amount: Units;
  readonly total: Units;
  readonly fee: Units;
  /** A number of the trade with more decimals than the books hold; null if there is none. */
  readonly tooFine: TooFine | null;
}

/** Returns the currency of a fee as records have it: null also where a trade names the one that it brings. */
export function givenCurrencyOf({ side, market, feeCurrency }: VenueTrade): string | null {
  return feeCurrency === (side === 'buy' ? market?.base : market?.quote) ? null : feeCurrency;
}

/** A trade of the public tape. It has no id. `side` is the side of the taker's order. */
export interface PublicTrade {
  readonly timeMs: number;
  readonly price: DecimalText;
  readonly amount: DecimalText;
  readonly side: Side;
}

/**
 * Returns the new trades of a page of the public tape after the page before. Trades have no id, so pages are
 * joined by their longest overlap: the largest part of the old page's end that is, as a multiset, the
 * beginning of the new page. No overlap is a gap: some trades may have been missed.
 *
 * Both pages are oldest first. Bounded by the length of a page.
 */
export function joinTrades(
  before: readonly PublicTrade[] | null,
  page: readonly PublicTrade[],
): { readonly fresh: readonly PublicTrade[]; readonly hasGap: boolean } {
  if (before === null) return { fresh: page, hasGap: false };
  if (page.length === 0) return { fresh: [], hasGap: false };
  if (before.length === 0) return { fresh: page, hasGap: false };
  const old = before.map(nameOf);
  const now = page.map(nameOf);
  for (let length = Math.min(old.length, now.length); length > 0; length -= 1) {
    if (areSame(old.slice(old.length - length), now.slice(0, length)))
      return { fresh: page.slice(length), hasGap: false };
  }
  return { fresh: page, hasGap: true };
}

/** Returns trades of the exchange oldest first, whatever order they came in. */
export function oldestFirst(page: readonly PublicTrade[]): readonly PublicTrade[] {
  const first = page[0];
  const last = page.at(-1);
  if (first === undefined || last === undefined || first.timeMs <= last.timeMs) return page;
  return page.toReversed();
}

const nameOf = ({ timeMs, price, amount, side }: PublicTrade): string =>
  `${timeMs} ${side} ${price} ${amount}`;

/** True if two lists have the same items in any order: trades of one instant change places between pages. */
function areSame(left: readonly string[], right: readonly string[]): boolean {
  if (left[0] === right[0] && left.every((name, index) => name === right[index])) return true;
  const sorted = right.toSorted();
  return left.toSorted().every((name, index) => name === sorted[index]);
}
