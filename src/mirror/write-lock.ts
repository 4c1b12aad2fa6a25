import Database from 'better-sqlite3';
import { openingFailed, sqliteCode, unusable } from './unusable.ts';

/** Time a start waits for a process that only checks if the lock is held. */
const WAIT_MS = 300;

const writeLockPath = (mirrorPath: string): string => `${mirrorPath}.lock`;

/**
 * One writer a mirror: a lock on a database of no content beside it. The system takes it back when the
 * process ends, however it ends. Readers of the mirror itself are not hindered.
 */
export class WriteLock {
  private readonly database: Database.Database;

  private constructor(database: Database.Database) {
    this.database = database;
  }

  /** Throws `DATA_UNUSABLE` while another process, or another store in this one, has it. */
  static acquire(mirrorPath: string): WriteLock {
    let database: Database.Database | null = null;
    try {
      database = new Database(writeLockPath(mirrorPath), { timeout: WAIT_MS });
      database.exec('BEGIN EXCLUSIVE');
      return new WriteLock(database);
    } catch (error) {
      database?.close();
      if (sqliteCode(error)?.startsWith('SQLITE_BUSY') !== true) throw openingFailed(mirrorPath, error);
      throw unusable({
        path: mirrorPath,
        found: 'another bot that has it open',
        advice: 'end that one, or name another folder with --data',
        cause: error,
      });
    }
  }

  release(): void {
    this.database.close();
  }
}

/** True if a bot has the mirror open; null if that is not known. */
export function hasWriter(mirrorPath: string): boolean | null {
  let database: Database.Database | null = null;
  try {
    database = new Database(writeLockPath(mirrorPath), { readonly: true, fileMustExist: true, timeout: 0 });
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch (error) {
    const code = sqliteCode(error);
    if (code?.startsWith('SQLITE_BUSY') === true) return true;
    return code === 'SQLITE_CANTOPEN' ? false : null;
  } finally {
    database?.close();
  }
}
