import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, describe } from 'vitest';
import { checksumOf, FileCache, readServedAddress } from '../../../../src/study/file-cache.ts';
import { readRedisAddress } from '../../../../src/redis/redis-server.ts';
import { folderOfEachTest } from '../../../support/temporary-folder.ts';

const folder = folderOfEachTest();

function keep(cache: FileCache, text: string, usedS: number): string {
  const bytes = Buffer.from(text);
  const sha256 = checksumOf(bytes);
  cache.write(sha256, bytes);
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

describe('the address of Redis', () => {
  test.each`
    text                             | host           | port    | database | user     | password    | isEncrypted
    ${'redis://127.0.0.1'}           | ${'127.0.0.1'} | ${6379} | ${0}     | ${null}  | ${null}     | ${false}
    ${'redis://:p%40ss@db:7000/3'}   | ${'db'}        | ${7000} | ${3}     | ${null}  | ${'p@ss'}   | ${false}
    ${'rediss://joe:secret@[::1]:1'} | ${'::1'}       | ${1}    | ${0}     | ${'joe'} | ${'secret'} | ${true}
  `('is read from $text', ({ text, ...expected }: { readonly text: string }) => {
    expect(readRedisAddress(text, undefined)).toMatchObject(expected);
  });

  test('is shown without its password', () => {
    expect(readRedisAddress('rediss://joe:secret@db:1/2', undefined).shown).toBe('rediss://db:1');
  });

  test('takes the password of the environment where it has none', () => {
    expect(readRedisAddress('redis://db', 'own').password).toBe('own');
    expect(readRedisAddress('redis://:other@db', 'own').password).toBe('other');
    expect(readRedisAddress('redis://db', '').password).toBeNull();
  });

  test.each(['', 'db:6379', 'http://:secret@db', 'redis://', 'redis://:secret@db/name', 'redis:db'])(
    'refuses %j, and shows no password',
    (text) => {
      const read = () => readRedisAddress(text, undefined);
      expect(read).toThrow(/^expected a Redis as redis:.*, found /);
      expect(read).not.toThrow(/secret/);
    },
  );
});

describe('the address where files are served', () => {
  test.each([
    ['10.0.0.5:7300', { host: '10.0.0.5', port: 7300 }],
    ['coordinator:0', { host: 'coordinator', port: 0 }],
    ['[::1]:7300', { host: '::1', port: 7300 }],
  ])('is read from %s', (text, expected) => {
    expect(readServedAddress(text)).toEqual(expected);
  });

  test.each(['', '7300', 'host', 'host:70000', '::1:7300', '0.0.0.0:7300', '[::]:7300'])(
    'refuses %j',
    (text) => {
      expect(() => readServedAddress(text)).toThrow(/^expected for --serve the host .*, found /);
    },
  );
});
