import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { syncFolder } from '../../recording/durable-file.ts';

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
