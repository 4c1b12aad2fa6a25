import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { closing } from '../../../src/domain/closing.ts';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, test } from 'vitest';
import { planRestore, restoreBackup } from '../../../src/daemon/restore-backup.ts';
import { mirrorFactsOf } from '../../../src/mirror/copy-mirror.ts';
import { MirrorReader } from '../../../src/mirror/mirror-reader.ts';
import { ORDER_ROWS } from '../../../src/mirror/record-tables.ts';
import { MIRROR_STEPS } from '../../../src/mirror/schema.ts';
import {
  DURABLE,
  kept,
  MirrorFolder,
  NOW_MS,
  replyRecord,
  figure,
  fillChange,
  intentChange,
  mirrorOfEachTest,
  orderChange,
  backUp,
} from './mirror-fixture.ts';
import { sentence } from '../../../src/language/sentence.ts';

const VERSION_1 = readFileSync(new URL('version-1.sql', import.meta.url), 'utf8');
const VERSION_2 = readFileSync(new URL('version-2.sql', import.meta.url), 'utf8');
const ALL = { fromMs: 0, toMs: NOW_MS, most: 10 };
const EVERYTHING = { strategy: null, market: null, last: 10 };

const place = mirrorOfEachTest();

/** Returns the bytes of a mirror of version 1 with rows in it. */
function oldMirror(): Buffer {
  using folder = new MirrorFolder();
  const rows = join(folder.folder, 'rows.sqlite');
  const store = folder.open({ path: rows });
  store.apply(
    [
      orderChange({ state: 'open', venueId: null }),
      fillChange(),
      intentChange({}),
      kept('control', '{"halted":null}'),
      { kind: 'journal', entry: { kind: 'control', subject: 'start', json: '{}' } },
    ],
    DURABLE,
  );
  store.close();
  const old = new Database(folder.path);
  old.pragma('synchronous = OFF');
  old.exec(VERSION_1);
  old.prepare('ATTACH ? AS other').run(rows);
  const tables = old.prepare<[], string>("SELECT name FROM main.sqlite_schema WHERE type = 'table'").pluck();
  for (const table of tables.all()) {
    const columns = old
      .prepare(`SELECT '"' || name || '"' FROM pragma_table_info(?)`)
      .pluck()
      .all(table)
      .join(', ');
    old.exec(`INSERT INTO main."${table}" (${columns}) SELECT ${columns} FROM other."${table}"`);
  }
  old.exec("DETACH other; DELETE FROM meta WHERE name = 'place'");
  old.pragma('application_id = 1935766130');
  old.pragma('user_version = 1');
  old.pragma('journal_mode = WAL');
  old.close();
  return readFileSync(folder.path);
}

function versionOf(path: string): unknown {
  using database = closing(new Database(path, { readonly: true }));
  return database.pragma('user_version', { simple: true });
}

const shapeOf = (sql: readonly string[]): unknown => {
  const database = new Database(':memory:');
  for (const step of sql) database.exec(step);
  return database.prepare('SELECT type, name, tbl_name FROM sqlite_schema ORDER BY name').all();
};

const columnsOf = (sql: string): unknown => {
  const database = new Database(':memory:');
  database.exec(sql);
  return database
    .prepare(
      `SELECT t.name, c.* FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c ORDER BY 1, 2`,
    )
    .all();
};

test.each([
  ['first', [VERSION_1]],
  ['second', [VERSION_1, VERSION_2]],
])('the %s version is made as it always was, whatever came later', (_, frozen) => {
  const steps = MIRROR_STEPS.slice(0, frozen.length);
  expect(columnsOf(steps.join(';'))).toEqual(columnsOf(frozen.join(';')));
  expect(shapeOf(steps)).toEqual(shapeOf(frozen));
});

test('a column of orders that an older mirror lacks is null', () => {
  writeFileSync(place.path, oldMirror());
  const old = new Database(place.path);
  old.exec('ALTER TABLE orders DROP COLUMN tag');
  expect(ORDER_ROWS.select(old, '')()).toMatchObject([{ state: 'open', tag: null }]);
  old.close();
});

test('a mirror of version 2 keeps its figures and gets a place for replies, which go with their order', () => {
  writeFileSync(place.path, oldMirror());
  place.exec(
    `${VERSION_2}; INSERT INTO figures VALUES ('equity/usdt', ${NOW_MS}, '7'); PRAGMA user_version = 2`,
  );
  const before = place.read();
  expect(before.replies(replyRecord().orderKey)).toEqual([]);
  before.close();
  place.write([{ kind: 'reply', reply: replyRecord() }]);
  expect(versionOf(place.path)).toBe(MIRROR_STEPS.length);
  const reader = place.read();
  expect(reader.figures('equity/usdt', ALL)).toEqual([{ atMs: NOW_MS, value: '7' }]);
  expect(reader.replies(replyRecord().orderKey)).toHaveLength(1);
  const pruned = new Database(place.path);
  pruned.exec('DELETE FROM orders');
  expect(pruned.prepare('SELECT count(*) FROM replies').pluck().get()).toBe(0);
  pruned.close();
});

test('a mirror of version 4 gets codes with figures for its English reasons, and keeps the words of people', () => {
  const lock = { name: 'by hand', reason: 'by hand', by: 'halted' };
  const why = 'trading is halted: the bank is shut';
  const before = place.open();
  before.apply(
    [
      orderChange({ state: 'rejected', reason: 'NotSent: expired' }),
      intentChange({ status: 'refused', reason: why }),
      intentChange({ id: 'i2', status: 'done', reason: 'my own words' }),
      kept('locks', JSON.stringify({ locks: [lock] })),
      {
        kind: 'journal',
        entry: { kind: 'control', subject: 'place result', json: '{"message":"cancel it"}' },
      },
      {
        kind: 'journal',
        entry: { kind: 'log', subject: 'grid', json: '{"text":"by hand","reason":"by hand"}' },
      },
    ],
    DURABLE,
  );
  before.close();
  for (const side of ['bid', 'ask']) place.exec(`ALTER TABLE orders DROP COLUMN arrival_${side}`);
  for (const name of ['currency', 'value']) place.exec(`ALTER TABLE fills DROP COLUMN fee_${name}`);
  place.exec('DROP TABLE trip_notes; DROP INDEX intents_waiting; DROP INDEX fills_by_time');
  for (const name of ['approval', 'expires_at_ms', 'bound', 'best', 'value', 'decided_by'])
    place.exec(`ALTER TABLE intents DROP COLUMN ${name}`);
  place.exec('PRAGMA user_version = 4');
  place.open().close();
  expect(versionOf(place.path)).toBe(MIRROR_STEPS.length);
  const now = new Database(place.path, { readonly: true });
  const all = (sql: string): unknown => now.prepare(sql).pluck().all();
  expect(all('SELECT reason FROM orders')).toEqual([
    sentence('order-not-sent', { reason: sentence('expired') }),
  ]);
  expect(all('SELECT reason FROM intents ORDER BY id')).toEqual([
    sentence('halted', { reason: 'the bank is shut' }),
    'my own words',
  ]);
  expect(all("SELECT json FROM kept WHERE name = 'locks'")).toEqual([
    JSON.stringify({ locks: [{ ...lock, name: sentence('by-hand'), reason: sentence('by-hand') }] }),
  ]);
  expect(all('SELECT json FROM journal ORDER BY seq')).toEqual([
    '{"message":"cancel it"}',
    '{"text":"by hand","reason":"by hand"}',
  ]);
  now.close();
});

describe('a mirror of version 1', () => {
  const bytes = oldMirror();
  beforeEach(() => writeFileSync(place.path, bytes));

  test('is brought up to date when a bot opens it, with all that it had', () => {
    const store = place.open();
    const { orders, fills, intents, stored: pieces } = store.load();
    expect([orders.length, fills.length, intents.length]).toEqual([1, 1, 1]);
    expect(pieces).toMatchObject({ control: '{"halted":null}' });
    store.apply([figure('equity/usdt', NOW_MS, '12.5'), { kind: 'reply', reply: replyRecord() }], DURABLE);
    store.close();
    expect(versionOf(place.path)).toBe(MIRROR_STEPS.length);
    const reader = place.read();
    expect(reader.figures('equity/usdt', ALL)).toEqual([{ atMs: NOW_MS, value: '12.5' }]);
    expect(reader.replies(replyRecord().orderKey)).toEqual([replyRecord()]);
  });

  test('is read as it is by who only looks, which finds neither figures nor replies until a bot makes their tables', () => {
    const reader = place.read();
    expect(reader.orders({ ...EVERYTHING, state: 'open' })).toHaveLength(1);
    expect(reader.summary().counts).toMatchObject({ orders: 1, fills: 1, journal: 1 });
    expect([reader.figures('equity/usdt', ALL), reader.figureNames('')]).toEqual([[], []]);
    expect(reader.replies(replyRecord().orderKey)).toEqual([]);
    expect(readFileSync(place.path).equals(bytes)).toBe(true);
    const store = place.open();
    store.apply([figure('equity/usdt', NOW_MS, '1')], DURABLE);
    expect(reader.figureNames('')).toEqual(['equity/usdt']);
  });

  test('is backed up as it is, and the restored copy is brought up to date where it is put', async () => {
    const { folder: backup, manifest } = await backUp(place.folder);
    expect(manifest).toMatchObject({ rows: { orders: 1, fills: 1 } });
    expect(versionOf(join(backup, 'mirror.sqlite'))).toBe(1);
    const dataFolder = join(place.folder, 'other');
    const path = join(dataFolder, 'mirror.sqlite');
    await restoreBackup(await planRestore(backup, { dataFolder, instance: null }), NOW_MS);
    expect(versionOf(path)).toBe(1);
    const store = place.open({ path });
    expect(store.load().orders).toHaveLength(1);
    store.close();
    expect(mirrorFactsOf(path).rows).toMatchObject({ orders: 1, figures: 0, replies: 0 });
  });

  test('that a process left in the middle of it is of version 1, and is brought up to date by the next', () => {
    const dying = new Database(place.path);
    dying.pragma('synchronous = OFF');
    dying.pragma('wal_autocheckpoint = 0');
    dying.pragma('cache_size = 1');
    dying.exec(`BEGIN IMMEDIATE; ${MIRROR_STEPS[1]} PRAGMA user_version = 2`);
    // With a cache of one page, changes that are not committed yet are already in the log.
    const many = dying.prepare("INSERT INTO figures VALUES (?, 1, '1')");
    for (let index = 0; index < 500; index += 1) many.run(`equity/${'x'.repeat(200)}${index}`);
    const left = join(place.folder, 'left');
    mkdirSync(left);
    const path = join(left, 'mirror.sqlite');
    for (const end of ['', '-wal']) copyFileSync(`${place.path}${end}`, `${path}${end}`);
    dying.close();
    expect(readFileSync(`${path}-wal`).length).toBeGreaterThan(100_000);
    const reader = new MirrorReader(path);
    expect([reader.orders({ ...EVERYTHING, state: 'all' }).length, reader.figureNames('')]).toEqual([1, []]);
    reader.close();
    expect(versionOf(path)).toBe(1);
    const store = place.open({ path });
    expect(store.load().orders).toHaveLength(1);
    store.close();
    expect(versionOf(path)).toBe(MIRROR_STEPS.length);
  });

  test('that is damaged is refused and stays as it is', () => {
    place.exec("UPDATE orders SET amount = 'much'");
    expect(() => place.read()).toThrow('a damaged row in the table orders');
    place.exec('DROP TABLE fills');
    expect(() => place.read()).toThrow('found no table fills');
    expect(versionOf(place.path)).toBe(1);
  });
});
