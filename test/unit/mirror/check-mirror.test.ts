import Database from 'better-sqlite3';
import { closing } from '../../../src/domain/closing.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { algorithmToJson } from '../../../src/engine/algorithm-json.ts';
import { checkOf } from '../../../src/mirror/check-mirror.ts';
import { sarrafHere, failed } from '../../support/sarraf-here.ts';
import { ICEBERG, MirrorFolder, NOW_MS } from './mirror-fixture.ts';
import { newLedger, instanceJson } from '../../support/new-ledger.ts';

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
}

let mirror: MirrorFolder;
let database: Database.Database;

/** All columns of a new mirror; each of them gets a test. */
const COLUMNS: readonly Column[] = (() => {
  using folder = new MirrorFolder();
  folder.open().close();
  using file = closing(new Database(folder.path, { readonly: true }));
  return file
    .prepare<[], Column>(
      `SELECT t.name AS "table", c.name AS name, c.type AS type FROM sqlite_schema t, pragma_table_info(t.name) c
         WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY t.name, c.cid`,
    )
    .all();
})();

const GOOD_TEXT: Readonly<Record<string, string>> = {
  'orders.order_key': 'bot-ma-cross-e001-1',
  'orders.client_order_id': 'bot-ma-cross-e001-1',
  'figures.name': 'equity/usdt',
  'figures.value': '1.5',
};

const GOOD_JSON: Readonly<Record<string, string>> = {
  'books.asks': '[]',
  'trip_notes.tags': '[]',
  'books.bids': '[]',
  'intents.json': '{}',
  'journal.json': '{}',
  'kept.json': '{}',
  'algorithms.json': algorithmToJson(ICEBERG),
  'strategies.json': instanceJson(newLedger(), { requests: 1, fills: 1, orders: 1 }),
};

function goodValue({ table, name, type }: Column): string | number {
  const stored = GOOD_JSON[`${table}.${name}`] ?? GOOD_TEXT[`${table}.${name}`];
  if (stored !== undefined) return stored;
  const expected = checkOf(table, name)?.expected ?? '';
  if (expected.startsWith('a decimal')) return '1.5';
  if (expected.startsWith('one of ')) return expected.slice('one of '.length).split(', ')[0] ?? '';
  if (name === 'timeframe') return '1h';
  if (name.endsWith('_ms')) return NOW_MS;
  return type === 'INTEGER' ? 1 : 'BTCIRT';
}

function badValue({ table, name, type }: Column): string | number {
  const expected = checkOf(table, name)?.expected;
  if (expected === 'a text') return '';
  if (`${table}.${name}` in GOOD_JSON) return '{"open":';
  return type === 'INTEGER' ? -5 : 'nonsense';
}

function addGoodRow(table: string): void {
  if (table === 'meta') return;
  const columns = COLUMNS.filter((column) => column.table === table && column.name !== 'pair_key');
  const names = columns.map(({ name }) => name).join(', ');
  database
    .prepare(`INSERT OR IGNORE INTO ${table} (${names}) VALUES (${columns.map(() => '?').join(', ')})`)
    .run(...columns.map(goodValue));
}

beforeAll(() => {
  mirror = new MirrorFolder();
  mirror.open().close();
  database = new Database(mirror.path);
  database.pragma('ignore_check_constraints = ON');
  for (const table of new Set(COLUMNS.map((column) => column.table))) addGoodRow(table);
});

afterAll(() => {
  database.close();
  mirror[Symbol.dispose]();
});

function expectUnreadable(pattern: RegExp | string): void {
  expect(() => mirror.read().close()).toThrow(pattern);
}

/** Expects that both ways to open a mirror refuse it with this message. */
function expectRefused(pattern: RegExp | string): void {
  expectUnreadable(pattern);
  expect(() => {
    const store = mirror.open();
    try {
      store.load();
    } finally {
      store.abandon();
    }
  }).toThrow(pattern);
}

test('a mirror whose rows are right is read', () => {
  mirror.read().close();
  const store = mirror.open();
  expect(store.load().orders).toHaveLength(1);
  store.abandon();
});

const CHECKED = COLUMNS.filter(({ table, name }) => table !== 'meta' && checkOf(table, name) !== null);

test.each(CHECKED.map((column) => [`${column.table}.${column.name}`, column] as const))(
  'a damaged %s is refused with file, table and row',
  (_, column) => {
    const { table, name } = column;
    // Pruning may have removed what a bot writes when it starts, such as old candles and figures.
    addGoodRow(table);
    database.prepare(`UPDATE ${table} SET ${name} = ?`).run(badValue(column));
    try {
      const pattern = new RegExp(
        `mirror\\.sqlite, found a damaged row in the table ${table} \\(.*\\): expected .* for ${name}, was`,
      );
      if (table === 'candles' || table === 'figures') expectUnreadable(pattern);
      else expectRefused(pattern);
    } finally {
      database.prepare(`UPDATE ${table} SET ${name} = ?`).run(goodValue(column));
    }
  },
);

test.each([...new Set(COLUMNS.map(({ table }) => table))])(
  'a table %s without one of its columns is refused',
  (table) => {
    const last = COLUMNS.findLast((column) => column.table === table)?.name ?? '';
    database.exec(`ALTER TABLE ${table} RENAME COLUMN ${last} TO other_name`);
    try {
      expect(() => mirror.read().close()).toThrow(`a table ${table} without the column ${last}`);
    } finally {
      database.exec(`ALTER TABLE ${table} RENAME COLUMN other_name TO ${last}`);
    }
  },
);

test('an epoch that no bot gave is refused', () => {
  const epoch =
    database.prepare<[], string>("SELECT value FROM meta WHERE name = 'epoch'").pluck().get() ?? '';
  database.exec("UPDATE meta SET value = 'E 1' WHERE name = 'epoch'");
  try {
    expectRefused(
      /table meta \(name "epoch"\): expected an epoch of four of \[a-z0-9\] for value, was "E 1"/,
    );
  } finally {
    database.prepare("UPDATE meta SET value = ? WHERE name = 'epoch'").run(epoch);
  }
});

test('an order that is its own second leg is refused', () => {
  database.exec('UPDATE orders SET pair_key = order_key');
  expectRefused(
    /table orders \(order_key "bot-ma-cross-e001-1"\): expected the legs of a pair to name each other/,
  );
  database.exec('UPDATE orders SET pair_key = NULL');
});

/** Values that can be read but that no bot ever writes. */
test.each([
  ['orders', 'filled', '-0.5', 'a decimal from 0'],
  ['orders', 'amount', '-1', 'a decimal from 0'],
  ['fills', 'total', '-0.0000000001', 'a decimal from 0'],
  ['orders', 'client_order_id', 'bot-ma-cross-e001-2', 'the same as order_key'],
])('a %s.%s of %s is refused, and status names the row', async (table, name, value, expected) => {
  const good = database.prepare<[], string>(`SELECT ${name} FROM ${table}`).pluck().get();
  database.prepare(`UPDATE ${table} SET ${name} = ?`).run(value);
  try {
    const found = `in the table ${table} (id 1): expected ${expected} for ${name}, was "${value}"`;
    expectRefused(found);
    expect(await sarrafHere(['status', '--data', mirror.folder])).toEqual(failed(1, found));
  } finally {
    database.prepare(`UPDATE ${table} SET ${name} = ?`).run(good);
  }
});

describe('a command that reads a mirror with a damaged row', () => {
  test.each(['status', 'orders', 'trades', 'intents', 'reconcile', 'halt'])(
    '%s ends with 1 and one line',
    async (command) => {
      database.exec("UPDATE orders SET amount = 'much'");
      const { code, error } = await sarrafHere([command, '--data', mirror.folder]);
      database.exec("UPDATE orders SET amount = '1.5'");
      expect(code, error).toBe(1);
      expect(error.trim().split('\n')).toHaveLength(1);
      expect(error).toMatch(
        /mirror\.sqlite, found a damaged row in the table orders \(id 1\): expected a decimal from 0 for amount, was "much"/,
      );
    },
  );
});
