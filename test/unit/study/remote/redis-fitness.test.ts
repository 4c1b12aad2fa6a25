import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { redisWarnings, refuseOldRedis } from '../../../../src/study/open-redis-runner.ts';

/** Makes a client whose Redis reports these settings; null: the question is not permitted. */
function telling(info: string | null, settings: Readonly<Record<string, string>> = {}) {
  const client = {
    async info() {
      if (info === null) throw new Error('NOPERM');
      return info.replaceAll('\n', '\r\n');
    },
    config: async (_get: string, name: string) => [name, settings[name] ?? ''],
  };
  return { client: client as unknown as Redis, shown: 'redis://host:6379' };
}

test.each(['6.0.16', '5.0.14', '4.0.0'])('Redis %s is refused', async (version) => {
  await expect(refuseOldRedis(telling(`# Server\nredis_version:${version}\nos:Linux\n`))).rejects.toThrow(
    `expected Redis 6.2 or Valkey 7.2, or later, at redis://host:6379, found ${version}`,
  );
});

test.each([
  'redis_version:6.2.0\n',
  'redis_version:10.0.1\n',
  'valkey_version:8.1.0\nredis_version:7.2.4\n',
  '',
  null,
])('one that tells %j is taken', async (info) => {
  await expect(refuseOldRedis(telling(info))).resolves.toBeUndefined();
});

test('what is lost with a Redis is said: without a disk, and where it drops keys', async () => {
  const kept = { save: '3600 1', appendonly: 'no' };
  const dropping = 'maxmemory:1048576\nmaxmemory_policy:allkeys-lru\n';
  expect(await redisWarnings(telling(dropping, kept))).toEqual([
    expect.stringMatching(
      /drops keys when its memory is full \(allkeys-lru\), .* set maxmemory-policy noeviction$/,
    ),
  ]);
  expect(await redisWarnings(telling(dropping.replace('1048576', '0'), kept))).toEqual([]);
  expect(await redisWarnings(telling('maxmemory:9\nmaxmemory_policy:noeviction\n', kept))).toEqual([]);
  expect(await redisWarnings(telling('', { save: '', appendonly: 'no' }))).toEqual([
    expect.stringMatching(/keeps nothing on its disk/),
  ]);
});
