import { join } from 'node:path';
import { MOST_CONFLICTS, type AppendOutcome, type RecordConflict } from './append-outcome.ts';
import { queryRows, runSql, sqlFiles, type Database } from './duckdb.ts';
import type { Partition } from './manifest.ts';
import { countsSql, type TableShape } from './table-shape.ts';

/** Rows in their own columns, with the time they are sorted by, their key and content. */
function keyedRows<Row>(shape: TableShape<Row>, source: string): string {
  const names = shape.columns.map(({ name }) => name).join(', ');
  const copy =
    shape.copySql === null ? '0' : `row_number() OVER (PARTITION BY ${shape.copySql} ORDER BY seq)`;
  return `SELECT *, ${shape.keySql} AS k, ${shape.contentSql} AS v
    FROM (SELECT ${names}, seq, ${shape.timeSql} AS at_ms, ${copy} AS copy FROM ${source})`;
}

/** Makes the views `new_rows` of the table `given`, and `there` of the partitions that are there already. */
export async function createViews<Row>(
  database: Database,
  options: { readonly shape: TableShape<Row>; readonly folder: string; readonly there: readonly Partition[] },
): Promise<void> {
  const { shape, folder, there } = options;
  const files = sqlFiles(there.map(({ file }) => join(folder, file)));
  const source =
    there.length === 0
      ? '(SELECT * FROM given WHERE false)'
      : `(SELECT *, file_row_number AS seq FROM read_parquet(${files}, file_row_number = true))`;
  // Counting copies takes a sort, which is done once; the rest costs less to find again than to keep.
  const kind = shape.copySql === null ? 'VIEW' : 'TABLE';
  await runSql(database, `CREATE ${kind} new_rows AS ${keyedRows(shape, 'given')}`, 'sort what came');
  await runSql(
    database,
    `CREATE VIEW there AS ${keyedRows(shape, source)}`,
    `read the partitions of ${folder}`,
  );
}

/**
 * Compares what came with itself and with what is there, and leaves what is new in the table `added`. A
 * record of the same key with other content is a conflict, and then there is no such table.
 */
export async function findNew(
  database: Database,
  of: {
    /** True if no two of the new records can have one key. */
    readonly areDistinct: boolean;
    /** True if there are no existing records to compare them with. */
    readonly isFresh: boolean;
  },
): Promise<AppendOutcome | null> {
  if (of.areDistinct && of.isFresh) {
    await runSql(database, 'CREATE VIEW added AS SELECT * FROM new_rows', 'take what came');
    return null;
  }
  const within = `SELECT min(at_ms), min(v)::VARCHAR, max(v)::VARCHAR FROM new_rows GROUP BY k HAVING min(v) IS DISTINCT FROM max(v)`;
  const against = `SELECT n.at_ms, t.v::VARCHAR, n.v::VARCHAR FROM new_rows n JOIN there t ON n.k = t.k WHERE n.v IS DISTINCT FROM t.v`;
  const hasTwins =
    !of.areDistinct && (await isAny(database, 'SELECT k FROM new_rows GROUP BY k HAVING count(*) > 1'));
  for (const query of [...(hasTwins ? [within] : []), against]) {
    const conflicts = await conflictsOf(database, query, query === within);
    if (conflicts !== null) return conflicts;
  }
  if (!hasTwins) {
    await runSql(
      database,
      'CREATE VIEW added AS SELECT * FROM new_rows ANTI JOIN there USING (k)',
      'leave out what is there',
    );
    return null;
  }
  const first = 'SELECT *, row_number() OVER (PARTITION BY k ORDER BY seq) AS nth FROM new_rows';
  await runSql(
    database,
    `CREATE TABLE added AS SELECT * EXCLUDE (nth) FROM (${first}) WHERE nth = 1 AND k NOT IN (SELECT k FROM there)`,
    'compare what came with what is there',
  );
  return null;
}

async function isAny(database: Database, query: string): Promise<boolean> {
  return (await queryRows(database, `${query} LIMIT 1`, 'compare what came with itself')).length > 0;
}

/** Takes all that came as new, for a source that is known to tell nothing twice. */
export async function takeAll(database: Database): Promise<void> {
  await runSql(database, 'CREATE TABLE added AS SELECT * FROM new_rows', 'take what came');
}

async function conflictsOf(
  database: Database,
  query: string,
  isWithin: boolean,
): Promise<AppendOutcome | null> {
  const rows = await queryRows(
    database,
    `SELECT *, count(*) OVER () FROM (${query}) ORDER BY 1 LIMIT ${MOST_CONFLICTS}`,
    'compare what came with what is there',
  );
  if (rows.length === 0) return null;
  const conflicts: RecordConflict[] = rows.map(([timeMs, there, given]) => ({
    timeMs: Number(timeMs),
    isWithin,
    there: contentText(String(there)),
    given: contentText(String(given)),
  }));
  return { kind: 'conflict', count: Number(rows[0]?.[3]), conflicts };
}

/** The values of a record without the names that the query gives them, and without trailing zeros. */
function contentText(text: string): string {
  return text
    .replaceAll(/'?v\d+'?: /g, '')
    .replaceAll(/(\.\d*?)0+(?=\D|$)/g, '$1')
    .replaceAll(/\.(?=\D|$)/g, '')
    .slice(0, MOST_CONTENT_CHARACTERS);
}

/** A whole book has far more. */
const MOST_CONTENT_CHARACTERS = 200;

/** Returns the number of new rows, by partition. */
export async function countNew(
  database: Database,
  { partition }: Pick<TableShape<unknown>, 'partition'>,
): Promise<ReadonlyMap<string, number>> {
  const rows = await queryRows(
    database,
    countsSql({ source: 'added', timeSql: 'at_ms', partition }),
    'count rows',
  );
  return new Map(rows.map(([part, count]) => [String(part), Number(count)]));
}
