import { createReadStream, statSync, readSync, openSync, closeSync } from 'node:fs';
import { disposable } from '../domain/closing.ts';
import { Transform, type Readable } from 'node:stream';
import { createGunzip, constants, gunzipSync } from 'node:zlib';
import { type FileRow, CsvScanner } from '../domain/csv.ts';
import { messageOf, SarrafError, invalidFile } from '../domain/errors.ts';

export interface CsvFile extends RowFile {
  readonly separator: string;
  readonly progress: () => ReadProgress;
}

/**
 * Opens a CSV file, possibly compressed (`.gz`). The separator is the comma, semicolon or tab of its first
 * table row. The first row is the header unless a field begins with a digit. Throws `INVALID_FILE` if it is
 * no text.
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

/** Fewest separators in a row: a table has four columns. Commas are tried last: numbers contain them. */
const FEWEST_SEPARATORS = 3;

/** Maximum number of lines before the titles, such as the address of a site or `sep=;`. */
const MOST_PREFACE_LINES = 10;

/** Returns the separator of the first line that is a row of a table; a comma if there is none. */
function separatorOf(beginning: string): string {
  const lines = beginning.replaceAll(/"[^"\r\n]*"/g, '').split(/\r\n?|\n/, MOST_PREFACE_LINES);
  for (const line of lines) {
    const found = ['\t', ';', ','].find((separator) => line.split(separator).length > FEWEST_SEPARATORS);
    if (found !== undefined) return found;
  }
  return ',';
}

const isRow = ({ fields }: FileRow): boolean => fields.length > FEWEST_SEPARATORS;

/** Removes the lines before the titles: they have one or two fields, and rows have more. */
function withoutPreface(rows: readonly FileRow[]): readonly FileRow[] {
  const first = rows.slice(0, MOST_PREFACE_LINES).findIndex(isRow);
  const hasText = rows.slice(0, Math.max(first, 0)).every(({ fields }) => fields.length <= 2);
  return first > 0 && hasText ? rows.slice(first) : rows;
}

/** Yields the rows of a text; those of one piece of the text come together. */
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

export interface RowFile {
  /** Titles of its columns; null if it has none. */
  readonly header: readonly string[] | null;
  /** Rows in parts, since awaiting each row separately takes longer than reading it. */
  readonly parts: AsyncIterable<readonly FileRow[]>;
}

/** Replaces digits and signs of Persian and Arabic with those of ASCII. */
export function asciiDigits(text: string): string {
  // Fast path: nearly all texts have none of these characters.
  if (!/[^\p{ASCII}]/u.test(text)) return text;
  return text
    .replaceAll(/[\u0660-\u0669\u06F0-\u06F9]/g, (digit) => String(digit.charCodeAt(0) & 15))
    .replaceAll('\u066B', '.')
    .replaceAll(/[\u066C\u200E\u200F\u061C]/g, '');
}

export interface ReadProgress {
  readonly readBytes: number;
  readonly totalBytes: number;
}

/** Open text file, and how much of it is read. */
export interface OpenText {
  readonly stream: Readable;
  readonly progress: () => ReadProgress;
}

/** Opens a text file as UTF-8, decompressed. Throws `INVALID_FILE` for none, and unsupported kinds. */
export function openText(path: string): OpenText {
  const { isPacked, encoding } = fileKind(path);
  const file = createReadStream(path);
  const totalBytes = statSync(path).size;
  let stream: Readable = file;
  if (isPacked) stream = piped(file, createGunzip());
  if (encoding !== 'utf-8') stream = piped(stream, decoderOf(encoding));
  return { stream, progress: () => ({ readBytes: file.bytesRead, totalBytes }) };
}

/** Pipes a stream into another and passes its errors on, which a pipe alone does not do. */
function piped(from: Readable, into: Transform): Transform {
  from.on('error', (error) => into.destroy(error));
  return from.pipe(into);
}

function decoderOf(encoding: TextEncoding): Transform {
  const decoder = new TextDecoder(encoding);
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, decoder.decode(chunk, { stream: true })),
    flush: (done) => done(null, decoder.decode()),
  });
}

/** Maximum number of characters of a quoted reason; for a file that is no text it would be pages long. */
const MOST_REASON_CHARACTERS = 200;

/** Converts an error of reading a file into our own error, which names the file. */
export function unreadable(path: string, error: unknown): SarrafError {
  if (error instanceof SarrafError) return error;
  const { code } = error as { readonly code?: unknown };
  if (typeof code === 'string' && code.startsWith('Z_'))
    return invalidFile(
      `expected a file that is whole at ${path}, found a packed one that is damaged or cut off: get it again`,
      { cause: error },
    );
  const reason = messageOf(error).replaceAll(/\p{C}/gu, '?');
  const short =
    reason.length > MOST_REASON_CHARACTERS ? `${reason.slice(0, MOST_REASON_CHARACTERS)}…` : reason;
  return invalidFile(`expected to be able to read ${path}: ${short}`, { cause: error });
}

type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** Kind of a file by its first bytes, regardless of its name. */
interface FileKind {
  readonly form: 'parquet' | 'json' | 'lines';
  readonly isPacked: boolean;
  readonly encoding: TextEncoding;
  /** First characters of the file, decompressed. */
  readonly beginning: string;
}

const FIRST_BYTES = 65_536;

const text = (latin: string): Buffer => Buffer.from(latin, 'latin1');

/** Unsupported kinds of file, with advice. */
const FOREIGN: readonly { readonly magic: Buffer; readonly what: string; readonly remedy: string }[] = [
  {
    magic: text('PK\u0003\u0004'),
    what: 'a ZIP archive or a spreadsheet (.zip, .xlsx, .ods)',
    remedy: 'unpack an archive with "unzip FILE", or save a spreadsheet as CSV, and import the CSV',
  },
  {
    magic: text('\u00d0\u00cf\u0011\u00e0'),
    what: 'an old Excel workbook (.xls)',
    remedy: 'save the sheet as CSV, and import the CSV',
  },
  {
    magic: text('ARROW1'),
    what: 'Feather (Arrow)',
    remedy: `convert it with python3 -c "import pandas; pandas.read_feather('FILE').to_parquet('FILE.parquet')", and import the Parquet file`,
  },
  {
    magic: text('FEA1'),
    what: 'Feather of version 1',
    remedy: `convert it with python3 -c "import pandas; pandas.read_feather('FILE').to_parquet('FILE.parquet')", and import the Parquet file`,
  },
  {
    magic: text('\u0089HDF'),
    what: 'HDF5',
    remedy: `convert it with python3 -c "import pandas; pandas.read_hdf('FILE').to_parquet('FILE.parquet')", and import the Parquet file`,
  },
  {
    magic: text('SQLite format 3'),
    what: 'an SQLite database',
    remedy: 'write its table with sqlite3 -header -csv FILE "SELECT * FROM TABLE" > FILE.csv',
  },
  { magic: text('%PDF'), what: 'a PDF document', remedy: 'get the data as CSV' },
  { magic: text('BZh'), what: 'a bzip2 archive', remedy: 'unpack it with "bunzip2 FILE"' },
  { magic: text('\u00fd7zXZ'), what: 'an xz archive', remedy: 'unpack it with "unxz FILE"' },
  { magic: text('(\u00b5/\u00fd'), what: 'a Zstandard archive', remedy: 'unpack it with "unzstd FILE"' },
  { magic: text('7z\u00bc\u00af'), what: 'a 7-Zip archive', remedy: 'unpack it with "7z x FILE"' },
];

/** Returns the kind of a file. Throws `INVALID_FILE`, with advice, for none and unsupported kinds. */
export function fileKind(path: string): FileKind {
  const raw = firstBytes(path);
  const isPacked = raw[0] === 0x1f && raw[1] === 0x8b;
  const bytes = isPacked ? unpacked(path, raw) : raw;
  if (bytes.length === 0) throw invalidFile(`expected rows in ${path}, found an empty file`);
  const foreign = FOREIGN.find(({ magic }) => bytes.subarray(0, magic.length).equals(magic));
  if (foreign !== undefined) throw refused(path, foreign);
  const encoding = encodingOf(bytes);
  const beginning = new TextDecoder(encoding).decode(bytes);
  if (bytes.subarray(0, 4).equals(text('PAR1'))) {
    if (!isPacked) return { form: 'parquet', isPacked, encoding, beginning };
    throw refused(path, { what: 'Parquet within a packed file', remedy: 'unpack it with "gunzip FILE"' });
  }
  const begun = beginning.trimStart();
  if (/^(?:<!doctype|<html|<\?xml|<head|<body)/i.test(begun))
    throw refused(path, {
      what: 'a web page (HTML or XML)',
      remedy: 'download the data itself as CSV; a page is often what a site shows in place of it',
    });
  if (begun.includes('\0'))
    throw refused(path, {
      what: 'bytes that are no text',
      remedy: 'write the data as CSV, Parquet or JSON lines',
    });
  // A line of a feed begins with the receive time before its object.
  const form = /^(?:\d{13,19}\s*\{|\{|\[)/.test(begun) ? 'json' : 'lines';
  return { form, isPacked, encoding, beginning };
}

function refused(
  path: string,
  { what, remedy }: { readonly what: string; readonly remedy: string },
): SarrafError {
  return invalidFile(
    `expected CSV, Parquet or JSON lines in ${path}, found ${what}: ${remedy.replaceAll('FILE', path)}`,
  );
}

function firstBytes(path: string): Buffer {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
    throw invalidFile(`expected a file at ${path}, found none`);
  using file = disposable(openSync(path, 'r'), closeSync);
  const bytes = Buffer.alloc(FIRST_BYTES);
  return bytes.subarray(0, readSync(file.value, bytes));
}

function unpacked(path: string, bytes: Buffer): Buffer {
  try {
    // Only the beginning is read, so the end of the compressed data is not required.
    return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }).subarray(0, FIRST_BYTES);
  } catch (error) {
    throw invalidFile(
      `expected a packed file that can be unpacked at ${path}, found a damaged one: get it again`,
      { cause: error },
    );
  }
}

/** Returns the encoding: UTF-16 has a byte order mark, or a zero byte in each of its first two characters. */
function encodingOf([first, second, third, fourth]: Buffer): TextEncoding {
  if ((first === 0xff && second === 0xfe) || (second === 0 && fourth === 0 && third !== 0)) return 'utf-16le';
  return (first === 0xfe && second === 0xff) || (first === 0 && third === 0 && fourth !== 0)
    ? 'utf-16be'
    : 'utf-8';
}
