import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CandleCache } from '../../../src/recording/candle-cache.ts';
import type { CandleBlock } from '../../../src/recording/stage-blocks.ts';
import { folderOfThisTest } from '../../support/temporary-folder.ts';

const block = (length: number): CandleBlock => {
  const column = (first: number): Float64Array => Float64Array.from({ length }, (_, bar) => first + bar * 7);
  return {
    length,
    openTimeMs: column(60_000),
    priceDecimals: 2,
    open: column(5),
    high: column(6),
    low: column(4),
    close: column(5),
    volumeDecimals: 6,
    volume: column(0),
  };
};

const cacheAt = (folder: string): CandleCache => new CandleCache(folder, { leastBars: 3, mostFiles: 2 });

const statMode = (path: string): number => statSync(path).mode;

function onlyFile(folder: string): string {
  const [name = '', ...others] = readdirSync(folder);
  expect(others).toEqual([]);
  return join(folder, name);
}

test('gives back what was kept for a source, and nothing for another one', () => {
  const cache = cacheAt(join(folderOfThisTest(), 'candles'));
  // Columns may have spare room behind their bars.
  const roomy = { ...block(9), length: 4 };
  cache.write('one', roomy);
  expect(cache.read('one')).toEqual(block(4));
  expect(cache.read('other')).toBeNull();
});

test('keeps no few bars, which are read anew as fast', () => {
  const folder = folderOfThisTest();
  cacheAt(folder).write('few', block(2));
  expect(readdirSync(folder)).toEqual([]);
});

test('removes the files that were not used for the longest time', () => {
  const folder = folderOfThisTest();
  const cache = cacheAt(folder);
  cache.write('first', block(3));
  utimesSync(onlyFile(folder), 1, 1);
  cache.write('second', block(3));
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), 2, 2);
  expect(cache.read('first')).not.toBeNull();
  cache.write('third', block(3));
  expect(readdirSync(folder)).toHaveLength(2);
  expect(cache.read('second')).toBeNull();
  expect(cache.read('first')).not.toBeNull();
  expect(cache.read('third')).not.toBeNull();
});

test.each<[string, (bytes: Buffer) => Buffer]>([
  ['cut short', (bytes) => bytes.subarray(0, -8)],
  ['cut within its head', (bytes) => bytes.subarray(0, 100)],
  ['empty', () => Buffer.alloc(0)],
  ['changed in a number', (bytes) => bytes.fill(1, bytes.length - 1)],
  [
    'of other decimals',
    (bytes) =>
      Buffer.from(bytes.toString('latin1').replace('"priceDecimals":2', '"priceDecimals":3'), 'latin1'),
  ],
  [
    'of another version',
    (bytes) => Buffer.from(bytes.toString('latin1').replace('"version":3', '"version":9'), 'latin1'),
  ],
  [
    'of another source',
    (bytes) => Buffer.from(bytes.toString('latin1').replace(/"key":"./, '"key":"x'), 'latin1'),
  ],
  ['no file of ours', () => Buffer.from('time,open,high,low,close,volume\n'.repeat(40))],
])('a file that is %s is removed, and not believed', (_, change) => {
  const folder = folderOfThisTest();
  const cache = cacheAt(folder);
  cache.write('one', block(5));
  const path = onlyFile(folder);
  writeFileSync(path, change(readFileSync(path)));
  expect(cache.read('one')).toBeNull();
  expect(existsSync(path)).toBe(false);
});

test('a folder that can not be made costs only time', () => {
  const folder = folderOfThisTest();
  const path = join(folder, 'a file');
  writeFileSync(path, '');
  const cache = cacheAt(join(path, 'candles'));
  cache.write('one', block(5));
  expect(cache.read('one')).toBeNull();
});

test.skipIf(process.getuid?.() === 0)('a folder that can not be written to costs only time', () => {
  const folder = folderOfThisTest();
  chmodSync(folder, 0o500);
  const cache = cacheAt(folder);
  cache.write('one', block(5));
  expect(cache.read('one')).toBeNull();
});

test('nobody else may read what is kept', () => {
  const folder = join(folderOfThisTest(), 'candles');
  cacheAt(folder).write('one', block(5));
  expect(onlyFile(folder)).toSatisfy((path: string) => (statMode(path) & 0o077) === 0);
  expect(statMode(folder) & 0o077).toBe(0);
});
