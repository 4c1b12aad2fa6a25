import { midOfUnits, parseUnits, type Units } from '../domain/money.ts';
import type { AssetLedger } from '../portfolio/asset-ledger.ts';
import type { PriceOf } from '../portfolio/holding.ts';
import type { MarketRows, SeenBookRow } from './market-rows.ts';

/** The middle of a book, and when it was read. */
interface ReadPrice {
  readonly price: Units;
  readonly atMs: number;
}

/**
 * The prices by which a reader values what strategies hold, as the bot itself does: the middle of the last
 * book. The row of a strategy has prices too, but only of the time when it changed last, which may be days
 * ago. Each book is read once.
 */
export class LastPrices {
  private readonly markets: Pick<MarketRows, 'book'>;
  private readonly known = new Map<string, ReadPrice | null>();

  constructor(markets: Pick<MarketRows, 'book'>) {
    this.markets = markets;
  }

  /** Null where the ledger's own price is as new, or the only one. */
  beyond({ state }: AssetLedger): PriceOf {
    return (market) => {
      const read = this.priceOf(market);
      const own = state.prices.get(market);
      return read === null || (own !== undefined && own.atMs >= read.atMs) ? null : read.price;
    };
  }

  private priceOf(market: string): ReadPrice | null {
    let price = this.known.get(market);
    if (price === undefined) {
      price = middleOf(this.markets.book(market));
      this.known.set(market, price);
    }
    return price;
  }
}

function middleOf(book: SeenBookRow | null): ReadPrice | null {
  const [bid] = book?.bids[0] ?? [];
  const [ask] = book?.asks[0] ?? [];
  if (book === null || bid === undefined || ask === undefined) return null;
  return { price: midOfUnits(parseUnits(bid), parseUnits(ask)), atMs: book.seenAtMs };
}
