import type Database from 'better-sqlite3';
import { closing } from '../domain/closing.ts';
import { type Candle, longestBarMs, TIMEFRAMES, type Timeframe } from '../domain/candle.ts';
import { plotFigure } from '../domain/figure-name.ts';
import { readRecord, type PlotRecord } from '../engine/stored-records.ts';
import type { MarketVersionRecord } from '../engine/mirror-change.ts';
import { FILL_ROWS, ORDER_ROWS, UNFINISHED_IDS, STRATEGY_ROWS, BALANCE_ROWS } from './record-tables.ts';
import { openMirrorReadOnly } from './mirror-file.ts';
import type { StoredRow } from './mirror-reader.ts';
import { readSeries, type FigureValue } from './read-series.ts';
import { openingFailed, hasWriter } from './unusable.ts';
import type { JournalLine } from './row-pages.ts';
import type { StrategyRecord, BalanceRecord } from '../records/rows.ts';
import type { FillRecord } from '../records/fill.ts';
import type { OrderRecord } from '../records/order.ts';
import type { Sentence } from '../language/sentence.ts';

/** Tables whose oldest rows a mirror removes beyond a limit. */
export type BoundedTable = 'fills' | 'orders' | 'intents' | 'journal';

/** Number of rows that were removed from a table, and time the oldest remaining one was written. */
interface RowsOf {
  readonly removed: number;
  /** Null if the table is empty. */
  readonly sinceMs: number | null;
}

/** An intent that was refused, with the check that refused it if the journal still has it. */
export interface RefusedIntent {
  readonly id: string;
  readonly strategy: string;
  readonly kind: string;
  readonly atMs: number;
  readonly reason: Sentence | null;
  readonly check: string | null;
}

/** An order of an algorithm that a risk check refused. */
interface RefusedSlice {
  readonly strategy: string;
  readonly atMs: number;
  readonly check: string;
  /** Figures of the check, as JSON. */
  readonly json: string;
}

/** A start of the strategies, and the time before it without any journal line. */
interface SessionStart {
  readonly atMs: number;
  /** The journal line as JSON. */
  readonly json: string;
  /** Time of the journal line before it; null if it is the first. */
  readonly lineBeforeMs: number | null;
}

interface StoredSeries {
  readonly market: string;
  readonly timeframe: Timeframe;
  readonly candles: readonly Candle[];
}

/** A series that a strategy plots: how it is drawn, and its values in the range. */
interface StoredPlot {
  readonly plot: PlotRecord;
  readonly values: readonly FigureValue[];
}

/** Price of a trade, or else the middle of a book, with its time. */
interface SeenPrice {
  readonly market: string;
  readonly price: string;
  readonly atMs: number;
}

/** Data of a mirror for a report, as of one moment except for `isRunning`. Lists are oldest first. */
export interface SessionRows {
  readonly path: string;
  readonly epoch: string;
  /** Stored data of the account, as the bot wrote it. */
  readonly account: string | null;
  /** True if a bot has the mirror open; null if that is not known. */
  readonly isRunning: boolean | null;
  readonly tables: Readonly<Record<BoundedTable, RowsOf>>;
  /** Start of the range, or of the mirror's data; null if it has none. */
  readonly fromMs: number | null;
  /** Time of the bot's last write; null in a mirror without any. */
  readonly aliveUntilMs: number | null;
  /** Fills in the order in which the bot read them; `moreFills` older ones were left out. */
  readonly fills: readonly FillRecord[];
  readonly moreFills: number;
  /** Orders planned within the range, in the order of their plans; `moreOrders` older ones were left out. */
  readonly orders: readonly OrderRecord[];
  readonly moreOrders: number;
  readonly unfinished: readonly OrderRecord[];
  /** Number of intents in the range, by strategy. */
  readonly intents: ReadonlyMap<string, number>;
  readonly refusedIntents: readonly RefusedIntent[];
  readonly refusedSlices: readonly RefusedSlice[];
  readonly starts: readonly SessionStart[];
  readonly lockLines: readonly JournalLine[];
  readonly logs: ReadonlyMap<string, readonly JournalLine[]>;
  /**
   * One series for each market, with the bar that ends at the range's start: the finest that goes back that
   * far, else the one that goes back furthest.
   */
  readonly series: readonly StoredSeries[];
  readonly prices: readonly SeenPrice[];
  readonly plots: readonly StoredPlot[];
  readonly markets: readonly MarketVersionRecord[];
  readonly strategies: readonly StrategyRecord[];
  readonly balances: readonly BalanceRecord[];
  readonly stored: readonly StoredRow[];
}

/** Maximum number of rows of each kind that are read, the newest: it bounds the memory of a report. */
const MOST_SESSION_ROWS = 250_000;
/** Maximum number of candles of each market. */
const MOST_CANDLES = 100_000;
/** Maximum number of starts of the bot, and most changes of locks. */
const MOST_LINES = 20_000;
/** Maximum number of lines of each strategy's log. */
const MOST_LOGGED = 1_000;

/**
 * Maximum number of values of a plot; if there are more, the last one in each of as many equal parts of the
 * time.
 */
const MOST_PLOT_VALUES = 20_000;

/** Times in ms since 1970; the end is excluded. */
interface Range {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Reads a report's data from a mirror without changing it, also while the bot writes to it. Throws
 * `DATA_UNUSABLE` if there is no mirror that this version can read completely.
 */
export function readSessionRows(path: string, range: Range): SessionRows {
  const isRunning = hasWriter(path);
  using database = closing(openMirrorReadOnly(path));
  try {
    return database.transaction(() => ({ path, isRunning, ...new Reading(database, range).all() }))();
  } catch (error) {
    throw openingFailed(path, error);
  }
}

class Reading {
  private readonly database: Database.Database;
  private range: Range;

  constructor(database: Database.Database, range: Range) {
    this.database = database;
    this.range = range;
  }

  all(): Omit<SessionRows, 'path' | 'isRunning'> {
    const strategies = STRATEGY_ROWS.select(this.database, 'ORDER BY name')();
    const tables = {
      fills: this.tableOf('fills', 'id', 'at_ms'),
      orders: this.tableOf('orders', 'id', 'planned_at_ms'),
      intents: this.tableOf('intents', 'id', 'at_ms'),
      journal: this.tableOf('journal', 'seq', 'at_ms'),
    };
    const since = Object.values(tables).flatMap(({ sinceMs }) => sinceMs ?? []);
    const fromMs = since.length === 0 ? null : Math.max(this.range.fromMs, Math.min(...since));
    this.range = { ...this.range, fromMs: fromMs ?? this.range.fromMs };
    return {
      epoch: this.meta('epoch') ?? '',
      account: this.meta('account'),
      tables,
      fromMs,
      aliveUntilMs: this.aliveUntilMs(),
      ...this.fillsAndOrders(),
      ...this.intentRows(),
      starts: this.starts(),
      lockLines: this.lines(`kind = 'control' AND subject GLOB 'lock *'`, MOST_LINES),
      logs: new Map(
        strategies.map(({ name }) => [
          name,
          this.lines(`kind = 'log' AND subject = @name`, MOST_LOGGED, { name }),
        ]),
      ),
      series: this.series(),
      prices: this.prices(),
      plots: this.plots(),
      markets: this.database
        .prepare<
          [object],
          MarketVersionRecord
        >(`SELECT symbol, version, from_ms AS fromMs, price_step AS priceStep, amount_step AS amountStep,
           min_order_value AS minOrderValue
         FROM market_versions WHERE (symbol, version) IN (SELECT symbol, max(version) FROM market_versions GROUP BY symbol)
         ORDER BY symbol`)
        .all({}),
      strategies,
      balances: BALANCE_ROWS.select(this.database, 'ORDER BY currency')(),
      stored: this.stored(),
    };
  }

  private stored(): readonly StoredRow[] {
    return this.database
      .prepare<[object], StoredRow>('SELECT name, json, at_ms AS atMs FROM kept ORDER BY name')
      .all({});
  }

  private plots(): readonly StoredPlot[] {
    const { fromMs, toMs } = this.range;
    return (readRecord(this.stored(), 'plots') ?? []).map((plot) => {
      const name = plotFigure(plot.strategy, plot.market, plot.name);
      return { plot, values: readSeries(this.database, name, { fromMs, toMs, most: MOST_PLOT_VALUES }) };
    });
  }

  /** Reads fills up to the mirror's end: earlier holdings are computed back from the present ones. */
  private fillsAndOrders(): Pick<
    SessionRows,
    'fills' | 'moreFills' | 'orders' | 'moreOrders' | 'unfinished'
  > {
    const { fromMs, toMs } = this.range;
    const { database } = this;
    const fills = FILL_ROWS.select(
      database,
      `WHERE id > (SELECT ifnull(max(id), 0) FROM fills) - ${MOST_SESSION_ROWS} ORDER BY id`,
    )();
    const orders = ORDER_ROWS.select(
      database,
      `WHERE planned_at_ms >= ? AND planned_at_ms < ?
         AND id > (SELECT ifnull(max(id), 0) FROM orders) - ${MOST_SESSION_ROWS} ORDER BY id`,
    )(fromMs, toMs);
    const within = this.count('orders WHERE planned_at_ms >= @fromMs AND planned_at_ms < @toMs', this.range);
    return {
      fills,
      moreFills: this.count('fills') - fills.length,
      orders,
      moreOrders: within - orders.length,
      unfinished: ORDER_ROWS.select(
        database,
        `WHERE id IN ${UNFINISHED_IDS} ORDER BY id DESC LIMIT ${MOST_LINES}`,
      )().toReversed(),
    };
  }

  private intentRows(): Pick<SessionRows, 'intents' | 'refusedIntents' | 'refusedSlices'> {
    const counted = this.database
      .prepare<[object], { strategy: string; count: number }>(
        `SELECT strategy, count(*) AS count FROM intents WHERE at_ms >= @fromMs AND at_ms < @toMs GROUP BY strategy`,
      )
      .all(this.range);
    // The line of the check comes just before that of the intent's end.
    const checks = this.database
      .prepare<
        [object],
        RefusedSlice & { readonly intentId: string | null }
      >(`SELECT lines.subject AS strategy, lines.at_ms AS atMs, lines.json,
         json_extract(lines.json, '$.refusedBy') AS 'check', ended.subject AS intentId
       FROM journal AS lines LEFT JOIN journal AS ended ON ended.seq = lines.seq + 1 AND ended.kind = 'intent'
         AND json_valid(ended.json) AND json_extract(ended.json, '$.status') = 'refused'
       WHERE lines.kind = 'intent' AND lines.at_ms >= @fromMs AND lines.at_ms < @toMs
         AND json_valid(lines.json) AND json_extract(lines.json, '$.refusedBy') IS NOT NULL
       ORDER BY lines.seq DESC LIMIT ${MOST_SESSION_ROWS}`)
      .all(this.range)
      .toReversed();
    const checkOf = new Map(checks.map(({ intentId, check }) => [intentId, check]));
    const refused = this.database
      .prepare<
        [object],
        Omit<RefusedIntent, 'check'>
      >(`SELECT intent_id AS id, strategy, kind, at_ms AS atMs, reason FROM intents
       WHERE status = 'refused' AND at_ms >= @fromMs AND at_ms < @toMs ORDER BY id DESC LIMIT ${MOST_SESSION_ROWS}`)
      .all(this.range)
      .toReversed();
    return {
      intents: new Map(counted.map(({ strategy, count }) => [strategy, count])),
      refusedIntents: refused.map((intent) => ({ ...intent, check: checkOf.get(intent.id) ?? null })),
      refusedSlices: checks.filter(({ intentId, check }) => intentId === null && !check.startsWith('lock ')),
    };
  }

  private starts(): readonly SessionStart[] {
    return this.database
      .prepare<[object], SessionStart>(`SELECT at_ms AS atMs, json,
         (SELECT at_ms FROM journal AS before WHERE before.seq < line.seq ORDER BY seq DESC LIMIT 1) AS lineBeforeMs
       FROM journal AS line WHERE subject = 'start' AND kind = 'control' AND at_ms >= @fromMs AND at_ms < @toMs
       ORDER BY seq DESC LIMIT ${MOST_LINES}`)
      .all(this.range)
      .toReversed();
  }

  /** Reads lines of the journal before the range's end. */
  private lines(where: string, most: number, bound: object = {}): readonly JournalLine[] {
    return this.database
      .prepare<
        [object],
        JournalLine
      >(`SELECT seq, at_ms AS atMs, kind, subject, json FROM journal WHERE ${where} AND at_ms < @toMs
       ORDER BY seq DESC LIMIT ${most}`)
      .all({ toMs: this.range.toMs, ...bound })
      .toReversed();
  }

  private series(): readonly StoredSeries[] {
    const known = this.database
      .prepare<[object], { market: string; timeframe: string; firstMs: number }>(
        'SELECT market, timeframe, min(open_time_ms) AS firstMs FROM candles GROUP BY market, timeframe',
      )
      .all({});
    const read = this.database.prepare<[object], Candle>(
      `SELECT open_time_ms AS openTimeMs, open, high, low, close, volume FROM candles
       WHERE market = @market AND timeframe = @timeframe AND open_time_ms >= @fromMs - @barMs AND open_time_ms < @toMs
       ORDER BY open_time_ms DESC LIMIT ${MOST_CANDLES}`,
    );
    return [...Map.groupBy(known, ({ market }) => market)].flatMap(([market, found]) => {
      const chosen = this.chosenOf(found);
      if (chosen === null) return [];
      const bars = { market, timeframe: chosen, barMs: longestBarMs(chosen), ...this.range };
      return [{ market, timeframe: chosen, candles: read.all(bars).toReversed() }];
    });
  }

  private chosenOf(found: readonly { timeframe: string; firstMs: number }[]): Timeframe | null {
    const firstMs = new Map(found.map((one) => [one.timeframe, one.firstMs]));
    const known = TIMEFRAMES.filter((timeframe) => firstMs.has(timeframe));
    const earliest = Math.min(...firstMs.values());
    const neededMs = Math.max(this.range.fromMs, earliest);
    return known.find((timeframe) => (firstMs.get(timeframe) ?? 0) <= neededMs) ?? known.at(-1) ?? null;
  }

  private prices(): readonly SeenPrice[] {
    return [
      ...this.database
        .prepare<[object], SeenPrice>(
          'SELECT market, latest AS price, seen_at_ms AS atMs FROM stats WHERE latest IS NOT NULL',
        )
        .all({}),
      ...this.database
        .prepare<[object], SeenPrice>(`SELECT market, price, at_ms AS atMs FROM public_trades
         WHERE (market, ordinal) IN (SELECT market, max(ordinal) FROM public_trades GROUP BY market)`)
        .all({}),
      // A market that only has a book: what one could sell for there.
      ...this.database
        .prepare<
          [object],
          SeenPrice
        >(`SELECT market, ifnull(${best('bids')}, ${best('asks')}) AS price, seen_at_ms AS atMs FROM books
         WHERE market NOT IN (SELECT market FROM stats WHERE latest IS NOT NULL)
           AND market NOT IN (SELECT market FROM public_trades)
           -- A market of another venue, where nothing is sold.
           AND market NOT LIKE '%:%'
           AND ifnull(${best('bids')}, ${best('asks')}) IS NOT NULL`)
        .all({}),
    ];
  }

  private aliveUntilMs(): number | null {
    const [row] = this.database
      .prepare<[object], { atMs: number | null }>(`SELECT max(at_ms) AS atMs FROM (
         SELECT max(at_ms) AS at_ms FROM kept
         UNION ALL SELECT max(at_ms) FROM strategies
         UNION ALL SELECT at_ms FROM (SELECT at_ms FROM journal ORDER BY seq DESC LIMIT 1)
         UNION ALL SELECT at_ms FROM (SELECT at_ms FROM fills ORDER BY id DESC LIMIT 1)
         UNION ALL SELECT updated_at_ms FROM (SELECT updated_at_ms FROM orders ORDER BY id DESC LIMIT 1))`)
      .all({});
    return row?.atMs ?? null;
  }

  private tableOf(table: BoundedTable, key: string, time: string): RowsOf {
    // Rows are numbered from 1, and no number is given twice.
    const [row] = this.database
      .prepare<
        [object],
        { removed: number; sinceMs: number | null }
      >(`SELECT ifnull(max(${key}), 0) - count(*) AS removed,
         (SELECT ${time} FROM ${table} ORDER BY ${key} LIMIT 1) AS sinceMs FROM ${table}`)
      .all({});
    return { removed: row?.removed ?? 0, sinceMs: row?.sinceMs ?? null };
  }

  private meta(name: string): string | null {
    const [row] = this.database
      .prepare<[object], { value: string }>('SELECT value FROM meta WHERE name = @name')
      .all({ name });
    return row?.value ?? null;
  }

  private count(rows: string, bound: object = {}): number {
    return (
      this.database
        .prepare<[object], { count: number }>(`SELECT count(*) AS count FROM ${rows}`)
        .all(bound)[0]?.count ?? 0
    );
  }
}

/** SQL for the best price of a side of a book, which is stored as JSON. */
function best(side: 'bids' | 'asks'): string {
  return `CASE WHEN json_valid(${side}) THEN json_extract(${side}, '$[0][0]') END`;
}
