import { existsSync } from 'node:fs';
import { closing } from '../domain/closing.ts';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { SarrafError } from '../domain/errors.ts';
import { openControlFile, controlPath } from './control-file.ts';
import { unusable } from '../mirror/unusable.ts';

/** A small database beside the mirror that backups include. After a restore it can be used. */
export interface SideFile {
  readonly name: 'control.sqlite' | 'alerts.sqlite' | 'watchdog-alerts.sqlite' | 'paper-account.sqlite';
  /**
   * True if there is no backup without this file. Otherwise an unreadable file is left out, and this is
   * reported.
   */
  readonly isVital: boolean;
  /** Copies the file as it is at one moment; returns false if there is none. Throws `DATA_UNUSABLE`. */
  readonly copy: (dataFolder: string, to: string) => boolean;
  /**
   * Returns true if the folder's file is an entirely different one from the backup's, not a later state of
   * it. Null if that is impossible.
   */
  readonly isOther: ((path: string, backedUpPath: string) => boolean) | null;
  /** Opens the file or creates it. Throws `DATA_UNUSABLE`. */
  readonly open: (dataFolder: string) => Database.Database;
}

/** Longest wait for another process that writes, in ms. */
const BUSY_TIMEOUT_MS = 2_000;

/** The control database, which contains the halt that holds. */
export const CONTROL_SIDE_FILE: SideFile = {
  name: 'control.sqlite',
  isVital: true,
  copy: copyControlFile,
  isOther: null,
  open: (dataFolder) => openControlFile(dataFolder, BUSY_TIMEOUT_MS),
};

/**
 * Copies the control database of a data folder, with the halt that holds and the commands that wait for the
 * next start. Commands about the situation of that time are left out: an acceptance of the books, a cancel or
 * a close that was not done, which would sell weeks later, and statements about a position. Returns whether
 * there is one. Throws `DATA_UNUSABLE` if it cannot be read.
 */
function copyControlFile(dataFolder: string, to: string): boolean {
  if (!existsSync(controlPath(dataFolder))) return false;
  const change = `DELETE FROM commands WHERE kind IN ('drain', 'reload', 'accept-balances')
    OR (kind IN ('cancel', 'close', 'position') AND done_at_ms IS NULL)`;
  copyDatabase(openControlFile(dataFolder, BUSY_TIMEOUT_MS), to, change);
  return true;
}

/** True if a folder's file is usable and continues from any of a backup, and so is newer. */
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

/**
 * Copies a database as it is at one moment, also while others write to it, and closes it. `change` is SQL
 * that is run in the copy. Throws `DATA_UNUSABLE` for a copy that is damaged.
 */
export function copyDatabase(source: Database.Database, to: string, change?: string): void {
  try {
    source.prepare('VACUUM INTO ?').run(to);
  } finally {
    source.close();
  }
  using copy = closing(new Database(to, { fileMustExist: true }));
  if (change !== undefined) copy.exec(change);
  const health = String(copy.pragma('integrity_check(1)', { simple: true }));
  if (health === 'ok') return;
  throw unusable({
    path: to,
    found: `a damaged copy (${health})`,
    advice: 'look after the disk, and copy it again',
  });
}
