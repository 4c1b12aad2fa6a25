import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { present } from '../../../src/domain/errors.ts';
import { writeTrialsParquet } from '../../../src/query/write-tables.ts';
import { openDatabase, queryRows, sqlText } from '../../../src/recording/duckdb.ts';
import type { StoredTrial } from '../../../src/study/study-rows.ts';
import { StudyStore } from '../../../src/study/study-store.ts';
import { keepDemoStudy } from '../study/report/demo-study.ts';
import { folderOfAllTests } from '../../support/temporary-folder.ts';

const folder = folderOfAllTests();
let parquet: string;
let trials: readonly StoredTrial[];
beforeAll(async () => {
  const file = join(folder, 'demo.sqlite');
  parquet = join(folder, 'trials.parquet');
  keepDemoStudy(file, { trials: 60, days: 30 });
  const store = StudyStore.openToRead(file);
  trials = [...store.outcomes()];
  expect(await writeTrialsParquet(store, parquet)).toBe(60);
  // A second file replaces the first.
  expect(await writeTrialsParquet(store, parquet)).toBe(60);
  store.close();
});

async function ask(sql: string): Promise<readonly (readonly unknown[])[]> {
  const database = await openDatabase();
  try {
    return await queryRows(database, sql.replaceAll('FILE', sqlText(parquet)), 'read the trials');
  } finally {
    database[Symbol.dispose]();
  }
}

describe('trials as Parquet', () => {
  test('have money and decimals as DECIMAL, and figures as double', async () => {
    const rows = await ask('SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM FILE)');
    const types = new Map(rows.map(([name, type]) => [String(name), String(type)]));
    expect([...types.keys()].slice(0, 10)).toEqual([
      'number',
      'state',
      'failure',
      'reason',
      'violation',
      'param_fast',
      'param_share',
      'param_exit',
      'param_trail_bps',
      'params',
    ]);
    const wanted = {
      number: 'BIGINT',
      param_fast: 'BIGINT',
      param_share: 'DECIMAL(38,10)',
      param_exit: 'VARCHAR',
      final_equity: 'DECIMAL(38,10)',
      fees: 'DECIMAL(38,10)',
      sharpe: 'DOUBLE',
      max_drawdown: 'DOUBLE',
      trades: 'BIGINT',
    };
    expect(Object.fromEntries(Object.keys(wanted).map((name) => [name, types.get(name)]))).toEqual(wanted);
  });

  test('have one row each, with what the study keeps, but figures of a year of less than 30 days', async () => {
    const rows = await ask(
      `SELECT number, state, failure, reason, param_fast, param_share::VARCHAR, param_exit, param_trail_bps,
         sharpe, final_equity::DOUBLE, json_extract_string(params, '$.mode') FROM FILE`,
    );
    expect(rows).toHaveLength(60);
    for (const [place, row] of rows.entries()) {
      const { number, point, outcome, failure, metrics } = present(trials[place], 'a trial');
      const isComplete = outcome.kind === 'complete';
      const isBroken = isComplete && outcome.violation > 0;
      expect(row.map((cell) => (typeof cell === 'bigint' ? Number(cell) : cell))).toEqual([
        number,
        isBroken ? 'infeasible' : outcome.kind,
        failure,
        isComplete ? null : outcome.reason,
        point['fast'],
        Number(point['share']).toFixed(10),
        point['exit'],
        point['trailBps'] ?? null,
        metrics?.['sharpe'] ?? null,
        expect.toSatisfy(
          (equity: number | null) => Math.abs((equity ?? 0) - (metrics?.['finalEquity'] ?? 0)) < 1e-9,
        ),
        'plain',
      ]);
    }
    keepDemoStudy(join(folder, 'short.sqlite'), { trials: 6, days: 29 });
    const store = StudyStore.openToRead(join(folder, 'short.sqlite'));
    await writeTrialsParquet(store, join(folder, 'short.parquet'));
    store.close();
    const short = `SELECT count(sharpe)::INTEGER, count(total_return) > 0 FROM ${sqlText(join(folder, 'short.parquet'))}`;
    expect(await ask(short)).toEqual([[0, true]]);
    expect(new Set(rows.map(([, state]) => state))).toEqual(new Set(['complete', 'infeasible', 'failed']));
  });

  test('leave no draft behind', () => {
    expect(readdirSync(folder).toSorted()).toEqual([
      'demo.sqlite',
      'short.parquet',
      'short.sqlite',
      'trials.parquet',
    ]);
  });
});
