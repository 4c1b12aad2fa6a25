import { isObject, parseJson } from '../../domain/stored-json.ts';
import { type SarrafError, invalidFile } from '../../domain/errors.ts';
import { openDatabase, queryRows, sqlFiles, streamChunks } from '../duckdb.ts';
import type { FileRow } from '../../domain/csv.ts';
import {
  fileKind,
  type RowFile,
  type ReadProgress,
  openText,
  unreadable,
  type OpenText,
  openCsv,
  type CsvFile,
} from '../open-text.ts';
import { createInterface } from 'node:readline';

/** Number of first rows from which the columns and the timeframe are found, if there are as many. */
const FIRST_ROWS = 1_000;

/** Opens a CSV, Parquet or JSON file, by its content. Throws `INVALID_FILE` for another file. */
export function openTable(path: string): ReturnType<typeof openParquet> {
  const { form } = fileKind(path);
  return form === 'parquet' ? openParquet(path) : form === 'json' ? openJson(path) : openCsv(path);
}

/** True if a file is CSV, which has a faster reader. */
export const isCsv = (file: RowFile): file is CsvFile => 'separator' in file;

/** First rows of a file, and an iterator of the rows after them. */
interface FirstRows {
  readonly rows: readonly FileRow[];
  readonly rest: AsyncIterator<readonly FileRow[]>;
}

/** Reads the first rows of a file: at least `FIRST_ROWS`, if it has as many. */
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

/** Yields all rows of a file, the first ones again. */
export async function* joined({ rows, rest }: FirstRows): AsyncGenerator<readonly FileRow[]> {
  yield rows;
  for (;;) {
    const { done, value } = await rest.next();
    if (done === true) return;
    yield value;
  }
}

/** Opens a Parquet file of flat columns; reads rows as texts, times as ms. Throws `INVALID_FILE`. */
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
    parts: partsOf(path, select.join(', '), columns.length, count),
    progress: () => ({ readBytes: 0, totalBytes: 0 }),
  };
}

async function columnsOf(path: string): Promise<readonly { readonly name: string; readonly type: string }[]> {
  using database = await openDatabase();
  try {
    const rows = await queryRows(
      database,
      `DESCRIBE SELECT * FROM read_parquet(${sqlFiles([path])})`,
      `read ${path}`,
    );
    return rows.map(([name, type]) => ({ name: String(name), type: String(type) }));
  } catch (error) {
    throw invalidFile(
      `expected a Parquet file that is whole at ${path}, found one that is damaged or cut off: get it again`,
      { cause: error },
    );
  }
}

async function* partsOf(
  path: string,
  select: string,
  width: number,
  count: { rows: number },
): AsyncGenerator<readonly FileRow[]> {
  using database = await openDatabase();
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
}

/** Largest number of rows in one part. */
const PART_ROWS = 10_000;

/** Longest row in characters; a longer value is no row of a table. */
const MOST_CHARACTERS = 4_000_000;

/** Names of the lists in a reply of the exchange with candles. */
const LISTS = ['t', 'o', 'h', 'l', 'c', 'v'] as const;

type JsonObject = Readonly<Record<string, unknown>>;

const isBarLists = (value: unknown): value is JsonObject =>
  isObject(value) && LISTS.every((name) => Array.isArray(value[name]));

/**
 * Opens a JSON file: one object or list on each line, one list of them, or the exchange's lists of candles.
 * The names of the first object are the titles. Throws `INVALID_FILE` for another file.
 */
async function openJson(path: string): Promise<RowFile & { readonly progress: () => ReadProgress }> {
  const open = openText(path);
  const rows = rowsOf(path, open);
  const { value } = await rows.next();
  if (value === undefined) throw invalidFile(`expected rows in ${path}, found none`);
  const [first] = value.values;
  const header = isBarLists(first) ? LISTS : isObject(first) ? Object.keys(first) : null;
  return { header, parts: jsonParts(header, value, rows), progress: open.progress };
}

interface JsonValues {
  readonly line: number;
  readonly values: readonly unknown[];
}

async function* jsonParts(
  header: readonly string[] | null,
  first: JsonValues,
  rows: AsyncIterable<JsonValues>,
): AsyncGenerator<readonly FileRow[]> {
  let part: FileRow[] = [];
  const add = ({ line, values }: JsonValues): void => {
    for (const value of values) for (const fields of fieldsOf(value, header)) part.push({ line, fields });
  };
  add(first);
  for await (const row of rows) {
    add(row);
    if (part.length < PART_ROWS) continue;
    yield part;
    part = [];
  }
  yield part;
}

/** Returns the fields of a row; empty if it has another form than the first row, which makes it a bad row. */
function fieldsOf(value: unknown, header: readonly string[] | null): readonly (readonly string[])[] {
  if (isBarLists(value)) {
    const lists = LISTS.map((name) => value[name] as readonly unknown[]);
    return (lists[0] ?? []).map((_, index) => lists.map((list) => cellText(list[index])));
  }
  if (Array.isArray(value)) return [header === null ? value.map(cellText) : []];
  if (isObject(value) && header !== null) return [header.map((name) => cellText(value[name]))];
  return [[]];
}

const cellText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

async function* rowsOf(path: string, { stream }: OpenText): AsyncGenerator<JsonValues, undefined> {
  const isDocument = /^\s*\[\s*[[{]/.test(fileKind(path).beginning.replace(/^\uFEFF/, ''));
  try {
    stream.setEncoding('utf8');
    if (isDocument) {
      yield* elementsOf(path, stream as AsyncIterable<string>);
      return undefined;
    }
    let line = 0;
    for await (const text of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
      line += 1;
      const bare = text.replace(/^\uFEFF/, '').trim();
      if (bare !== '') yield { line, values: [parsed(path, line, bare)] };
    }
    return undefined;
  } catch (error) {
    throw unreadable(path, error);
  } finally {
    stream.destroy();
  }
}

/** Yields the elements of one list, on whatever lines they are. */
async function* elementsOf(path: string, chunks: AsyncIterable<string>): AsyncGenerator<JsonValues> {
  let [line, depth, isString, isEscaped] = [1, 0, false, false];
  let element = '';
  for await (const chunk of chunks) {
    let from = 0;
    const values: unknown[] = [];
    for (let at = 0; at < chunk.length; at += 1) {
      const sign = chunk[at];
      if (sign === '\n') line += 1;
      if (isEscaped) isEscaped = false;
      else if (isString) {
        if (sign === '\\') isEscaped = true;
        else if (sign === '"') isString = false;
      } else if (sign === '"') isString = true;
      else if (sign === '[' || sign === '{') {
        depth += 1;
        if (depth === 2) from = at;
      } else if (sign === ']' || sign === '}') {
        depth -= 1;
        if (depth !== 1) continue;
        values.push(parsed(path, line, element + chunk.slice(from, at + 1)));
        element = '';
        from = at + 1;
      }
    }
    if (depth > 1) element += chunk.slice(from);
    if (element.length > MOST_CHARACTERS) throw noJson(path, line);
    if (values.length > 0) yield { line, values };
  }
  if (depth !== 0) throw noJson(path, line);
}

function parsed(path: string, line: number, text: string): unknown {
  if (text.length > MOST_CHARACTERS) throw noJson(path, line);
  try {
    return parseJson(text);
  } catch (error) {
    throw noJson(path, line, error);
  }
}

function noJson(path: string, line: number, cause?: unknown): SarrafError {
  return invalidFile(
    `${path}:${line}: expected a JSON object or list that is whole, one a line or all in one list, found text that is none: get the file again, or convert it with jq -c ".[]"`,
    { cause },
  );
}
