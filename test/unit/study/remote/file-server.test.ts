import { readdirSync, rmSync, existsSync, mkdirSync, readFileSync, writeFileSync, utimesSync } from 'node:fs';
import { afterEach, beforeEach, expect, test, describe } from 'vitest';
import {
  checksumOf,
  allowedOrigin,
  readFileSource,
  FileCache,
  LOOPBACK,
  readServedAddress,
} from '../../../../src/study/file-cache.ts';
import { fetchFile } from '../../../../src/study/study-worker.ts';
import { FileServer } from '../../../../src/study/open-redis-runner.ts';
import type { StudyOffer } from '../../../../src/study/remote/offered-study.ts';
import { folderOfEachTest } from '../../../support/temporary-folder.ts';
import { join } from 'node:path';
import {
  codeHash,
  checkSecret,
  isSignedBundle,
  signBundle,
  unpackBundle,
  writeBundle,
} from '../../../../src/study/code-bundle.ts';
import { barsBetween } from '../../../../src/domain/candle-columns.ts';
import { readCandleFile, writeCandleFile } from '../../../../src/recording/column-file.ts';
import { generatedCandles } from '../generated-candles.ts';
import { readRedisAddress } from '../../../../src/redis/redis-server.ts';

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

test('candles are read as they were written', () => {
  const columns = generatedCandles({ count: 50 });
  expect(readCandleFile(writeCandleFile(columns))).toEqual(barsBetween(columns, 0, 50));
});

test('candles that a trial may not see are not in the file', () => {
  const columns = generatedCandles({ count: 50 });
  const cut = barsBetween(columns, 0, 30);
  expect(readCandleFile(writeCandleFile(cut)).length).toBe(30);
  expect(checksumOf(writeCandleFile(cut))).toBe(checksumOf(writeCandleFile(generatedCandles({ count: 30 }))));
});

test.each([
  ['nothing', () => Buffer.alloc(0)],
  ['no header', () => Buffer.alloc(400)],
  ['a part', () => writeCandleFile(generatedCandles({ count: 50 })).subarray(0, -1)],
])('refuses %s', (_, bytes) => {
  expect(() => readCandleFile(bytes())).toThrow(
    'expected candles as the coordinator of a study packs them, found something else',
  );
});

const SECRET = 'a secret of some length';

describe('code of a strategy', () => {
  let strategy: string;
  beforeEach(() => {
    mkdirSync(join(folder, 'mine', 'parts'), { recursive: true });
    strategy = join(folder, 'mine', 'trend.ts');
    writeFileSync(strategy, `import { lift } from './parts/lift.ts';\nimport { z } from 'zod';\n`);
    writeFileSync(
      join(folder, 'mine', 'parts', 'lift.ts'),
      `import '../../shared.ts';\nexport const lift = 1;\n`,
    );
    writeFileSync(join(folder, 'shared.ts'), 'export {};\n');
    writeFileSync(join(folder, 'unrelated.ts'), 'export {};\n');
  });

  const unpack = (bytes: Uint8Array, code = codeHash(strategy)): string =>
    unpackBundle(bytes, { folder: join(folder, 'cache'), code });

  test('code is the same after it was sent, with what it imports and nothing else', () => {
    const file = unpack(writeBundle(strategy));
    expect(codeHash(file)).toBe(codeHash(strategy));
    expect(file.endsWith('/mine/trend.ts')).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe(readFileSync(strategy, 'utf8'));
    expect(existsSync(join(file, '../../unrelated.ts'))).toBe(false);
    // A bundle that is unpacked again goes to the same place.
    expect(unpack(writeBundle(strategy))).toBe(file);
    expect(readdirSync(join(folder, 'cache'))).toHaveLength(1);
  });

  test('code other than the one that was named is not kept', () => {
    expect(() => unpack(writeBundle(strategy), 'a'.repeat(64))).toThrow(/^expected code with SHA-256 aaaa/);
    expect(readdirSync(join(folder, 'cache'))).toEqual([]);
  });

  test.each(['../out.ts', '/etc/out.ts', 'a/../../out.ts', 'a\\out.ts', './out.ts', 'c:out.ts'])(
    'a file at %s is refused before any is written',
    (path) => {
      const bytes = Buffer.from(JSON.stringify({ entry: path, files: [{ path, text: '' }] }));
      expect(() => unpack(bytes)).toThrow(/expected a path below/);
      expect(existsSync(join(folder, 'out.ts'))).toBe(false);
    },
  );
});

describe('the signature', () => {
  const bytes = Buffer.from('code');

  test('holds for the same code and secret alone', () => {
    const hmac = signBundle(bytes, SECRET);
    expect(isSignedBundle(bytes, hmac, SECRET)).toBe(true);
    expect(isSignedBundle(Buffer.from('other'), hmac, SECRET)).toBe(false);
    expect(isSignedBundle(bytes, hmac, `${SECRET}!`)).toBe(false);
    expect(isSignedBundle(bytes, '', SECRET)).toBe(false);
  });

  test('needs a secret that can not be guessed', () => {
    expect(checkSecret(`  ${SECRET}\n`)).toBe(SECRET);
    expect(() => checkSecret('short\n')).toThrow(/^expected a secret of at least 16 characters, found 5/);
  });
});

const CANDLES = Buffer.from('candles of a market');
const FILE = { sha256: checksumOf(CANDLES), bytes: CANDLES.length };

let cache: FileCache;
let server: FileServer;
let offer: StudyOffer;
beforeEach(async () => {
  cache = new FileCache(folder);
  server = await serving(new Map([[FILE.sha256, CANDLES]]));
});
afterEach(async () => {
  await server.close();
});

async function serving(files: ReadonlyMap<string, Buffer>): Promise<FileServer> {
  const served = new FileServer({ address: LOOPBACK, token: 'the token', files });
  const hash = '0'.repeat(64);
  offer = {
    protocol: 3,
    engine: '1',
    source: hash,
    written: {},
    code: hash,
    data: [FILE],
    signals: null,
    bundle: null,
    address: await served.listen(),
    token: 'the token',
  };
  return served;
}

const said: string[] = [];
const fetched = async (
  more: Partial<StudyOffer> = {},
  file = FILE,
  sources = [readFileSource('localhost')],
): Promise<Buffer> =>
  fetchFile(file, {
    offer: { ...offer, ...more },
    cache,
    sources,
    log: (line) => said.push(line),
    signal: new AbortController().signal,
  });

test('a file is fetched once, and then is in the cache', async () => {
  expect(await fetched()).toEqual(CANDLES);
  await server.close();
  expect(await fetched()).toEqual(CANDLES);
});

test('an offer of another address is asked nothing, and the option that allows it is named', async () => {
  const { host, port } = new URL(offer.address);
  const other = Number(port) === 7300 ? 7301 : 7300;
  for (const source of ['10.0.0.2', `127.0.0.1:${other}`]) {
    await expect(fetched({}, FILE, [readFileSource(source)])).rejects.toThrow(
      `expected data from ${source} only, found an offer of "${offer.address}": if that is your coordinator, start this worker with --data-from ${host}`,
    );
  }
  expect(readdirSync(folder)).toEqual([]);
  expect(await fetched({}, FILE, [readFileSource('10.0.0.2'), readFileSource(host)])).toEqual(CANDLES);
});

test.each([
  ['http://10.0.0.1:7300', '10.0.0.1', true],
  ['http://10.0.0.1:7300', '10.0.0.1:7300', true],
  ['http://10.0.0.1:7300', '10.0.0.1:7301', false],
  ['http://10.0.0.1', '10.0.0.1:80', true],
  ['http://169.254.169.254', '10.0.0.1', false],
  ['http://Coordinator:7300', 'coordinator', true],
  ['http://[::1]:7300', '127.0.0.1', true],
  ['http://[fd00::1]:7300', '[FD00:0::1]:7300', true],
  ['http://10.0.0.1:7300@169.254.169.254', '10.0.0.1', false],
  ['http://10.0.0.1:7300/admin?', '10.0.0.1', false],
  ['https://10.0.0.1:7300', '10.0.0.1', false],
  ['file:///etc/passwd', '10.0.0.1', false],
])('%s from %s: %s', (address, source, isAllowed) => {
  const ask = (): string => allowedOrigin(address, [readFileSource(source)]);
  if (isAllowed) expect(ask()).toBe(new URL(address).origin);
  else expect(ask).toThrow(/^expected .* found an offer of /);
});

test.each(['', ':7300', '10.0.0.1:', '10.0.0.1:0', '10.0.0.1:70000', 'http://10.0.0.1', 'a@b', '::1'])(
  '--data-from %s is refused',
  (text) => expect(() => readFileSource(text)).toThrow(/^expected for --data-from the host of a coord/),
);

test('a file that the cache has no room for is used all the same, and that is said', async () => {
  rmSync(folder, { recursive: true });
  expect(await fetched()).toEqual(CANDLES);
  expect(said).toEqual([
    expect.stringMatching(/^expected room for 19 bytes in the cache, found none \(ENOENT.*\): fetched again/),
  ]);
});

test('a stranger gets no file, and does not learn which there are', async () => {
  await expect(fetched({ token: 'another' })).rejects.toThrow(/found status 401$/);
  for (const path of [`/files/${FILE.sha256}`, '/files/other', '/'])
    expect((await fetch(offer.address + path)).status).toBe(401);
});

test.each([
  ['another file', Buffer.from('candles of a markeT'), /found something else$/],
  ['a longer file', Buffer.from('candles of a market, and more'), /found more than 19 bytes$/],
  ['a shorter file', Buffer.from('candles'), /found 7 of 19 bytes$/],
])('%s under the checksum is refused, and is not kept', async (_, bytes, message) => {
  await server.close();
  server = await serving(new Map([[FILE.sha256, bytes]]));
  await expect(fetched()).rejects.toThrow(message);
  expect(readdirSync(folder)).toEqual([]);
});

test('a coordinator that does not answer is named, with what to do', async () => {
  await server.close();
  await expect(fetched()).rejects.toThrow(
    /^expected a file of the study from its coordinator at http:.*, found no answer \(ECONNREFUSED\): give the coordinator --serve HOST:PORT$/,
  );
});

test('a file that is too large is not asked for', async () => {
  await expect(fetched({}, { ...FILE, sha256: '1'.repeat(64), bytes: 2 ** 40 })).rejects.toThrow(
    /takes at most/,
  );
});

test('an address that is taken is refused', async () => {
  const port = Number(new URL(offer.address).port);
  const second = new FileServer({ address: { host: '127.0.0.1', port }, token: '', files: new Map() });
  await expect(second.listen()).rejects.toThrow(/^expected to serve candles at --serve 127\.0\.0\.1:\d+: /);
});
