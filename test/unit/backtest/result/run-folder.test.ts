import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BacktestRun } from '../../../../src/backtest/backtest-run.ts';
import { createResult } from '../../../../src/backtest/backtest.ts';
import { finishRun } from '../../../../src/backtest/finish-run.ts';
import { csvExports, findRun, jsonExport, listRuns } from '../../../../src/backtest/read-run-folder.ts';
import { writeRunFolder } from '../../../../src/backtest/write-run-folder.ts';
import { demoRun } from '../demo-run.ts';
import { written } from './written.ts';
import { folderOfEachTest } from '../../../support/temporary-folder.ts';

const run = demoRun({ bars: 300, tradeChance: 0.1 });
const CREATED_MS = Date.UTC(2024, 0, 31, 12);
const finished = finishRun(run, CREATED_MS);
const result = createResult(run, CREATED_MS);
const root = folderOfEachTest();

/** Adds to a run a market that was in a universe for an hour. */
function withMembers(of: BacktestRun): BacktestRun {
  const named = { strategy: 'busiest', universe: 'members', rankBy: 'volume24h', market: 'BTCIRT' } as const;
  const { fromMs } = of;
  const entered = { by: 'rank', found: 1, limit: 2 } as const;
  const left = { by: 'minVolume', found: 320, limit: 1_000 } as const;
  return {
    ...of,
    members: {
      records: [
        { ...named, atMs: fromMs, kind: 'entered', rank: 1, reason: entered },
        { ...named, atMs: fromMs + 3_600_000, kind: 'left', rank: null, reason: left },
      ],
      more: 0,
    },
  };
}

/** Returns the lines of a CSV file that `sarraf report csv` writes of a run. */
function lines(path: string, file: string): string[] {
  const [, write] = csvExports(path).find(([name]) => name === file) ?? [];
  return written((out) => write?.(out))
    .trimEnd()
    .split('\n');
}

/** Size of the file of a run without trades, and without the points of the curve in its head. */
function bytesWith(bars: number): number {
  const head = { ...finished.head, sketch: { timeMs: [], equity: [] } };
  const path = writeRunFolder(root, { ...finished, head, run: demoRun({ bars, tradeChance: 0 }), trips: [] });
  return statSync(join(path, 'result.json.zst')).size;
}

const keep = (hour: number): string =>
  basename(writeRunFolder(root, finishRun(run, Date.UTC(2024, 0, 31, hour))));

describe('a run folder', () => {
  test('is named after time, name and configuration, and holds one compact file, a summary and the report', () => {
    const path = writeRunFolder(root, finished);
    expect(basename(path)).toMatch(/^20240131T120000Z-ma-cross-btcusdt-[0-9a-f]{8}$/);
    expect(readdirSync(path).toSorted()).toEqual(['report.html', 'result.json.zst', 'summary.json']);
    expect(readdirSync(root)).toEqual([basename(path)]);
    const [name, write] = jsonExport(path);
    expect(name).toBe('result.json');
    expect(JSON.parse(written(write))).toEqual(result);
    // Any reader of Zstandard skips the curve behind it.
    expect(zstdDecompressSync(readFileSync(join(path, 'result.json.zst'))).toString()).toBe(written(write));
  });

  test('has at most ten bytes for each moment of the curve', () => {
    expect(bytesWith(20_000) - bytesWith(10_000)).toBeLessThan(100_000);
  });

  test('has the curve to the last bit, whatever its times are', () => {
    const gapsMs = fc.oneof(
      fc.constant(3_600_000),
      fc.integer({ min: 1, max: 300 }).map((bars) => bars * 3_600_000),
      fc.integer({ min: 0, max: 1_000_000_000 }),
    );
    const points = fc.array(fc.tuple(gapsMs, fc.double({ min: 1, noNaN: true }), fc.boolean()), {
      maxLength: 50,
    });
    fc.assert(
      fc.property(points, (drawn) => {
        let atMs = run.fromMs;
        const timeMs = Float64Array.from(drawn, ([gapMs]) => (atMs += gapMs));
        const curve = {
          length: drawn.length,
          timeMs,
          equity: Float64Array.from(drawn, ([, equity]) => equity),
          isExposed: Uint8Array.from(drawn, ([, , isExposed]) => Number(isExposed)),
        };
        const path = writeRunFolder(root, { ...finished, run: { ...run, curve } });
        const cells = lines(path, 'equity.csv').map((line) => line.split(','));
        rmSync(path, { recursive: true });
        expect(cells.slice(1).map(([time, equity, , isExposed]) => [time, equity, isExposed])).toEqual(
          drawn.map(([, equity, isExposed], index) => [
            new Date(timeMs[index] ?? 0).toISOString(),
            String(equity),
            String(isExposed),
          ]),
        );
      }),
      { numRuns: 50 },
    );
  });

  test('is named where its file is damaged', () => {
    const path = writeRunFolder(root, finished);
    const file = join(path, 'result.json.zst');
    const bytes = readFileSync(file);
    const flipped = Buffer.from(bytes);
    flipped[100] = (flipped[100] ?? 0) ^ 1;
    for (const damaged of [bytes.subarray(0, -1), bytes.subarray(0, 5), Buffer.alloc(0), flipped]) {
      writeFileSync(file, damaged);
      for (const read of [csvExports, jsonExport])
        expect(() => read(path)).toThrow(
          expect.objectContaining({ code: 'DATA_UNUSABLE', message: expect.stringContaining(file) }),
        );
    }
  });

  test('has a line for every trade, order and moment', () => {
    const path = writeRunFolder(root, finished);
    const trades = lines(path, 'trades.csv');
    expect(trades).toHaveLength(1 + result.trades.number.length);
    expect(trades[0]).toMatch(/^number,market,strategy,opened_at,closed_at,amount,/);
    const [profit] = result.trades.profit;
    expect(trades[1]).toMatch(
      new RegExp(`^1,BTCUSDT,ma-cross,2023-01-\\d\\dT\\d\\d:00:00.000Z,.*,${profit},`),
    );
    expect(lines(path, 'orders.csv')).toHaveLength(1 + run.orders.length);
    const equity = lines(path, 'equity.csv');
    expect(equity).toHaveLength(1 + run.curve.length);
    expect(equity[1]).toBe(`2023-01-01T01:00:00.000Z,${run.curve.equity[0]},0,false`);
  });

  test('quotes what a CSV reader would take for more than one cell', () => {
    const [order] = run.orders;
    if (order === undefined) throw new Error('expected an order');
    const odd = { ...run, orders: [{ ...order, tag: 'a "b", c' }] };
    const path = writeRunFolder(root, finishRun(odd));
    expect(lines(path, 'orders.csv')[1]).toContain(',"a ""b"", c",');
  });

  test('has a line for each market that entered or left a universe', () => {
    const path = writeRunFolder(root, finishRun(withMembers(run)));
    expect(lines(path, 'members.csv')).toEqual([
      'at,strategy,universe,market,kind,rank,reason',
      `2023-01-01T00:00:00.000Z,busiest,members,BTCIRT,entered,1,"its rank by volume24h is 1, of 2"`,
      `2023-01-01T01:00:00.000Z,busiest,members,BTCIRT,left,,"minVolume is 1000, it has 320"`,
    ]);
    const { members } = createResult(withMembers(run));
    expect(members.rank).toEqual([1, null]);
    expect(members.reason[1]).toBe('minVolume is 1000, it has 320');
  });

  test('says how many changes of members are not listed', () => {
    const { records } = withMembers(run).members;
    expect(createResult({ ...run, members: { records, more: 0 } }).warnings).toEqual(result.warnings);
    expect(createResult({ ...run, members: { records, more: 7 } }).warnings).toContain(
      '7 more markets entered or left universes than the 2 changes that are listed',
    );
  });

  test('never overwrites another of the same second', () => {
    const paths = [1, 2, 3].map(() => basename(writeRunFolder(root, finished)));
    expect(new Set(paths).size).toBe(3);
    expect(paths[1]).toBe(`${paths[0]}-2`);
  });

  test('is not there at all when it could not be finished', () => {
    const broken = { ...run, curve: { ...run.curve, timeMs: Float64Array.of(Number.NaN) } };
    expect(() => writeRunFolder(root, { ...finished, run: broken })).toThrow(RangeError);
    expect(readdirSync(root)).toEqual([]);
  });

  test('says where it could not be written', () => {
    writeFileSync(join(root, 'file'), '');
    expect(() => writeRunFolder(join(root, 'file'), finished)).toThrow(
      expect.objectContaining({ code: 'DATA_UNUSABLE' }),
    );
  });

  test('that a killed run left unfinished is passed over, and removed after a day', () => {
    for (const name of ['.unfinished-old', '.unfinished-new']) mkdirSync(join(root, name));
    const old = new Date(Date.now() - 2 * 86_400_000);
    utimesSync(join(root, '.unfinished-old'), old, old);
    expect(listRuns(root, 10)).toEqual({ runs: [], unreadable: [] });
    const path = writeRunFolder(root, finished);
    expect(readdirSync(root).toSorted()).toEqual(['.unfinished-new', basename(path)]);
  });
});

describe('kept runs', () => {
  test('are listed oldest first, the newest of them where there are more', () => {
    const names = [3, 1, 2].map(keep).toSorted();
    expect(listRuns(root, 10).runs.map(({ run }) => run)).toEqual(names);
    expect(listRuns(root, 2).runs.map(({ run }) => run)).toEqual(names.slice(1));
    expect(listRuns(join(root, 'nothing'), 2).runs).toEqual([]);
  });

  test('are found as the last, by name, by part of a name and by path', () => {
    const [first = '', last = ''] = [1, 2].map(keep);
    expect(findRun(root, 'last').run).toBe(last);
    expect(findRun(root, first).run).toBe(first);
    expect(findRun(root, 'T01').run).toBe(first);
    expect(findRun('elsewhere', join(root, last)).result.summary).toEqual(result.summary);
  });

  test('are asked for again where the name is of none or of several', () => {
    expect(() => findRun(root, 'last')).toThrow('expected a run under');
    [1, 2].map(keep);
    expect(() => findRun(root, 'btc')).toThrow('there are 2');
    expect(() => findRun(root, 'eth')).toThrow('expected one run named like "eth"');
  });

  test('of another version are reported and do not hide the others', () => {
    const [broken = '', fine = ''] = [1, 2].map(keep);
    writeFileSync(join(root, broken, 'summary.json'), '{"schema":99}');
    const { runs, unreadable } = listRuns(root, 10);
    expect(runs.map(({ run }) => run)).toEqual([fine]);
    expect(unreadable).toEqual([expect.stringContaining(join(root, broken, 'summary.json'))]);
    expect(() => findRun(root, broken)).toThrow(expect.objectContaining({ code: 'INVALID_FILE' }));
  });
});
