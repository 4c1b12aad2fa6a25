import { DAY_MS, HOUR_MS } from '../domain/time-text.ts';
import type Database from 'better-sqlite3';
import { MOST_PLOTS } from '../strategy/plots.ts';
import type { RetentionLimits } from './retention.ts';

/**
 * Hours and days begin by Tehran's clock, so that the first value of a day stays: profits of days begin with
 * it. Half an hour of it is no hour of UTC. Where its clock were set again, a day would keep a value that is
 * an hour away from its beginning.
 */
const TEHRAN_MS = 3.5 * HOUR_MS;

/** Ages up to which every value is stored, then one an hour, then one a day. */
const ALL_RETAINED_MS = 14 * DAY_MS;
const HOURLY_RETAINED_MS = 400 * DAY_MS;
const DAILY_RETAINED_MS = 10_000 * DAY_MS;

/** Series other than plots. Beyond it those go whose last value is the oldest. */
const MOST_SERIES = 1_000;

/** New values of a plot until its oldest are removed: it has up to so many more than the limit. */
const PLOTS_A_STEP = 50;

/** Overlap in which thinned values are checked again: a step may not have reached the disk. */
const OVERLAP_MS = 2 * DAY_MS;

const isPlot = (name: string): boolean => name.startsWith('plot/');
/** `plot/STRATEGY/`. */
const ownerOf = (name: string): string => name.split('/').slice(0, 2).join('/');

/** Series that one step looks at: all of a long one takes some milliseconds. */
const SERIES_A_STEP = 4;

type Run = Database.Statement<[Record<string, string | number>]>;

/** Removes values, as many as the step has left. Answers whether all of them are gone. */
type Remove = (statement: Run, values: Record<string, string | number>) => boolean;

/** Thinning once an hour: what is still to be looked at. */
interface Round {
  readonly hourMs: number;
  readonly sinceMs: number;
  readonly series: string[];
  readonly gone: string[];
}

/**
 * Keeps the series of figures within their bounds. Those of money and budgets are thinned once an hour, each
 * hour and day keeping its first value. A plot keeps the newest values, as many as a series of candles, and a
 * strategy as many plots as it can have: beyond it those go whose last value is the oldest.
 */
export class FigurePruner {
  private readonly limits: RetentionLimits;
  private readonly thin: Run;
  private readonly removeBefore: Run;
  private readonly removePlots: Run;
  private readonly removeSeries: Run;
  private readonly names: () => readonly { readonly name: string; readonly lastMs: number }[];
  /** New values of plots since their oldest were removed. As many as there are plots. */
  private readonly added = new Map<string, number>();
  /** Plots whose oldest are to be removed. */
  private readonly due = new Set<string>();
  /** The hour up to which all is thinned; with a new life everything is looked at. */
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

  /** Takes note of a value that was written. */
  note(name: string): void {
    if (!isPlot(name)) return;
    const added = (this.added.get(name) ?? 0) + 1;
    this.added.set(name, added % PLOTS_A_STEP);
    if (added >= PLOTS_A_STEP) this.due.add(name);
  }

  /**
   * Looks at a few series, and removes at most `rows` values; how many they were. Answers `rows` where there
   * is more to do.
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

  /** Answers whether there was anything to do. */
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

  /** Answers whether all of it is done. */
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

/** Names of series beyond the most: of each strategy's plots, and of all others together. */
function tooMany(series: readonly { readonly name: string; readonly lastMs: number }[]): readonly string[] {
  const groups = Map.groupBy(series, ({ name }) => (isPlot(name) ? ownerOf(name) : ''));
  return [...groups].flatMap(([owner, own]) =>
    own
      .toSorted((one, other) => other.lastMs - one.lastMs)
      .slice(owner === '' ? MOST_SERIES : MOST_PLOTS)
      .map(({ name }) => name),
  );
}
