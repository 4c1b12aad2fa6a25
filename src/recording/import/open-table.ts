import type { FileRow, RowFile } from './file-row.ts';
import { openCsv, type CsvFile } from './open-csv.ts';
import { openParquet } from './open-parquet.ts';

/** Rows that the columns and the timeframe are found from, and often some more. */
const FIRST_ROWS = 1_000;

/** Opens a CSV or Parquet file. Throws `INVALID_FILE` where it is none. */
export const openTable = (path: string): ReturnType<typeof openParquet> =>
  path.endsWith('.parquet') ? openParquet(path) : openCsv(path);

/** Whether a file is CSV, which DuckDB may read alone. */
export const isCsv = (file: RowFile): file is CsvFile => 'separator' in file;

/** The first rows of a file, and the way to those after them. */
export interface FirstRows {
  readonly rows: readonly FileRow[];
  readonly rest: AsyncIterator<readonly FileRow[]>;
}

/** Reads the first rows: at least so many as columns and timeframe are found from, where there are as many. */
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
