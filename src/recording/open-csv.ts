import { parse, type Parser } from 'csv-parse';
import {
  fileKind,
  asciiDigits,
  openText,
  unreadable,
  type FileRow,
  type ReadProgress,
  type RowFile,
} from './open-text.ts';

interface ParsedRow {
  readonly info: { readonly lines: number };
  readonly record: readonly string[];
}

/** A CSV file that is open. */
export interface CsvFile extends RowFile {
  readonly separator: string;
  readonly progress: () => ReadProgress;
}

/** Rows of one part at most. */
const PART_ROWS = 10_000;

/** A longer line is no row of a table. */
const MOST_LINE_CHARACTERS = 100_000;

/**
 * The rows of a CSV file or one packed as `.gz`; the separator is the comma, semicolon or tab of its first
 * line. Its first row is its header unless it has numbers. Throws `INVALID_FILE` for what is no text.
 */
export async function openCsv(path: string): Promise<CsvFile> {
  const { stream, progress } = openText(path);
  const separator = separatorOf(fileKind(path).beginning);
  const parser = stream.pipe(
    parse({
      info: true,
      bom: true,
      delimiter: separator,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
      max_record_size: MOST_LINE_CHARACTERS,
    }),
  );
  stream.on('error', (error) => parser.destroy(error));
  const parts = partsOf(path, parser, () => stream.destroy());
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

/** All rows that have been parsed by now, again and again. */
async function* partsOf(
  path: string,
  parser: Parser,
  close: () => void,
): AsyncGenerator<readonly FileRow[], undefined> {
  // An error is found where it is asked for; without a listener it would end the process.
  parser.on('error', () => {});
  try {
    while (!parser.readableEnded) {
      if (parser.errored !== null) throw unreadable(path, parser.errored);
      const part = parsedRows(parser);
      if (part.length > 0) yield part;
      else await newsOf(parser);
    }
    return undefined;
  } finally {
    close();
  }
}

function parsedRows(parser: Parser): FileRow[] {
  const rows: FileRow[] = [];
  while (rows.length < PART_ROWS) {
    const row = parser.read() as ParsedRow | null;
    if (row === null) return rows;
    rows.push({ line: row.info.lines, fields: row.record });
  }
  return rows;
}

/** Until there are more rows, or none any more. */
async function newsOf(parser: Parser): Promise<void> {
  const events = ['readable', 'end', 'error', 'close'] as const;
  if (parser.readableEnded || parser.errored !== null || parser.closed) return;
  await new Promise<void>((resolve) => {
    const onNews = (): void => {
      for (const event of events) parser.off(event, onNews);
      resolve();
    };
    for (const event of events) parser.on(event, onNews);
  });
}

async function* joined(
  first: readonly FileRow[],
  rest: AsyncGenerator<readonly FileRow[], undefined>,
): AsyncGenerator<readonly FileRow[]> {
  if (first.length > 0) yield first;
  yield* rest;
}
