import { timeframeMs, type Timeframe } from '../domain/candle.ts';
import type Database from 'better-sqlite3';
import type { MirrorChange } from '../engine/mirror-change.ts';
import { FigurePruner } from './figure-pruner.ts';
import { FINAL_STATES } from './record-tables.ts';
import type { RetentionLimits } from './retention.ts';

/**
 * Rows of one table that one step removes at most, so that no step is felt. What is left goes with the next
 * steps.
 */
const ROWS_A_STEP = 500;

/** Time a closed order is stored whatever the limit: a restart within it gets it back. */
export const RECENT_MS = 15 * 60_000;

/** Versions of each market. They grow by a few a day. */
const VERSIONS_A_MARKET = 1_000;

interface Step {
  readonly atMs: number;
}

/** Removes one table's rows beyond its limit; how many they were. */
type Rule = (step: Step) => number;

/**
 * Keeps the tables within their limits. Only tables that were written to since the last step are looked at.
 * Rows are counted by their numbers, which have holes where something was removed before, so that fewer than
 * the limit may be left but never more, save for what is needed: orders that are not final, that closed
 * within 15 minutes, whose pair or intent is not done, and intents at work.
 */
export class Pruner {
  private readonly database: Database.Database;
  private readonly rules: ReadonlyMap<string, Rule>;
  private readonly seriesRules: ReadonlyMap<string, (market: string, timeframe: string) => number>;
  /**
   * Tables, and series of them, that may be beyond their limit. As many as there are tables, markets, wallets
   * and timeframes.
   */
  private readonly due = new Map<string, readonly [kind: string, market: string, timeframe: string]>();

  private readonly figures: FigurePruner;

  constructor(database: Database.Database, limits: RetentionLimits) {
    this.database = database;
    this.figures = new FigurePruner(database, limits);
    this.rules = new Map(Object.entries(this.tableRules(limits)));
    this.seriesRules = new Map(Object.entries(this.seriesRulesOf(limits)));
    for (const kind of this.rules.keys()) this.addDue(kind, '', '');
    this.findSeries();
  }

  get isDue(): boolean {
    return this.due.size > 0;
  }

  /** Takes note of a row that was written. */
  note(change: MirrorChange): void {
    const { kind } = change;
    if (kind === 'figure') this.figures.note(change.figure.name);
    if (this.rules.has(kind)) this.addDue(kind, '', '');
    else if (kind === 'candle') this.addDue(kind, change.market, change.timeframe);
    else if (kind === 'public-trades') this.addDue(kind, change.market, '');
    else if (kind === 'transaction') this.addDue(kind, change.transaction.currency, '');
    else if (kind === 'market') this.addDue(kind, change.market.symbol, '');
  }

  /** One small step, within the caller's transaction; `done` is to be called once that is on the disk. */
  step(atMs: number): { readonly done: () => void } {
    const finished = [...this.due].filter(([, [kind, market, timeframe]]) => {
      const removed =
        this.rules.get(kind)?.({ atMs }) ?? this.seriesRules.get(kind)?.(market, timeframe) ?? 0;
      return removed < ROWS_A_STEP;
    });
    return { done: () => finished.forEach(([key]) => this.due.delete(key)) };
  }

  private addDue(kind: string, market: string, timeframe: string): void {
    const key = `${kind} ${market} ${timeframe}`;
    if (!this.due.has(key)) this.due.set(key, [kind, market, timeframe]);
  }

  private findSeries(): void {
    const series = this.database.prepare<[], { kind: string; market: string; timeframe: string }>(`
      SELECT DISTINCT 'candle' AS kind, market, timeframe FROM candles
      UNION ALL SELECT DISTINCT 'public-trades', market, '' FROM public_trades
      UNION ALL SELECT DISTINCT 'transaction', currency, '' FROM transactions
      UNION ALL SELECT DISTINCT 'market', symbol, '' FROM market_versions`);
    for (const { kind, market, timeframe } of series.all()) this.addDue(kind, market, timeframe);
  }

  private tableRules(limits: RetentionLimits): Record<string, Rule> {
    const journal = this.database.prepare<[number]>(`
      DELETE FROM journal WHERE seq IN (
        SELECT seq FROM journal WHERE seq <= (SELECT max(seq) FROM journal) - ? ORDER BY seq LIMIT ${ROWS_A_STEP})`);
    const fills = this.database.prepare<[number]>(`
      DELETE FROM fills WHERE id IN (
        SELECT id FROM fills WHERE id <= (SELECT max(id) FROM fills) - ? ORDER BY id LIMIT ${ROWS_A_STEP})`);
    const intents = this.database.prepare<[number]>(`
      DELETE FROM intents WHERE id IN (
        SELECT id FROM intents WHERE id <= (SELECT max(id) FROM intents) - ? AND status <> 'working'
          AND NOT EXISTS (SELECT 1 FROM algorithms WHERE algorithms.intent_id = intents.intent_id)
        ORDER BY id LIMIT ${ROWS_A_STEP})`);
    const orders = this.database.prepare<[number, number]>(`
      DELETE FROM orders WHERE id IN (
        SELECT id FROM orders AS old WHERE id <= (SELECT max(id) FROM orders) - ? AND state IN ${FINAL_STATES} AND updated_at_ms < ?
          AND NOT EXISTS (SELECT 1 FROM orders AS pair WHERE pair.order_key = old.pair_key AND pair.state NOT IN ${FINAL_STATES})
          AND NOT EXISTS (SELECT 1 FROM intents WHERE intents.intent_id = old.intent_id AND status = 'working')
          AND NOT EXISTS (SELECT 1 FROM algorithms WHERE algorithms.intent_id = old.intent_id)
        ORDER BY id LIMIT ${ROWS_A_STEP})`);
    return {
      journal: () => journal.run(limits.journalRows).changes,
      fill: () => fills.run(limits.fills).changes,
      intent: () => intents.run(limits.intents).changes,
      order: ({ atMs }) => orders.run(limits.finalOrders, atMs - RECENT_MS).changes,
      figure: ({ atMs }) => this.figures.step(atMs, ROWS_A_STEP),
    };
  }

  private seriesRulesOf(
    limits: RetentionLimits,
  ): Record<string, (market: string, timeframe: string) => number> {
    const candles = this.database.prepare<[Record<string, string | number>]>(`
      DELETE FROM candles WHERE market = @market AND timeframe = @timeframe AND open_time_ms IN (
        SELECT open_time_ms FROM candles WHERE market = @market AND timeframe = @timeframe
          AND open_time_ms <= (SELECT max(open_time_ms) FROM candles WHERE market = @market AND timeframe = @timeframe) - @keptMs
        ORDER BY open_time_ms LIMIT ${ROWS_A_STEP})`);
    const byNumber = (options: {
      table: string;
      series: string;
      number: string;
    }): Database.Statement<[object]> =>
      this.database.prepare(`
      DELETE FROM ${options.table} WHERE ${options.series} = @market AND ${options.number} IN (
        SELECT ${options.number} FROM ${options.table} WHERE ${options.series} = @market AND ${options.number} <=
          (SELECT max(${options.number}) FROM ${options.table} WHERE ${options.series} = @market) - @kept
        ORDER BY ${options.number} LIMIT ${ROWS_A_STEP})`);
    const publicTrades = byNumber({ table: 'public_trades', series: 'market', number: 'ordinal' });
    const versions = byNumber({ table: 'market_versions', series: 'symbol', number: 'version' });
    // A trade has a line in each of its wallets, so each keeps as many as there are trades. The wallets share
    // the ordinals, so the lines of one are counted, by its index. The oldest are found from the beginning of
    // the table: sorting a wallet would take a tenth of a second.
    const lines = this.database
      .prepare<[string], number>('SELECT count(*) FROM transactions WHERE currency = ?')
      .pluck();
    const oldestLines = this.database.prepare<[string, number]>(`
      DELETE FROM transactions WHERE ordinal IN (
        SELECT ordinal FROM transactions WHERE +currency = ? ORDER BY ordinal LIMIT ?)`);
    const removeLines = (wallet: string): number => {
      const beyond = (lines.get(wallet) ?? 0) - limits.fills;
      return beyond <= 0 ? 0 : oldestLines.run(wallet, Math.min(beyond, ROWS_A_STEP)).changes;
    };
    return {
      candle: (market, timeframe) => {
        const keptMs = limits.candlesPerSeries * timeframeMs(timeframe as Timeframe);
        return candles.run({ market, timeframe, keptMs }).changes;
      },
      'public-trades': (market) => publicTrades.run({ market, kept: limits.publicTradesPerMarket }).changes,
      transaction: removeLines,
      market: (market) => versions.run({ market, kept: VERSIONS_A_MARKET }).changes,
    };
  }
}
