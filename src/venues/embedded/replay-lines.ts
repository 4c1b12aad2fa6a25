import { createReadStream, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { SarrafError } from '../../domain/errors.ts';

/** One line of a file, numbered from 1. */
export interface FileLine {
  readonly number: number;
  readonly text: string;
}

/** Lines read of one file at most: two hundred days of a trade a second. */
const MAX_LINES = 20_000_000;

/**
 * The lines of a text file, unpacked if its name ends in `.gz`. Empty ones are left out.
 * Throws `INVALID_FILE` when it is not there, is no file, or its compression is broken.
 */
export async function* readLines(path: string): AsyncGenerator<FileLine> {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new SarrafError('INVALID_FILE', `expected a file at ${path}, found none`);
  }
  const file = createReadStream(path);
  const source = path.endsWith('.gz') ? file.pipe(createGunzip()) : file;
  // An error of the file does not pass through the unpacking by itself.
  file.on('error', (error) => source.destroy(error));
  let number = 0;
  try {
    for await (const text of createInterface({ input: source, crlfDelay: Number.POSITIVE_INFINITY })) {
      number += 1;
      if (number > MAX_LINES)
        throw new SarrafError('INVALID_FILE', `expected at most ${MAX_LINES} lines in ${path}, found more`);
      if (text.trim() !== '') yield { number, text };
    }
  } catch (error) {
    if (error instanceof SarrafError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new SarrafError(
      'INVALID_FILE',
      `expected to be able to read ${path}, failed after line ${number}: ${reason}`,
      { cause: error },
    );
  } finally {
    file.destroy();
  }
}

/** A complaint about one line. */
export function badLine(path: string, line: FileLine, problem: string): SarrafError {
  return new SarrafError('INVALID_FILE', `${path}:${line.number}: ${problem}`);
}
