import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { readSmallFile } from './secret-file.ts';

/** Tokens and names of devices are far smaller. */
const LARGEST_BYTES = 8_192;

/**
 * Writes a text that only this user may read (0600, in a folder of 0700 where it has to be made). A crash
 * leaves the file as it was or as it is to be, never a part of it. Throws what the system throws.
 */
export function writePrivateFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.new`;
  rmSync(draft, { force: true });
  // Made anew, so that the rights of an older file do not stay.
  const file = openSync(draft, 'wx', 0o600);
  try {
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/**
 * Returns the content of such a file without surrounding blanks; null if the file is missing or empty. Throws
 * the system's errors, and a `RangeError` for a large file.
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
