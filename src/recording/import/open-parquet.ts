import { statSync } from 'node:fs';
import { SarrafError } from '../../domain/errors.ts';
import { openDatabase, queryRows, sqlFiles, streamChunks } from '../duckdb.ts';
import type { FileRow, ReadProgress, RowFile } from './file-row.ts';

/** The rows of any Parquet file with flat columns, as texts; a timestamp becomes milliseconds. Throws `INVALID_FILE` for what is none. */
export async function openParquet(path: string): Promise<RowFile & { readonly progress: () => ReadProgress }> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true) throw new SarrafError('INVALID_FILE', `expected a file at ${path}, found none`);
  const columns = await columnsOf(path);
  const select = columns.map(({ name, type }) => {
    const quoted = `"${name.replaceAll('"', '""')}"`;
    return type.startsWith('TIMESTAMP') || type === 'DATE' ? `epoch_ms(${quoted})::VARCHAR` : `${quoted}::VARCHAR`;
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
    const rows = await queryRows(database, `DESCRIBE SELECT * FROM read_parquet(${sqlFiles([path])})`, `read ${path}`);
    return rows.map(([name, type]) => ({ name: String(name), type: String(type) }));
  } catch (error) {
    throw new SarrafError('INVALID_FILE', error instanceof Error ? error.message : String(error), { cause: error });
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
