import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { finishRun } from '../../../../src/backtest/finish-run.ts';
import { writeRunFolder } from '../../../../src/backtest/write-run-folder.ts';
import { sarrafHere, failed } from '../../../support/sarraf-here.ts';
import type { Finished } from '../../../support/sarraf-process.ts';
import { demoRun } from '../demo-run.ts';
import { folderOfAllTests } from '../../../support/temporary-folder.ts';

const data = folderOfAllTests();
const names: string[] = [];

beforeAll(() => {
  for (const [index, bars] of [200, 300].entries()) {
    const run = demoRun({ bars, tradeChance: 0.1, seed: index + 1 });
    const finished = finishRun(run, Date.UTC(2024, 0, 1 + index));
    names.push(basename(writeRunFolder(join(data, 'backtests'), finished)));
  }
});

const report = async (...args: string[]): Promise<Finished> =>
  sarrafHere(['report', ...args, '--data', data]);

describe('sarraf report', () => {
  test('lists the runs that are kept, newest last', async () => {
    const { code, out } = await report('list');
    expect(code).toBe(0);
    const lines = out.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^run +from +to +final equity +return/);
    expect(lines.slice(1).map((line) => line.split(' ')[0])).toEqual(names);
    const json = JSON.parse((await report('list', '--json', '--last', '1')).out);
    expect(json.runs.map(({ run }: { run: string }) => run)).toEqual(names.slice(1));
  });

  test('shows a run with its figures, its fidelity and its page', async () => {
    const { code, out } = await report('show', 'last');
    expect(code).toBe(0);
    expect(out).toContain('Max drawdown');
    expect(out).toContain('market orders: the open, as taker');
    expect(out.trimEnd().split('\n').at(-1)).toBe(join(data, 'backtests', names[1] ?? '', 'report.html'));
    const json = JSON.parse((await report('show', '20240101', '--json')).out);
    expect(json.result.summary).toEqual(
      finishRun(demoRun({ bars: 200, tradeChance: 0.1, seed: 1 })).head.summary,
    );
  });

  test('compares two', async () => {
    const { code, out } = await report('compare', '20240101', 'last');
    expect(code).toBe(0);
    expect(out).toMatch(/^Final equity +[\d,.]+ +[\d,.]+ +[+-][\d,.]+$/m);
    expect(out).toContain('The runs differ in the span of time.');
    const { figures } = JSON.parse((await report('compare', '20240101', 'last', '--json')).out);
    expect(figures).toContainEqual({
      name: 'initialEquity',
      first: '10000',
      second: '10000',
      difference: '0',
    });
  });

  test.each([
    ['csv', ['trades.csv', 'orders.csv', 'refusals.csv', 'locks.csv', 'members.csv', 'equity.csv']],
    ['json', ['result.json']],
    ['parquet', ['trades.parquet', 'orders.parquet', 'fills.parquet', 'equity.parquet']],
  ])('writes a run as %s, beside it or elsewhere, as often as it is asked for', async (format, files) => {
    const folder = join(data, 'backtests', names[1] ?? '');
    const before = readdirSync(folder);
    for (const _ of [1, 2]) {
      const { code, out } = await report(format, 'last');
      expect({ code, files: out.trimEnd().split('\n') }).toEqual({
        code: 0,
        files: files.map((file) => join(folder, file)),
      });
    }
    expect(readdirSync(folder).toSorted()).toEqual([...before, ...files].toSorted());
    const other = join(data, format);
    expect(await report(format, 'last', '--out', other)).toEqual(failed(2, `expected a folder at ${other}`));
    mkdirSync(other);
    expect(JSON.parse((await report(format, 'last', '--out', other, '--json')).out)).toEqual({
      run: names[1],
      files: files.map((file) => join(other, file)),
    });
    for (const file of files)
      expect(readFileSync(join(other, file)).equals(readFileSync(join(folder, file)))).toBe(true);
  });

  test('fails where a run is damaged, and writes nothing', async () => {
    const folder = join(data, 'backtests', names[0] ?? '');
    const file = join(folder, 'result.json.zst');
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.subarray(0, 100));
    const before = readdirSync(folder);
    for (const format of ['csv', 'json', 'parquet'])
      expect(await report(format, '20240101')).toEqual(failed(1, file));
    expect(readdirSync(folder)).toEqual(before);
    writeFileSync(file, bytes);
  });

  test('takes a run that is not there for a mistake of the user', async () => {
    expect(await report('show', 'eth')).toEqual(failed(2, 'expected one run named like "eth"'));
  });
});
