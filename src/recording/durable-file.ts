import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, writeSync, existsSync, mkdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Puts a file's content on the disk. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Puts the names in a folder on the disk, so that a file that was renamed there is there after a crash. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Replaces a file by a text: after a crash it is the old one or the new one, whole. */
export function replaceFile(path: string, text: string): void {
  const draft = `${path}.tmp`;
  const file = openSync(draft, 'w');
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
  syncFolder(dirname(path));
}

/** Bytes of a file that are read at a time. */
const CHECKED_BYTES = 262_144;

/** SHA-256 of a file, as hexadecimal digits. */
export async function checksum(path: string): Promise<string> {
  const hash = createHash('sha256');
  // One buffer for all: a stream makes new ones faster than they are collected.
  const buffer = Buffer.allocUnsafe(CHECKED_BYTES);
  await using file = await open(path);
  for (;;) {
    const { bytesRead } = await file.read(buffer);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(buffer.subarray(0, bytesRead));
  }
}

/** Folder of DuckDB for data that does not fit into memory, below the folder that is written to. */
export const SPILL_FOLDER = '.spill';

/**
 * Moves those of the files that are there into a folder of their own, which is made. Answers the folder; null
 * where none of them was there.
 */
export function moveAside(paths: readonly string[], folder: string): string | null {
  const there = paths.filter((path) => existsSync(path));
  if (there.length === 0) return null;
  mkdirSync(folder, { mode: 0o700 });
  for (const path of there) renameSync(path, join(folder, path.slice(dirname(path).length + 1)));
  syncFolder(folder);
  return folder;
}
