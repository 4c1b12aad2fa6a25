import { present } from '../domain/errors.ts';
import type { VenueOrderId } from '../domain/order.ts';
import type Database from 'better-sqlite3';
import type { ReplyRecord } from '../engine/mirror-change.ts';
import type { AlgorithmRecord, IntentRecord, StrategyRecord, BalanceRecord } from '../records/rows.ts';
import type { FillRecord } from '../records/fill.ts';
import { isFinal, type OrderRecord } from '../records/order.ts';
import {
  FILL_ROWS,
  ORDER_ROWS,
  type SqlValue,
  UNFINISHED_IDS,
  INTENT_ROWS,
  ALGORITHM_ROWS,
  STRATEGY_ROWS,
  BALANCE_ROWS,
} from './record-tables.ts';
import { checkVenue } from './unusable.ts';
import { openMirrorReadOnly } from './mirror-file.ts';
import {
  readLastFigureAtMs,
  readSeriesNames,
  readSeries,
  type FigureValue,
  type SeriesRange,
} from './read-series.ts';
import {
  LINE,
  MarketRows,
  RowPages,
  type JournalLine,
  type IntentFilter,
  type OrderFilter,
  type RowFilter,
} from './row-pages.ts';
import { hasWriter } from './unusable.ts';
import { schemaVersionOf } from './check-mirror.ts';

/** Filter of journal lines: those of one strategy, or of all (null), and only the `last` newest ones. */
interface LinesFilter {
  readonly strategy: string | null;
  readonly last: number;
}

export interface StoredRow {
  readonly name: string;
  readonly json: string;
  readonly atMs: number;
}

/** Times of the last writes; null if there was none. */
interface LastSeen {
  readonly journal: number | null;
  readonly books: number | null;
  readonly stats: number | null;
  readonly balances: number | null;
  readonly fills: number | null;
}

const COUNTED = [
  'orders',
  'fills',
  'intents',
  'journal',
  'transactions',
  'candles',
  'public_trades',
  'strategies',
  'algorithms',
] as const;

/** Overview of the bot. */
export interface MirrorSummary {
  readonly path: string;
  readonly epoch: string;
  /** True if a bot has it open; null if that is not known. */
  readonly isRunning: boolean | null;
  readonly lastSeen: LastSeen;
  /** Number of rows by table. */
  readonly counts: Readonly<Record<(typeof COUNTED)[number], number>>;
  readonly strategies: readonly StrategyRecord[];
  /** Orders that are not final. */
  readonly openOrders: readonly OrderRecord[];
  readonly workingIntents: number;
  readonly stored: readonly StoredRow[];
}

/** Maximum number of algorithms that are read at once; a bot has far fewer. */
const MOST_ALGORITHMS = 1_000;

/** Maximum number of open orders that a summary lists. */
const MOST_OPEN_ORDERS_SHOWN = 1_000;

/**
 * Reads a mirror without changing it, also while a bot writes to it; each call sees one moment. Lists are
 * oldest first.
 */
export class MirrorReader {
  readonly path: string;
  /** Reads the same lists page by page. */
  readonly pages: RowPages;
  /** Reads the data of the markets. */
  readonly markets: MarketRows;
  readonly database: Database.Database;

  /** Throws `DATA_UNUSABLE`, with advice, if there is no mirror that this version can read. */
  constructor(path: string) {
    this.path = path;
    this.database = openMirrorReadOnly(path);
    this.pages = new RowPages(this.database);
    this.markets = new MarketRows(this.database);
  }

  orders(filter: OrderFilter): readonly OrderRecord[] {
    const { state } = filter;
    const isUnfinished = state === 'open' || (state !== 'all' && !isFinal({ state }));
    const where = conditions(filter, [
      ...(!isUnfinished ? [] : [[`id IN ${UNFINISHED_IDS}`, null] as const]),
      ...(state === 'all' || state === 'open' ? [] : [['state = ?', state] as const]),
    ]);
    return ORDER_ROWS.select(this.database, where.sql)(...where.values).toReversed();
  }

  /** Returns the order with this key or exchange id, and the other leg of its pair; empty for none. */
  order(name: string): readonly OrderRecord[] {
    return ORDER_ROWS.select(
      this.database,
      `WHERE order_key = ? OR venue_id = ?
         OR order_key IN (SELECT pair_key FROM orders WHERE order_key = ? OR venue_id = ?)
       ORDER BY id`,
    )(name, name, name, name);
  }

  /** Returns the exchange's unchanged replies on an order; none in a mirror that an older sarraf wrote. */
  replies(orderKey: string): readonly ReplyRecord[] {
    if (schemaVersionOf(this.database) < WITH_REPLIES) return [];
    return this.database
      .prepare<[string], ReplyRecord>(
        `SELECT order_key AS orderKey, step, at_ms AS atMs, endpoint, http_status AS httpStatus, body,
           body_length AS bodyLength, problem
         FROM replies WHERE order_key = ? ORDER BY at_ms, is_used, step`,
      )
      .all(orderKey);
  }

  fills(filter: RowFilter & { readonly orderKey?: string }): readonly FillRecord[] {
    const where = conditions(
      filter,
      filter.orderKey === undefined ? [] : [['order_key = ?', filter.orderKey]],
      'at_ms DESC, id DESC',
    );
    return FILL_ROWS.select(this.database, where.sql)(...where.values).toReversed();
  }

  /** Returns trades by their ids. */
  fillsOfTrades(ids: readonly string[]): readonly FillRecord[] {
    const of = 'WHERE trade_id IN (SELECT value FROM json_each(?)) ORDER BY at_ms, id';
    return FILL_ROWS.select(this.database, of)(JSON.stringify(ids));
  }

  /** Returns the names of manual orders by exchange id, as far back as the journal goes. */
  manualOrders(): ReadonlyMap<VenueOrderId, string> {
    const rows = this.database.prepare<[], { readonly venueId: VenueOrderId; readonly name: string }>(
      `SELECT json_extract(json, '$.venueId') AS venueId, subject AS name FROM journal
       WHERE subject GLOB 'manual-*' AND kind = 'notice'`,
    );
    return new Map(rows.all().map(({ venueId, name }) => [venueId, name]));
  }

  intents(filter: IntentFilter): readonly IntentRecord[] {
    const where = conditions(filter, filter.status === 'all' ? [] : [['status = ?', filter.status]]);
    return INTENT_ROWS.select(this.database, where.sql)(...where.values).toReversed();
  }

  /** Returns the entries that wait for a person; none of an older mirror. */
  approvals(): readonly IntentRecord[] {
    if (schemaVersionOf(this.database) < WITH_APPROVALS) return [];
    return INTENT_ROWS.select(this.database, "WHERE approval = 'waiting' ORDER BY id")();
  }

  balances(): readonly BalanceRecord[] {
    return BALANCE_ROWS.select(this.database, 'ORDER BY currency')();
  }

  strategies(): readonly StrategyRecord[] {
    return STRATEGY_ROWS.select(this.database, 'ORDER BY name')();
  }

  stored(): readonly StoredRow[] {
    return this.database
      .prepare<[], StoredRow>('SELECT name, json, at_ms AS atMs FROM kept ORDER BY name')
      .all();
  }

  /** Returns the last lines about an order, intent or strategy, oldest first. */
  journalOf(subject: string, last: number): readonly JournalLine[] {
    return this.linesWhere('subject = ?', [subject], last);
  }

  /** Returns the last lines that strategies logged, signals, or stops of strategies, oldest first. */
  lines(kind: 'log' | 'signal' | 'strategy', { strategy, last }: LinesFilter): readonly JournalLine[] {
    if (strategy === null) return this.linesWhere('kind = ?', [kind], last);
    return this.linesWhere('kind = ? AND subject = ?', [kind, strategy], last);
  }

  private linesWhere(condition: string, values: readonly string[], last: number): readonly JournalLine[] {
    const sql = `SELECT ${LINE} FROM journal WHERE ${condition} ORDER BY seq DESC LIMIT ?`;
    const read = this.database.prepare<(string | number)[], JournalLine>(sql);
    return read.all(...values, last).toReversed();
  }

  /**
   * Returns the values of a series, such as `equity/CURRENCY` (`FigureName` lists the names), oldest first
   * and thinned to the wanted number; none in a mirror that an older sarraf wrote.
   */
  figures(name: string, range: SeriesRange): readonly FigureValue[] {
    return readSeries(this.database, name, range);
  }

  /** Returns the names of series with a prefix, such as `profit/`. */
  figureNames(prefix: string): readonly string[] {
    return readSeriesNames(this.database, prefix);
  }

  /** Returns the time of the newest figure; null if there is none. */
  lastFigureAtMs(): number | null {
    return readLastFigureAtMs(this.database);
  }

  /** Returns the stored data of its account; null before any. */
  account(): string | null {
    return this.meta('account');
  }

  /** Returns the epoch in its order ids, which no other mirror has. */
  epoch(): string {
    return this.meta('epoch') ?? '';
  }

  /** Throws `DATA_UNUSABLE` if it stores the data of another venue. */
  checkVenue(venue: string): void {
    checkVenue(this.path, { venue: this.meta('venue'), epoch: this.epoch() }, venue);
  }

  private meta(name: string): string | null {
    const found = this.database.prepare<[string], string>('SELECT value FROM meta WHERE name = ?').pluck();
    return found.get(name) ?? null;
  }

  /** Returns a number that changes whenever the bot writes. */
  dataVersion(): number {
    return Number(this.database.pragma('data_version', { simple: true }));
  }

  /** Returns the running algorithms of a market, or of all markets (null). */
  algorithms(market: string | null): readonly AlgorithmRecord[] {
    return ALGORITHM_ROWS.select(
      this.database,
      `WHERE ? IS NULL OR market = ? ORDER BY intent_id LIMIT ${MOST_ALGORITHMS}`,
    )(market, market);
  }

  /** Returns the newest intent of each of these strategies. */
  lastIntents(strategies: readonly string[]): ReadonlyMap<string, IntentRecord> {
    const read = (strategy: string) =>
      this.pages.intents({ strategy, market: null, status: 'all', before: null, limit: 1 }).rows.at(0);
    return new Map(
      strategies.flatMap((name) => {
        const intent = read(name);
        return intent === undefined ? [] : [[name, intent] as const];
      }),
    );
  }

  /** Returns an intent by its id; null if it is not stored. */
  intent(id: string): IntentRecord | null {
    return INTENT_ROWS.select(this.database, 'WHERE intent_id = ?')(id)[0] ?? null;
  }

  /** Returns the time the last order was planned; null before any. */
  lastOrderAtMs(): number | null {
    return (
      this.database
        .prepare<[], number>('SELECT planned_at_ms FROM orders ORDER BY id DESC LIMIT 1')
        .pluck()
        .get() ?? null
    );
  }

  /** Calls a function for which the mirror stays as of one moment. */
  atOnce<Result>(read: () => Result): Result {
    return this.database.transaction(read)();
  }

  /** Returns an overview as of one moment, except for `isRunning`. */
  summary(): MirrorSummary {
    const read = this.database.transaction(() => ({
      epoch: this.epoch(),
      lastSeen: this.lastSeen(),
      counts: this.counts(),
      strategies: this.strategies(),
      openOrders: this.orders({ state: 'open', strategy: null, market: null, last: MOST_OPEN_ORDERS_SHOWN }),
      workingIntents: this.count("intents WHERE status = 'working'"),
      stored: this.stored(),
    }));
    return { path: this.path, isRunning: hasWriter(this.path), ...read() };
  }

  close(): void {
    this.database.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  private counts(): MirrorSummary['counts'] {
    const entries = COUNTED.map((table) => [table, this.count(table)] as const);
    return Object.fromEntries(entries) as Record<(typeof COUNTED)[number], number>;
  }

  private count(rows: string): number {
    return present(
      this.database.prepare<[], number>(`SELECT count(*) FROM ${rows}`).pluck().get(),
      'a count',
    );
  }

  private lastSeen(): LastSeen {
    const newest = (column: string, table: string): number | null =>
      this.database.prepare<[], number | null>(`SELECT max(${column}) FROM ${table}`).pluck().get() ?? null;
    return {
      journal: newest('at_ms', '(SELECT at_ms FROM journal ORDER BY seq DESC LIMIT 1)'),
      books: newest('seen_at_ms', 'books'),
      stats: newest('seen_at_ms', 'stats'),
      balances: newest('seen_at_ms', 'balances'),
      fills: newest('at_ms', 'fills'),
    };
  }
}

/** Writes a condition with its values, newest rows first. */
function conditions(
  filter: RowFilter,
  more: readonly (readonly [sql: string, value: SqlValue])[],
  order = 'rowid DESC',
): { readonly sql: string; readonly values: readonly SqlValue[] } {
  const all = [
    ['strategy = ?', filter.strategy] as const,
    ['market = ?', filter.market] as const,
    ...more,
  ].filter(([sql, value]) => value !== null || !sql.includes('?'));
  const where = all.length === 0 ? '' : `WHERE ${all.map(([sql]) => sql).join(' AND ')} `;
  const values = all.map(([, value]) => value).filter((value) => value !== null);
  return { sql: `${where}ORDER BY ${order} LIMIT ?`, values: [...values, filter.last] };
}

/** First schema versions with replies, and with approvals. */
const WITH_REPLIES = 3;
const WITH_APPROVALS = 7;
