import type Database from 'better-sqlite3';
import type { JournalEntry, MarketVersionRecord } from '../engine/mirror-change.ts';
import type { IntentRecord } from '../records/rows.ts';
import type { FillRecord } from '../records/fill.ts';
import type { OrderRecord, OrderState } from '../records/order.ts';
import { FILL_ROWS, FINAL_STATES, ORDER_ROWS, type SqlValue, INTENT_ROWS } from './record-tables.ts';
import { type Candle, TIMEFRAMES, type Timeframe } from '../domain/candle.ts';
import type { BookLevel, BookSides } from '../domain/order-book.ts';

/** Filter of the rows to read; null matches all. */
export interface RowFilter {
  readonly strategy: string | null;
  readonly market: string | null;
  /** Maximum number of rows to read, the newest. */
  readonly last: number;
}

export interface OrderFilter extends RowFilter {
  /** `open`: any state that is not final. */
  readonly state: OrderState | 'open' | 'all';
}

export interface IntentFilter extends RowFilter {
  readonly status: IntentRecord['status'] | 'all';
}

export interface JournalLine extends JournalEntry {
  readonly seq: number;
  readonly atMs: number;
}

/** A page of rows, newest first. */
export interface RowPage<Row> {
  readonly rows: readonly Row[];
  /** Start of the next page; null at the end. */
  readonly next: string | null;
}

/** Request for a page: `before` is the `next` of the page before it, null for the first. */
type PageOf<Filter extends RowFilter> = Omit<Filter, 'last'> & {
  readonly before: string | null;
  readonly limit: number;
};

type OrderPage = PageOf<OrderFilter>;
type FillPage = PageOf<RowFilter> & { readonly orderKey: string | null };
type IntentPage = PageOf<IntentFilter>;

interface LogPage {
  /** Lowest severity that is listed: 0 info, 1 warning, 2 error. */
  readonly level: 0 | 1 | 2;
  readonly strategy: string | null;
  readonly before: string | null;
  readonly limit: number;
}

type SignalPage = Omit<LogPage, 'level'>;

export interface LevelledLine extends JournalLine {
  readonly level: 0 | 1 | 2;
}

/**
 * Rows that one page examines at most, so that a rare filter takes milliseconds in a mirror of any size: the
 * page then ends early, and `next` continues from there.
 */
const MOST_SCANNED = 50_000;

/** SQL for the severity of a journal line, for people; null for a line that is not for them. */
const LEVEL = `CASE
  WHEN kind = 'reconciliation' THEN iif(subject = 'break', 2, 1)
  WHEN kind = 'strategy' THEN 2
  WHEN kind = 'notice' THEN iif(subject = 'credential' AND json LIKE '%"refused":true%', 2, 0)
  WHEN kind = 'finding' THEN iif(json LIKE '%"isGrave":true%', 2, 1)
  WHEN kind = 'intent' THEN iif(json LIKE '%"refusedBy":%', 1, NULL)
  WHEN kind = 'control' THEN iif(subject = 'limit begun', 1, 0)
  WHEN kind IN ('log', 'universe', 'transfer') THEN 0
END`;

interface Table {
  readonly name: 'orders' | 'fills' | 'intents' | 'journal';
  /** Columns that define the order, newest first. */
  readonly keys: readonly [string, ...string[]];
  /** Columns that conditions use, or expressions with a name. */
  readonly columns: string;
}

const ORDERS: Table = { name: 'orders', keys: ['id'], columns: 'strategy, market, state' };
const FILLS: Table = { name: 'fills', keys: ['at_ms', 'id'], columns: 'strategy, market, order_key' };
const INTENTS: Table = { name: 'intents', keys: ['id'], columns: 'strategy, market, status' };
const JOURNAL: Table = { name: 'journal', keys: ['seq'], columns: `kind, subject, ${LEVEL} AS level` };

type Condition = readonly [sql: string, value: SqlValue];

/** Reads lists of a mirror page by page; each page examines a bounded number of rows. */
export class RowPages {
  private readonly database: Database.Database;

  constructor(database: Database.Database) {
    this.database = database;
  }

  orders(page: OrderPage): RowPage<OrderRecord> {
    const { state } = page;
    const isOpen: Condition = [`state NOT IN ${FINAL_STATES}`, null];
    const states: readonly Condition[] =
      state === 'all' ? [] : state === 'open' ? [isOpen] : [['state = ?', state]];
    const { ids, next } = this.idsOf(ORDERS, page, [...scopeOf(page), ...states]);
    const read = ORDER_ROWS.select(this.database, `WHERE id IN ${LISTED} ORDER BY id DESC`);
    return { rows: read(JSON.stringify(ids)), next };
  }

  fills(page: FillPage): RowPage<FillRecord> {
    const ofOrder: Condition | null = page.orderKey === null ? null : ['order_key = ?', page.orderKey];
    const { ids, next } = this.idsOf(FILLS, page, scopeOf(page), ofOrder);
    const read = FILL_ROWS.select(this.database, `WHERE id IN ${LISTED} ORDER BY at_ms DESC, id DESC`);
    return { rows: read(JSON.stringify(ids)), next };
  }

  intents(page: IntentPage): RowPage<IntentRecord> {
    const { status } = page;
    const { ids, next } = this.idsOf(INTENTS, page, [
      ...scopeOf(page),
      ...(status === 'all' ? [] : [['status = ?', status] as const]),
    ]);
    const read = INTENT_ROWS.select(this.database, `WHERE id IN ${LISTED} ORDER BY id DESC`);
    return { rows: read(JSON.stringify(ids)), next };
  }

  /** Returns a page of the journal lines for people. */
  log({ level, ...page }: LogPage): RowPage<LevelledLine> {
    return this.journal(page, ['level >= ?', level]);
  }

  /** Returns a page of the signals from outside, whatever their result. */
  signals(page: SignalPage): RowPage<JournalLine> {
    return this.journal(page, ['kind = ?', 'signal']);
  }

  private journal(page: SignalPage, which: Condition): RowPage<LevelledLine> {
    const ofStrategy: Condition = ['subject = ?', page.strategy];
    const { ids, next } = this.idsOf(JOURNAL, page, page.strategy === null ? [which] : [which, ofStrategy]);
    const rows = this.database
      .prepare<[string], LevelledLine>(
        `SELECT ${LINE}, ${LEVEL} AS level FROM journal WHERE seq IN ${LISTED} ORDER BY seq DESC`,
      )
      .all(JSON.stringify(ids));
    return { rows, next };
  }

  /** Returns lines of the journal after a row, oldest first. */
  journalAfter(seq: number, limit: number): readonly JournalLine[] {
    return this.database
      .prepare<[number, number], JournalLine>(
        `SELECT ${LINE} FROM journal WHERE seq > ? ORDER BY seq LIMIT ?`,
      )
      .all(seq, limit);
  }

  /** Returns the number of the first and the last journal row; null if the journal is empty. */
  journalEnds(): { readonly first: number; readonly last: number } | null {
    const one = (sql: string): number | null =>
      this.database.prepare<[], number | null>(sql).pluck().get() ?? null;
    const first = one('SELECT min(seq) FROM journal');
    const last = one('SELECT max(seq) FROM journal');
    return first === null || last === null ? null : { first, last };
  }

  /** Returns the row ids of a page. `indexed`: a condition with an index, so that no other rows are read. */
  private idsOf(
    { name, keys, columns }: Table,
    { before, limit }: { readonly before: string | null; readonly limit: number },
    conditions: readonly Condition[],
    indexed: Condition | null = null,
  ): { readonly ids: readonly number[]; readonly next: string | null } {
    const order = keys.map((key) => `${key} DESC`).join(', ');
    const values = conditions.map(([, value]) => value).filter((value) => value !== null);
    const begin = withinOf(beginOf(keys, before), indexed);
    const scanned = `SELECT ${keys.join(', ')}, ${columns} FROM ${name} ${begin.sql} ORDER BY ${order} LIMIT ${MOST_SCANNED}`;
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(([sql]) => sql).join(' AND ')}`;
    const rows = this.database
      .prepare<SqlValue[], readonly number[]>(
        `SELECT ${keys.join(', ')} FROM (${scanned}) ${where} ORDER BY ${order} LIMIT ?`,
      )
      .raw()
      .all(...begin.values, ...values, limit);
    const last = rows.at(-1);
    const ids = rows.map((row) => row.at(-1) ?? 0);
    if (rows.length === limit && last !== undefined) return { ids, next: last.join('.') };
    const bound = this.database
      .prepare<SqlValue[], readonly number[]>(
        `SELECT ${keys.join(', ')} FROM ${name} ${begin.sql} ORDER BY ${order} LIMIT 1 OFFSET ${MOST_SCANNED - 1}`,
      )
      .raw()
      .get(...begin.values);
    return { ids, next: bound?.join('.') ?? null };
  }
}

/** SQL for the columns of a journal line. */
export const LINE = 'seq, at_ms AS atMs, kind, subject, json';

/** SQL for the values of a list that is bound as JSON. */
const LISTED = '(SELECT value FROM json_each(?))';

function scopeOf({ strategy, market }: Omit<RowFilter, 'last'>): readonly Condition[] {
  return [
    ...(strategy === null ? [] : [['strategy = ?', strategy] as const]),
    ...(market === null ? [] : [['market = ?', market] as const]),
  ];
}

function beginOf(keys: readonly string[], before: string | null): Within {
  if (before === null) return { sql: '', values: [] };
  const values = before.split('.').map(Number);
  // A text that is no `next` of this list begins nowhere.
  if (values.length !== keys.length) return { sql: 'WHERE 0', values: [] };
  return { sql: `WHERE (${keys.join(', ')}) < (${keys.map(() => '?').join(', ')})`, values };
}

/** Condition for the rows to read. */
interface Within {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

function withinOf({ sql, values }: Within, indexed: Condition | null): Within {
  if (indexed === null) return { sql, values };
  const [condition, value] = indexed;
  return { sql: `${sql === '' ? 'WHERE' : `${sql} AND`} ${condition}`, values: [...values, value] };
}

/** Statistics of a market as the exchange last stated them; decimals as texts. */
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

/** Time of the last change of each kind of row that has no journal line; null if there is none. */
interface ChangeTimes {
  readonly books: number | null;
  readonly stats: number | null;
  readonly balances: number | null;
}

/** Reads the market data of a mirror. */
export class MarketRows {
  private readonly database: Database.Database;

  constructor(database: Database.Database) {
    this.database = database;
  }

  /** Returns the newest steps of each market. */
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

  /** Returns the timeframes with stored candles, by market, shortest first. */
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

  /** Returns the newest candles, oldest first. */
  candles(of: {
    readonly market: string;
    readonly timeframe: Timeframe;
    readonly last: number;
    readonly toMs?: number | undefined;
  }): readonly Candle[] {
    return this.database
      .prepare<[string, string, number, number], Candle>(
        `SELECT open_time_ms AS openTimeMs, open, high, low, close, volume FROM candles
         WHERE market = ? AND timeframe = ? AND open_time_ms < ? ORDER BY open_time_ms DESC LIMIT ?`,
      )
      .all(of.market, of.timeframe, of.toMs ?? Number.MAX_SAFE_INTEGER, of.last)
      .toReversed();
  }

  changeTimes(): ChangeTimes {
    const newest = (table: string): number | null =>
      this.database.prepare<[], number | null>(`SELECT max(seen_at_ms) FROM ${table}`).pluck().get() ?? null;
    return { books: newest('books'), stats: newest('stats'), balances: newest('balances') };
  }
}
