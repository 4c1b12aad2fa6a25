import { createReadStream, statSync } from 'node:fs';
import { Transform, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { messageOf, SarrafError } from '../domain/errors.ts';
import { fileKind, type TextEncoding } from './import/file-kind.ts';

/** One row of a file that is imported, as its fields are written. */
export interface FileRow {
  /** From 1; of a Parquet file the row. */
  readonly line: number;
  readonly fields: readonly string[];
}

/** A file with columns. */
export interface RowFile {
  /** Titles of its columns; null where it has none. */
  readonly header: readonly string[] | null;
  /** In parts, since waiting for each row by itself takes longer than reading it. */
  readonly parts: AsyncIterable<readonly FileRow[]>;
}

/** Texts with the digits and signs of Persian and Arabic as those of ASCII. */
export function asciiDigits(text: string): string {
  // Nearly all texts have none.
  if (!/[^\p{ASCII}]/u.test(text)) return text;
  return text
    .replaceAll(/[\u0660-\u0669\u06F0-\u06F9]/g, (digit) => String(digit.charCodeAt(0) & 15))
    .replaceAll('\u066B', '.')
    .replaceAll(/[\u066C\u200E\u200F\u061C]/g, '');
}

/** Progress of reading. */
export interface ReadProgress {
  readonly readBytes: number;
  readonly totalBytes: number;
}

/** A text file that is read, and how far that is. */
export interface OpenText {
  readonly stream: Readable;
  readonly progress: () => ReadProgress;
}

/**
 * Opens a text file as UTF-8, unpacked where it is packed. Throws `INVALID_FILE` where there is none, and for
 * a kind of file that is not read.
 */
export function openText(path: string): OpenText {
  const { isPacked, encoding } = fileKind(path);
  const file = createReadStream(path);
  const totalBytes = statSync(path).size;
  let stream: Readable = file;
  if (isPacked) stream = passedOn(file, createGunzip());
  if (encoding !== 'utf-8') stream = passedOn(stream, decoderOf(encoding));
  return { stream, progress: () => ({ readBytes: file.bytesRead, totalBytes }) };
}

/** An error does not pass through a pipe by itself. */
function passedOn(from: Readable, into: Transform): Transform {
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

/** Of what is no text a reason quotes pages. */
const MOST_REASON_CHARACTERS = 200;

/** Returns the meaning of an unpacking or CSV error; null for others. */
function damageOf(error: unknown): string | null {
  const { code, lines } = error as { readonly code?: unknown; readonly lines?: unknown };
  if (typeof code !== 'string') return null;
  if (code.startsWith('Z_')) return 'found a packed one that is damaged or cut off: get it again';
  if (!/^(?:CSV_|INVALID_OPENING_QUOTE)/.test(code)) return null;
  const line = typeof lines === 'number' ? ` near line ${lines}` : '';
  return code === 'CSV_MAX_RECORD_SIZE'
    ? `found a row that is too long${line}: write a row a line, and quotes in pairs`
    : `found a quote${line} that has no partner, or is amid a field: write quotes around whole fields only`;
}

/** Returns an error of reading a file as our own error that names the file. */
export function unreadable(path: string, error: unknown): SarrafError {
  if (error instanceof SarrafError) return error;
  const found = damageOf(error);
  if (found !== null)
    return new SarrafError('INVALID_FILE', `expected a file that is whole at ${path}, ${found}`, {
      cause: error,
    });
  const reason = messageOf(error).replaceAll(/\p{C}/gu, '?');
  const short =
    reason.length > MOST_REASON_CHARACTERS ? `${reason.slice(0, MOST_REASON_CHARACTERS)}…` : reason;
  return new SarrafError('INVALID_FILE', `expected to be able to read ${path}: ${short}`, { cause: error });
}
