import type Database from 'better-sqlite3';
import { formatUnits } from '../domain/money.ts';
import type { MirrorChange, MarketVersionRecord, MirrorState } from '../engine/mirror-change.ts';
import type { WalletTransaction } from '../venues/port.ts';
import {
  FILL_ROWS,
  ORDER_ROWS,
  INTENT_ROWS,
  ALGORITHM_ROWS,
  STRATEGY_ROWS,
  BALANCE_ROWS,
  NOTE_ROWS,
  FINAL_STATES,
  REFUSED,
} from './record-tables.ts';
import { ADOPTED } from '../engine/lost-orders.ts';
import { MOST_APPLIED } from '../engine/applied-trades.ts';
import { nameOfList } from '../engine/stored-records.ts';
import type { FillRecord } from '../records/fill.ts';
import { PLACEHOLDER } from '../records/fill.ts';
import { RECENT_MS } from './pruner.ts';

type Statement = Database.Statement<[object]>;

/** Writes changes as rows, one at a time. Every statement is prepared once. */
export class ChangeWriter {
  private readonly journal: Statement;
  private readonly order: Statement;
  private readonly fill: Statement;
  private readonly fillGone: Statement;
  private readonly intent: Statement;
  private readonly algorithm: Statement;
  private readonly algorithmEnd: Statement;
  private readonly strategy: Statement;
  private readonly market: Statement;
  private readonly wallet: Statement;
  private readonly transaction: Statement;
  private readonly book: Statement;
  private readonly stats: Statement;
  private readonly candle: Statement;
  private readonly publicTrade: Statement;
  private readonly retained: Statement;
  private readonly figure: Statement;
  private readonly reply: Statement;
  private readonly move: Statement;
  private readonly note: Statement;
  private readonly noteEnd: Statement;

  constructor(database: Database.Database) {
    const prepare = (sql: string): Statement => database.prepare<[object]>(sql);
    this.journal = prepare(
      'INSERT INTO journal (at_ms, kind, subject, json) VALUES (@atMs, @kind, @subject, @json)',
    );
    this.order = prepare(ORDER_ROWS.upsert('order_key', { atMs: 'updated_at_ms' }));
    this.fill = prepare(FILL_ROWS.upsert("trade_id, ifnull(venue_order_id, ''), side"));
    this.fillGone = prepare(
      "DELETE FROM fills WHERE trade_id = @tradeId AND ifnull(venue_order_id, '') = ifnull(@venueOrderId, '') AND side = @side",
    );
    this.intent = prepare(INTENT_ROWS.upsert('intent_id'));
    this.algorithm = prepare(ALGORITHM_ROWS.upsert('intent_id'));
    this.algorithmEnd = prepare('DELETE FROM algorithms WHERE intent_id = @intentId');
    this.strategy = prepare(STRATEGY_ROWS.upsert('name'));
    this.market = prepare(
      'INSERT OR REPLACE INTO market_versions VALUES (@symbol, @version, @fromMs, @priceStep, @amountStep, @minOrderValue)',
    );
    this.wallet = prepare(BALANCE_ROWS.upsert('currency'));
    this.transaction = prepare(`
      INSERT INTO transactions (currency, id, at_ms, amount, description)
      VALUES (@currency, @id, @atMs, @amount, @description)
      ON CONFLICT (currency, id) DO UPDATE SET at_ms = @atMs, amount = @amount, description = @description`);
    this.book = prepare('INSERT OR REPLACE INTO books VALUES (@market, @bids, @asks, @updatedAtMs, @atMs)');
    this.stats = prepare(`
      INSERT OR REPLACE INTO stats (market, is_closed, closed_reason, best_sell, best_buy, base_volume, quote_volume, latest, mark, day_low,
        day_high, day_open, day_close, day_change, seen_at_ms)
      VALUES (@market, @isClosed, @closedReason, @bestSell, @bestBuy, @baseVolume, @quoteVolume, @latest, @mark, @dayLow,
        @dayHigh, @dayOpen, @dayClose, @dayChange, @atMs)`);
    this.candle = prepare(
      'INSERT OR REPLACE INTO candles VALUES (@market, @timeframe, @openTimeMs, @open, @high, @low, @close, @volume)',
    );
    this.publicTrade = prepare(`
      INSERT INTO public_trades VALUES (@market, (SELECT ifnull(max(ordinal), 0) + 1 FROM public_trades WHERE market = @market),
        @timeMs, @price, @amount, @side)`);
    this.retained = prepare('INSERT OR REPLACE INTO kept VALUES (@name, @json, @atMs)');
    this.figure = prepare('INSERT OR REPLACE INTO figures VALUES (@name, @atMs, @value)');
    this.reply = prepare(
      'INSERT OR REPLACE INTO replies VALUES (@orderKey, @step, @problem IS NULL, @atMs, @endpoint, @httpStatus, @body, @bodyLength, @problem)',
    );
    this.move = prepare(`
      INSERT INTO position_moves (key, act, at_ms, from_strategy, to_strategy, asset, amount, price, market, by)
      VALUES (@key, @act, @atMs, @from, @to, @asset, @amount, @price, @market, @by)`);
    this.note = prepare(NOTE_ROWS.upsert('entry'));
    this.noteEnd = prepare('DELETE FROM trip_notes WHERE entry = @entry');
  }

  /** Writes one change; `atMs` is the time when it was decided or seen. */

  write(change: MirrorChange, atMs: number): void {
    switch (change.kind) {
      case 'journal':
        this.journal.run({ ...change.entry, atMs });
        return;
      case 'order':
        this.order.run({ ...ORDER_ROWS.stored(change.order), atMs });
        return;
      case 'fill':
        this.fill.run(FILL_ROWS.stored(change.fill));
        return;
      case 'fill-gone':
        this.fillGone.run(FILL_ROWS.stored(change.fill));
        return;
      case 'intent':
        this.intent.run(INTENT_ROWS.stored(change.intent));
        return;
      case 'algorithm':
        this.algorithm.run(change.algorithm);
        return;
      case 'algorithm-end':
        this.algorithmEnd.run({ intentId: change.intentId });
        return;
      case 'strategy':
        this.strategy.run(change.strategy);
        return;
      case 'kept':
        this.retained.run({ name: change.name, json: change.json, atMs });
        return;
      case 'figure':
        this.figure.run(change.figure);
        return;
      case 'reply':
        this.reply.run(change.reply);
        return;
      case 'position-move':
        this.move.run(change.move);
        return;
      case 'note':
        this.note.run(change.note);
        return;
      case 'note-end':
        this.noteEnd.run({ entry: change.entry });
        return;
      case 'market':
      case 'wallet':
      case 'transaction':
      case 'book':
      case 'stats':
      case 'candle':
      case 'public-trades':
        this.writeSeen(change, atMs);
    }
  }

  /** Writes the exchange's data on markets and wallets. */
  private writeSeen(
    change: Extract<
      MirrorChange,
      { kind: 'market' | 'wallet' | 'transaction' | 'book' | 'stats' | 'candle' | 'public-trades' }
    >,
    atMs: number,
  ): void {
    switch (change.kind) {
      case 'market':
        this.market.run(change.market);
        return;
      case 'wallet':
        this.wallet.run(BALANCE_ROWS.stored({ ...change.wallet, seenAtMs: atMs }));
        return;
      case 'transaction':
        this.transaction.run(storedTransaction(change.transaction));
        return;
      case 'book': {
        const { bids, asks, updatedAtMs } = change.book;
        this.book.run({
          market: change.market,
          bids: JSON.stringify(bids),
          asks: JSON.stringify(asks),
          updatedAtMs,
          atMs,
        });
        return;
      }
      case 'stats': {
        const { market, isClosed, ...numbers } = change.stats;
        this.stats.run({ ...numbers, market: market.symbol, isClosed: isClosed ? 1 : 0, atMs });
        return;
      }
      case 'candle':
        this.candle.run({ market: change.market, timeframe: change.timeframe, ...change.candle });
        return;
      case 'public-trades':
        for (const trade of change.trades) this.publicTrade.run({ market: change.market, ...trade });
    }
  }
}

function storedTransaction({ currency, id, atMs, amount, description }: WalletTransaction): object {
  return { currency, id, atMs, amount: formatUnits(amount), description };
}

export interface TimedChange {
  readonly change: MirrorChange;
  readonly atMs: number;
}

/** Changes that are collected before they are written. */
const CHANGES_AT_ONCE = 256;

/**
 * Maximum number of changes that wait while nothing can be written. Changes that can be read again are
 * dropped first; then no more are accepted.
 */
const MOST_CHANGES = 4_096;

/** Changes that are dropped first: market data, and data for people only (figures and replies). */
const READ_AGAIN: ReadonlySet<MirrorChange['kind']> = new Set([
  'book',
  'stats',
  'candle',
  'public-trades',
  'figure',
  'reply',
]);

/** Changes that the next commit writes, in order. */
export class PendingChanges {
  private changes: TimedChange[] = [];

  get all(): readonly TimedChange[] {
    return this.changes;
  }

  get size(): number {
    return this.changes.length;
  }

  get isLarge(): boolean {
    return this.changes.length >= CHANGES_AT_ONCE;
  }

  /** Adds all changes, or none if writing fails at the moment and too many would wait. */
  add(changes: readonly TimedChange[], options: { readonly isStuck: boolean }): boolean {
    if (options.isStuck && this.changes.length + changes.length > MOST_CHANGES) {
      this.dropReadable();
      if (this.changes.length + changes.length > MOST_CHANGES) return false;
    }
    for (const change of changes) this.changes.push(change);
    return true;
  }

  /** Drops the changes that can be read from the exchange again. */
  dropReadable(): void {
    this.changes = this.changes.filter(({ change }) => !READ_AGAIN.has(change.kind));
  }

  clear(): void {
    this.changes = [];
  }
}

/** Trades that a restart loads at least, so that a page that overlaps the last one brings no trade twice. */
const MOST_TRADES = 2_000;

/**
 * Maximum number of closed orders of running algorithms that a restart loads. Beyond it the oldest are left
 * out.
 */
const MOST_ALGORITHM_ORDERS = 5_000;

/**
 * Maximum number of closed orders that are loaded because they were taken over after a restore, while the
 * search goes on. Beyond it the oldest are left out.
 */
const MOST_TAKEOVERS = 5_000;

/**
 * Maximum number of refused orders that are loaded, the newest. A refusal can be wrong, and the order may
 * then appear at any later time.
 */
const MOST_REFUSED = 1_000;

/** SQL that is true while orders missing in a copy of the mirror are being searched for. */
const IS_SEARCHING = `EXISTS (SELECT 1 FROM kept
  WHERE name = 'names' AND json_valid(json) AND json_extract(json, '$.isSearching'))`;

/** SQL for placeholders of trades that may still come. The index of the trade ids finds them. */
const IS_PLACEHOLDER = `(trade_id >= '${PLACEHOLDER}' AND trade_id < '${PLACEHOLDER}\u{10FFFF}')`;

/** SQL that is true if a break waits for a person, who may have to remove bookings beyond an order. */
const IS_BROKEN = `EXISTS (SELECT 1 FROM kept
  WHERE name = 'reconciliation' AND json_valid(json) AND json_extract(json, '$.break') IS NOT NULL)`;

/**
 * Maximum number of working intents that a restart loads, the oldest first. The others stay in the file as
 * working until a later restart.
 */
const MOST_INTENTS = 10_000;

/**
 * Loads the data for a restart. Orders: those not final, closed within the last 15 minutes, sent and refused,
 * of a running algorithm (which counts their fills), taken over by a search that is not over (it would take
 * them over again, without their fills), or, while a break waits, those of the last trades. Trades: the last
 * 2,000 of each list, or all that the next reading of it shows again. Besides, everything of algorithms,
 * strategies, markets and the engine's stored data.
 */
export function loadState(
  database: Database.Database,
  options: { epoch: string; nowMs: number },
): MirrorState {
  const orders = ORDER_ROWS.select(
    database,
    `WHERE id IN (
       SELECT id FROM orders WHERE state NOT IN ${FINAL_STATES}
       UNION SELECT id FROM orders WHERE ifnull(closed_at_ms, updated_at_ms) >= ?
       UNION SELECT id FROM (SELECT id FROM orders WHERE ${REFUSED} ORDER BY id DESC LIMIT ${MOST_REFUSED})
       UNION SELECT id FROM (SELECT id FROM orders WHERE intent_id IN (SELECT intent_id FROM algorithms)
         ORDER BY id DESC LIMIT ${MOST_ALGORITHM_ORDERS})
       UNION SELECT id FROM (SELECT id FROM orders WHERE intent_id = '${ADOPTED}' AND ${IS_SEARCHING}
         ORDER BY id DESC LIMIT ${MOST_TAKEOVERS})
       UNION SELECT id FROM orders WHERE order_key IN (SELECT order_key FROM fills WHERE ${IS_PLACEHOLDER})
       UNION SELECT id FROM orders WHERE ${IS_BROKEN} AND order_key IN (
         SELECT order_key FROM (SELECT order_key FROM fills ORDER BY id DESC LIMIT ${MOST_TRADES})))
     ORDER BY id`,
  );
  const markets = database.prepare<[], MarketVersionRecord>(
    `SELECT symbol, version, from_ms AS fromMs, price_step AS priceStep, amount_step AS amountStep, min_order_value AS minOrderValue
     FROM market_versions ORDER BY symbol, version`,
  );
  const stored = database
    .prepare<[], { name: string; json: string }>('SELECT name, json FROM kept ORDER BY name')
    .all();
  const intents = INTENT_ROWS.select(database, `WHERE status = 'working' ORDER BY id LIMIT ${MOST_INTENTS}`);
  return {
    epoch: options.epoch,
    orders: orders(options.nowMs - RECENT_MS),
    fills: listsOf(database).flatMap((market) => fillsOf(database, market)),
    algorithms: ALGORITHM_ROWS.select(database, 'ORDER BY intent_id')(),
    strategies: STRATEGY_ROWS.select(database, 'ORDER BY name')(),
    markets: markets.all(),
    stored: Object.fromEntries(stored.map(({ name, json }) => [name, json])),
    intents: intents(),
  };
}

/** Returns the markets that have lists of their own trades; only null if one list has those of all. */
function listsOf(database: Database.Database): readonly (string | null)[] {
  const name = 'cursor.trades';
  const isPerMarket = database.prepare(`SELECT 1 FROM kept WHERE name GLOB '${name} *'`).get() !== undefined;
  if (!isPerMarket) return [null];
  return database.prepare<[], string>('SELECT DISTINCT market FROM fills ORDER BY market').pluck().all();
}

/** Returns the trades of a list that a restart needs, by their place in it. */
function fillsOf(database: Database.Database, market: string | null): readonly FillRecord[] {
  const ofList = market === null ? '' : 'market = ? AND ';
  // The cursor of the trade so many places before the end of the list; 0 if there are fewer.
  const furthest = (count: number): string =>
    `ifnull((SELECT DISTINCT cursor FROM fills WHERE ${ofList}true ORDER BY cursor DESC LIMIT 1 OFFSET ${count - 1}), 0)`;
  const read = FILL_ROWS.select(
    database,
    `WHERE ${ofList}(${IS_PLACEHOLDER} OR cursor >= max(${furthest(MOST_APPLIED)}, min(${furthest(MOST_TRADES)},
       ifnull((SELECT CAST(json AS INTEGER) FROM kept WHERE name = ?), ${Number.MAX_SAFE_INTEGER}))))
     ORDER BY cursor, trade_id, venue_order_id, side`,
  );
  const bound = market === null ? [] : [market, market, market];
  return read(...bound, nameOfList('cursor.trades', market));
}
