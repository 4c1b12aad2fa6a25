import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importFeed } from '../../../src/recording/import-feed.ts';
import type { ImportReport } from '../../../src/recording/import-report.ts';
import { ALL_TIME } from '../../../src/recording/read-rows.ts';
import { BTCIRT, gather, catalogueOfEachTest } from './temporary-catalogue.ts';
import { scenarios } from '../../support/scenarios.ts';

const catalogue = catalogueOfEachTest();
const START = Date.UTC(2024, 7, 8, 23, 59, 59);

/** Makes a received line whose time of receipt is 300 ms after the exchange's time. */
const received = (timeMs: number, message: object): string =>
  `${timeMs + 300}123456 ${JSON.stringify({ stream: 'x', data: message })}`;

type Levels = readonly (readonly [string, string])[];

const depth = (
  ids: readonly [number, number],
  atMs: number,
  change: { readonly b?: Levels; readonly a?: Levels },
): string =>
  received(START + atMs, {
    e: 'depthUpdate',
    E: START + atMs,
    U: ids[0],
    u: ids[1],
    b: change.b ?? [],
    a: change.a ?? [],
  });
const snapshot = (lastUpdateId: number): string =>
  `${START}123456 ${JSON.stringify({
    lastUpdateId,
    bids: [
      ['100.10', '1'],
      ['100.00', '2'],
    ],
    asks: [['100.20', '3']],
  })}`;
const trade = (id: number, atMs: number): string =>
  received(START + atMs, { e: 'trade', t: id, p: '100.20', q: '0.5', T: START + atMs, m: false });

function importLines(lines: readonly string[], skipBadRows = false): Promise<ImportReport> {
  const path = join(catalogue.root, 'feed.jsonl');
  writeFileSync(path, lines.join('\n'));
  return importFeed({ catalogue, path, market: BTCIRT, everyMs: 100, skipBadRows, source: 'feed' });
}

async function books(): Promise<unknown[]> {
  const all = await gather(catalogue.readBooks({ market: BTCIRT, ...ALL_TIME }));
  return all.map(({ venueTimeMs, bids, asks }) => [
    (venueTimeMs ?? 0) - START,
    bids.map(([price, amount]) => `${amount}@${price}`).join(' '),
    asks.map(([price, amount]) => `${amount}@${price}`).join(' '),
  ]);
}

describe('a feed of depth', () => {
  test('becomes books from its first snapshot on, and rows before it are rejected', async () => {
    const report = await importLines([
      depth([8, 9], 0, { b: [['99', '9']] }),
      snapshot(10),
      depth([10, 11], 100, { b: [['100.10', '0']], a: [['100.15', '1.5']] }),
      depth([12, 12], 200, { b: [['100.05', '4']] }),
    ]);
    expect(report).toMatchObject({ result: 'imported', rows: 4, rejects: { count: 1, rows: [{ line: 1 }] } });
    expect(await books()).toEqual([
      [100, '2@100', '1.5@100.15 3@100.2'],
      [200, '4@100.05 2@100', '1.5@100.15 3@100.2'],
    ]);
  });

  test('takes up changes that came before a snapshot which does not hold them yet', async () => {
    await importLines([
      depth([11, 12], 0, { b: [['100.05', '5']] }),
      snapshot(10),
      depth([13, 13], 100, { b: [['100.01', '1']] }),
    ]);
    expect(await books()).toEqual([[100, '1@100.1 5@100.05 1@100.01 2@100', '3@100.2']]);
  });

  test('tells at most one book in each stretch, and none where the best levels are the same', async () => {
    const far = Array.from({ length: 30 }, (_, index) => [String(200 + index), '1'] as const);
    await importLines([
      snapshot(10),
      depth([11, 11], 100, { a: far }),
      depth([12, 12], 150, { b: [['100.05', '4']] }),
      depth([13, 13], 210, {}),
      depth([14, 14], 310, { a: [['229', '7']] }),
      depth([15, 15], 410, { b: [['100.05', '0']] }),
    ]);
    const times = (await books()).map((book) => (book as readonly unknown[])[0]);
    expect(times).toEqual([100, 210, 410]);
  });

  test('is unknown from a missing change to the next snapshot', async () => {
    const report = await importLines([
      snapshot(10),
      depth([11, 11], 100, { b: [['100.05', '4']] }),
      depth([13, 13], 200, { b: [['100.06', '4']] }),
      depth([14, 14], 300, { b: [['100.07', '4']] }),
      snapshot(20),
      depth([21, 21], 400, { b: [['100.08', '4']] }),
    ]);
    expect(report.rejects.rows.map(({ line }) => line)).toEqual([3, 4]);
    expect(await books()).toEqual([
      [100, '1@100.1 4@100.05 2@100', '3@100.2'],
      [400, '1@100.1 4@100.08 2@100', '3@100.2'],
    ]);
  });

  test('continues one that was imported before, over midnight, and importing either again adds nothing', async () => {
    const first = [snapshot(10), depth([11, 11], 500, { b: [['100.05', '4']] }), trade(1, 600)];
    const second = [depth([12, 13], 1_500, { b: [['100.06', '4']] }), trade(2, 1_600)];
    await importLines(first);
    const report = await importLines(second);
    expect(report).toMatchObject({ result: 'imported', rejects: { count: 0 } });
    expect(report.notes).toEqual(['it continues a feed that was imported before']);
    const all = await books();
    expect(all).toEqual([
      [500, '1@100.1 4@100.05 2@100', '3@100.2'],
      [1_500, '1@100.1 4@100.06 4@100.05 2@100', '3@100.2'],
    ]);
    for (const lines of [second, first, second]) {
      const again = await importLines(lines);
      expect(again.parts.map(({ outcome }) => outcome)).toMatchObject([{ added: 0 }, { added: 0 }]);
    }
    expect(await books()).toEqual(all);
  });

  test('that continues nothing is rejected, its trades are not', async () => {
    const report = await importLines([depth([12, 13], 0, {}), trade(2, 100)]);
    expect(report).toMatchObject({ result: 'imported', rejects: { count: 1 } });
    expect(await gather(catalogue.readTrades({ market: BTCIRT, ...ALL_TIME }))).toEqual([
      { timeMs: START + 100, seenMs: START + 400, price: '100.2', amount: '0.5', side: 'buy', id: 2 },
    ]);
  });

  test('with a line that is none stays out whole, or comes in without it', async () => {
    const lines = [snapshot(10), depth([11, 11], 100, {}), '1723161253937085768 {"e":"tra', trade(1, 100)];
    const refused = await importLines(lines);
    expect(refused).toMatchObject({
      result: 'bad-rows',
      parts: [],
      rejects: { count: 1, rows: [{ line: 3 }] },
    });
    expect(catalogue.keys().flatMap((key) => catalogue.manifest(key)?.partitions ?? [])).toEqual([]);
    expect(await importLines(lines, true)).toMatchObject({ result: 'imported' });
    expect(await books()).toHaveLength(1);
  });

  scenarios<object>(async (problem, message) => {
    const lines = [depth([8, 9], 0, {}), snapshot(10), received(START, message), depth([11, 11], 100, {})];
    const report = await importLines(lines);
    expect(report).toMatchObject({ result: 'bad-rows', rejects: { count: 2 }, firstBad: { line: 3 } });
    expect(report.firstBad?.problem).toContain(problem);
  }, 'names the line of a %s, whatever was rejected before it')`
    trade of no price ${{ e: 'trade', t: 1, p: '0', q: '1', T: START, m: false }}
      expected a trade with positive
    number of eleven decimals ${{ e: 'trade', t: 1, p: '0.12345678901', q: '1', T: START, m: false }}
      of at most 10
    number beyond all columns ${{ e: 'trade', t: 1, p: '1e30', q: '1', T: START, m: false }}: expected a trade
    time in microseconds ${{ e: 'depthUpdate', E: START * 1_000, U: 11, u: 11, b: [], a: [] }}: a time E in ms
  `;

  test('is expected where there are messages of other kinds only', async () => {
    await expect(importLines(['{"open":"1"}', '{"open":"2"}'])).rejects.toThrow(
      'found 2 lines, 2 of them of other kinds: candles and trades come',
    );
  });

  test('whose trades contradict what is there leaves the books as they were', async () => {
    await importLines([trade(1, 100)]);
    const report = await importLines([snapshot(10), depth([11, 11], 100, {}), trade(1, 101)]);
    expect(report.result).toBe('conflict');
    expect(catalogue.manifest({ market: BTCIRT, kind: 'books' })?.partitions).toEqual([]);
  });
});
