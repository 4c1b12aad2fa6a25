import { parse } from 'csv-parse';
import type { FileRow, ReadProgress, RowFile } from './file-row.ts';
import { openText, unreadable } from './open-text.ts';

interface ParsedRow {
  readonly info: { readonly lines: number };
  readonly record: readonly string[];
}

/** A longer line is no row of a table. */
const MOST_LINE_CHARACTERS = 100_000;

/** The rows of a CSV file or one packed as `.gz`; the separator is the comma, semicolon or tab of its first line. Its first row is its header unless it has numbers. */
export async function openCsv(path: string): Promise<RowFile & { readonly progress: () => ReadProgress }> {
  const { stream, progress } = openText(path);
  const parser = stream.pipe(
    parse({
      info: true,
      bom: true,
      delimiter: [',', ';', '\t'],
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
      max_record_size: MOST_LINE_CHARACTERS,
    }),
  );
  stream.on('error', (error) => parser.destroy(error));
  const rows = parser[Symbol.asyncIterator]() as AsyncIterator<ParsedRow>;
  const first = await next(path, rows);
  const isHeader = first !== null && !first.fields.some((field) => /^[+-]?\d/.test(field));
  return {
    header: isHeader ? first.fields : null,
    rows: remaining({ path, rows, first: isHeader ? null : first, close: () => stream.destroy() }),
    progress,
  };
}

async function next(path: string, rows: AsyncIterator<ParsedRow>): Promise<FileRow | null> {
  try {
    const { done, value } = await rows.next();
    return done === true ? null : { line: value.info.lines, fields: value.record };
  } catch (error) {
    throw unreadable(path, error);
  }
}

async function* remaining(from: {
  readonly path: string;
  readonly rows: AsyncIterator<ParsedRow>;
  readonly first: FileRow | null;
  readonly close: () => void;
}): AsyncGenerator<FileRow> {
  try {
    if (from.first !== null) yield from.first;
    for (;;) {
      const row = await next(from.path, from.rows);
      if (row === null) return;
      yield row;
    }
  } finally {
    from.close();
  }
}
