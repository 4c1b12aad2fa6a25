import { join } from 'node:path';
import { z } from 'zod';
import { readPrivateFile, writePrivateFile } from '../configuration/private-file.ts';

const noted = z.object({ folder: z.string(), madeAtMs: z.int().nonnegative() });

/** A backup as its data folder remembers it: whether its folder is still there is not known. */
type NotedBackup = z.output<typeof noted>;

const pathOf = (dataFolder: string): string => join(dataFolder, 'last-backup.json');

/** Notes in a data folder that a backup of it was made. Throws what the system throws. */
export function noteBackup(dataFolder: string, { folder, madeAtMs }: NotedBackup): void {
  writePrivateFile(pathOf(dataFolder), JSON.stringify({ folder, madeAtMs }));
}

/** The last backup that was made of a data folder; null where none is noted, or not readably. */
export function lastBackup(dataFolder: string): NotedBackup | null {
  try {
    return noted.parse(JSON.parse(readPrivateFile(pathOf(dataFolder)) ?? 'null'));
  } catch {
    return null;
  }
}
