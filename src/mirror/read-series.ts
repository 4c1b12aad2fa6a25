import type Database from 'better-sqlite3';
import { schemaVersionOf } from './check-mirror.ts';

/** One value of a series. */
export interface FigureValue {
  readonly atMs: number;
  /** Value in the form that `FigureName` describes; null for a gap of a plot. */
  readonly value: string | null;
}

export interface SeriesRange {
  /** The first and the last moment, both included, in ms since 1970. */
  readonly fromMs: number;
  readonly toMs: number;
  /** The most values that are wanted, 1 or more. */
  readonly most: number;
}

/** The version of the schema that has figures. */
const WITH_FIGURES = 2;

/**
 * A file that an older sarraf wrote has none, until a bot brings it up to date: that may be while it is open
 * here.
 */
const hasFigures = (database: Database.Database): boolean => schemaVersionOf(database) >= WITH_FIGURES;

/**
 * A series, oldest first. With more than are wanted, time is cut into as many equal parts, and each has its
 * last value: so the newest one is always there.
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

/** Names of series that begin so, in their order. From one name to the next without the values between. */
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

/** The time of the newest value of any series; null where there is none. */
export function readLastFigureAtMs(database: Database.Database): number | null {
  const names = readSeriesNames(database, '');
  if (names.length === 0) return null;
  const last = database.prepare<[string], number>('SELECT max(at_ms) FROM figures WHERE name = ?').pluck();
  return names.reduce<number>((newest, name) => Math.max(newest, last.get(name) ?? 0), 0);
}
