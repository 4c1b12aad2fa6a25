import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import type { PlannedFeed } from '../../../src/scheduler/feed.ts';
import { defineStrategy, type StrategyDefinition } from '../../../src/strategy/definition.ts';
import { EngineWorld, FEEDS, feedOf, START_MS } from './engine-world.ts';
import { inEnglish } from '../../../src/language/sentence.ts';
import { runnerOn } from '../../support/runner-on.ts';

const MINUTE_MS = 60_000;

/** Makes a strategy that places one order with its first book, and throws with the third. */
function failing(books: number[]): StrategyDefinition {
  return defineStrategy({
    name: 'bad',
    state: z.strictObject({ count: z.int().default(0) }),
    data: ({ market }) => ({ book: market.book() }),
    on: {
      book({ state, nowMs, setState, buy }) {
        books.push(nowMs);
        const count = state.count + 1;
        setState({ count });
        if (count === 1) buy({ amount: 1, price: 98 });
        if (count === 3) throw new Error('the third book');
      },
    },
  });
}

/** Makes a strategy that counts its books. */
function good(books: number[]): StrategyDefinition {
  return defineStrategy({
    name: 'good',
    data: ({ market }) => ({ book: market.book() }),
    on: { book: ({ nowMs }) => void books.push(nowMs) },
  });
}

describe('a strategy that throws', () => {
  it.each([
    ['stop', 0, 'open'],
    ['cancel', 1, 'cancelling'],
  ] as const)('gets nothing more under the policy %s, and the others go on', (onError, cancels, state) => {
    const bad: number[] = [];
    const others: number[] = [];
    const world = new EngineWorld({ strategies: [failing(bad), good(others)], instances: [{ onError }, {}] });
    world.advance(1_500);
    world.accept();
    world.advance(8_000);
    expect(bad).toHaveLength(3);
    expect(others.length).toBeGreaterThan(6);
    expect(world.waitingKinds()).toHaveLength(cancels);
    expect(world.order().state).toBe(state);
    expect(world.alarms()).toEqual([expect.stringMatching(/bad is stopped: on.book: .*the third book/)]);
    world.mirror.flush();
    expect(world.mirror.load(0).strategies.map(({ name, status }) => [name, status])).toContainEqual([
      'bad',
      'stopped',
    ]);
  });

  it('goes on after its pause, with the state that it had before', () => {
    const bad: number[] = [];
    const world = new EngineWorld({
      strategies: [failing(bad)],
      instances: [{ onError: 'pause', pauseMs: 10_000 }],
    });
    world.advance(5_000);
    expect(bad).toHaveLength(3);
    const pausedAtMs = bad[2] ?? 0;
    world.advance(20_000);
    // The call that threw changed no state, so the next book is again the third one, and it throws again.
    expect(bad).toHaveLength(4);
    expect((bad[3] ?? 0) - pausedAtMs).toBeGreaterThanOrEqual(10_000);
    expect(world.alarms()).toHaveLength(2);
    expect(world.messages('info').join('\n')).toMatch(/bad goes on after its pause/);
  });
});

it('what a strategy logs is in the journal and reported, also of the call in which it threw', () => {
  const logging = defineStrategy({
    name: 'logs',
    state: z.strictObject({ count: z.int().default(0) }),
    data: ({ market }) => ({ book: market.book() }),
    on: {
      book({ state, setState, log }) {
        log(`book ${state.count}`, { count: state.count });
        if (state.count === 1) throw new Error('the second book');
        setState({ count: state.count + 1 });
      },
    },
  });
  const world = new EngineWorld({ strategies: [logging] });
  world.advance(4_000);
  world.mirror.flush();
  const lines = world.mirror.journal.filter(({ kind }) => kind === 'log');
  expect(lines.map(({ subject, json }) => [subject, JSON.parse(json)])).toEqual([
    ['logs', { text: 'book 0', fields: { count: 0 } }],
    ['logs', { text: 'book 1', fields: { count: 1 } }],
  ]);
  expect(world.messages('info')).toEqual(expect.arrayContaining(['logs: book 0', 'logs: book 1']));
  expect(world.engine.instances[0]?.log.map(({ text }) => text)).toEqual(['book 0', 'book 1']);
});

describe('a strategy that stops', () => {
  it('is reported with its handler, file and line, and with its stack for those who look closely', () => {
    const failure = new Error('the first book');
    const bad = defineStrategy({
      name: 'bad',
      data: ({ market }) => ({ book: market.book() }),
      on: {
        book() {
          throw failure;
        },
      },
    });
    const source = { file: 'strategies/bad.ts', lineOf: (error: unknown) => (error === failure ? 12 : null) };
    const world = new EngineWorld({
      instances: [
        {
          runner: runnerOn(bad, 'BTCUSDT', '1m', { source }),
        },
      ],
    });
    world.advance(4_000);
    const place = { handler: 'on.book', file: 'strategies/bad.ts', line: 12 };
    expect(world.notices).toContainEqual({
      kind: 'notice',
      level: 'error',
      message: 'bad is stopped: on.book: the first book (strategies/bad.ts:12)',
      subject: 'bad',
      details: { strategy: 'bad', ...place },
      stack: failure.stack,
    });
    world.mirror.flush();
    const line = world.mirror.journal.find(({ kind }) => kind === 'strategy');
    expect(JSON.parse(line?.json ?? '')).toMatchObject({ status: 'stopped', ...place });
  });
});

describe('what strategies get', () => {
  it('is each book as it was read', () => {
    const seen: string[] = [];
    const definition = defineStrategy({
      name: 'looks',
      data: ({ market }) => ({ book: market.book() }),
      on: {
        book: (ctx, { bestBid }) => {
          seen.push(`${bestBid?.price} ${ctx.nowMs - (ctx.ages.book ?? Infinity) - START_MS}`);
        },
      },
    });
    const world = new EngineWorld({ strategies: [definition] });
    world.advance(1_500);
    world.quote('98', '100').advance(1_000);
    expect(seen).toEqual(['99 1050', '98 2050']);
  });

  it('is a timer at its time, once', () => {
    const due: number[] = [];
    const definition = defineStrategy({
      name: 'ticks',
      data: ({ timer }) => ({ often: timer('*/10 * * * * *') }),
      on: { often: ({ nowMs }, { dueMs }) => void due.push(dueMs - START_MS, nowMs - START_MS) },
    });
    const world = new EngineWorld({ strategies: [definition] });
    world.advance(30_500);
    expect(due).toEqual([10_000, 10_000, 20_000, 20_000, 30_000, 30_000]);
  });

  it('is what is new on the tape, and not its past', () => {
    const seen: string[] = [];
    const definition = defineStrategy({
      name: 'tape',
      data: ({ market }) => ({ tape: market.trades() }),
      on: {
        tape: (_, tape) =>
          void seen.push(`${tape.trades.map(({ price }) => price).join(' ')} ${tape.hasGap}`),
      },
    });
    const world = new EngineWorld({
      strategies: [definition],
      feeds: [...FEEDS, feedOf('trades BTCUSDT', 'public-trades', 5_000)],
    });
    const trade = (price: string): void =>
      void world.venue.tape.push({
        timeMs: world.nowMs,
        side: 'buy',
        price: decimalText(price),
        amount: decimalText('1'),
      });
    trade('100');
    world.advance(2_000);
    trade('101');
    trade('102');
    world.advance(10_000);
    expect(seen).toEqual(['101 102 false']);
    world.venue.tape.splice(0);
    trade('103');
    world.advance(10_000);
    expect(seen.at(-1)).toBe('103 true');
  });
});

describe('candles', () => {
  const BARS: PlannedFeed = { ...feedOf('candles BTCUSDT 1m', 'candles', MINUTE_MS), wantedAgeMs: MINUTE_MS };

  /** Makes a world with one strategy on bars; the exchange has bars of all minutes but `without`. */
  function worldOfBars(
    warmUp: number,
    seen: string[],
    without: ReadonlySet<number> = new Set(),
  ): EngineWorld {
    const definition = defineStrategy({
      name: 'bars',
      data: ({ market }) => ({ bars: market.candles('1m', { history: warmUp }) }),
      on: {
        start: ({ history }) => void seen.push(`start ${history.bars.length}`),
        bars: (_, bar) => void seen.push(`${minuteOf(bar.openTimeMs)} missed ${bar.missedBefore}`),
      },
    });
    const world = new EngineWorld({ strategies: [definition], feeds: [...FEEDS, BARS] });
    for (let minute = -20; minute < 20; minute += 1) {
      if (!without.has(minute)) world.venue.candles.push(bar(minute));
    }
    return world;
  }

  it('of the past are there before it starts, and live ones come once each, in order', () => {
    const seen: string[] = [];
    const world = worldOfBars(5, seen);
    world.advance(200);
    expect(seen).toEqual(['start 5']);
    world.advance(4 * MINUTE_MS);
    const later = seen.slice(1);
    expect(later.length).toBeGreaterThan(2);
    expect(later).toEqual(later.map((_, index) => `${index} missed 0`));
  });

  it('that are missing are said', () => {
    const seen: string[] = [];
    const world = worldOfBars(0, seen, new Set([1, 2]));
    world.advance(6 * MINUTE_MS);
    expect(seen.slice(1, 4)).toEqual(['0 missed 0', '3 missed 2', '4 missed 0']);
  });

  it('are delivered after the fact where they could not be read', () => {
    const seen: string[] = [];
    const world = worldOfBars(0, seen);
    world.advance(MINUTE_MS);
    world.failing = { kind: 'candles', code: 'TIMED_OUT' };
    world.advance(3 * MINUTE_MS);
    world.failing = null;
    world.advance(2 * MINUTE_MS);
    const later = seen.slice(1);
    expect(later.length).toBeGreaterThan(3);
    expect(later).toEqual(later.map((_, index) => `${index} missed 0`));
  });

  it('keep it waiting while the past can not be read', () => {
    const seen: string[] = [];
    const world = worldOfBars(5, seen);
    world.failing = { kind: 'candles', code: 'TIMED_OUT' };
    world.advance(20_000);
    expect(world.engine.status().phase).toBe('syncing');
    expect(seen).toEqual([]);
    world.failing = null;
    world.advance(5_000);
    expect(seen).toEqual(['start 5']);
  });

  function minuteOf(openTimeMs: number): number {
    return (openTimeMs - firstMs()) / MINUTE_MS;
  }

  /** Start of the minute in which the world starts, in ms; it counts as minute 0. */
  function firstMs(): number {
    return Math.floor(START_MS / MINUTE_MS) * MINUTE_MS;
  }

  function bar(minute: number): EngineWorld['venue']['candles'][number] {
    const price = decimalText('100');
    const openTimeMs = firstMs() + minute * MINUTE_MS;
    return { openTimeMs, open: price, high: price, low: price, close: price, volume: decimalText('1') };
  }
});

/** Returns the rows of all strategies, as a restart reads them. */
const rows = (world: EngineWorld) => {
  world.mirror.flush();
  return world.mirror.load(0).strategies;
};

/** Makes the market rules of an exchange that lists one market. */
const rules = (symbol: 'BTCUSDT' | 'ETHUSDT') => [
  { symbol, priceStep: decimalText('0.01'), amountStep: decimalText('0.001'), minOrderValue: null },
];

describe('a strategy that can not run', () => {
  const lost = [{ name: 'bad', reason: 'bad.ts:3: no', quote: 'usdt' }];
  it('is an error and a row with its reason, and begins with its own state once it can', () => {
    const world = new EngineWorld({ strategies: [good([])], settings: { lost } });
    world.advance(2_000);
    expect(world.alarms()).toEqual(['bad does not run: bad.ts:3: no']);
    expect(rows(world)).toContainEqual(
      expect.objectContaining({ name: 'bad', status: 'stopped', reason: 'bad.ts:3: no' }),
    );
    const books: number[] = [];
    world.restart({ options: { strategies: [failing(books)] } }).advance(2_000);
    world.accept();
    expect(books.length).toBeGreaterThan(0);
    expect(rows(world)).toContainEqual(
      expect.objectContaining({ name: 'bad', status: 'running', reason: null }),
    );
  });

  it('keeps in its row what it was and held', () => {
    const world = new EngineWorld({ strategies: [failing([])] });
    world.advance(1_500);
    world.accept();
    const [before] = rows(world);
    world.restart({ options: { strategies: [good([])], settings: { lost } } }).advance(1_000);
    expect(rows(world).find(({ name }) => name === 'bad')).toMatchObject({
      status: 'stopped',
      json: before?.json,
    });
  });
});

describe('a strategy in a market that the exchange does not list any more', () => {
  it('pauses after a second reading without it, with the reason, and goes on once it is listed again', () => {
    const books: number[] = [];
    const world = new EngineWorld({
      strategies: [good(books)],
      feeds: [...FEEDS, feedOf('options', 'options', 60_000)],
    });
    const reason = 'the exchange does not list BTCUSDT any more';
    world.venue.rules = rules('BTCUSDT');
    world.advance(5_000);
    // A reply that lists no market at all proves nothing.
    world.venue.rules = [];
    world.advance(2 * MINUTE_MS);
    expect(world.alarms()).toEqual([]);
    world.venue.rules = rules('ETHUSDT');
    world.advance(2 * MINUTE_MS);
    expect(world.alarms()).toEqual([`good pauses: ${reason}`]);
    world.mirror.flush();
    expect(inEnglish(world.mirror.load(0).strategies)).toMatchObject([
      { name: 'good', status: 'paused', reason },
    ]);
    const told = books.length;
    world.advance(MINUTE_MS);
    expect(books).toHaveLength(told);
    world.venue.rules = rules('BTCUSDT');
    world.advance(2 * MINUTE_MS);
    expect(books.length).toBeGreaterThan(told);
    world.mirror.flush();
    expect(world.mirror.load(0).strategies).toMatchObject([
      { name: 'good', status: 'running', reason: null },
    ]);
  });
});
