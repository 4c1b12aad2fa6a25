import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bytesOf } from '../../src/backtest/byte-writer.ts';
import { CSV_FILES, type StoredTables } from '../../src/backtest/result/result-tables.ts';
import { sarrafHere } from '../support/sarraf-here.ts';
import { OldFolders, oldFile } from './open-folder.ts';

/** Figures that version 0.1.0 printed of its own folders. */
const LIVE = {
  orders: 99,
  fills: 58,
  intents: 4,
  journal: 564,
  transactions: 94,
  strategies: 4,
  algorithms: 3,
};
const LIVE_POSITIONS = {
  grid: {},
  holder: { btc: '0.0003325671' },
  'ma-cross': { btc: '0.0083021925' },
  // It sold coins of the account that it never bought, which that version let it do.
  maker: { btc: '-0.00171417' },
};

let old: OldFolders;
beforeAll(() => {
  old = new OldFolders();
});
afterAll(() => old[Symbol.dispose]());

async function json(...args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, out, error } = await sarrafHere([...args, '--json']);
  expect({ code, error }).toEqual({ code: 0, error: '' });
  return JSON.parse(out) as Record<string, unknown>;
}
const at = (folder: string): string => join(old.path, folder);

const storedResult = (run: string): Omit<StoredTables, 'curve'> =>
  JSON.parse(readFileSync(join(run, 'result.json'), 'utf8')) as Omit<StoredTables, 'curve'>;

/** Reads the curve of a run of before from its CSV file. */
function storedCurve(run: string): StoredTables['curve'] {
  const lines = readFileSync(join(run, 'equity.csv'), 'utf8').trimEnd().split('\n').slice(1);
  const cells = lines.map((line) => line.split(','));
  return {
    length: lines.length,
    timeMs: Float64Array.from(cells, ([time = '']) => Date.parse(time)),
    equity: Float64Array.from(cells, ([, equity]) => Number(equity)),
    isExposed: Uint8Array.from(cells, ([, , , isExposed]) => (isExposed === 'true' ? 1 : 0)),
  };
}

describe('what version 0.1.0 left', () => {
  test('a killed bot: its counts, positions and open orders', async () => {
    const status = await json('status', '--data', at('live'));
    expect(status).toMatchObject({ epoch: '2gah', counts: LIVE });
    const strategies = status['strategies'] as { name: string; positions: unknown }[];
    expect(Object.fromEntries(strategies.map(({ name, positions }) => [name, positions]))).toEqual(
      LIVE_POSITIONS,
    );
    const { orders } = await json('orders', '--data', at('live'), '--state', 'open');
    expect((orders as { key: string }[]).map(({ key }) => key)).toEqual([
      'old-grid-2gah-5',
      'old-grid-2gah-6',
      'old-grid-2gah-7',
      'old-grid-2gah-8',
      'old-grid-2gah-9',
      'old-maker-2gah-2u',
      'old-maker-2gah-2v',
    ]);
  });

  test('its trades, locks, signals, intents and alerts', async () => {
    const { trades } = await json('trades', '--data', at('live'), '--last', '1000');
    expect(trades).toHaveLength(LIVE.fills);
    expect((trades as { tradeId: string }[]).find(({ tradeId }) => tradeId === '125')).toMatchObject({
      orderKey: 'old-maker-2gah-l',
      price: '60066320440',
      amount: '0.000013',
      total: '780862.16572',
      fee: '1561.72433144',
    });
    for (const command of ['locks', 'signals', 'intents', 'balances', 'reconcile'])
      await json(command, '--data', at('live'));
  });

  test('a paper bot that ended', async () => {
    expect(await json('status', '--data', at('paper'))).toHaveProperty('counts.strategies', 4);
  });

  test('a recording', async () => {
    await json('data', 'verify', '--catalogue', join(at('paper'), 'catalogue'));
    const { out } = await sarrafHere(['data', 'list', '--catalogue', join(at('paper'), 'catalogue')]);
    expect(out).toContain('BTCIRT');
    expect(out).toContain('books');
  });

  test('a stored backtest and its report', async () => {
    const { code, error } = await sarrafHere(['report', 'show', 'last', '--data', at('lab')]);
    expect({ code, error }).toEqual({ code: 0, error: '' });
    const { out } = await sarrafHere([
      'sql',
      'select count(*) as n from orders',
      '--json',
      '--data',
      at('lab'),
    ]);
    const [name = ''] = readdirSync(join(at('lab'), 'backtests'));
    const { orders } = storedResult(join(at('lab'), 'backtests', name));
    expect(JSON.parse(out)).toEqual([{ n: orders.key?.length }]);
  });

  test('its tables, which are the same to the byte when they are written of its result', async () => {
    const [name = ''] = readdirSync(join(at('lab'), 'backtests'));
    const run = join(at('lab'), 'backtests', name);
    const made = join(at('lab'), 'made');
    mkdirSync(made);
    const { files } = await json('report', 'csv', 'last', '--out', made, '--data', at('lab'));
    expect((files as string[]).map((file) => basename(file)).toSorted()).toEqual(
      Object.keys(CSV_FILES).toSorted(),
    );
    const tables = { ...storedResult(run), curve: storedCurve(run) };
    for (const [file, write] of Object.entries(CSV_FILES)) {
      const before = readFileSync(join(run, file), 'utf8');
      expect(before).toMatch(/^[a-z_,]+\n/);
      expect(readFileSync(join(made, file), 'utf8')).toBe(before);
      expect(Buffer.from(bytesOf((out) => write(tables, out))).toString()).toBe(before);
    }
    await json('report', 'parquet', 'last', '--out', made, '--data', at('lab'));
    await json('report', 'json', 'last', '--out', made, '--data', at('lab'));
    expect(readFileSync(join(made, 'result.json'))).toEqual(readFileSync(join(run, 'result.json')));
  });

  test('a study with its trials', async () => {
    const shown = await json('study', 'show', 'study', '--data', at('lab'));
    expect(JSON.stringify(shown)).toContain(
      'ac43e593723f6a919e1af7caa5958e7e8d8b78b7b2ea9b05d59cc28d47aec0f1',
    );
  });

  test('the configuration of a bot and of an exchange', async () => {
    process.env['EXCHANGE_URL'] = 'http://127.0.0.1:1';
    process.env['EXCHANGE_TOKEN'] = 'trader-token';
    try {
      await json('plan', '--config', oldFile('bot.yaml'));
    } finally {
      delete process.env['EXCHANGE_URL'];
      delete process.env['EXCHANGE_TOKEN'];
    }
  });
});
