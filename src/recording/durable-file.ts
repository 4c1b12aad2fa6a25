import { createHash } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  openSync,
  renameSync,
  writeSync,
  existsSync,
  readdirSync,
  rmSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Manifest } from './manifest.ts';

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

const OWN_FILE = /^(.+)\.(\d+)\.(?:parquet|json)$/;

/**
 * Returns the files that a killed writer has left in a folder: drafts, files that it had not yet entered in
 * the manifest, and files that a newer one has replaced. A file of another name is never a left-over.
 */
export function leftOvers(folder: string, manifest: Manifest): string[] {
  if (!existsSync(folder)) return [];
  const known = new Set([...manifest.partitions.map(({ file }) => file), manifest.tail?.file]);
  const newest = new Map(
    [...manifest.partitions.map(({ file }) => file), manifest.tail?.file ?? ''].map((file) => {
      const [, name = '', generation = '0'] = OWN_FILE.exec(file) ?? [];
      return [name, Number(generation)];
    }),
  );
  return readdirSync(folder).filter((file) => {
    if (file.endsWith('.tmp') || file === SPILL_FOLDER) return true;
    const [, name = '', generation = ''] = OWN_FILE.exec(file) ?? [];
    if (generation === '' || known.has(file)) return false;
    return Number(generation) > manifest.generation || Number(generation) < (newest.get(name) ?? 0);
  });
}

/** Removes them. Only whoever has the folder's lock may: another writer's drafts look the same. */
export function removeLeftOvers(folder: string, manifest: Manifest): void {
  for (const name of leftOvers(folder, manifest))
    rmSync(join(folder, name), { recursive: true, force: true });
}

/** Files of a folder that neither the manifest names nor a killed writer has left. */
export function unknownFiles(folder: string, manifest: Manifest): string[] {
  if (!existsSync(folder)) return [];
  const known = new Set([
    ...manifest.partitions.map(({ file }) => file),
    manifest.tail?.file,
    'manifest.json',
  ]);
  const left = new Set(leftOvers(folder, manifest));
  return readdirSync(folder).filter(
    (name) => !known.has(name) && !left.has(name) && !name.startsWith('.lock'),
  );
}
