import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Command } from 'commander';
import { intentsCommand } from '../../../src/cli/commands/rows.ts';
import { reconcileCommand } from '../../../src/cli/commands/reconcile.ts';
import { statusCommand } from '../../../src/cli/commands/status.ts';
import { SarrafError } from '../../../src/domain/errors.ts';
import type { MirrorChange, MirrorState } from '../../../src/engine/mirror-change.ts';
import { checkMirror, checkOf } from '../../../src/mirror/check-mirror.ts';
import { loadState } from '../../../src/mirror/change-writer.ts';
import { algorithmToJson } from '../../../src/engine/algorithm-json.ts';
import { buy } from '../../support/intents.ts';
import { EngineWorld, START_MS } from '../engine/engine-world.ts';
import { deepRuns } from '../../support/deep-runs.ts';
import { fillRecord, ICEBERG, MirrorFolder, intentChange } from './mirror-fixture.ts';

/** Stored JSON by its row, named `table name`, where the name is the key of the row. */
type Stored = Readonly<Record<string, string>>;

/** Makes the state of a bot that has traded: books, a ledger and a strategy's state, none empty. */
function tradedState(): MirrorState {
  const world = EngineWorld.ready({
    settings: { credential: { name: 'the token', advice: 'make a new one' } },
  });
  world.want(buy('BTCUSDT', { amount: '1', price: '98' }));
  world.venue.fill(world.accept().id);
  world.advance(30_000);
  return world.mirror.copy();
}

const RECONCILED = {
  books: {
    expected: { btc: '120000000000' },
    unmatched: [['btc', '-5']],
    outside: [['usdt', '7', '90', START_MS]],
    agreedAtMs: { usdt: START_MS },
  },
  lastLines: { btc: [['7', 7]] },
  concludedAtMs: START_MS,
  conclusions: 3,
  followed: ['btc', 'usdt'],
  begunAtMs: null,
  suspicion: { sinceMs: START_MS, rows: [{ currency: 'btc', expected: '1.5', found: '2' }] },
  blockedBy: 'an order is on its way',
  break: { sinceMs: START_MS, atMs: START_MS, rows: [{ currency: 'btc', expected: '1.5', found: '2' }] },
};

const MONEY = { price: '98', amount: '1', total: '98', fee: '0' };

/** Records that a bot stores only after something went wrong, with all their parts. */
const SELDOM: Stored = {
  'kept reconciliation': JSON.stringify(RECONCILED),
  'kept control': JSON.stringify({ halted: { reason: 'by hand', sinceMs: START_MS, wholeAccount: false } }),
  'kept universes': JSON.stringify({
    firstSeen: { BTCIRT: null, ETHIRT: START_MS },
    universes: {
      'alpha/members': { members: [{ market: 'BTCIRT', rank: 1, sinceMs: START_MS }], kept: ['ETHIRT'] },
    },
  }),
  'kept credential': JSON.stringify({
    refused: { name: 'the token', advice: 'make one', sinceMs: START_MS },
  }),
  'kept names': JSON.stringify({
    epoch: 'e001',
    former: [{ epoch: 'e000', lastRow: 4 }],
    takenOverTo: 9,
    isSearching: true,
  }),
  'kept findings': JSON.stringify([
    {
      subject: 'trade 17',
      sinceMs: START_MS,
      isGrave: true,
      field: 'price',
      expected: 'one',
      found: 'two',
      isSoft: true,
    },
  ]),
  'kept wanted-cancels': JSON.stringify(['bot-one-e001-1']),
  'kept left-out-trades': JSON.stringify([{ tradeId: '17', venueOrderId: '5', side: 'buy', cursor: 17 }]),
  'kept absent-fills': JSON.stringify([
    { tag: 'a', exit: 'trail', fill: { ...fillRecord({ strategy: 'two' }), ...MONEY } },
  ]),
  'kept plots': JSON.stringify([
    { strategy: 'one', market: 'BTCUSDT', name: 'rsi', pane: 'rsi', style: 'line', color: null },
  ]),
  'kept requests': JSON.stringify({ dayMs: START_MS, counts: { 'orders/add': 7 } }),
  'algorithms intent-1': algorithmToJson(ICEBERG),
  'intents intent-1': '{"kind":"place","market":"BTCUSDT","amount":"1"}',
  'journal log': '{"text":"wider","fields":{"spread":"12"}}',
};

let folder: MirrorFolder;
let database: Database.Database;
let state: MirrorState;
let values: Stored;

beforeAll(() => {
  folder = new MirrorFolder();
  const traded = tradedState();
  const store = folder.open({ nowMs: START_MS });
  const order = traded.orders.map((each): MirrorChange => ({ kind: 'order', order: each }));
  const strategies = traded.strategies.map((strategy): MirrorChange => ({ kind: 'strategy', strategy }));
  const kept = Object.entries(traded.stored).map(([name, json]): MirrorChange => ({
    kind: 'kept',
    name,
    json,
  }));
  const markets = traded.markets.map((market): MirrorChange => ({ kind: 'market', market }));
  const fills = traded.fills.map((fill): MirrorChange => ({ kind: 'fill', fill }));
  const seldom = Object.entries(SELDOM).map(([row, json]): MirrorChange => {
    const [table = '', name = ''] = row.split(' ');
    if (table === 'kept') return { kind: 'kept', name, json };
    if (table === 'intents') return intentChange({ strategy: 'one', json });
    if (table === 'journal') return { kind: 'journal', entry: { kind: 'log', subject: 'one', json } };
    return {
      kind: 'algorithm',
      algorithm: { intentId: 'intent-1', strategy: 'one', market: 'BTCUSDT', json },
    };
  });
  store.apply([...order, ...fills, ...markets, ...strategies, ...kept, ...seldom], {
    atMs: START_MS,
    isDurable: true,
  });
  state = store.load();
  store.close();
  database = new Database(folder.path);
  database.pragma('synchronous = OFF');
  values = {
    ...SELDOM,
    ...Object.fromEntries(state.strategies.map(({ name, json }) => [`strategies ${name}`, json])),
    ...Object.fromEntries(Object.entries(state.stored).map(([name, json]) => [`kept ${name}`, json])),
  };
});

afterAll(() => {
  database.close();
  folder[Symbol.dispose]();
});

const KEYS: Readonly<Record<string, string>> = {
  kept: 'name',
  algorithms: 'intent_id',
  intents: 'intent_id',
  strategies: 'name',
  journal: 'kind',
};

function put(row: string, json: string): void {
  const [table = '', name = ''] = row.split(' ');
  database.prepare(`UPDATE ${table} SET json = ? WHERE ${KEYS[table]} = ?`).run(json, name);
}

/** A bot is started from every `STRIDE`-th value that is accepted; in the deep suite from every one. */
const STRIDE = Math.ceil(8 / deepRuns(2, 1));

const WRONG: readonly unknown[] = [null, [], {}, 'text', 1.5, -1, [null]];

/** Yields copies of a value in which one part, at any depth, is replaced or missing. */
function* spoiled(value: unknown): Generator {
  yield* WRONG;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      for (const other of spoiled(item)) yield value.with(index, other);
    if (value.length > 0) yield value.slice(1);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, item] of Object.entries(value)) {
    const { [name]: _, ...rest } = value as Record<string, unknown>;
    yield rest;
    for (const other of spoiled(item)) yield { ...rest, [name]: other };
  }
}

/** Commands that read the JSON of each table. */
const COMMANDS: Readonly<
  Record<string, readonly (readonly [() => Command, ...options: readonly string[]])[]>
> = {
  kept: [[statusCommand], [reconcileCommand]],
  strategies: [[statusCommand]],
  intents: [[intentsCommand, '--json']],
  journal: [[intentsCommand, '--log']],
  algorithms: [],
};

/** Checks the mirror as every program does that opens it; returns the problem, or null. */
function refusal(): string | null {
  try {
    checkMirror(database);
    return null;
  } catch (error) {
    if (error instanceof SarrafError && error.code === 'DATA_UNUSABLE') return error.message;
    throw error;
  }
}

async function runCommands(table: string): Promise<void> {
  for (const [create, ...options] of COMMANDS[table] ?? []) {
    try {
      await create()
        .exitOverride()
        .parseAsync([...options, '--data', folder.folder], { from: 'user' });
    } catch (error) {
      // The command reports a break by its exit code.
      expect(String(error)).toContain('the books do not agree with the exchange');
    }
  }
}

/** Starts a bot from the mirror and lets time pass. Its strategy may refuse its own state. */
function begin(): void {
  const world = new EngineWorld();
  world.mirror.putBack(loadState(database, { epoch: 'e001', nowMs: START_MS }), 'e001');
  try {
    world.restart();
  } catch (error) {
    if (error instanceof SarrafError && error.code === 'INVALID_STRATEGY') return;
    throw error;
  }
  world.advance(3_000);
}

const ROWS = [
  'strategies one',
  'kept row',
  'kept cursor.trades',
  'kept read-times',
  ...Object.keys(SELDOM),
] as const;

describe('stored JSON of another shape', () => {
  test.each(ROWS)('%s is refused with its row, or serves a bot and every command', async (row) => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    const good = values[row] ?? '';
    expect(good).not.toBe('');
    const [table = '', name = ''] = row.split(' ');
    const check = checkOf(table, 'json');
    let refused = 0;
    let taken = 0;
    try {
      for (const value of spoiled(JSON.parse(good))) {
        const json = JSON.stringify(value);
        // Most values that the check of the column refuses are not written to the file as well, as that takes
        // a thousand times as long.
        const isWrong = (check?.problemOf?.({ name, kind: name, json }) ?? null) !== null;
        if (isWrong && (refused += 1) % 20 !== 1) continue;
        put(row, json);
        const why = refusal();
        expect([isWrong, why], json).not.toEqual([true, null]);
        if (why === null) {
          if ((taken += 1) % STRIDE !== 1 % STRIDE) continue;
          await runCommands(table);
          begin();
          continue;
        }
        if (!isWrong) refused += 1;
        expect(why, json).toContain(`${folder.path}, found a damaged row in the table ${table} (`);
        expect(why, json).toContain('Restore a copy');
      }
    } finally {
      put(row, good);
      log.mockRestore();
    }
    expect(refused).toBeGreaterThan(5);
    expect(refusal()).toBeNull();
  });

  test('every name that the engine keeps something under is spoiled', () => {
    expect(ROWS).toEqual(expect.arrayContaining(Object.keys(state.stored).map((name) => `kept ${name}`)));
  });
});
