import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createBot } from '../../../../src/daemon/run/create-bot.ts';
import { createScreen } from '../../../../src/daemon/run/screen.ts';
import type { OrderBook } from '../../../../src/domain/order-book.ts';
import type { MirrorChange } from '../../../../src/engine/mirror-change.ts';
import { MirrorStore } from '../../../../src/mirror/mirror-store.ts';
import { defineStrategy } from '../../../../src/strategy/sdk.ts';
import { createEmbeddedWorld } from '../../../support/embedded-bot.ts';
import { BTCIRT, gather, temporaryCatalogue } from '../temporary-catalogue.ts';
import { openRecorder } from './answers.ts';
import { folderOfThisTest } from '../../../support/temporary-folder.ts';
import { runnerOn } from '../../../support/runner-on.ts';

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
  const root = folderOfThisTest();
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
