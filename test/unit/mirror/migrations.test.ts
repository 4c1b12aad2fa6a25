import { createHash } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseUnits } from '../../../src/domain/money.ts';
import { MIGRATIONS } from '../../../src/mirror/migrations.ts';
import { fillRecord, MirrorFolder, NOW_MS, orderRecord } from './mirror-fixture.ts';

let place: MirrorFolder;

beforeEach(() => {
  place = new MirrorFolder();
});

afterEach(() => place[Symbol.dispose]());

const ORDERS: readonly (readonly [id: string, venueId: number | null, stage: string, status: string | null])[] = [
  ['done', 1, 'ended', 'Done'],
  ['gone', 2, 'ended', 'Canceled'],
  ['no', null, 'refused', null],
  ['asked', null, 'sending', null],
  ['open', 3, 'open', 'Active'],
  ['waits', 4, 'settling', 'Done'],
];

/** A mirror as the first version left it, written by hand, and still open. */
function firstVersion(): Database.Database {
  const database = new Database(place.path);
  database.pragma('journal_mode = WAL');
  database.pragma('application_id = 1935766130');
  database.exec(MIGRATIONS[0] ?? '');
  database.pragma('user_version = 1');
  for (const [index, [id, venueId, stage, status]] of ORDERS.entries()) {
    database
      .prepare(
        `INSERT INTO orders VALUES (?, ?, 'ma-cross', 'BTCIRT', 'buy', 'limit', '12600000000', '0.3', '0.3', ?, ?, ?)`,
      )
      .run(id, venueId, stage, status, NOW_MS - 1_000 + index);
    database
      .prepare(`INSERT INTO order_changes (client_order_id, at_ms, stage, status, matched) VALUES (?, ?, ?, ?, '0.3')`)
      .run(id, NOW_MS - 500 + index, stage, status);
  }
  for (const [tradeId, amount] of [
    [70, '0.1'],
    [71, '0.2'],
  ]) {
    database
      .prepare(
        `INSERT INTO trades VALUES (?, 'done', 'BTCIRT', 'buy', ?, '12600000000', ?, '126000000000000000000.0000000001', '0.0000000025')`,
      )
      .run(tradeId, NOW_MS, amount);
  }
  database.exec(`
    INSERT INTO balances VALUES ('rls', '7', '1', 5);
    INSERT INTO books VALUES ('BTCIRT', '[]', '[]', NULL, 6);
    INSERT INTO stats VALUES ('BTCIRT', '1', '2', '3', '-1.5', 7);
    INSERT INTO candles VALUES ('BTCIRT', '60', 0, '1', '2', '0.5', '1.5', '9');`);
  return database;
}

const seen = (sql: string): unknown[] => {
  const reader = new Database(place.path, { readonly: true });
  try {
    return reader.prepare(sql).all();
  } finally {
    reader.close();
  }
};

test('the first step is as it was released', () => {
  const digest = createHash('sha256')
    .update(MIGRATIONS[0] ?? '')
    .digest('hex');
  expect(digest).toBe('9b6c64b11e88a29fd9f8c3305c74393ee95861bca91b59e54f0a2ec3f4c5d00d');
});

test('a mirror of version 1 is brought up to date with its orders, fills, changes and what was last seen', () => {
  firstVersion().close();
  const state = place.open().load();
  expect(state.orders.map(({ key, state }) => [key, state])).toEqual([
    ['done', 'filled'],
    ['gone', 'cancelled'],
    ['no', 'rejected'],
    ['asked', 'unknown'],
    ['open', 'open'],
    ['waits', 'settling'],
  ]);
  const plannedAtMs = NOW_MS - 1_000;
  expect(state.orders[0]).toEqual(
    orderRecord({
      key: 'done',
      intentId: 'done',
      marketVersion: 0,
      amount: parseUnits('0.3'),
      matched: parseUnits('0.3'),
      plannedAtMs,
      sentAtMs: plannedAtMs,
      attempts: 1,
      state: 'filled',
      venueId: 1,
      venueStatus: 'Done',
      filled: parseUnits('0.3'),
      filledTotal: parseUnits('252000000000000000000.0000000002'),
      fee: parseUnits('0.000000005'),
      closedAtMs: NOW_MS - 500,
    }),
  );
  expect(state.fills).toEqual(
    [[70, '0.1'] as const, [71, '0.2'] as const].map(([tradeId, amount]) =>
      fillRecord({
        tradeId,
        venueOrderId: 1,
        orderKey: 'done',
        amount: parseUnits(amount),
        total: parseUnits('126000000000000000000.0000000001'),
      }),
    ),
  );
  expect(state.epoch).toBe('e001');
  expect(seen(`SELECT at_ms, kind, subject, json FROM journal WHERE subject = 'open'`)).toEqual([
    { at_ms: NOW_MS - 496, kind: 'order', subject: 'open', json: '{"stage":"open","status":"Active","matched":"0.3"}' },
  ]);
  expect(seen('SELECT currency, total, held, seen_at_ms, wallet_id FROM balances')).toEqual([
    { currency: 'rls', total: '7', held: '1', seen_at_ms: 5, wallet_id: null },
  ]);
  expect(seen('SELECT seen_at_ms FROM books')).toEqual([{ seen_at_ms: 6 }]);
  expect(seen('SELECT latest, is_closed, seen_at_ms FROM stats')).toEqual([
    { latest: '1', is_closed: 0, seen_at_ms: 7 },
  ]);
  expect(seen('SELECT * FROM candles')).toEqual([
    {
      market: 'BTCIRT',
      resolution: '60',
      open_time_ms: 0,
      open: '1',
      high: '2',
      low: '0.5',
      close: '1.5',
      volume: '9',
    },
  ]);
});

test('a mirror that was brought up to date has the same tables as a new one', () => {
  const schema = `SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name`;
  firstVersion().close();
  place.open().close();
  const migrated = seen(schema);
  using other = new MirrorFolder();
  other.open().close();
  const reader = new Database(other.path, { readonly: true });
  expect(migrated).toEqual(reader.prepare(schema).all());
  reader.close();
  expect(migrated.length).toBeGreaterThan(20);
});

test('a mirror of version 1 that was left open by a crash is brought up to date too', () => {
  using other = new MirrorFolder();
  const database = firstVersion();
  // Its log holds what a crash now would leave.
  for (const suffix of ['', '-wal']) copyFileSync(place.path + suffix, other.path + suffix);
  database.close();
  other.open().close();
  const reader = new Database(other.path, { readonly: true });
  expect(reader.prepare('SELECT total FROM balances').all()).toEqual([{ total: '7' }]);
  reader.close();
});
