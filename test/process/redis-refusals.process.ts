import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { inWords, startSarraf, type SarrafProcess } from '../support/sarraf-process.ts';
import { writeCandles } from '../unit/study/generated-candles.ts';
import { RedisServer } from './redis-server.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const PASSWORD = 'p@ss word';

const folder = folderOfEachTest();
beforeEach(() => {
  writeCandles(join(folder, 'hours.csv'), { count: 1_000 });
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const studyArgs = (url: string): readonly string[] => [
  ...'study run ma-cross --market BTCUSDT --cash 10000 --trials 3 --json'.split(' '),
  '--csv',
  join(folder, 'hours.csv'),
  '--data',
  join(folder, 'data'),
  '--redis',
  url,
];
const workerArgs = (url: string): readonly string[] => [
  'worker',
  '--redis',
  url,
  '--threads',
  '1',
  '--data',
  join(folder, 'worker'),
];

async function refusalOf(run: SarrafProcess): Promise<string> {
  const { code, out, error } = await run.finished;
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(error).not.toContain(PASSWORD);
  return inWords(error);
}

test('a Redis that is not there ends a study with one line', async () => {
  const redis = await RedisServer.start({ folder });
  await redis.kill();
  expect(await refusalOf(startSarraf(studyArgs(redis.url)))).toMatch(
    /^QUEUE_UNUSABLE: expected Redis at redis:\/\/127\.0\.0\.1:\d+, found nothing that listens there\n$/,
  );
});

test('a Redis whose memory is full ends a study with one line', async () => {
  const redis = await RedisServer.start({
    folder,
    more: ['--maxmemory', '1', '--maxmemory-policy', 'allkeys-lru'],
  });
  try {
    expect(await refusalOf(startSarraf(studyArgs(redis.url)))).toMatch(
      /^Redis at .* keeps nothing on its disk.*\nRedis at .* drops keys .*\nQUEUE_UNUSABLE: expected Redis at .*, found that its memory is full: raise its maxmemory\n$/,
    );
  } finally {
    await redis.kill();
  }
});

test('a Redis without TLS that is asked for some, and one with TLS that is asked for none, say what to try', async () => {
  for (const [tls, scheme] of [
    [true, 'rediss:// where it has TLS'],
    [false, 'redis:// where it has no TLS'],
  ] as const) {
    const redis = await RedisServer.start({ folder, ...(tls ? { tls } : {}) });
    try {
      const other = redis.url.replace(/^rediss?/, tls ? 'redis' : 'rediss');
      expect(await refusalOf(startSarraf(studyArgs(other)))).toMatch(
        new RegExp(`^QUEUE_UNUSABLE: expected Redis at .* \\(use ${scheme}\\)\n$`),
      );
    } finally {
      await redis.kill();
    }
  }
});

test('a worker waits for a Redis that is not there, in one line, and ends when it is asked to', async () => {
  const redis = await RedisServer.start({ folder });
  await redis.kill();
  const run = startSarraf(workerArgs(redis.url));
  expect(await run.line((line) => line.startsWith('expected'))).toMatch(
    /found nothing that listens there: waiting/,
  );
  await redis.begin();
  await run.line((line) => line.startsWith('waits for studies'));
  await redis.kill();
  await run.line((line) => line.includes('nothing is lost'));
  run.child.kill('SIGTERM');
  const { code, out, error } = await run.finished;
  expect({ code, error }).toEqual({ code: 0, error: '' });
  expect(out.trimEnd().split('\n')).toHaveLength(4);
});

test('a wrong password and none are refused in one line, and the right one is taken from the address', async () => {
  const redis = await RedisServer.start({ folder, password: PASSWORD });
  try {
    const refused = /^QUEUE_UNUSABLE: expected Redis at .*, found that it refuses the password: .*\n$/;
    expect(await refusalOf(startSarraf(studyArgs(redis.url)))).toMatch(refused);
    const wrong = redis.url.replace('//', '//:wrong@');
    expect(await refusalOf(startSarraf(studyArgs(wrong)))).toMatch(refused);
    expect(await refusalOf(startSarraf(workerArgs(wrong)))).toMatch(refused);
    const right = redis.url.replace('//', `//:${encodeURIComponent(PASSWORD)}@`);
    const worker = startSarraf(workerArgs(right));
    expect((await startSarraf(studyArgs(right)).finished).code).toBe(0);
    worker.child.kill('SIGTERM');
    expect((await worker.finished).code).toBe(0);
  } finally {
    await redis.kill();
  }
});

test('a certificate that is not trusted is refused in one line, and a study runs over one that is', async () => {
  const redis = await RedisServer.start({ folder, tls: true });
  try {
    const refused =
      /^QUEUE_UNUSABLE: expected Redis at rediss:.*, found a certificate that the server signed itself: .*\n$/;
    expect(await refusalOf(startSarraf(studyArgs(redis.url)))).toMatch(refused);
    vi.stubEnv('NODE_EXTRA_CA_CERTS', redis.authority);
    const worker = startSarraf(workerArgs(redis.url));
    expect((await startSarraf(studyArgs(redis.url)).finished).code).toBe(0);
    worker.child.kill('SIGTERM');
    expect((await worker.finished).code).toBe(0);
  } finally {
    await redis.kill();
  }
});
