import type Database from 'better-sqlite3';
import { schemaVersionOf } from './check-mirror.ts';
import {
  drawdownOf,
  profitOfTehranDay,
  valuesOf,
  withoutDeposits,
  type ProfitOfDay,
  type ValueAt,
} from '../portfolio/value-series.ts';
import { addUnits, subtractUnits } from '../domain/money.ts';

/** One value of a series of figures. */
export interface FigureValue {
  readonly atMs: number;
  /** Value in the form that `FigureName` describes; null for a gap of a plot. */
  readonly value: string | null;
}

export interface SeriesRange {
  /** First and last time, both included, in ms since 1970. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Maximum number of values to return, 1 or more. */
  readonly most: number;
}

/** First schema version with figures. */
const WITH_FIGURES = 2;

/**
 * True if the file has figures. One that an older sarraf wrote gets them when a bot migrates it, which may
 * happen while it is open here.
 */
const hasFigures = (database: Database.Database): boolean => schemaVersionOf(database) >= WITH_FIGURES;

/**
 * Returns a series, oldest first. If it has more than `most` values, the time is cut into as many equal parts
 * and the last value of each is returned: so the newest one is always included.
 */
export function readSeries(
  database: Database.Database,
  name: string,
  { fromMs, toMs, most }: SeriesRange,
): readonly FigureValue[] {
  if (!hasFigures(database)) return [];
  const all = database
    .prepare<[string, number, number], FigureValue>(
      'SELECT at_ms AS atMs, value FROM figures WHERE name = ? AND at_ms BETWEEN ? AND ? ORDER BY at_ms',
    )
    .all(name, fromMs, toMs);
  const [first, last] = [all[0], all.at(-1)];
  if (first === undefined || last === undefined || all.length <= most) return all;
  const widthMs = Math.floor((last.atMs - first.atMs) / most) + 1;
  const partOf = ({ atMs }: FigureValue): number => Math.floor((atMs - first.atMs) / widthMs);
  return all.filter((figure, index) => {
    const next = all[index + 1];
    return next === undefined || partOf(next) !== partOf(figure);
  });
}

/** Returns the names of series with a prefix, sorted. It skips from name to name, not through values. */
export function readSeriesNames(database: Database.Database, prefix: string): readonly string[] {
  if (!hasFigures(database)) return [];
  return database
    .prepare<[{ prefix: string }], string>(
      `WITH RECURSIVE series(name) AS (
         SELECT min(name) FROM figures WHERE name >= @prefix
         UNION ALL SELECT (SELECT min(name) FROM figures WHERE name > series.name) FROM series
           WHERE substr(series.name, 1, length(@prefix)) = @prefix
       ) SELECT name FROM series WHERE substr(name, 1, length(@prefix)) = @prefix`,
    )
    .pluck()
    .all({ prefix });
}

/** Returns the time of the newest value of any series; null if there is none. */
export function readLastFigureAtMs(database: Database.Database): number | null {
  const names = readSeriesNames(database, '');
  if (names.length === 0) return null;
  const last = database.prepare<[string], number>('SELECT max(at_ms) FROM figures WHERE name = ?').pluck();
  return names.reduce<number>((newest, name) => Math.max(newest, last.get(name) ?? 0), 0);
}

/**
 * Maximum number of values that are read of a series; a drawdown's peak between two of them is then missed.
 */
const MOST_VALUES = 2_000;

/** Time before the newest value in which the day's first value is searched, in ms. */
const DAY_BEGINS_WITHIN_MS = 2 * 86_400_000;

const EQUITY = 'equity/';

/** Source of the series: the reader of a mirror, or the bot that writes it. */
export interface FigureSource {
  figures(name: string, range: SeriesRange): readonly FigureValue[];
  figureNames(prefix: string): readonly string[];
}

/** Equity in a currency as the bot wrote it, with its profits. */
interface EquityNow {
  /** Newest value; null while none is written. */
  readonly worth: ValueAt | null;
  /** Profit of all strategies since the bot began; null while nothing is written. */
  readonly made: ValueAt | null;
  /** Profit of all strategies since midnight in Tehran; null while nothing is written. */
  readonly day: ProfitOfDay | null;
  /** Fall of the equity below its peak, in basis points of the peak. A withdrawal is not a fall. */
  readonly drawdownBps: number | null;
}

/** Returns the currencies in which the bot wrote its equity. */
export function equityCurrencies(source: FigureSource): readonly string[] {
  return source.figureNames(EQUITY).map((name) => name.slice(EQUITY.length));
}

/**
 * Returns the equity with its profits. The bot writes values every few minutes; `madeNow`, the present profit
 * of all strategies, brings the last ones up to date, so that they agree with other present figures.
 */
export function equityNow(source: FigureSource, currency: string, madeNow: ValueAt | null = null): EquityNow {
  const profit = `profit/${currency}`;
  const written = valuesFrom(source, `${EQUITY}${currency}`, { fromMs: 0, most: 1 }).at(-1) ?? null;
  const before = valuesFrom(source, profit, { fromMs: 0, most: MOST_VALUES });
  const last = before.at(-1);
  const isLater = madeNow !== null && last !== undefined && madeNow.atMs > last.atMs;
  // Both of one moment: what was made since then has changed both.
  const isSame = written !== null && last !== undefined && written.atMs === last.atMs;
  const made = isLater ? [...before, madeNow] : before;
  const worth =
    isLater && isSame
      ? { atMs: madeNow.atMs, value: addUnits(written.value, subtractUnits(madeNow.value, last.value)) }
      : written;
  const lastMs = made.at(-1)?.atMs ?? 0;
  const lately = { fromMs: lastMs - DAY_BEGINS_WITHIN_MS, most: MOST_VALUES };
  const fall = worth === null ? null : drawdownOf(withoutDeposits(made, worth.value));
  return {
    worth,
    made: made.at(-1) ?? null,
    day: profitOfTehranDay([...valuesFrom(source, profit, lately), ...(isLater ? [madeNow] : [])], lastMs),
    drawdownBps: fall?.now.depthBps ?? null,
  };
}

function valuesFrom(
  source: FigureSource,
  name: string,
  range: { readonly fromMs: number; readonly most: number },
): readonly ValueAt[] {
  return valuesOf(source.figures(name, { ...range, toMs: Number.MAX_SAFE_INTEGER }));
}
