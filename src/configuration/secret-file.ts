import { fstatSync, closeSync, openSync, readSync } from 'node:fs';

/** A small file with what its rights are. */
export interface SmallFile {
  readonly text: string;
  /** Whether others than its owner and group may read it. */
  readonly isOpenToAll: boolean;
}

/**
 * Reads a file of at most `largestBytes`; throws what the system throws, and a `RangeError` for a larger
 * file.
 */
export type ReadSmallFile = (path: string, largestBytes: number) => SmallFile;

const READ_BY_OTHERS = 0o004;

/** The way to the disk. */
export const readSmallFile: ReadSmallFile = (path, largestBytes) => {
  const file = openSync(path, 'r');
  try {
    const stat = fstatSync(file);
    if (stat.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
    // One byte more than allowed tells a file that is too large, pipes and devices included.
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

/** Why a file could not be read, in words. */
export function readFailure(error: unknown): string {
  if (error instanceof RangeError) return error.message;
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? 'expected a file, found none' : `the file can not be read (${code})`;
}
