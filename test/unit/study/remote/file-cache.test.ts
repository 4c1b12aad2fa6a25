import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checksumOf, FileCache } from '../../../../src/study/file-cache.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sarraf-cache-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function keep(cache: FileCache, text: string, usedS: number): string {
  const bytes = Buffer.from(text);
  const sha256 = checksumOf(bytes);
  cache.keep(sha256, bytes);
  utimesSync(join(folder, sha256), usedS, usedS);
  return sha256;
}

test('a file that is kept is found, and another is not', () => {
  const cache = new FileCache(folder);
  const sha256 = keep(cache, 'candles', 1);
  expect(cache.find(sha256)?.toString()).toBe('candles');
  expect(cache.find('0'.repeat(64))).toBeNull();
});

test('a file that says something else by now is removed', () => {
  const cache = new FileCache(folder);
  const sha256 = keep(cache, 'candles', 1);
  writeFileSync(join(folder, sha256), 'candlez');
  expect(cache.find(sha256)).toBeNull();
  expect(readdirSync(folder)).toEqual([]);
});

test('those that were not used for the longest time go first, and the newest stays', () => {
  const cache = new FileCache(folder, 10);
  const [first, second] = [keep(cache, '1111', 100), keep(cache, '2222', 200)];
  cache.find(first);
  const third = keep(cache, '3333', 300);
  expect([first, second, third].map((sha256) => cache.find(sha256) !== null)).toEqual([true, false, true]);
  const large = keep(cache, 'larger than the cache', 400);
  expect(readdirSync(folder)).toEqual([large]);
});
