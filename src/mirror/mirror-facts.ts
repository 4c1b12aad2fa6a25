import type Database from 'better-sqlite3';
import { readOrderName, storedNames } from '../engine/order-names.ts';
import { STORED_NAMES } from '../engine/order-takeover.ts';
import { openMirrorReadOnly } from './mirror-file.ts';

/** Facts that distinguish one mirror, and one moment of it, from another. */
export interface MirrorFacts {
  /** Marks in its order ids: its own, then those that it had before it was put back from a copy. */
  readonly epochs: readonly string[];
  /** Instances that its newest orders are named after: one, unless the configuration was changed. */
  readonly instances: readonly string[];
  /** Stored data of the account, as the bot writes it; null before any. */
  readonly account: string | null;
  /** The time of the last line of the journal, in ms since 1970; null for an empty one. */
  readonly lastAtMs: number | null;
  /** Rows by table. */
  readonly rows: Readonly<Record<string, number>>;
}

/** Orders that are looked at for the names of instances. */
const NEWEST_ORDERS = 1_000;

/** Reads them as of the moment that the connection sees. */
export function readMirrorFacts(database: Database.Database): MirrorFacts {
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
      ...formerEpochs(one('SELECT json FROM kept WHERE name = ?', STORED_NAMES)),
    ],
    instances: instancesOf(database),
    account: meta('account'),
    lastAtMs: typeof lastAtMs === 'number' ? lastAtMs : null,
    rows: rowsOf(database),
  };
}

function formerEpochs(json: unknown): readonly string[] {
  if (typeof json !== 'string') return [];
  const read = storedNames.safeParse(JSON.parse(json));
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

/** The same of a file; also while a bot writes to it. Throws `DATA_UNUSABLE` where it can not be read. */
export function mirrorFactsOf(path: string): MirrorFacts {
  const database = openMirrorReadOnly(path);
  try {
    return database.transaction(() => readMirrorFacts(database))();
  } finally {
    database.close();
  }
}
