import type { OrderBook } from '../../domain/order-book.ts';
import { joinTrades, oldestFirst } from '../../domain/trade-join.ts';
import type { PublicTrade } from '../../domain/trade.ts';
import { bookColumns, tradeColumns } from '../../recording/record-columns.ts';
import type { FollowedMarket } from '../followed/followed-market.ts';
import type { VenueAnswer, VenueCall, VenueValues } from '../port.ts';

/** Moves markets in this process along with what a real exchange answers about them. */
export class MarketFollower {
  private readonly markets: ReadonlyMap<string, FollowedMarket>;
  /** The last page of each public tape, oldest first. */
  private readonly tapes = new Map<string, readonly PublicTrade[]>();

  constructor(markets: readonly FollowedMarket[]) {
    this.markets = new Map(markets.map((market) => [market.state.rules.symbol, market]));
  }

  /**
   * Takes in an answer that has come. What is not about the books and trades of these markets changes
   * nothing.
   */
  take(call: VenueCall, answer: VenueAnswer, nowMs: number): void {
    if (answer.outcome !== 'value') return;
    if (call.kind === 'book') this.showBook(call.market, answer.value as VenueValues['book'], nowMs);
    else if (call.kind === 'books') {
      for (const [symbol, book] of Object.entries(answer.value as VenueValues['books'])) {
        this.showBook(symbol, book, nowMs);
      }
    } else if (call.kind === 'public-trades') {
      this.takeTape(call.market, answer.value as VenueValues['public-trades'], nowMs);
    }
  }

  showBook(symbol: string, { bids, asks, updatedAtMs }: OrderBook, nowMs: number): void {
    const book = { bids, asks, venueTimeMs: updatedAtMs, seenMs: nowMs };
    this.markets.get(symbol)?.onBook(bookColumns([book]), 0, nowMs);
  }

  private takeTape(symbol: string, newest: readonly PublicTrade[], nowMs: number): void {
    const page = oldestFirst(newest);
    const before = this.tapes.get(symbol);
    this.tapes.set(symbol, page);
    // The first page is the past.
    if (before === undefined) return;
    const market = this.markets.get(symbol);
    const fresh = tradeColumns(joinTrades(before, page).fresh.map((trade) => ({ ...trade, seenMs: nowMs })));
    for (let row = 0; row < fresh.length; row += 1) market?.onTrade(fresh, row, nowMs);
  }
}
