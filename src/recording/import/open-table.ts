import { SarrafError } from '../../domain/errors.ts';
import { openDatabase, queryRows, sqlFiles, streamChunks } from '../duckdb.ts';
import { fileKind } from './file-kind.ts';
import { openJson } from './open-json.ts';
import { openCsv, type CsvFile } from '../open-csv.ts';
import type { FileRow, RowFile, ReadProgress } from '../open-text.ts';

/** Rows that the columns and the timeframe are found from, and often some more. */
const FIRST_ROWS = 1_000;

/** Opens a CSV, Parquet or JSON file, by its content. Throws `INVALID_FILE` where it is none. */
export function openTable(path: string): ReturnType<typeof openParquet> {
  const { form } = fileKind(path);
  return form === 'parquet' ? openParquet(path) : form === 'json' ? openJson(path) : openCsv(path);
}

/** True if a file is CSV, which DuckDB may read alone. */
export const isCsv = (file: RowFile): file is CsvFile => 'separator' in file;

/** The first rows of a file, and the way to those after them. */
interface FirstRows {
  readonly rows: readonly FileRow[];
  readonly rest: AsyncIterator<readonly FileRow[]>;
}

/**
 * Reads the first rows: at least so many as columns and timeframe are found from, where there are as many.
 */
export async function firstRows(file: RowFile): Promise<FirstRows> {
  const rest = file.parts[Symbol.asyncIterator]();
  const rows: FileRow[] = [];
  while (rows.length < FIRST_ROWS) {
    const { done, value } = await rest.next();
    if (done === true) break;
    rows.push(...value);
  }
  return { rows, rest };
}

/** All rows again, the first ones before the others. */
export async function* joined({ rows, rest }: FirstRows): AsyncGenerator<readonly FileRow[]> {
  yield rows;
  for (;;) {
    const { done, value } = await rest.next();
    if (done === true) return;
    yield value;
  }
}

/**
 * The rows of any Parquet file with flat columns, as texts; a timestamp becomes milliseconds. Throws
 * `INVALID_FILE` for what is none.
 */
async function openParquet(path: string): Promise<RowFile & { readonly progress: () => ReadProgress }> {
  const columns = await columnsOf(path);
  const select = columns.map(({ name, type }) => {
    const quoted = `"${name.replaceAll('"', '""')}"`;
    return type.startsWith('TIMESTAMP') || type === 'DATE'
      ? `epoch_ms(${quoted})::VARCHAR`
      : `${quoted}::VARCHAR`;
  });
  const count = { rows: 0 };
  return {
    header: columns.map(({ name }) => name),
    parts: partsOf({ path, select: select.join(', '), width: columns.length, count }),
    progress: () => ({ readBytes: 0, totalBytes: 0 }),
  };
}

async function columnsOf(path: string): Promise<readonly { readonly name: string; readonly type: string }[]> {
  const database = await openDatabase();
  try {
    const rows = await queryRows(
      database,
      `DESCRIBE SELECT * FROM read_parquet(${sqlFiles([path])})`,
      `read ${path}`,
    );
    return rows.map(([name, type]) => ({ name: String(name), type: String(type) }));
  } catch (error) {
    throw new SarrafError(
      'INVALID_FILE',
      `expected a Parquet file that is whole at ${path}, found one that is damaged or cut off: get it again`,
      { cause: error },
    );
  } finally {
    database.close();
  }
}

async function* partsOf(from: {
  readonly path: string;
  readonly select: string;
  readonly width: number;
  readonly count: { rows: number };
}): AsyncGenerator<readonly FileRow[]> {
  const { path, select, width, count } = from;
  const database = await openDatabase();
  try {
    const sql = `SELECT ${select} FROM read_parquet(${sqlFiles([path])})`;
    for await (const chunk of streamChunks(database, sql, `read ${path}`)) {
      yield Array.from({ length: chunk.rowCount }, (_row, row) => {
        count.rows += 1;
        const fields = Array.from({ length: width }, (_field, index) => {
          const value = chunk.getColumnVector(index).getItem(row);
          return typeof value === 'string' ? value : '';
        });
        return { line: count.rows, fields };
      });
    }
  } finally {
    database.close();
  }
}
