import type Database from 'better-sqlite3';
import { type Candle, TIMEFRAMES, type Timeframe } from '../domain/candle.ts';
import type { BookLevel, BookSides } from '../domain/order-book.ts';
import type { MarketVersionRecord } from '../engine/mirror-change.ts';

/** The statistics of a market as the exchange last told them; decimals as texts. */
interface StatsRow {
  readonly market: string;
  readonly isClosed: number;
  readonly latest: string | null;
  readonly bestBuy: string | null;
  readonly bestSell: string | null;
  readonly dayChange: string | null;
  readonly seenAtMs: number;
}

/** A book as it was last read. */
export interface SeenBookRow<Levels = readonly BookLevel[]> extends BookSides<Levels> {
  readonly updatedAtMs: number | null;
  readonly seenAtMs: number;
}

/** Time of the last change of each kind of row that has no line in the journal; null if there is none. */
interface ChangeTimes {
  readonly books: number | null;
  readonly stats: number | null;
  readonly balances: number | null;
}

/** Data of a mirror on the markets themselves. */
export class MarketRows {
  private readonly database: Database.Database;

  constructor(database: Database.Database) {
    this.database = database;
  }

  /** The newest steps of each market, by its symbol. */
  versions(): readonly MarketVersionRecord[] {
    return this.database
      .prepare<[], MarketVersionRecord>(
        `SELECT symbol, max(version) AS version, from_ms AS fromMs, price_step AS priceStep,
           amount_step AS amountStep, min_order_value AS minOrderValue FROM market_versions GROUP BY symbol ORDER BY symbol`,
      )
      .all();
  }

  stats(): readonly StatsRow[] {
    return this.database
      .prepare<[], StatsRow>(
        `SELECT market, is_closed AS isClosed, latest, best_buy AS bestBuy, best_sell AS bestSell,
           day_change AS dayChange, seen_at_ms AS seenAtMs FROM stats ORDER BY market`,
      )
      .all();
  }

  /** Returns the time of each book's last change, by market. */
  bookTimes(): ReadonlyMap<string, number> {
    const rows = this.database.prepare<[], [string, number]>('SELECT market, seen_at_ms FROM books');
    return new Map(rows.raw().all());
  }

  book(market: string): SeenBookRow | null {
    const row = this.database
      .prepare<[string], SeenBookRow<string>>(
        'SELECT bids, asks, updated_at_ms AS updatedAtMs, seen_at_ms AS seenAtMs FROM books WHERE market = ?',
      )
      .get(market);
    if (row === undefined) return null;
    return {
      ...row,
      bids: JSON.parse(row.bids) as readonly BookLevel[],
      asks: JSON.parse(row.asks) as readonly BookLevel[],
    };
  }

  /** The timeframes of which candles are kept, by market, shortest first. */
  timeframes(): ReadonlyMap<string, readonly Timeframe[]> {
    const has = this.database
      .prepare<[string, string], number>('SELECT 1 FROM candles WHERE market = ? AND timeframe = ? LIMIT 1')
      .pluck();
    const markets = this.versions().map(({ symbol }) => symbol);
    return new Map(
      markets.map((market) => [
        market,
        TIMEFRAMES.filter((timeframe) => has.get(market, timeframe) !== undefined),
      ]),
    );
  }

  /** The newest candles, oldest first. */
  candles(of: {
    readonly market: string;
    readonly timeframe: Timeframe;
    readonly last: number;
  }): readonly Candle[] {
    return this.database
      .prepare<[string, string, number], Candle>(
        `SELECT open_time_ms AS openTimeMs, open, high, low, close, volume FROM candles
         WHERE market = ? AND timeframe = ? ORDER BY open_time_ms DESC LIMIT ?`,
      )
      .all(of.market, of.timeframe, of.last)
      .toReversed();
  }

  changeTimes(): ChangeTimes {
    const newest = (table: string): number | null =>
      this.database.prepare<[], number | null>(`SELECT max(seen_at_ms) FROM ${table}`).pluck().get() ?? null;
    return { books: newest('books'), stats: newest('stats'), balances: newest('balances') };
  }
}
