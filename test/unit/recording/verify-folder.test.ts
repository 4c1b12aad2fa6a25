import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Candle } from '../../../src/domain/candle.ts';
import { present } from '../../../src/domain/errors.ts';
import { parseUnits } from '../../../src/domain/money.ts';
import type { Catalogue } from '../../../src/recording/catalogue.ts';
import { openDatabase, runSql } from '../../../src/recording/duckdb.ts';
import { checksum } from '../../../src/recording/durable-file.ts';
import type { FolderKey, TimeRange } from '../../../src/recording/records.ts';
import { writeManifest, type Manifest } from '../../../src/recording/manifest.ts';
import { ALL_TIME } from '../../../src/recording/read-rows.ts';
import { verifyFolder, type VerifyOptions } from '../../../src/recording/verify-folder.ts';
import {
  addCandles,
  book,
  BTCIRT,
  candle,
  catalogueOfEachTest,
  temporaryCatalogue,
  trade,
} from './temporary-catalogue.ts';
import { emptyStats } from '../../support/recorded-rows.ts';

const START = Date.UTC(2024, 7, 8);
const HOUR = 3_600_000;
const HOURLY: FolderKey = { market: BTCIRT, kind: 'candles', timeframe: '1h' };

/** Makes bars that all differ, with changing volumes, as those of an exchange do. */
function walk(count: number, fromMs = START): Candle[] {
  let price = 12_600_000_000;
  return Array.from({ length: count }, (_, index) => {
    const open = price;
    price += (((index * 7_919) % 41) - 20) * 1_000;
    const [high, low] = [Math.max(open, price) + 500, Math.min(open, price) - 500];
    return candle(fromMs + index * HOUR, {
      open,
      high,
      low,
      close: price,
      volume: `0.${100_003 + index * 7}`,
    });
  });
}

const OPTIONS: VerifyOptions = { range: ALL_TIME, priceStep: null, gapMs: 60_000 };

async function findings(
  catalogue: Catalogue,
  key: FolderKey = HOURLY,
  options: Partial<VerifyOptions> = {},
): Promise<string[]> {
  const report = await verifyFolder(catalogue, key, { ...OPTIONS, ...options });
  return report.findings.listed.map(({ kind, text }) => `${kind}: ${text}`);
}

async function withCandles(given: readonly Candle[]): Promise<Catalogue> {
  const catalogue = temporaryCatalogue();
  await addCandles(catalogue, given, { timeframe: '1h' });
  return catalogue;
}

const catalogue = catalogueOfEachTest();
/** Changes the manifest of a folder, as a recorder does. */
const amend = (key: FolderKey, change: Partial<Manifest>): void =>
  writeManifest(catalogue.root, key, { ...present(catalogue.manifest(key), 'the manifest'), ...change });

/** Changes a partition as no append would, and makes its manifest agree. */
async function tampered(given: readonly Candle[], sql: string): Promise<Catalogue> {
  const catalogue = await withCandles(given);
  const folder = join(catalogue.root, 'BTCIRT', 'candles-1h');
  const file = join(folder, '2024-08.1.parquet');
  const database = await openDatabase();
  await runSql(database, `CREATE TABLE rows AS SELECT * FROM read_parquet('${file}'); ${sql}`, 'tamper');
  await runSql(database, `COPY rows TO '${file}' (FORMAT parquet)`, 'tamper');
  database[Symbol.dispose]();
  const manifestPath = join(folder, 'manifest.json');
  const manifest = JSON.parse(readFileSync(manifestPath, 'utf8')) as {
    partitions: Record<string, unknown>[];
  };
  const bytes = readFileSync(file).length;
  Object.assign(manifest.partitions[0]!, { sha256: await checksum(file), bytes });
  writeFileSync(manifestPath, JSON.stringify(manifest));
  return catalogue;
}

describe('verifying candles', () => {
  test('finds nothing in sound ones', async () => {
    expect(await findings(await withCandles(walk(2_000)))).toEqual([]);
  });

  test('finds gaps, and says over which the price goes on', async () => {
    const all = walk(200);
    const catalogue = await withCandles(all.filter((_, hour) => hour < 50 || hour > 52));
    expect(await findings(catalogue)).toEqual([
      'gap: 3 bars are missing from 2024-08-10T02:00:00Z to 2024-08-10T05:00:00Z',
    ]);
    const shifted = [
      ...all.slice(0, 50),
      ...all.slice(50).map((bar) => ({ ...bar, openTimeMs: bar.openTimeMs + 3 * HOUR })),
    ];
    const [found, ...others] = await findings(await withCandles(shifted));
    expect(found).toContain(
      '3 bars are missing from 2024-08-10T02:00:00Z to 2024-08-10T05:00:00Z; the price goes on',
    );
    expect(others).toEqual([]);
  });

  test('finds bars that are there once more, hours later', async () => {
    const all = walk(200);
    const repeated = all.slice(97).map((bar) => ({ ...bar, openTimeMs: bar.openTimeMs + 3 * HOUR }));
    expect(await findings(await withCandles([...all.slice(0, 100), ...repeated]))).toEqual([
      'zone-slip: bars from 2024-08-12T04:00:00Z on are those from 2024-08-12T01:00:00Z on once more, 3 h later: a part of another time zone',
    ]);
  });

  test('finds prices off the step, whether the step is given or nearly all prices show it', async () => {
    const all = walk(500).map((bar, hour) =>
      hour === 7
        ? {
            ...bar,
            close: candle(0, { close: '12600000000.5' }).close,
            high: candle(0, { high: '12700000000' }).high,
          }
        : bar,
    );
    const catalogue = await withCandles(all);
    expect(await findings(catalogue)).toEqual([
      'off-step: 1 price is off the step of 1 that nearly all have, first at 2024-08-08T07:00:00Z',
    ]);
    expect(await findings(catalogue, HOURLY, { priceStep: parseUnits('10') })).toEqual([
      'off-step: 2024-08-08T07:00:00Z has the price 12600000000.5, off the step',
    ]);
  });

  test.each([
    [
      'order',
      'DELETE FROM rows WHERE time_ms = 1723082400000; INSERT INTO rows SELECT 1723082400000, * EXCLUDE (time_ms) FROM rows LIMIT 1',
      '2024-08-08T02:00:00Z comes after 2024-08-08T09:00:00Z',
    ],
    [
      'duplicate',
      'INSERT INTO rows SELECT * FROM rows WHERE time_ms = 1723107600000',
      '2024-08-08T09:00:00Z is there twice',
    ],
    [
      'shape',
      'UPDATE rows SET low = high + 1 WHERE time_ms = 1723075200000',
      '2024-08-08T00:00:00Z is not low <= open, close <= high',
    ],
    [
      'negative',
      'UPDATE rows SET volume = -volume WHERE time_ms = 1723075200000',
      '2024-08-08T00:00:00Z has a negative volume',
    ],
    [
      'order',
      'UPDATE rows SET time_ms = time_ms + 1800000 WHERE time_ms = 1723107600000',
      '2024-08-08T09:30:00Z is no beginning of a bar of 1h',
    ],
  ])('finds what is wrong by %s', async (kind, sql, text) => {
    const found = await findings(await tampered(walk(10), sql));
    expect(found.some((finding) => finding.startsWith(`${kind}: ${text}`))).toBe(true);
  });
});

describe('verifying files', () => {
  test('finds a damaged, a missing and an unknown one, and looks at the rest', async () => {
    const catalogue = await withCandles(walk(24 * 80));
    const folder = join(catalogue.root, 'BTCIRT', 'candles-1h');
    appendFileSync(join(folder, '2024-08.1.parquet'), 'x');
    rmSync(join(folder, '2024-09.1.parquet'));
    writeFileSync(join(folder, '2023-01.1.parquet'), 'x');
    expect(await findings(catalogue)).toEqual([
      expect.stringMatching(/^file: .*2024-08\.1\.parquet is not what was written: its checksum is wrong$/),
      expect.stringMatching(/^file: .*2024-09\.1\.parquet is missing$/),
      expect.stringMatching(/^file: .*2023-01\.1\.parquet is there, and the manifest does not know of it$/),
    ]);
  });

  test('tells apart what a killed writer has left', async () => {
    const catalogue = await withCandles(walk(10));
    const folder = join(catalogue.root, 'BTCIRT', 'candles-1h');
    for (const name of ['2024-08.2.parquet', '2024-08.2.parquet.tmp']) writeFileSync(join(folder, name), 'x');
    const report = await verifyFolder(catalogue, HOURLY, OPTIONS);
    expect(report.findings.count).toBe(0);
    expect(report.leftOvers.toSorted()).toEqual(['2024-08.2.parquet', '2024-08.2.parquet.tmp']);
    expect(readdirSync(folder)).toContain('2024-08.2.parquet');
  });
});

test('verifying trades finds missing numbers, recorded gaps and prices off the step', async () => {
  await catalogue.appendTrades({
    market: BTCIRT,
    source: 'test',
    trades: [[trade(START, { id: 1 }), trade(START + 5, { id: 4 })]],
    gaps: [{ fromMs: START + 5, toMs: START + HOUR }],
  });
  const key = { market: BTCIRT, kind: 'trades' } as const;
  expect(await findings(catalogue, key)).toEqual([
    'gap: trades may be missing from 2024-08-08T00:00:00.005Z to 2024-08-08T01:00:00Z, by the recorder',
    'gap: 2 trades are missing before trade 4 of 2024-08-08T00:00:00.005Z',
  ]);
  expect(await findings(catalogue, key, { priceStep: parseUnits('100') })).toHaveLength(4);
});

test('verifying books finds gaps and books that cross', async () => {
  const good = book(START);
  const crossed = { ...book(START + 100), bids: good.asks };
  const books = [[good, crossed, book(START + HOUR)]];
  await catalogue.appendBooks({ market: BTCIRT, source: 'test', books });
  const found = await findings(catalogue, { market: BTCIRT, kind: 'books' });
  expect(found).toEqual([
    expect.stringContaining('shape: the book of 2024-08-08T00:00:00.100Z'),
    'gap: no book for 1 h from 2024-08-08T00:00:00.100Z on',
  ]);
});

test('verifying books finds nothing where a recorder looked and nothing changed, but where it did not look', async () => {
  const key = { market: BTCIRT, kind: 'books' } as const;
  const books = [[0, 1, 2].map((hour) => book(START + hour * HOUR))];
  await catalogue.appendBooks({ market: BTCIRT, source: 'test', books });
  const covered = [{ fromMs: START, toMs: START + 3 * HOUR }];
  amend(key, { covered });
  expect(await findings(catalogue, key)).toEqual([]);
  const gaps = [{ fromMs: START + HOUR + 1_000, toMs: START + HOUR + 200_000 }];
  amend(key, { covered, gaps });
  expect(await findings(catalogue, key)).toEqual(['gap: no book for 1 h from 2024-08-08T01:00:00Z on']);
});

test('verifying books finds nothing where the first was old when a recorder saw it, nor where one file of a recorder follows another', async () => {
  const key = { market: BTCIRT, kind: 'books' } as const;
  const seenMs = START + 600_000;
  const books = [{ ...book(START), seenMs }, book(START + HOUR), book(START + 3 * HOUR)];
  await catalogue.appendBooks({ market: BTCIRT, source: 'test', books: [books] });
  const watchedBut = (pauseMs: number): readonly TimeRange[] => [
    { fromMs: seenMs, toMs: START + 2 * HOUR },
    { fromMs: START + 2 * HOUR + pauseMs, toMs: START + 4 * HOUR },
  ];
  amend(key, { covered: [...watchedBut(10_000)] });
  expect(await findings(catalogue, key)).toEqual([]);
  amend(key, { covered: [...watchedBut(61_000)] });
  expect(await findings(catalogue, key)).toEqual(['gap: no book for 2 h from 2024-08-08T01:00:00Z on']);
});

test('verifying books finds prices off a given step', async () => {
  const key = { market: BTCIRT, kind: 'books' } as const;
  await catalogue.appendBooks({ market: BTCIRT, source: 'test', books: [[book(START)]] });
  expect(await findings(catalogue, key, { priceStep: parseUnits('10') })).toEqual([]);
  expect(await findings(catalogue, key, { priceStep: parseUnits('100') })).toEqual([
    'off-step: the book of 2024-08-08T00:00:00Z has the price 12599999990, off the step',
  ]);
});

test('verifying statistics finds where a recorder did not look', async () => {
  const key = { market: BTCIRT, kind: 'stats' } as const;
  const stats = emptyStats('BTCIRT');
  await catalogue.appendStats({ market: BTCIRT, source: 'test', stats: [[{ seenMs: START, stats }]] });
  amend(key, { gaps: [{ fromMs: START, toMs: START + HOUR }] });
  expect(await findings(catalogue, key)).toEqual([
    'gap: no statistics were asked for from 2024-08-08T00:00:00Z to 2024-08-08T01:00:00Z',
  ]);
});

test('verifying a stretch counts the rows in it', async () => {
  const catalogue = await withCandles(walk(10));
  const range = { fromMs: START + 2 * HOUR, toMs: START + 5 * HOUR };
  expect(await verifyFolder(catalogue, HOURLY, { ...OPTIONS, range })).toMatchObject({ rows: 3 });
});
