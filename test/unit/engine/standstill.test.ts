import { expect, it } from 'vitest';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import type { OrderBook } from '../../../src/domain/order-book.ts';
import { createRiskLimits } from '../../../src/engine/risk-limits.ts';
import { buy } from '../../support/intents.ts';
import { EngineWorld, FEEDS, feedOf, START_MS, statsOf } from './engine-world.ts';
import { inEnglish } from '../../../src/language/sentence.ts';

/** Makes a world whose book is polled without end but has not changed since the start. */
function standing(maxStandstillMs: number | null = 60_000, feeds = FEEDS): EngineWorld {
  const world = EngineWorld.ready({ instances: [{ limits: createRiskLimits({ maxStandstillMs }) }], feeds });
  world.venue.bookAtMs = world.nowMs;
  for (const kind of ['books', 'stats'] as const) world.answers.add(kind);
  return world;
}

const bookOf = (bid: string, updatedAtMs: number): OrderBook => ({
  bids: [[decimalText(bid), decimalText('5')]],
  asks: [],
  updatedAtMs,
});

/** Has the strategy place an order; returns the reason if it is refused, null if it is sent. */
function refusal(world: EngineWorld): unknown {
  const before = world.eventsOf('reject').length;
  world.want(buy('BTCUSDT', { amount: '0.1', price: '98' })).advance(100);
  return world.eventsOf('reject').at(before) ?? null;
}

it('refuses orders on a book that stands still while the list of all books has a newer one', () => {
  const world = standing();
  world.venue.allBooks = { BTCUSDT: bookOf('98', world.nowMs + 20_000), ETHUSDT: bookOf('9', START_MS) };
  world.advance(90_000);
  expect(refusal(world)).toMatchObject({
    reason: expect.stringContaining(
      'the book of BTCUSDT stands still: it is of 2023-11-14T22:13:22Z (1402/08/24 01:43 in Tehran)',
    ) as unknown,
  });
  expect(inEnglish(world.engine.doubts())).toEqual([
    expect.stringContaining('the list of all books has a newer one'),
  ]);
  expect(world.alarms()).toEqual([expect.stringContaining('no order is placed there until it moves')]);
  expect(world.record('standstills')).toMatchObject([{ market: 'BTCUSDT' }]);
  world.venue.bookAtMs = null;
  world.advance(15_000);
  expect(world.record('standstills')).toEqual([]);
  expect(world.engine.doubts()).toEqual([]);
  expect(refusal(world)).toBeNull();
});

it('refuses them while its trades are newer, and says so once', () => {
  const world = standing(60_000, [...FEEDS, feedOf('trades BTCUSDT', 'public-trades', 5_000)]);
  for (let second = 0; second < 100; second += 2) {
    const [price, amount] = [decimalText('100'), decimalText('1')];
    world.venue.tape.unshift({ timeMs: world.nowMs, side: 'buy', price, amount });
    world.advance(2_000);
  }
  expect(refusal(world)).toMatchObject({
    reason: expect.stringContaining('its trades are newer') as unknown,
  });
  expect(world.alarms()).toHaveLength(1);
});

it('refuses them while its statistics show trades', () => {
  const world = standing();
  const other = { ETHUSDT: bookOf('9', world.nowMs) };
  world.venue.stats = [statsOf('100', '10')];
  world.venue.allBooks = other;
  world.advance(50_000);
  world.venue.stats = [statsOf('100', '11')];
  world.advance(45_000);
  expect(refusal(world)).toMatchObject({
    reason: expect.stringContaining('its statistics are newer') as unknown,
  });
});

it('lets orders pass in a quiet market, whose volume of a day only falls, and says that it is quiet', () => {
  const world = standing();
  world.venue.stats = [statsOf('100', '101')];
  for (let turn = 0; turn < 15; turn += 1) {
    world.venue.allBooks = {
      BTCUSDT: bookOf('99', world.venue.bookAtMs ?? 0),
      ETHUSDT: bookOf(String(9 + turn), world.nowMs),
    };
    world.venue.stats = [statsOf('100', String(100 - turn))];
    world.advance(20_000);
  }
  expect(refusal(world)).toBeNull();
  expect(world.messages('info').filter((text) => text.includes('BTCUSDT is quiet'))).toHaveLength(1);
  expect(world.engine.doubts()).toEqual([]);
});

it('refuses orders where times of books move without a change, and that of this one does not', () => {
  const world = standing();
  for (let step = 0; step < 8; step += 1) {
    world.venue.allBooks = {
      BTCUSDT: bookOf('99', world.venue.bookAtMs ?? 0),
      ETHUSDT: bookOf('9', world.nowMs),
      XRPUSDT: bookOf('1', world.nowMs),
    };
    world.advance(15_000);
  }
  expect(refusal(world)).toMatchObject({
    reason: expect.stringContaining('other books are newer') as unknown,
  });
});

it('refuses orders everywhere while nothing of the exchange moves', () => {
  const world = standing();
  world.venue.stats = [statsOf('100', '10')];
  world.venue.allBooks = { BTCUSDT: bookOf('99', world.nowMs), ETHUSDT: bookOf('9', world.nowMs) };
  world.advance(120_000);
  expect(refusal(world)).toMatchObject({
    reason: expect.stringContaining('nothing of the exchange is newer') as unknown,
  });
  world.venue.allBooks = { ...world.venue.allBooks, ETHUSDT: bookOf('8', world.nowMs) };
  world.advance(30_000);
  expect(refusal(world)).toBeNull();
});

it('asks for nothing while books move, and refuses nothing where there is no limit', () => {
  const moving = EngineWorld.ready();
  moving.advance(300_000);
  expect(moving.requestsOf('books')).toEqual([]);
  const unlimited = standing(null);
  unlimited.venue.allBooks = { BTCUSDT: bookOf('98', unlimited.nowMs + 20_000) };
  unlimited.advance(300_000);
  expect(unlimited.requestsOf('books')).toEqual([]);
  expect(refusal(unlimited)).toBeNull();
});

it('lets orders pass as a quiet market wakes up, though a trade is known before the book that it changed', () => {
  const feeds = FEEDS.filter(({ kind }) => kind !== 'book');
  const slow = [...feeds, feedOf('book BTCUSDT', 'book', 4_000)];
  const world = standing(60_000, [...slow, feedOf('trades BTCUSDT', 'public-trades', 1_000)]);
  world.venue.allBooks = { ETHUSDT: bookOf('9', world.nowMs + 290_000) };
  world.advance(300_000);
  const [price, amount] = [decimalText('100'), decimalText('1')];
  world.venue.tape.unshift({ timeMs: world.nowMs, side: 'buy', price, amount });
  world.venue.bookAtMs = world.nowMs;
  for (let second = 0; second < 20; second += 1) {
    world.advance(1_000);
    expect(world.engine.doubts()).toEqual([]);
  }
  expect(refusal(world)).toBeNull();
});

it('lets orders pass where the clock of the exchange is an hour behind, once it was seen to go on', () => {
  const world = standing(60_000, [...FEEDS, feedOf('trades BTCUSDT', 'public-trades', 5_000)]);
  const [price, amount] = [decimalText('100'), decimalText('1')];
  for (let turn = 0; turn < 30; turn += 1) {
    const atMs = world.nowMs - 3_600_000;
    world.venue.bookAtMs = atMs;
    world.venue.tape.unshift({ timeMs: atMs, side: 'buy', price, amount });
    world.venue.stats = [statsOf('100', String(10 + turn))];
    world.venue.allBooks = { BTCUSDT: bookOf('99', atMs), ETHUSDT: bookOf('9', atMs) };
    world.advance(5_000);
  }
  expect(world.engine.doubts()).toEqual([]);
  expect(refusal(world)).toBeNull();
});
