import type { Database } from '../recording/duckdb.ts';
import type { ViewColumn } from './view-columns.ts';
import { sqlName } from './view-columns.ts';
import { VIEWS, type ViewName } from './views.ts';

/** Places of the data of queries. */
export interface QueryPlaces {
  /** The folder of the recordings. */
  readonly catalogue: string;
  /** The data folder, with runs and studies below it. */
  readonly data: string;
}

/** Result of making a view. */
export interface MadeView {
  /** Files that it reads when it is asked. */
  readonly files: readonly string[];
  /** Reason that it has no rows; null if it has some. */
  readonly nothing: string | null;
  /** Data that could not be read and is left out, one sentence each. */
  readonly unreadable: readonly string[];
}

/** Makes one view in a database. */
export type MakeView = (database: Database, places: QueryPlaces) => Promise<MadeView>;

/** SQL of a view without rows. */
export function emptyViewSql(name: ViewName): string {
  const columns: readonly ViewColumn[] = VIEWS[name].columns;
  const nulls = columns.map(({ name: title, sqlType }) => `NULL::${sqlType} AS ${sqlName(title)}`);
  return `CREATE VIEW ${name} AS SELECT ${nulls.join(', ')} WHERE false`;
}
