import { createReadStream, statSync } from 'node:fs';
import { Transform, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { SarrafError } from '../../domain/errors.ts';
import { fileKind, type TextEncoding } from './file-kind.ts';

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

/** How far reading is. */
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

/** What reading a file failed of, as an error of ours that names it. */
export function unreadable(path: string, error: unknown): SarrafError {
  if (error instanceof SarrafError) return error;
  const reason = (error instanceof Error ? error.message : String(error)).replaceAll(/\p{C}/gu, '?');
  const short =
    reason.length > MOST_REASON_CHARACTERS ? `${reason.slice(0, MOST_REASON_CHARACTERS)}…` : reason;
  return new SarrafError('INVALID_FILE', `expected to be able to read ${path}: ${short}`, { cause: error });
}
