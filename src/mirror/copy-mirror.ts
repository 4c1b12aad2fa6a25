import { closeSync, fdatasyncSync, openSync } from 'node:fs';
import { closing } from '../domain/closing.ts';
import Database from 'better-sqlite3';
import { forgetPlace } from './identity.ts';
import { openMirrorReadOnly } from './mirror-file.ts';
import { unusable } from './unusable.ts';
import { readOrderName } from '../engine/order-names.ts';
import { STORED_RECORDS } from '../engine/stored-records.ts';

/** Pages of 4 KiB in one step of a copy: a megabyte. */
const PAGES_A_STEP = 256;

/** Pause between two steps, in which the writes of the bot get to the disk. */
const PAUSE_MS = 5;

interface CopyOptions {
  /** Called after each step, also after the last one. It may throw to stop the copy. */
  readonly onStep: (done: { readonly bytes: number; readonly ofBytes: number }) => void;
}

/**
 * Copies a mirror as of one moment into a new file, also while a bot writes to it: readers do not block the
 * writer. The copy is one file without a log, is verified, and counts as a restored copy wherever it is put.
 * Returns facts about its contents. Throws `DATA_UNUSABLE` if the mirror can not be read or the copy differs,
 * and the errors of SQLite and `onStep`; the caller then removes the unfinished file.
 */
export async function copyMirror(from: string, to: string, options: CopyOptions): Promise<MirrorFacts> {
  const source = openMirrorReadOnly(from);
  const disk = new FileSync(to);
  let facts: MirrorFacts;
  try {
    // What this transaction sees stays as it is. Without it every write of the bot would begin the copy anew.
    source.exec('BEGIN');
    facts = readMirrorFacts(source);
    const pageBytes = Number(source.pragma('page_size', { simple: true }));
    await source.backup(to, {
      progress({ totalPages, remainingPages }) {
        const bytes = (totalPages - remainingPages) * pageBytes;
        options.onStep({ bytes, ofBytes: totalPages * pageBytes });
        disk.sync();
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
        return PAGES_A_STEP;
      },
    });
  } finally {
    disk.close();
    // It ends what the log of the bot has to keep.
    source.close();
  }
  makeSingleFile(to);
  verify(to, facts);
  return facts;
}

/**
 * Syncs the copied part to the disk with each step: one sync at the end would delay the commits of a bot on
 * the same disk.
 */
class FileSync {
  private readonly path: string;
  private file: number | null = null;

  constructor(path: string) {
    this.path = path;
  }

  sync(): void {
    this.file ??= openSync(this.path, 'r');
    fdatasyncSync(this.file);
  }

  /** Closes the file. Only allowed when SQLite has it closed: closing would end SQLite's locks. */
  close(): void {
    if (this.file !== null) closeSync(this.file);
    this.file = null;
  }
}

function makeSingleFile(path: string): void {
  using copy = closing(new Database(path, { fileMustExist: true }));
  copy.pragma('journal_mode = DELETE');
  copy.pragma('synchronous = FULL');
  forgetPlace(copy);
}

function verify(path: string, expected: MirrorFacts): void {
  // Opens it as a bot and every command do.
  using copy = closing(openMirrorReadOnly(path));
  const health = String(copy.pragma('integrity_check(1)', { simple: true }));
  const { meta, ...rows } = readMirrorFacts(copy).rows;
  const { meta: before = 0, ...expectedRows } = expected.rows;
  const isWhole = health === 'ok' && JSON.stringify(rows) === JSON.stringify(expectedRows);
  if (isWhole && meta !== undefined && meta >= before - 1) return;
  throw unusable({
    path,
    found: `a copy that differs from it (${health === 'ok' ? 'other rows' : health})`,
    advice: 'look after the disk, and copy it again',
  });
}

/** Facts that distinguish one mirror, and one moment of it, from another. */
export interface MirrorFacts {
  /** Epochs in its order ids: its own, then those from before it was restored from a copy. */
  readonly epochs: readonly string[];
  /** Instance names in its newest orders: one, unless the configuration was changed. */
  readonly instances: readonly string[];
  /** Stored data of the account, as the bot writes it; null before any. */
  readonly account: string | null;
  /** Time of the last line of the journal, in ms since 1970; null for an empty one. */
  readonly lastAtMs: number | null;
  /** Number of rows by table. */
  readonly rows: Readonly<Record<string, number>>;
}

/** Newest orders that are searched for names of instances. */
const NEWEST_ORDERS = 1_000;

/** Reads the facts of a mirror as of the moment that the connection sees. */
function readMirrorFacts(database: Database.Database): MirrorFacts {
  const one = (sql: string, ...values: string[]): unknown =>
    database
      .prepare<string[]>(sql)
      .pluck()
      .get(...values);
  const meta = (name: string): string | null => {
    const value = one('SELECT value FROM meta WHERE name = ?', name);
    return typeof value === 'string' ? value : null;
  };
  const epoch = meta('epoch');
  const lastAtMs = one('SELECT at_ms FROM journal ORDER BY seq DESC LIMIT 1');
  return {
    epochs: [
      ...(epoch === null ? [] : [epoch]),
      ...formerEpochs(one('SELECT json FROM kept WHERE name = ?', 'names')),
    ],
    instances: instancesOf(database),
    account: meta('account'),
    lastAtMs: typeof lastAtMs === 'number' ? lastAtMs : null,
    rows: rowsOf(database),
  };
}

function formerEpochs(json: unknown): readonly string[] {
  if (typeof json !== 'string') return [];
  const read = STORED_RECORDS.names.safeParse(JSON.parse(json));
  return read.success ? read.data.former.map(({ epoch }) => epoch).toReversed() : [];
}

function instancesOf(database: Database.Database): readonly string[] {
  const names = database
    .prepare<[number], string | null>('SELECT client_order_id FROM orders ORDER BY id DESC LIMIT ?')
    .pluck()
    .all(NEWEST_ORDERS);
  return [...new Set(names.flatMap((name) => readOrderName(name)?.instance ?? []))].toSorted();
}

function rowsOf(database: Database.Database): Readonly<Record<string, number>> {
  const tables = database
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .pluck()
    .all();
  return Object.fromEntries(
    tables.map((table) => [table, Number(database.prepare(`SELECT count(*) FROM "${table}"`).pluck().get())]),
  );
}

/** Reads the facts of a file, also while a bot writes to it. Throws `DATA_UNUSABLE` if unreadable. */
export function mirrorFactsOf(path: string): MirrorFacts {
  using database = closing(openMirrorReadOnly(path));
  return database.transaction(() => readMirrorFacts(database))();
}
