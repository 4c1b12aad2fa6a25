import { readdirSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  checksumOf,
  allowedOrigin,
  readFileSource,
  FileCache,
  LOOPBACK,
} from '../../../../src/study/file-cache.ts';
import { fetchFile } from '../../../../src/study/study-worker.ts';
import { FileServer } from '../../../../src/study/open-redis-runner.ts';
import type { StudyOffer } from '../../../../src/study/remote/offered-study.ts';
import { folderOfEachTest } from '../../../support/temporary-folder.ts';

const CANDLES = Buffer.from('candles of a market');
const FILE = { sha256: checksumOf(CANDLES), bytes: CANDLES.length };

const folder = folderOfEachTest();
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
