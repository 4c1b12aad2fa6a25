import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { SarrafError } from '../domain/errors.ts';
import { copyControlFile } from './control/copy-control-file.ts';
import { openControlFile } from './control-file.ts';

/** A small database beside the mirror that a backup takes along. A restore leaves one that can be used. */
export interface SideFile {
  readonly name: 'control.sqlite' | 'alerts.sqlite' | 'watchdog-alerts.sqlite' | 'paper-account.sqlite';
  /**
   * True if there is no backup without this file. Otherwise an unreadable file is left out, and this is
   * reported.
   */
  readonly isVital: boolean;
  /** Copies it as it is at one moment; false where there is none. Throws `DATA_UNUSABLE`. */
  readonly copy: (dataFolder: string, to: string) => boolean;
  /**
   * Returns true if the folder's file is an entirely different one from the backup's, not a later state of
   * it. Null if that is impossible.
   */
  readonly isOther: ((path: string, backedUpPath: string) => boolean) | null;
  /** Throws `DATA_UNUSABLE`. */
  readonly open: (dataFolder: string) => Database.Database;
}

const LOCK_WAIT_MS = 2_000;

/** Has the halt that holds. */
export const CONTROL_SIDE_FILE: SideFile = {
  name: 'control.sqlite',
  isVital: true,
  copy: copyControlFile,
  isOther: null,
  open: (dataFolder) => openControlFile(dataFolder, LOCK_WAIT_MS),
};

/** True if a folder has a usable file that continues from any of a backup, and so is newer. */
export function staysOverRestore(
  { name, open, isOther }: SideFile,
  { dataFolder, backup }: { readonly dataFolder: string; readonly backup: string },
): boolean {
  const path = join(dataFolder, name);
  const backedUp = join(backup, name);
  if (!existsSync(path)) return false;
  try {
    open(dataFolder).close();
    return isOther === null || !existsSync(backedUp) || !isOther(path, backedUp);
  } catch (error) {
    if (error instanceof SarrafError) return false;
    throw error;
  }
}
