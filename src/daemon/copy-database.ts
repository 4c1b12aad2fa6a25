import Database from 'better-sqlite3';
import { unusable } from '../mirror/unusable.ts';

/**
 * Copies a database as it is at one moment, also while others write to it, and closes it. `change` is carried
 * out in the copy. Throws `DATA_UNUSABLE` for a copy that is damaged.
 */
export function copyDatabase(source: Database.Database, to: string, change?: string): void {
  try {
    source.prepare('VACUUM INTO ?').run(to);
  } finally {
    source.close();
  }
  const copy = new Database(to, { fileMustExist: true });
  try {
    if (change !== undefined) copy.exec(change);
    const health = String(copy.pragma('integrity_check(1)', { simple: true }));
    if (health === 'ok') return;
    throw unusable({
      path: to,
      found: `a damaged copy (${health})`,
      advice: 'look after the disk, and copy it again',
    });
  } finally {
    copy.close();
  }
}
