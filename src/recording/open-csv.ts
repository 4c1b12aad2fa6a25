import { CsvScanner, type FileRow } from '../domain/csv.ts';
import {
  fileKind,
  asciiDigits,
  openText,
  unreadable,
  type OpenText,
  type ReadProgress,
  type RowFile,
} from './open-text.ts';

/** A CSV file that is open. */
export interface CsvFile extends RowFile {
  readonly separator: string;
  readonly progress: () => ReadProgress;
}

/**
 * The rows of a CSV file or one packed as `.gz`; the separator is the comma, semicolon or tab of its first
 * line. Its first row is its header unless it has numbers. Throws `INVALID_FILE` for what is no text.
 */
export async function openCsv(path: string): Promise<CsvFile> {
  const { stream, progress } = openText(path);
  const separator = separatorOf(fileKind(path).beginning);
  const parts = partsOf(path, stream, separator);
  const { done, value } = await parts.next();
  const rows = done === true ? [] : withoutPreface(value);
  const [first, ...others] = rows;
  const isHeader = first !== undefined && !first.fields.some((field) => /^[+-]?\d/.test(asciiDigits(field)));
  return {
    header: isHeader ? first.fields : null,
    separator,
    parts: joined(isHeader ? others : rows, parts),
    progress,
  };
}

/** A table has four columns or more. Commas come last: with the others they are in numbers. */
const FEWEST_SEPARATORS = 3;

/** Lines before the titles at most, such as the address of a site or `sep=;`. */
const MOST_PREFACE_LINES = 10;

/** By the first line that is a row of a table. */
function separatorOf(beginning: string): string {
  const lines = beginning.replaceAll(/"[^"\r\n]*"/g, '').split(/\r\n?|\n/, MOST_PREFACE_LINES);
  for (const line of lines) {
    const found = ['\t', ';', ','].find((separator) => line.split(separator).length > FEWEST_SEPARATORS);
    if (found !== undefined) return found;
  }
  return ',';
}

const isRow = ({ fields }: FileRow): boolean => fields.length > FEWEST_SEPARATORS;

/** Without the lines before the titles: they have a field or two, and rows have more. */
function withoutPreface(rows: readonly FileRow[]): readonly FileRow[] {
  const first = rows.slice(0, MOST_PREFACE_LINES).findIndex(isRow);
  const hasText = rows.slice(0, Math.max(first, 0)).every(({ fields }) => fields.length <= 2);
  return first > 0 && hasText ? rows.slice(first) : rows;
}

/** The rows of the text, those of a piece of it at once. */
async function* partsOf(
  path: string,
  stream: OpenText['stream'],
  separator: string,
): AsyncGenerator<readonly FileRow[], undefined> {
  const scanner = new CsvScanner(path, separator);
  try {
    for await (const piece of stream.setEncoding('utf8') as AsyncIterable<string>) {
      const rows = scanner.rowsOf(piece);
      if (rows.length > 0) yield rows;
    }
  } catch (error) {
    throw unreadable(path, error);
  }
  const rows = scanner.end();
  if (rows.length > 0) yield rows;
  return undefined;
}

async function* joined(
  first: readonly FileRow[],
  rest: AsyncGenerator<readonly FileRow[], undefined>,
): AsyncGenerator<readonly FileRow[]> {
  if (first.length > 0) yield first;
  yield* rest;
}
