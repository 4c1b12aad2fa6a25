import { describe, expect, test } from 'vitest';
import { readRedisAddress } from '../../../../src/redis/redis-address.ts';
import { readServedAddress } from '../../../../src/study/file-cache.ts';

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
