import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { MarketSymbol } from '../../../../src/domain/market-symbol.ts';
import { RawFile } from '../../../../src/recording/tapped-transport.ts';
import { BTCIRT, gather, takeLock, temporaryCatalogue } from '../temporary-catalogue.ts';
import {
  bookAnswer,
  bookOf,
  booksAnswer,
  NOON_MS,
  numbered,
  openRecorder,
  pageAnswer,
  statsAnswer,
} from './answers.ts';
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { SegmentWriter } from '../../../../src/recording/read-segment.ts';
import { folderOfEachTest } from '../../../support/temporary-folder.ts';
import { z } from 'zod';
import { createBot } from '../../../../src/daemon/run/create-bot.ts';
import { createScreen } from '../../../../src/daemon/run/screen.ts';
import type { OrderBook } from '../../../../src/domain/order-book.ts';
import type { MirrorChange } from '../../../../src/engine/mirror-change.ts';
import { MirrorStore } from '../../../../src/mirror/mirror-store.ts';
import { defineStrategy } from '../../../../src/strategy/sdk.ts';
import { createEmbeddedWorld } from '../../../support/embedded-bot.ts';
import { runnerOn } from '../../../support/runner-on.ts';

const root = folderOfEachTest();
const ETHIRT = 'ETHIRT' as MarketSymbol;
const DAY_MS = 86_400_000;
const ALL = { market: BTCIRT, fromMs: 0, toMs: NOON_MS * 2 };

const segmentsOf = (root: string, market = BTCIRT): string[] =>
  readdirSync(join(root, 'segments', market)).filter((name) => name.endsWith('.jsonl'));

test('books, trades and statistics are in the catalogue after the end, exactly as they were seen', async () => {
  const recorder = await openRecorder(root, { markets: [BTCIRT, ETHIRT] });
  recorder.apply(...bookAnswer(bookOf(100, { updatedAtMs: NOON_MS - 250 })), NOON_MS);
  recorder.apply(
    ...booksAnswer({ BTCIRT: bookOf(110), ETHIRT: bookOf(7_000), USDTIRT: bookOf(1_000) }),
    NOON_MS + 1_000,
  );
  recorder.apply(...pageAnswer(1, 5), NOON_MS + 1_500);
  recorder.apply(...pageAnswer(3, 8), NOON_MS + 4_500);
  recorder.apply(...statsAnswer(105), NOON_MS + 5_000);
  expect(
    recorder.markets.map(({ market, kinds }) => [market, kinds.books, kinds.trades.rows, kinds.stats.rows]),
  ).toEqual([
    [BTCIRT, { rows: 2, seenMs: NOON_MS + 1_000, gaps: 0 }, 8, 1],
    [ETHIRT, { rows: 1, seenMs: NOON_MS + 1_000, gaps: 0 }, 0, 0],
  ]);
  await recorder.close();
  const catalogue = temporaryCatalogue(root);
  expect(await gather(catalogue.readBooks(ALL))).toEqual([
    { venueTimeMs: NOON_MS - 250, seenMs: NOON_MS, bids: bookOf(100).bids, asks: bookOf(100).asks },
    { venueTimeMs: null, seenMs: NOON_MS + 1_000, bids: bookOf(110).bids, asks: bookOf(110).asks },
  ]);
  const trades = await gather(catalogue.readTrades(ALL));
  expect(trades).toEqual(
    [1, 2, 3, 4, 5, 6, 7, 8].map((number) => ({
      ...numbered(number),
      seenMs: NOON_MS + (number <= 5 ? 1_500 : 4_500),
      id: null,
    })),
  );
  const [, answer] = statsAnswer(105);
  const stats = answer.outcome === 'value' ? (answer.value as unknown[])[0] : null;
  expect(await gather(catalogue.readStats(ALL))).toEqual([{ seenMs: NOON_MS + 5_000, stats }]);
  expect(await gather(catalogue.readBooks({ ...ALL, market: ETHIRT }))).toHaveLength(1);
  expect(catalogue.keys().map(({ market }) => market)).not.toContain('USDTIRT');
});

test('the catalogue knows from when to when was looked, and where something may be missing', async () => {
  const recorder = await openRecorder(root);
  recorder.apply(...bookAnswer(bookOf(100)), NOON_MS);
  recorder.apply(...bookAnswer(bookOf(100)), NOON_MS + 30_000);
  recorder.apply(...bookAnswer(bookOf(100)), NOON_MS + 200_000);
  recorder.apply(...pageAnswer(1, 5), NOON_MS);
  recorder.apply(...pageAnswer(20, 25), NOON_MS + 3_000);
  expect(recorder.markets[0]?.kinds).toMatchObject({
    books: { rows: 1, gaps: 1 },
    trades: { rows: 11, gaps: 1 },
  });
  await recorder.close();
  const catalogue = temporaryCatalogue(root);
  expect(catalogue.manifest({ market: BTCIRT, kind: 'books' })).toMatchObject({
    covered: [{ fromMs: NOON_MS, toMs: NOON_MS + 200_001 }],
    gaps: [{ fromMs: NOON_MS + 30_000, toMs: NOON_MS + 200_000 }],
  });
  expect(catalogue.manifest({ market: BTCIRT, kind: 'trades' })).toMatchObject({
    gaps: [{ fromMs: numbered(5).timeMs, toMs: numbered(20).timeMs }],
  });
});

test('the segment of a day that is over, and one that is large, are in the catalogue while recording goes on', async () => {
  const recorder = await openRecorder(root, { largestBytes: 2_000 });
  recorder.apply(...bookAnswer(bookOf(100)), NOON_MS);
  recorder.apply(...bookAnswer(bookOf(110)), NOON_MS + DAY_MS);
  for (let number = 4; number <= 60; number += 1)
    recorder.apply(...pageAnswer(1, number), NOON_MS + number * 100);
  await expect.poll(() => segmentsOf(root).length).toBe(2);
  await recorder.settled();
  expect(await gather(temporaryCatalogue(root).readBooks(ALL))).toHaveLength(1);
  const finalized = await gather(temporaryCatalogue(root).readTrades(ALL));
  expect(finalized.length).toBeGreaterThan(20);
  await recorder.close();
  expect(segmentsOf(root)).toEqual([]);
  expect(await gather(temporaryCatalogue(root).readBooks(ALL))).toHaveLength(2);
  expect((await gather(temporaryCatalogue(root).readTrades(ALL))).map(({ price }) => price)).toEqual(
    Array.from({ length: 60 }, (_, index) => numbered(index + 1).price),
  );
});

test('a market is recorded into a catalogue by one recorder at a time, and others beside it', async () => {
  const recorder = await openRecorder(root);
  await expect(openRecorder(root)).rejects.toMatchObject({ code: 'DATA_UNUSABLE' });
  const other = await openRecorder(root, { markets: [ETHIRT] });
  await other.close();
  await recorder.close();
  await (await openRecorder(root)).close();
});

test('an exchange that begins anew is not mixed with what an earlier one would still be showing', async () => {
  const first = await openRecorder(root, { beganMs: NOON_MS });
  first.apply(...bookAnswer(bookOf(100)), NOON_MS + 60_000);
  await first.close();
  await expect(openRecorder(root, { beganMs: NOON_MS + 30_000 })).rejects.toThrow(
    'its books reach to 2026-01-05T12:01',
  );
  const later = await openRecorder(root, { beganMs: NOON_MS + 60_001 });
  later.apply(...bookAnswer(bookOf(5_000)), NOON_MS + 61_000);
  await later.close();
  expect(await gather(temporaryCatalogue(root).readBooks(ALL))).toHaveLength(2);
});

test('a disk that takes nothing more ends the recording with one word, and never whoever feeds it', async () => {
  const problems: string[] = [];
  const recorder = await openRecorder(root, { onProblem: (message) => problems.push(message) });
  rmSync(join(root, 'segments', BTCIRT), { recursive: true });
  for (let second = 0; second < 5; second += 1)
    recorder.apply(...bookAnswer(bookOf(100 + second)), NOON_MS + second * 1_000);
  expect(problems).toEqual([
    expect.stringMatching(/^recording: nothing more is recorded in this run, which goes on: ENOENT/),
  ]);
  expect(recorder.failure).toMatch(/ENOENT/);
});

test('a segment whose folder is being written to is reported, kept, and moved later', async () => {
  const problems: string[] = [];
  const recorder = await openRecorder(root, { onProblem: (message) => problems.push(message) });
  recorder.apply(...bookAnswer(bookOf(100)), NOON_MS);
  await temporaryCatalogue(root).appendBooks({ market: BTCIRT, source: 'import', books: [] });
  const lock = takeLock(join(root, BTCIRT, 'books', '.lock'));
  const closed = recorder.close();
  await expect.poll(() => problems.length).toBeGreaterThan(0);
  expect(segmentsOf(root)).toHaveLength(1);
  lock[Symbol.dispose]();
  await closed;
  expect(problems[0]).toContain('stays where it is until it can be moved to the catalogue');
  expect(await gather(temporaryCatalogue(root).readBooks(ALL))).toHaveLength(1);
});

test('lines that are damaged are left out and reported', async () => {
  await (await openRecorder(root)).close();
  const lines = ['["row",1767614400000,[null,[["1","2"]],[]]]', 'damaged', '["row",1,[1]]', '{}'];
  writeFileSync(
    join(root, 'segments', BTCIRT, 'books-2026-01-05-0001-000001.jsonl'),
    `${lines.join('\n')}\n`,
  );
  const problems: string[] = [];
  const recorder = await openRecorder(root, { onProblem: (message) => problems.push(message) });
  await recorder.close();
  expect(problems).toEqual([expect.stringContaining('3 lines of')]);
  expect(await gather(temporaryCatalogue(root).readBooks(ALL))).toHaveLength(1);
});

test('raw replies are kept whole, packed by the day, and read to the last piece that was written', async () => {
  const due: (() => void)[] = [];
  const after = (_delayMs: number, work: () => void) => {
    due.push(work);
    return () => undefined;
  };
  const file = new RawFile({ root, life: 'life', onError: (error) => expect.fail(String(error)), after });
  const replies = ['first', 'second', 'next day'].map((body, index) => ({
    sentMs: NOON_MS + index * 43_200_000 - 40,
    seenMs: NOON_MS + index * 43_200_000,
    endpoint: 'GET /v2/orderbook/BTCIRT',
    status: 200,
    body,
  }));
  for (const reply of replies) {
    file.write(reply);
    for (const work of due.splice(0)) work();
  }
  await file.end();
  const read = (day: string): unknown[] =>
    readdirSync(join(root, 'raw', day)).flatMap((name) =>
      gunzipSync(readFileSync(join(root, 'raw', day, name)))
        .toString()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    );
  expect([read('2026-01-05'), read('2026-01-06')]).toEqual([[replies[0]], [replies[1], replies[2]]]);
  expect(existsSync(join(root, BTCIRT))).toBe(false);
});

const SCRIPT = fileURLToPath(new URL('limited-recording.ts', import.meta.url));

/** Shell command that limits files to a number of blocks of 1 KiB, as a full disk does. */
const LIMITED = `trap '' XFSZ; ulimit -f 600; exec "$0" "$@"`;

test('where the disk takes no more the recording stops with a word, and what it took is whole in the catalogue later', async () => {
  const out = execFileSync('bash', ['-c', LIMITED, process.execPath, SCRIPT, root, '20000'], {
    encoding: 'utf8',
  });
  const { problems, failure } = JSON.parse(out) as {
    readonly problems: readonly string[];
    readonly failure: string;
  };
  expect(failure).toContain('EFBIG');
  expect(problems).toEqual([
    expect.stringMatching(/^recording: nothing more is recorded in this run, which goes on: EFBIG/),
  ]);
  const next = await openRecorder(root);
  await next.close();
  const books = await gather(
    temporaryCatalogue(root).readBooks({ market: BTCIRT, fromMs: 0, toMs: NOON_MS * 2 }),
  );
  expect(books.length).toBeGreaterThan(1_000);
  expect(books.map(({ seenMs }) => seenMs)).toEqual(books.map((_, number) => NOON_MS + number * 1_000));
});

test('a segment is whole before the next one begins, so that a kill in between leaves no hole', async () => {
  const sealed: string[] = [];
  const writer = new SegmentWriter({
    folder: root,
    kind: 'trades',
    life: 'one',
    // Nothing is written to the disk by a timer.
    after: () => () => {},
    onSegment: (path) => sealed.push(path),
    onError(error) {
      throw error;
    },
    largestBytes: 60,
  });
  const look = (second: number): void => writer.write({ what: 'look', seenMs: NOON_MS + second * 1_000 });
  for (const second of [0, 1, 2]) look(second);
  const [first = ''] = readdirSync(root);
  expect(readFileSync(join(root, first), 'utf8')).toBe('');
  look(3);
  expect(readFileSync(join(root, first), 'utf8').trim().split('\n')).toHaveLength(3);
  await writer.end();
  expect(sealed).toHaveLength(2);
});

/** A strategy that reads all data that can be recorded, and does not trade. */
const watcher = defineStrategy({
  name: 'watcher',
  params: z.strictObject({}),
  data: ({ market }) => ({ book: market.book(), tape: market.trades(), day: market.stats() }),
  on: {},
});

interface Seen {
  readonly atMs: number;
  readonly change: MirrorChange;
}

/** Returns the changes with a book, without those whose book is the one before. */
function changedBooks(
  seen: readonly Seen[],
): readonly { readonly seenMs: number; readonly book: OrderBook }[] {
  let before = '';
  return seen.flatMap(({ atMs, change }) => {
    if (change.kind !== 'book') return [];
    const { bids, asks } = change.book;
    const text = JSON.stringify([bids.slice(0, 24), asks.slice(0, 24)]);
    if (text === before) return [];
    before = text;
    return [{ seenMs: atMs, book: change.book }];
  });
}

test('a run records what its mirror saw, at the same times, and asks for nothing more', async () => {
  const requestsOf = async (
    isRecorded: boolean,
  ): Promise<{ readonly seen: readonly Seen[]; readonly requests: number }> => {
    const { config, venue, time } = createEmbeddedWorld({ seed: 3 });
    const runner = runnerOn(watcher, BTCIRT, '1m');
    const instances = config.strategies.slice(0, 1).map(({ limits }) => ({
      runner,
      limits,
      onError: 'stop' as const,
      pauseMs: 60_000,
      capital: {},
    }));
    const seen: Seen[] = [];
    const mirror = MirrorStore.open({
      path: join(root, `mirror-${isRecorded}.sqlite`),
      retention: config.data.retention,
      nowMs: time.now(),
      epoch: () => 'rec1',
      durability: 'off',
    });
    const apply = mirror.apply.bind(mirror);
    mirror.apply = (changes, options) => {
      seen.push(...changes.map((change) => ({ atMs: options.atMs, change })));
      apply(changes, options);
    };
    const recorder = isRecorded ? await openRecorder(root) : null;
    const bot = createBot({
      config,
      venue,
      instances,
      mirror,
      screen: createScreen({ json: false, write: () => undefined, wallMs: () => time.now() }),
      onAnswer: (call, answer, atMs) => recorder?.apply(call, answer, atMs),
    });
    bot.shell.start();
    await Promise.race([time.run(time.now() + 300_000), bot.shell.failure]);
    bot.shell.close();
    await venue.limiter.close();
    await recorder?.close();
    mirror.close();
    return { seen, requests: bot.counts.total };
  };
  const recorded = await requestsOf(true);
  const { seen } = recorded;
  const catalogue = temporaryCatalogue(root);
  const all = { market: BTCIRT, fromMs: 0, toMs: 4e12 };

  const books = await gather(catalogue.readBooks(all));
  expect(books.length).toBeGreaterThan(100);
  expect(books).toEqual(
    changedBooks(seen).map(({ seenMs, book: { updatedAtMs, bids, asks } }) => ({
      venueTimeMs: updatedAtMs,
      seenMs,
      bids: bids.slice(0, 24),
      asks: asks.slice(0, 24),
    })),
  );
  const trades = await gather(catalogue.readTrades(all));
  expect(trades.length).toBeGreaterThan(20);
  expect(trades).toEqual(
    seen.flatMap(({ atMs, change }) =>
      change.kind === 'public-trades'
        ? change.trades.map((trade) => ({ ...trade, seenMs: atMs, id: null }))
        : [],
    ),
  );
  const stats = await gather(catalogue.readStats(all));
  expect(stats.length).toBeGreaterThan(5);
  const notedStats = seen.flatMap(({ atMs, change }) =>
    change.kind === 'stats' ? [{ seenMs: atMs, stats: change.stats }] : [],
  );
  expect(notedStats).toEqual(expect.arrayContaining([...stats]));
  expect((await requestsOf(false)).requests).toBe(recorded.requests);
});
