import { createReadStream, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { SarrafError } from '../../domain/errors.ts';

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

/** Opens a text file, unpacked if its name ends in `.gz`. Throws `INVALID_FILE` where there is none. */
export function openText(path: string): OpenText {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true)
    throw new SarrafError('INVALID_FILE', `expected a file at ${path}, found none`);
  const file = createReadStream(path);
  const stream = path.endsWith('.gz') ? file.pipe(createGunzip()) : file;
  // An error of the file does not pass through the unpacking by itself.
  if (stream !== file) file.on('error', (error) => stream.destroy(error));
  return { stream, progress: () => ({ readBytes: file.bytesRead, totalBytes: found.size }) };
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
