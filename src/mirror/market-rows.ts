import type Database from 'better-sqlite3';
import type { Candle } from '../domain/candle.ts';
import type { MarketStats } from '../domain/market-stats.ts';
import type { OrderBook } from '../domain/order-book.ts';

/** Candles kept of each market and resolution; the oldest go beyond it. */
const CANDLES_KEPT = 20_000;

/** What was last seen of the markets and of our balances. One row each, so they stay small; candles are bounded. */
export class MarketRows {
  private readonly upsertBook: Database.Statement<[Record<string, string | number | null>]>;
  private readonly upsertStats: Database.Statement<[Record<string, string | number | null>]>;
  private readonly upsertBalance: Database.Statement<[Record<string, string | number>]>;
  private readonly upsertCandle: Database.Statement<[Record<string, string | number>]>;
  private readonly pruneCandles: Database.Statement<[Record<string, string | number>]>;
  private readonly selectBalances: Database.Statement<[], { currency: string; total: string; held: string }>;
  private candlesSincePrune = 0;

  constructor(database: Database.Database) {
    this.upsertBook = database.prepare(
      `INSERT OR REPLACE INTO books VALUES (@market, @bids, @asks, @updatedAtMs, @seenAtMs)`,
    );
    this.upsertStats = database.prepare(
      `INSERT OR REPLACE INTO stats VALUES (@market, @latest, @bestBuy, @bestSell, @dayChange, @seenAtMs)`,
    );
    this.upsertBalance = database.prepare(
      `INSERT OR REPLACE INTO balances VALUES (@currency, @total, @held, @seenAtMs)`,
    );
    this.upsertCandle = database.prepare(
      `INSERT OR REPLACE INTO candles VALUES (@market, @resolution, @openTimeMs, @open, @high, @low, @close, @volume)`,
    );
    this.pruneCandles = database.prepare(`
      DELETE FROM candles WHERE market = @market AND resolution = @resolution AND open_time_ms < (
        SELECT open_time_ms FROM candles WHERE market = @market AND resolution = @resolution
        ORDER BY open_time_ms DESC LIMIT 1 OFFSET ${CANDLES_KEPT})`);
    this.selectBalances = database.prepare('SELECT currency, total, held FROM balances ORDER BY currency');
  }

  saveBook(market: string, book: OrderBook, seenAtMs: number): void {
    const { bids, asks, updatedAtMs } = book;
    this.upsertBook.run({ market, bids: JSON.stringify(bids), asks: JSON.stringify(asks), updatedAtMs, seenAtMs });
  }

  saveStats(stats: MarketStats, seenAtMs: number): void {
    const { latest, bestBuy, bestSell, dayChange } = stats;
    this.upsertStats.run({ market: stats.market.symbol, latest, bestBuy, bestSell, dayChange, seenAtMs });
  }

  saveBalance(
    balance: { readonly currency: string; readonly total: string; readonly held: string },
    seenAtMs: number,
  ): void {
    this.upsertBalance.run({ ...balance, seenAtMs });
  }

  saveCandle(market: string, resolution: string, candle: Candle): void {
    this.upsertCandle.run({ market, resolution, ...candle });
    this.candlesSincePrune += 1;
    if (this.candlesSincePrune < CANDLES_KEPT / 10) return;
    this.candlesSincePrune = 0;
    this.pruneCandles.run({ market, resolution });
  }

  balances(): readonly { readonly currency: string; readonly total: string; readonly held: string }[] {
    return this.selectBalances.all();
  }
}
