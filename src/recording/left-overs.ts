import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from './manifest.ts';

/** Where DuckDB puts what does not fit into memory, below the folder that is written to. */
export const SPILL_FOLDER = '.spill';

const OWN_FILE = /^(.+)\.(\d+)\.(?:parquet|json)$/;

/**
 * What a writer that was killed has left in a folder: drafts, files that it had not yet entered in the manifest, and files that a newer one has replaced. A file
 * of another name is nobody's left-over.
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
  for (const name of leftOvers(folder, manifest)) rmSync(join(folder, name), { recursive: true, force: true });
}

/** Files of a folder that neither the manifest names nor a killed writer has left. */
export function unknownFiles(folder: string, manifest: Manifest): string[] {
  if (!existsSync(folder)) return [];
  const known = new Set([...manifest.partitions.map(({ file }) => file), manifest.tail?.file, 'manifest.json']);
  const left = new Set(leftOvers(folder, manifest));
  return readdirSync(folder).filter((name) => !known.has(name) && !left.has(name) && !name.startsWith('.lock'));
}
