import { describe, expect, it } from 'vitest';
import { FollowedExchange } from '../../../../src/venues/followed-exchange.ts';
import { createPollRules } from '../../../../src/venues/fill-rules.ts';
import { RecordedFeed, RecordedStream, createTrack } from '../../../../src/backtest/poll/recorded-feed.ts';
import { decimalText } from '../../../../src/domain/decimal-text.ts';
import { createMarket } from '../../../../src/domain/market.ts';
import type { RecordedBook, RecordedTrade } from '../../../../src/recording/records.ts';
import { bookChunks, tradeChunks } from '../../venues/recorded/recorded-run.ts';
import { parseMarket } from '../../../../src/exchange/market-names.ts';
import { join } from 'node:path';
import { MemoryMirror } from '../../../../src/backtest/poll/poll-bot.ts';
import type { MirrorChange } from '../../../../src/engine/mirror-change.ts';
import { openMirror } from '../../../support/open-mirror.ts';
import { folderOfThisTest } from '../../../support/temporary-folder.ts';

it('a mirror in memory has the hash of the journal that a mirror on the disk has', () => {
  const path = join(folderOfThisTest(), 'mirror.sqlite');
  const store = openMirror(path, 1_000, 'poll');
  const memory = new MemoryMirror();
  expect(memory.load()).toEqual(store.load());
  for (let step = 1; step <= 5; step += 1) {
    const changes: readonly MirrorChange[] = [
      { kind: 'kept', name: 'x', json: '1' },
      {
        kind: 'journal',
        entry: {
          kind: 'intent',
          subject: `intent "${step}"`,
          json: JSON.stringify({ step, why: 'x'.repeat(9_000) }),
        },
      },
      { kind: 'journal', entry: { kind: 'notice', subject: '', json: '{}' } },
    ];
    memory.apply(changes, { atMs: 1_000 * step });
    store.apply(changes, { atMs: 1_000 * step, isDurable: step === 2 });
    if (step !== 4) expect(memory.journalHash()).toBe(store.journalHash());
  }
  store.close();
});

const SYMBOLS = ['BTCUSDT', 'ETHUSDT'] as const;

function bookAt(
  of: { readonly venueTimeMs: number | null; readonly seenMs: number },
  bid: number,
): RecordedBook {
  return { ...of, bids: [[decimalText(String(bid)), decimalText('1')]], asks: [] };
}

function tradeAt(
  of: { readonly timeMs: number | null; readonly seenMs: number },
  price: number,
): RecordedTrade {
  return { ...of, id: null, price: decimalText(String(price)), amount: decimalText('1'), side: 'sell' };
}

/** Makes a feed of two markets from the recorded books and trades of each. */
function feedOf(books: readonly (readonly RecordedBook[])[], trades: readonly (readonly RecordedTrade[])[]) {
  const { markets } = new FollowedExchange({
    markets: SYMBOLS.map((symbol) => ({
      market: createMarket({ market: parseMarket(symbol), priceStep: '1', amountStep: '1' }),
      hasTrades: true,
    })),
    fees: { rls: { maker: 0, taker: 0 }, usdt: { maker: 0, taker: 0 } },
    balances: {},
    limits: {},
    startMs: 0,
    rules: createPollRules(),
  });
  const tracks = markets.map((market, index) =>
    createTrack(market, { books: bookChunks(books[index] ?? []), trades: tradeChunks(trades[index] ?? []) }),
  );
  const feed = new RecordedFeed(tracks);
  const bids = (): readonly number[] => markets.map(({ bids: { side } }) => side.priceAt(0));
  return { feed, markets, bids };
}

describe('recorded books and trades on their way to their markets', () => {
  it('change them at the time of the exchange, else when they were seen, and not a moment before', async () => {
    const { feed, bids } = feedOf(
      [[bookAt({ venueTimeMs: 100, seenMs: 900 }, 10)], [bookAt({ venueTimeMs: null, seenMs: 300 }, 20)]],
      [],
    );
    await feed.readTo(1_000);
    const seen: (readonly [number, ...number[]])[] = [];
    for (const timeMs of [99, 100, 299, 300]) {
      feed.advance(timeMs);
      seen.push([timeMs, ...bids()]);
    }
    expect(seen).toEqual([
      [99, 0, 0],
      [100, 10, 0],
      [299, 10, 0],
      [300, 10, 20],
    ]);
  });

  it('come as trades before books where their time is the same', async () => {
    const { feed, markets } = feedOf(
      [[bookAt({ venueTimeMs: 50, seenMs: 60 }, 10), bookAt({ venueTimeMs: 100, seenMs: 110 }, 12)]],
      [[tradeAt({ timeMs: 100, seenMs: 105 }, 12)]],
    );
    await feed.readTo(1_000);
    feed.advance(100);
    // If the trade came after its book, it would have reduced the amount in it.
    expect(markets[0]?.bids.leftAt(0)).toBe(1);
    expect(feed.rows).toBe(3);
  });

  it('begin when the last market has shown a book', async () => {
    const { feed } = feedOf(
      [[bookAt({ venueTimeMs: 100, seenMs: 900 }, 10)], [bookAt({ venueTimeMs: null, seenMs: 300 }, 20)]],
      [],
    );
    expect(await feed.firstBooksMs()).toBe(300);
    await expect(
      feedOf([[bookAt({ venueTimeMs: 1, seenMs: 1 }, 10)], []], []).feed.firstBooksMs(),
    ).rejects.toThrow('expected recorded books of ETHUSDT');
  });
});

interface Row {
  readonly atMs: number;
}

/** Makes a stream, and counts the chunks that were read of it. */
function streamOf(chunks: readonly (readonly number[])[]): {
  stream: RecordedStream<readonly Row[]>;
  asked: () => number;
} {
  let asked = 0;
  async function* rows(): AsyncGenerator<readonly Row[]> {
    for (const chunk of chunks) {
      asked += 1;
      yield chunk.map((atMs) => ({ atMs }));
    }
  }
  return {
    stream: new RecordedStream(rows(), (chunk, row) => chunk[row]?.atMs ?? Number.NaN),
    asked: () => asked,
  };
}

function takeAll(
  stream: RecordedStream<readonly Row[]>,
): readonly [dueMs: number, atMs: number | undefined][] {
  const taken: [number, number | undefined][] = [];
  while (Number.isFinite(stream.dueMs))
    stream.hand((chunk, row, dueMs) => taken.push([dueMs, chunk[row]?.atMs]));
  return taken;
}

describe('a recorded stream', () => {
  it('reads no further than it has to, and one chunk ahead at most', async () => {
    const { stream, asked } = streamOf([
      [10, 20],
      [30, 40],
      [50, 60],
    ]);
    await stream.readFirst();
    expect(asked()).toBe(1);
    expect(stream.horizonMs).toBe(19);
    await stream.readTo(19);
    expect(asked()).toBe(1);
    await stream.readTo(20);
    expect(asked()).toBe(2);
    await stream.readTo(1_000);
    expect(stream.horizonMs).toBe(Number.POSITIVE_INFINITY);
    expect(takeAll(stream).length).toBe(6);
    expect(stream.count).toBe(6);
  });

  it('has all rows of one time at hand before it says so, even where a chunk ends among them', async () => {
    const { stream } = streamOf([[10, 20], [20, 20], [], [20, 21]]);
    await stream.readTo(20);
    expect(stream.horizonMs).toBeGreaterThanOrEqual(20);
    expect(takeAll(stream).filter(([dueMs]) => dueMs === 20).length).toBe(4);
  });

  it('hands over a row that lies before its forerunner together with it', async () => {
    const { stream } = streamOf([[10, 30, 20, 40]]);
    await stream.readTo(100);
    expect(takeAll(stream)).toEqual([
      [10, 10],
      [30, 30],
      [30, 20],
      [40, 40],
    ]);
  });

  it('knows its usual pace', async () => {
    const { stream } = streamOf([[0, 10, 20, 500, 510]]);
    await stream.readFirst();
    expect(stream.usualGapMs).toBe(10);
    expect(streamOf([[1]]).stream.usualGapMs).toBeNull();
  });

  it('refuses a row without a time', async () => {
    await expect(streamOf([[Number.NaN]]).stream.readFirst()).rejects.toMatchObject({
      code: 'DATA_UNUSABLE',
    });
  });
});
