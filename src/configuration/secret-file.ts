import {
  constants,
  fstatSync,
  readSync,
  mkdirSync,
  renameSync,
  rmSync,
  writeFileSync,
  openSync,
  closeSync,
} from 'node:fs';
import { disposable } from '../domain/closing.ts';
import { inspect } from 'node:util';
import { dirname } from 'node:path';

/** Content of a small file, and whether everyone may read it. */
interface SmallFile {
  readonly text: string;
  /** True if users other than its owner and group may read it. */
  readonly isOpenToAll: boolean;
}

/** Reads a file of at most `largestBytes`. Throws the system's errors, or a `RangeError` if larger. */
export type ReadSmallFile = (path: string, largestBytes: number) => SmallFile;

const READ_BY_OTHERS = 0o004;

/** Reads a small file from the disk. */
export const readSmallFile: ReadSmallFile = (path, largestBytes) => {
  // Opening a pipe without a writer would wait for ever.
  using file = disposable(openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), closeSync);
  const stat = fstatSync(file.value);
  if (stat.isFIFO()) throw new RangeError('expected a file, found a pipe: write what it gives to a file');
  if (stat.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
  // One byte more than allowed shows that a file is too large, also a device.
  const bytes = Buffer.alloc(largestBytes + 1);
  let length = 0;
  for (;;) {
    const read = readSync(file.value, bytes, length, bytes.length - length, null);
    length += read;
    if (read === 0 || length > largestBytes) break;
  }
  if (length > largestBytes) throw new RangeError(`expected at most ${largestBytes} bytes`);
  return { text: bytes.toString('utf8', 0, length), isOpenToAll: (stat.mode & READ_BY_OTHERS) !== 0 };
};

/** Matches a word of letters and digits as long as a token that is not part of a path or address. */
const LIKE_A_SECRET = /(?<![\w./:-])(?=[\w=-]*\d)(?=[\w=-]*[A-Za-z])[\w=-]{20,}(?![\w./:-])/g;

/** Hides words in a text that look like secrets put in the wrong place. */
export function withoutSecrets(text: string): string {
  return text.replaceAll(LIKE_A_SECRET, '…');
}

/** Describes why a file could not be read. */
export function readFailure(error: unknown): string {
  if (error instanceof RangeError) return error.message;
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? 'expected a file, found none' : `the file can not be read (${code})`;
}

const SHOWN = '[secret]';

/** A text that is not shown by accident: as text or JSON it is `[secret]`. Only `reveal` returns it. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** Returns the secret text. Call it only where the text is used. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return SHOWN;
  }

  toJSON(): string {
    return SHOWN;
  }

  [Symbol.toPrimitive](): string {
    return SHOWN;
  }

  [inspect.custom](): string {
    return SHOWN;
  }
}

/** Largest size of a secret's file in bytes; tokens and device names are far smaller. */
const LARGEST_BYTES = 8_192;

/**
 * Writes a text that only this user may read (0600; a new folder gets 0700). A crash leaves the old file or
 * the new one, never a part. Throws the system's errors.
 */
export function writePrivateFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.new`;
  rmSync(draft, { force: true });
  // A new file, so that it does not inherit the rights of an older one.
  try {
    writeFileSync(draft, text, { flush: true, flag: 'wx', mode: 0o600 });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/**
 * Returns the content of a private file without surrounding blanks; null if the file is missing or empty.
 * Throws the system's errors, and a `RangeError` for a large file.
 */
export function readPrivateFile(path: string): string | null {
  try {
    const text = readSmallFile(path, LARGEST_BYTES).text.trim();
    return text === '' ? null : text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
