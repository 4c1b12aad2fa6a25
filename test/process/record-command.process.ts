import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ledgerPath } from '../../src/budget/ledger-file.ts';
import { readLedger } from '../../src/budget/ledger-report.ts';
import { monotonicMs } from '../../src/budget/process-owner.ts';
import { LedgerStore } from '../../src/budget/store.ts';
import { acquireProcessLock } from '../../src/daemon/process-locks.ts';
import { ledgerSubjects } from '../../src/venues/client-credentials.ts';
import { parseMarket } from '../../src/exchange/market-names.ts';
import { budgetTable } from '../../src/exchange/client-options.ts';
import { Catalogue } from '../../src/recording/catalogue.ts';
import { booksOf, rowsOnDisk } from '../support/recorded-rows.ts';
import { sarrafHere } from '../support/sarraf-here.ts';
import { inWords, startSarraf, type Finished, type SarrafProcess } from '../support/sarraf-process.ts';
import { folderOfAllTests } from '../support/temporary-folder.ts';

const market = parseMarket('BTCIRT').symbol;

interface Kind {
  readonly rows: number;
  readonly seenMs: number | null;
}

interface Line {
  readonly event: string;
  readonly address: string;
  readonly markets: readonly { readonly market: string; readonly kinds: Readonly<Record<string, Kind>> }[];
  readonly budgets: readonly { readonly budget: string; readonly inUse: number }[];
  readonly rawReplies: number;
}

const folder = folderOfAllTests();
let exchange: SarrafProcess;
let config: string;
let baseUrl: string;

beforeAll(async () => {
  exchange = startSarraf(['exchange', '--port', '0', '--json']);
  const { address } = JSON.parse(await exchange.line((line) => line.includes('"listening"'))) as Line;
  baseUrl = address;
  config = join(folder, 'bot.yaml');
  writeFileSync(
    config,
    `mode: paper\npaper: { baseUrl: '${address}' }\nexchange: { ledgerFolder: ledgers }\n`,
  );
  const made = await sarrafHere(['ledger', 'new', '--config', config, '--yes']);
  expect(made.code).toBe(0);
});
afterAll(async () => {
  exchange.child.kill('SIGTERM');
  await exchange.finished;
});

const recordArgs = (catalogue: string, ...more: readonly string[]): readonly string[] => [
  'record',
  '--config',
  config,
  '--market',
  'BTCIRT',
  '--json',
  '--catalogue',
  catalogue,
  ...more,
];

const record = (catalogue: string, ...more: readonly string[]): SarrafProcess =>
  startSarraf(recordArgs(catalogue, ...more));

/** Waits for a status with at least `least` books. */
async function booksSeen(recorder: SarrafProcess, least: number): Promise<void> {
  const isEnough = (line: string): boolean => booksIn(line) >= least;
  await recorder.line(isEnough);
}

const booksIn = (line: string): number => (JSON.parse(line) as Line).markets[0]?.kinds['books']?.rows ?? 0;

describe('sarraf record', () => {
  test('goes by the limits of the ledger where it has no configuration of its own', async () => {
    const ledgers = join(folder, 'of-a-bot');
    const path = ledgerPath(baseUrl, ledgers);
    const budgets = budgetTable({ 'v2/orderbook': { limit: 7, windowMs: 60_000 } }, 0).values();
    new LedgerStore({
      path,
      budgets,
      subjects: ledgerSubjects({ credentials: null, publicAddress: null }),
      whenMissing: 'empty',
    }).close();
    const set = `exchange.ledgerFolder=${JSON.stringify(ledgers)}`;
    const where = ['--address', baseUrl, '--set', set, '--catalogue', join(folder, 'guest')];
    const args = ['record', '--market', 'BTCIRT', '--for', '500ms', ...where];
    expect(await sarrafHere(args)).toMatchObject({ code: 0, error: '' });
    const row = readLedger(path, monotonicMs()).find(({ budget }) => budget === 'v2/orderbook');
    expect(row?.limit).toBe(7);
  });

  test('records until it is stopped, and then has everything in the catalogue', async () => {
    const catalogue = join(folder, 'stopped');
    const recorder = record(catalogue, '--raw');
    await booksSeen(recorder, 1);
    recorder.child.kill('SIGTERM');
    const { code, out, error } = await recorder.finished;
    expect({ code, error }).toEqual({ code: 0, error: '' });
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    expect(lines[0]?.budgets.map(({ budget }) => budget).toSorted()).toEqual([
      'market/stats',
      'v2/orderbook',
      'v2/trades',
    ]);
    const end = lines.at(-1);
    expect(end).toMatchObject({
      event: 'recorded',
      catalogue,
      failure: null,
      markets: [{ market: 'BTCIRT' }],
    });
    expect(await booksOf(catalogue)).toBe(end?.markets[0]?.kinds['books']?.rows);
    expect(new Catalogue({ root: catalogue }).keys().map(({ kind }) => kind)).toEqual([
      'books',
      'stats',
      'trades',
    ]);
    const verified = await sarrafHere(['data', 'verify', '--catalogue', catalogue]);
    expect(verified.code).toBe(0);
    const [day = ''] = readdirSync(join(catalogue, 'raw'));
    const [file = ''] = readdirSync(join(catalogue, 'raw', day));
    const replies = gunzipSync(readFileSync(join(catalogue, 'raw', day, file)))
      .toString()
      .trim()
      .split('\n')
      .map(
        (line) =>
          JSON.parse(line) as { readonly endpoint: string; readonly status: number; readonly body: string },
      );
    expect(replies).toHaveLength(end?.rawReplies ?? 0);
    const book = replies.find(({ endpoint }) => endpoint === 'GET /v2/orderbook/BTCIRT');
    expect(JSON.parse(book?.body ?? '')).toMatchObject({ status: 'ok' });
  });

  test('that is killed has what it had seen in the catalogue after the next start', async () => {
    const catalogue = join(folder, 'killed');
    const first = record(catalogue);
    const segments = join(catalogue, 'segments', market);
    await booksSeen(first, 1);
    const booksOnDisk = (): number => rowsOnDisk(catalogue, 'books');
    await expect.poll(booksOnDisk).toBeGreaterThan(0);
    const before = booksOnDisk();
    first.child.kill('SIGKILL');
    await first.finished;
    const { code } = await sarrafHere(recordArgs(catalogue, '--for', '100ms'));
    expect(code).toBe(0);
    expect(await booksOf(catalogue)).toBeGreaterThanOrEqual(before);
    expect(readdirSync(segments).filter((name) => name.endsWith('.jsonl'))).toEqual([]);
  });

  test('leaves a market alone that another process records there', async () => {
    const catalogue = join(folder, 'taken');
    const path = join(catalogue, 'segments', market, '.lock');
    const lock = acquireProcessLock({ path, what: 'a market', otherwise: 'wait' });
    const { code, error } = await sarrafHere(recordArgs(catalogue, '--for', '100ms'));
    lock[Symbol.dispose]();
    expect(code).toBe(1);
    expect(inWords(error)).toMatch(
      /^DATA_UNUSABLE: expected .*segments.BTCIRT for this run alone.*record into another folder\n$/,
    );
  });

  test.each([
    ['no exchange', ['--market', 'BTCIRT'], 'expected --address or --config'],
    ['no market', ['--address', 'http://127.0.0.1:1'], 'expected --market, such as BTCIRT'],
    [
      'an address that is none',
      ['--address', 'ftp://x', '--market', 'BTCIRT'],
      'expected an address of scheme and host',
    ],
    [
      'an address that others read',
      ['--address', 'http://far.example', '--market', 'BTCIRT'],
      'expected an https address',
    ],
    ['the embedded exchange', ['--config', 'config/bot.yaml'], 'recorded with sarraf run --record'],
    ['a time of nothing', ['--for', '0s'], 'expected a length of time'],
  ])('refuses %s in one line', async (_, args, message) => {
    const { code, out, error } = await sarrafHere(['record', ...args]);
    expect([code, out, error.trim().split('\n').length]).toEqual([2, '', 1]);
    expect(error).toContain(message);
  });

  test('refuses a market that the exchange does not have', async () => {
    const { code, error } = await sarrafHere(['record', '--config', config, '--market', 'FOOIRT']);
    expect(code).toBe(2);
    expect(error).toMatch(/^expected markets of http:.*, was FOOIRT\n$/);
  });
});

const download = async (...args: readonly string[]): Promise<Finished> => {
  const catalogue = join(folder, 'downloads');
  return sarrafHere([
    'data',
    'download',
    '--timeframe',
    '1h',
    '--from',
    '2020-01-01',
    '--catalogue',
    catalogue,
    ...args,
  ]);
};

describe('sarraf data download', () => {
  test('asks the exchange of a paper bot, and only once for what was answered', async () => {
    const first = await download('--config', config, '--market', 'BTCIRT', '--json');
    expect(first).toMatchObject({ code: 0, error: '' });
    expect((JSON.parse(first.out) as { added: number }).added).toBeGreaterThan(24);
    const again = await download('--config', config, '--market', 'BTCIRT', '--json', '--to', '2021-01-01');
    expect(JSON.parse(again.out)).toMatchObject({ added: 0, requests: 0 });
  });

  test.each([
    [
      'a market that the exchange does not have',
      ['--market', 'FOOIRT'],
      'name a market and a timeframe that it has',
    ],
    [
      'an address that others read',
      ['--market', 'BTCIRT', '--address', 'http://far.example'],
      'expected an https address',
    ],
  ])('refuses %s in one line', async (_, args, message) => {
    const { code, error } = await download('--config', config, ...args);
    expect([code, error.trim().split('\n').length], error).toEqual([2, 1]);
    expect(error).toContain(message);
  });
});
