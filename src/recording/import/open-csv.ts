import type { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { SarrafError } from '../../domain/errors.ts';
import type { FileRow, ReadProgress, RowFile } from './file-row.ts';
import { openText, unreadable } from './open-text.ts';

interface ParsedRow {
  readonly info: { readonly lines: number };
  readonly record: readonly string[];
}

/** A longer line is no row of a table. */
const MOST_LINE_CHARACTERS = 100_000;

/**
 * The rows of a CSV file or one packed as `.gz`; the separator is the comma, semicolon or tab of its first line. Its first row is its header unless it has numbers.
 * Throws `INVALID_FILE` for what is no text.
 */
export async function openCsv(path: string): Promise<RowFile & { readonly progress: () => ReadProgress }> {
  const { stream, progress } = openText(path);
  const beginning = await beginningOf(path, stream);
  const parser = stream.pipe(
    parse({
      info: true,
      bom: true,
      delimiter: separatorOf(beginning),
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

/** The first bytes of a stream, which stay in it. */
async function beginningOf(path: string, stream: Readable): Promise<string> {
  const bytes = await new Promise<Buffer>((resolve, reject) => {
    stream.once('error', (error) => reject(unreadable(path, error)));
    stream.once('readable', () => {
      const read = stream.read() as Buffer | null;
      if (read !== null) stream.unshift(read);
      resolve(read ?? Buffer.alloc(0));
    });
  });
  const found = PACKED.find(({ magic }) => bytes.subarray(0, magic.length).equals(magic));
  if (found === undefined) return bytes.subarray(0, MOST_LINE_CHARACTERS).toString('latin1');
  stream.destroy();
  throw new SarrafError(
    'INVALID_FILE',
    `expected lines of text in ${path}, found ${found.what}: give it a name that ends in ${found.ending}`,
  );
}

/** What begins with these bytes is no CSV, whatever its name says. */
const PACKED = [
  { magic: Buffer.from([0x1f, 0x8b]), what: 'a packed file', ending: '.gz' },
  { magic: Buffer.from('PAR1'), what: 'Parquet', ending: '.parquet' },
] as const;

/** A table has four columns or more. Commas come last: with the others they are in numbers. */
const FEWEST_SEPARATORS = 3;

function separatorOf(beginning: string): string {
  const [line = ''] = beginning.replaceAll(/"[^"]*"/g, '').split(/[\r\n]/, 1);
  return ['\t', ';'].find((separator) => line.split(separator).length > FEWEST_SEPARATORS) ?? ',';
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
