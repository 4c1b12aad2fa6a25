import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createResult } from '../../../src/backtest/backtest.ts';
import { finishRun } from '../../../src/backtest/finish-run.ts';
import { writeRunFolder } from '../../../src/backtest/write-run-folder.ts';
import type { Units } from '../../../src/domain/money.ts';
import { RUN_EXPORTS } from '../../../src/query/write-tables.ts';
import { openDatabase, queryRows, sqlText, type Database } from '../../../src/recording/duckdb.ts';
import { demoRun } from '../backtest/demo-run.ts';
import { folderOfAllTests } from '../../support/temporary-folder.ts';

const base = demoRun({ bars: 60, tradeChance: 0.3 });
// The most digits that money can have, and a text that CSV and SQL may take for several.
const odd = {
  tag: `a "b", c's`,
  price: 1_234_567_890_123_456_789_012_345_678_987_654_321n as Units,
  stopPrice: -1n as Units,
};
const run = {
  ...base,
  orders: base.orders.map((order, place) => (place === 0 ? { ...order, ...odd } : order)),
};
const result = createResult(run);

const folder = folderOfAllTests("sarraf's [run]");
let kept: string;
let database: Database;
beforeAll(async () => {
  kept = writeRunFolder(folder, finishRun(run));
  database = await openDatabase();
  const files = await RUN_EXPORTS.parquet(kept, kept);
  expect(files).toEqual(['trades', 'orders', 'fills', 'equity'].map((name) => join(kept, `${name}.parquet`)));
  // Existing files are replaced.
  await RUN_EXPORTS.parquet(kept, kept);
});
afterAll(() => {
  database[Symbol.dispose]();
});

/** Expressions that show money as its shortest exact text, and times in ms. */
const SHOWN: Readonly<Record<string, (name: string) => string>> = {
  'DECIMAL(38,10)': (name) => `rtrim(rtrim("${name}"::VARCHAR, '0'), '.')`,
  TIMESTAMP: (name) => `epoch_ms("${name}")`,
};

async function columnsOf(file: string): Promise<readonly (readonly unknown[])[]> {
  const from = `FROM ${sqlText(join(kept, file))}`;
  const columns = await queryRows(
    database,
    `SELECT column_name, column_type FROM (DESCRIBE ${from})`,
    'read',
  );
  const shown = columns.map(([name, type]) => SHOWN[String(type)]?.(String(name)) ?? `"${String(name)}"`);
  const rows = await queryRows(database, `SELECT ${shown.join(', ')} ${from}`, 'read');
  return columns.map((_, place) =>
    rows.map((row) => (typeof row[place] === 'bigint' ? Number(row[place]) : row[place])),
  );
}

describe('a run as Parquet', () => {
  test.each(['trades', 'orders', 'fills'] as const)('has every digit of the %s', async (name) => {
    expect(await columnsOf(`${name}.parquet`)).toEqual(Object.values(result[name]));
    expect(Object.values(result[name])[0]).not.toEqual([]);
  });

  test('has money as DECIMAL, and figures as DOUBLE', async () => {
    const types = await queryRows(
      database,
      `SELECT typeof(profit), typeof(change), typeof(opened_at) FROM ${sqlText(join(kept, 'trades.parquet'))} LIMIT 1`,
      'read',
    );
    expect(types).toEqual([['DECIMAL(38,10)', 'DOUBLE', 'TIMESTAMP']]);
  });

  test('has the equity curve to the last bit', async () => {
    const [timeMs, equity, , isExposed] = await columnsOf('equity.parquet');
    const { length, ...curve } = run.curve;
    expect(timeMs).toEqual([...curve.timeMs.subarray(0, length)]);
    expect(equity).toEqual([...curve.equity.subarray(0, length)]);
    expect(isExposed).toEqual([...curve.isExposed.subarray(0, length)].map((flag) => flag === 1));
  });

  test('is not there where it could not be written whole', async () => {
    const broken = writeRunFolder(folder, finishRun(run, Date.UTC(2024, 0, 31)));
    rmSync(join(broken, 'result.json.zst'));
    writeFileSync(join(broken, 'result.json'), '{"trades":{"number":["no number"]}}');
    writeFileSync(join(broken, 'equity.csv'), 'time,equity,drawdown,is_exposed\n');
    const before = readdirSync(broken);
    await expect(RUN_EXPORTS.parquet(broken, broken)).rejects.toThrow(
      expect.objectContaining({ code: 'DATA_UNUSABLE', message: expect.stringContaining('trades.parquet') }),
    );
    expect(readdirSync(broken)).toEqual(before);
    expect(readdirSync(kept).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});
