import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** A small file with what its rights are. */
interface SmallFile {
  readonly text: string;
  /** True if users other than its owner and group may read it. */
  readonly isOpenToAll: boolean;
}

/**
 * Reads a file of at most `largestBytes`; throws what the system throws, and a `RangeError` for a larger file
 * and for a pipe.
 */
export type ReadSmallFile = (path: string, largestBytes: number) => SmallFile;

const READ_BY_OTHERS = 0o004;

/** The way to the disk. */
export const readSmallFile: ReadSmallFile = (path, largestBytes) => {
  // A pipe that nobody writes to would be waited for without end.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    if (stat.isFIFO()) throw new RangeError('expected a file, found a pipe: write what it gives to a file');
    if (stat.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
    // One byte more than allowed tells a file that is too large, devices included.
    const bytes = Buffer.alloc(largestBytes + 1);
    let length = 0;
    for (;;) {
      const read = readSync(file, bytes, length, bytes.length - length, null);
      length += read;
      if (read === 0 || length > largestBytes) break;
    }
    if (length > largestBytes) throw new RangeError(`expected at most ${largestBytes} bytes`);
    return { text: bytes.toString('utf8', 0, length), isOpenToAll: (stat.mode & READ_BY_OTHERS) !== 0 };
  } finally {
    closeSync(file);
  }
};

/** A word of letters and digits as long as a token, and no path or address. */
const LIKE_A_SECRET = /(?<![\w./:-])(?=[\w=-]*\d)(?=[\w=-]*[A-Za-z])[\w=-]{20,}(?![\w./:-])/g;

/** A text for people without what may be a secret that was put in the wrong place. */
export function withoutSecrets(text: string): string {
  return text.replaceAll(LIKE_A_SECRET, '…');
}

/** Describes why a file could not be read. */
export function readFailure(error: unknown): string {
  if (error instanceof RangeError) return error.message;
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? 'expected a file, found none' : `the file can not be read (${code})`;
}
