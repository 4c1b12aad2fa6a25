import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { SarrafError } from '../domain/errors.ts';
import { MarketRows } from './market-rows.ts';
import { MIGRATIONS } from './migrations.ts';
import { OrderRows } from './order-rows.ts';

/** "sarr" in ASCII: tells a mirror from any other SQLite file. */
const APPLICATION_ID = 0x73617272;

/** What this mirror is made of: the first step of the schema, and nothing of the later ones. */
const STEPS = MIGRATIONS.slice(0, 1);

/** How long writes may be gathered into one transaction. */
export interface WritePace {
  /** Writes in one transaction at most. 1: each is durable by itself. */
  readonly writesAtOnce: number;
}

/**
 * The local copy of what the bot has seen and done, in one SQLite file: write-ahead log, STRICT tables, decimals as TEXT. It can be read by others
 * while the bot writes.
 */
export class Mirror {
  readonly path: string;
  readonly orders: OrderRows;
  readonly market: MarketRows;
  private readonly database: Database.Database;
  private readonly pace: WritePace;
  private pending = 0;

  private constructor(path: string, database: Database.Database, pace: WritePace) {
    this.path = path;
    this.database = database;
    this.pace = pace;
    this.orders = new OrderRows(database);
    this.market = new MarketRows(database);
  }

  /**
   * Makes the mirror of an exchange that begins anew with every run: what the last such run left is replaced, anything else of that name is
   * left alone. Throws `DATA_UNUSABLE` when the folder can not be written to, or the file is no mirror.
   */
  static replace(folder: string, name: string, pace: WritePace): Mirror {
    const path = join(folder, name);
    try {
      mkdirSync(folder, { recursive: true });
      if (!isReplaceable(path)) {
        throw new SarrafError(
          'DATA_UNUSABLE',
          `expected a mirror of sarraf or nothing at ${path}, found another file: move it, or name another folder with --data`,
        );
      }
      for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
      const database = new Database(path);
      database.pragma('journal_mode = WAL');
      database.pragma(`synchronous = ${pace.writesAtOnce === 1 ? 'FULL' : 'NORMAL'}`);
      database.pragma(`application_id = ${APPLICATION_ID}`);
      migrate(database);
      return new Mirror(path, database, pace);
    } catch (error) {
      if (error instanceof SarrafError) throw error;
      if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) {
        throw new SarrafError(
          'DATA_UNUSABLE',
          `expected ${path} for this run alone, another one has it open: end that one, or name another folder with --data`,
          { cause: error },
        );
      }
      const reason = error instanceof Error ? error.message : String(error);
      throw new SarrafError('DATA_UNUSABLE', `expected to be able to write ${path}: ${reason}`, { cause: error });
    }
  }

  /** Runs writes; they become durable together with the next few, as the pace says. */
  write(work: () => void): void {
    if (this.pending === 0) this.database.exec('BEGIN');
    this.pending += 1;
    work();
    if (this.pending >= this.pace.writesAtOnce) this.flush();
  }

  /** Makes everything written so far durable. */
  flush(): void {
    if (this.pending === 0) return;
    this.database.exec('COMMIT');
    this.pending = 0;
  }

  close(): void {
    this.flush();
    this.database.close();
  }
}

/** Whether there is nothing at a path, or a mirror that nobody has open. Throws when another process holds it. */
function isReplaceable(path: string): boolean {
  let database: Database.Database;
  try {
    // Another run keeps it for as long as it lasts: there is nothing to wait for.
    database = new Database(path, { fileMustExist: true, timeout: 200 });
  } catch (error) {
    return error instanceof Database.SqliteError && error.code === 'SQLITE_CANTOPEN';
  }
  try {
    const isOurs = database.pragma('application_id', { simple: true }) === APPLICATION_ID;
    const version = database.pragma('user_version', { simple: true }) as number;
    if (isOurs && version > STEPS.length) {
      throw new SarrafError(
        'DATA_UNUSABLE',
        `expected a mirror of version ${STEPS.length} or older at ${database.name}, found version ${version}: use the newer sarraf, or name another folder with --data`,
      );
    }
    // Fails with SQLITE_BUSY while another run has it.
    if (isOurs) {
      database.pragma('locking_mode = EXCLUSIVE');
      database.exec('BEGIN EXCLUSIVE; COMMIT');
    }
    return isOurs;
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code === 'SQLITE_NOTADB') return false;
    throw error;
  } finally {
    database.close();
  }
}

/** Brings a database up to the newest version, a step a transaction. */
function migrate(database: Database.Database): void {
  const version = database.pragma('user_version', { simple: true }) as number;
  for (const [index, step] of STEPS.entries()) {
    if (index < version) continue;
    database.transaction(() => {
      database.exec(step);
      database.pragma(`user_version = ${index + 1}`);
    })();
  }
}
