import { timeframeMs, type Timeframe } from '../domain/candle.ts';
import type Database from 'better-sqlite3';
import type { MirrorChange } from '../engine/mirror-change.ts';
import { FINAL_STATES } from './record-tables.ts';
import { DAY_MS, HOUR_MS } from '../domain/time-text.ts';
import { MOST_PLOTS } from '../strategy/plots.ts';
import { invalidOptions } from '../domain/errors.ts';

/**
 * Maximum number of rows of one table that one step removes, so that a step stays short. The next steps
 * remove the rest.
 */
const ROWS_A_STEP = 500;

/** Time for which a closed order is stored at any limit, in ms: a restart within it loads the order. */
export const RECENT_MS = 15 * 60_000;

/** Maximum number of stored versions of each market. A few are added in a day. */
const VERSIONS_A_MARKET = 1_000;

/** Maximum number of notes of people; beyond it the oldest are removed. */
const MOST_NOTES = 20_000;

/** Removes one table's rows beyond its limit; returns their number. */
type Rule = (step: { readonly atMs: number }) => number;

/**
 * Keeps the tables within their limits. Only tables that were written since the last step are checked. Rows
 * are counted by their numbers, which have holes after removals, so fewer rows than the limit may be left,
 * but never more except for needed ones: orders that are not final, that closed within 15 minutes, or whose
 * pair or intent is not done, and working intents.
 */
export class Pruner {
  private readonly database: Database.Database;
  private readonly rules: ReadonlyMap<string, Rule>;
  private readonly seriesRules: ReadonlyMap<string, (market: string, timeframe: string) => number>;
  /**
   * Tables, and series in them, that may be beyond their limit: no more than tables, markets, wallets and
   * timeframes.
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

  /** Notes a row that was written. */
  note(change: MirrorChange): void {
    const { kind } = change;
    if (kind === 'figure') this.figures.note(change.figure.name);
    if (this.rules.has(kind)) this.addDue(kind, '', '');
    else if (kind === 'candle') this.addDue(kind, change.market, change.timeframe);
    else if (kind === 'public-trades') this.addDue(kind, change.market, '');
    else if (kind === 'transaction') this.addDue(kind, change.transaction.currency, '');
    else if (kind === 'market') this.addDue(kind, change.market.symbol, '');
  }

  /** Does one small step within the caller's transaction; `done` must be called once it is on the disk. */
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
    const notes = this.database.prepare(`
      DELETE FROM trip_notes WHERE entry IN (
        SELECT entry FROM trip_notes ORDER BY at_ms DESC LIMIT ${ROWS_A_STEP} OFFSET ${MOST_NOTES})`);
    return {
      note: () => notes.run().changes,
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

/**
 * Offset of Tehran's clock. Hours and days begin by it, so that the first value of a day stays: daily profits
 * begin with it. Its half hour makes its hours differ from those of UTC. If its clock were changed again, a
 * day would keep a value that is an hour away from its beginning.
 */
const TEHRAN_MS = 3.5 * HOUR_MS;

/** Ages up to which every value is stored, and then one for each hour; beyond them one for each day. */
const ALL_RETAINED_MS = 14 * DAY_MS;
const HOURLY_RETAINED_MS = 400 * DAY_MS;
const DAILY_RETAINED_MS = 10_000 * DAY_MS;

/** Maximum number of series that are no plots. Beyond it those with the oldest last value are removed. */
const MOST_SERIES = 1_000;

/** New values of a plot after which its oldest are removed: it has up to this many more than the limit. */
const PLOTS_A_STEP = 50;

/** Time whose thinned values are checked again, since a step may not have reached the disk. */
const OVERLAP_MS = 2 * DAY_MS;

const isPlot = (name: string): boolean => name.startsWith('plot/');
/** Returns the part of a plot's name that is the strategy's: `plot/STRATEGY/`. */
const ownerOf = (name: string): string => name.split('/').slice(0, 2).join('/');

/** Series that one step checks: all of a long series takes some milliseconds. */
const SERIES_A_STEP = 4;

type Run = Database.Statement<[Record<string, string | number>]>;

/** Removes values, at most as many as the step has left; returns true if all of them are gone. */
type Remove = (statement: Run, values: Record<string, string | number>) => boolean;

/** State of the hourly thinning: the series that are still to be checked. */
interface Round {
  readonly hourMs: number;
  readonly sinceMs: number;
  readonly series: string[];
  readonly gone: string[];
}

/**
 * Keeps the series of figures within their bounds. Those of money and budgets are thinned once an hour; each
 * hour and day keeps its first value. A plot keeps the newest values, as many as a series of candles. A
 * strategy keeps as many plots as it can have; beyond it those with the oldest last value are removed.
 */
class FigurePruner {
  private readonly limits: RetentionLimits;
  private readonly thin: Run;
  private readonly removeBefore: Run;
  private readonly removePlots: Run;
  private readonly removeSeries: Run;
  private readonly names: () => readonly { readonly name: string; readonly lastMs: number }[];
  /** New values of each plot since its oldest were removed. */
  private readonly added = new Map<string, number>();
  /** Plots whose oldest values are to be removed. */
  private readonly due = new Set<string>();
  /** Time up to which everything is thinned; after a start everything is checked. */
  private thinnedAtMs = Number.NEGATIVE_INFINITY;
  private round: Round | null = null;

  constructor(database: Database.Database, limits: RetentionLimits) {
    this.limits = limits;
    this.thin = database.prepare(`
      DELETE FROM figures WHERE name = @name AND at_ms IN (
        SELECT at_ms FROM figures AS late WHERE name = @name AND at_ms >= @fromMs AND at_ms < @toMs
          AND EXISTS (SELECT 1 FROM figures AS first WHERE first.name = @name AND first.at_ms < late.at_ms
            AND first.at_ms >= late.at_ms - (late.at_ms + ${TEHRAN_MS}) % @eachMs)
        ORDER BY at_ms LIMIT @rows)`);
    this.removeBefore = database.prepare(`
      DELETE FROM figures WHERE name = @name AND at_ms IN (
        SELECT at_ms FROM figures WHERE name = @name AND at_ms < @toMs ORDER BY at_ms LIMIT @rows)`);
    this.removePlots = database.prepare(`
      DELETE FROM figures WHERE name = @name AND at_ms IN (
        SELECT at_ms FROM figures WHERE name = @name AND at_ms <=
          (SELECT at_ms FROM figures WHERE name = @name ORDER BY at_ms DESC LIMIT 1 OFFSET @kept)
        ORDER BY at_ms LIMIT @rows)`);
    this.removeSeries = database.prepare(`
      DELETE FROM figures WHERE name = @name AND at_ms IN (
        SELECT at_ms FROM figures WHERE name = @name ORDER BY at_ms LIMIT @rows)`);
    const names = database.prepare<[], { readonly name: string; readonly lastMs: number }>(`
      WITH RECURSIVE series(name) AS (
        SELECT min(name) FROM figures
        UNION ALL SELECT (SELECT min(name) FROM figures WHERE name > series.name) FROM series WHERE series.name IS NOT NULL
      ) SELECT name, (SELECT max(at_ms) FROM figures WHERE figures.name = series.name) AS lastMs
        FROM series WHERE name IS NOT NULL`);
    this.names = () => names.all();
    for (const { name } of this.names()) if (isPlot(name)) this.due.add(name);
  }

  /** Notes a value that was written. */
  note(name: string): void {
    if (!isPlot(name)) return;
    const added = (this.added.get(name) ?? 0) + 1;
    this.added.set(name, added % PLOTS_A_STEP);
    if (added >= PLOTS_A_STEP) this.due.add(name);
  }

  /**
   * Checks a few series and removes at most `rows` values; returns the number removed, or `rows` if more is
   * to do.
   */
  step(atMs: number, rows: number): number {
    const hourMs = Math.floor((atMs + TEHRAN_MS) / HOUR_MS) * HOUR_MS - TEHRAN_MS;
    if (this.round === null && hourMs > this.thinnedAtMs) this.round = this.beginRound(hourMs);
    let removed = 0;
    const run: Remove = (statement, values) => {
      if (removed < rows) removed += statement.run({ ...values, rows: rows - removed }).changes;
      return removed < rows;
    };
    for (let checked = 0; checked < SERIES_A_STEP; checked += 1) {
      if (!this.checkNext(run)) return removed;
    }
    return rows;
  }

  private beginRound(hourMs: number): Round {
    const names = this.names();
    return {
      hourMs,
      sinceMs: this.thinnedAtMs - OVERLAP_MS,
      series: names.flatMap(({ name }) => (isPlot(name) ? [] : [name])),
      gone: [...tooMany(names)],
    };
  }

  /** Checks the next plot or series; returns true if there was one. */
  private checkNext(run: Remove): boolean {
    const [plot] = this.due;
    if (plot !== undefined) {
      if (run(this.removePlots, { name: plot, kept: this.limits.candlesPerSeries })) this.due.delete(plot);
      return true;
    }
    if (this.round === null) return false;
    const { series, gone, hourMs, sinceMs } = this.round;
    const [name, last] = [series.at(-1), gone.at(-1)];
    if (name !== undefined) {
      if (this.thinSeries(name, { sinceMs, hourMs, run })) series.pop();
    } else if (last !== undefined) {
      this.added.delete(last);
      if (run(this.removeSeries, { name: last })) gone.pop();
    } else {
      this.thinnedAtMs = hourMs;
      this.round = null;
      return false;
    }
    return true;
  }

  /** Thins one series; returns true if it is done. */
  private thinSeries(
    name: string,
    { sinceMs, hourMs, run }: Pick<Round, 'sinceMs' | 'hourMs'> & { readonly run: Remove },
  ): boolean {
    const steps = [
      { eachMs: HOUR_MS, keptMs: ALL_RETAINED_MS },
      { eachMs: DAY_MS, keptMs: HOURLY_RETAINED_MS },
    ];
    const isThin = steps.every(({ eachMs, keptMs }) => {
      const fromMs = Math.max(0, sinceMs - keptMs);
      return run(this.thin, { name, eachMs, fromMs, toMs: hourMs - keptMs });
    });
    return isThin && run(this.removeBefore, { name, toMs: hourMs - DAILY_RETAINED_MS });
  }
}

/** Returns the names of series beyond the most: of each strategy's plots, and of all other series. */
function tooMany(series: readonly { readonly name: string; readonly lastMs: number }[]): readonly string[] {
  const groups = Map.groupBy(series, ({ name }) => (isPlot(name) ? ownerOf(name) : ''));
  return [...groups].flatMap(([owner, own]) =>
    own
      .toSorted((one, other) => other.lastMs - one.lastMs)
      .slice(owner === '' ? MOST_SERIES : MOST_PLOTS)
      .map(({ name }) => name),
  );
}

/**
 * Maximum number of rows of each kind that a mirror stores by default. Rows still needed, such as an open
 * order, are stored besides. If all are reached, a mirror of 30 markets has about 500 MB, 80 MB of it for
 * replies to orders.
 */
export const DEFAULT_RETENTION = {
  journalRows: 200_000,
  /**
   * Candles of one market and timeframe, counted as if gaps were filled. It is also the limit of each plot's
   * values.
   */
  candlesPerSeries: 5_000,
  publicTradesPerMarket: 5_000,
  /** Final orders, each with its replies. */
  finalOrders: 50_000,
  /** Trades; also the limit for lines of each wallet's history. */
  fills: 100_000,
  intents: 50_000,
};

export type RetentionLimits = Readonly<typeof DEFAULT_RETENTION>;

/** Bounds of the limits: the least that a restart needs, the most that a start checks within seconds. */
export const RETENTION_BOUNDS: Readonly<
  Record<keyof RetentionLimits, readonly [least: number, most: number]>
> = {
  journalRows: [1_000, 5_000_000],
  candlesPerSeries: [100, 1_000_000],
  publicTradesPerMarket: [100, 1_000_000],
  finalOrders: [1_000, 1_000_000],
  fills: [2_000, 2_000_000],
  intents: [1_000, 1_000_000],
};

/** Throws `INVALID_OPTIONS` for a limit out of bounds. */
export function checkRetention(limits: RetentionLimits): void {
  for (const [name, [least, most]] of Object.entries(RETENTION_BOUNDS)) {
    const value = limits[name as keyof RetentionLimits];
    if (Number.isSafeInteger(value) && value >= least && value <= most) continue;
    throw invalidOptions(
      `expected a whole number from ${least} to ${most} for retention.${name}, was ${String(value)}`,
    );
  }
}
