import { describe, expect, it } from 'vitest';
import type { LockCommand } from '../../../src/engine/engine-event.ts';
import { PAUSE, UNTIL_RESUMED_MS } from '../../../src/engine/lock.ts';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { defineStrategy, sma } from '../../../src/strategy/sdk.ts';
import { bracket, buy, cancelAll } from '../../support/intents.ts';
import { EngineWorld, feedOf, FEEDS, START_MS, WISH } from './engine-world.ts';

const PAUSED = {
  kind: 'lock',
  name: PAUSE,
  strategy: 'one',
  market: null,
  reason: 'a test',
  untilMs: UNTIL_RESUMED_MS,
  entries: 'cancel',
  pauses: true,
  by: 'ali',
} as const;
const RESUMED: LockCommand = { kind: 'unlock', name: PAUSE, strategy: 'one', market: null, isAll: false };

/** Returns the state of the strategy, which counts its books: it stays the same during a pause. */
const booksOf = ({ engine }: EngineWorld): unknown => engine.instances[0]?.runner.stateJson();

function begun(): EngineWorld {
  const { world } = EngineWorld.answering().open(WISH);
  return world;
}

describe('a strategy that is paused', () => {
  it('is told nothing, and a start as after a restart when it goes on', () => {
    const world = begun();
    world.control(PAUSED);
    world.endCanceled();
    const [before, events] = [booksOf(world), world.events.length];
    world.advance(30_000);
    expect([booksOf(world), world.events.length]).toEqual([before, events]);
    world.control(RESUMED);
    expect(world.events.slice(events)).toEqual([
      { strategy: 'one', kind: 'start', what: { isRestart: true } },
    ]);
    world.want(WISH);
    expect(world.waitingKinds()).toEqual(['place']);
  });

  it('keeps its exits, and gets neither fills nor new entries', () => {
    const world = EngineWorld.answering();
    world.want(
      bracket('BTCUSDT', { entry: { amount: '2', price: '98' }, stopLoss: { price: '90' } }),
      buy('BTCUSDT', { amount: '1', price: '97' }),
    );
    world.accept();
    const entry = world.accept();
    world.fill(entry.id, '1').advance(11_000);
    world.accept();
    const events = world.events.length;
    world.control(PAUSED);
    // The rest of the entry and the other purchase are canceled; the stop stays.
    expect(world.requestsOf('cancel')).toHaveLength(2);
    const stop = world.venue.open().find(({ side }) => side === 'sell');
    world.endCanceled().endCanceled();
    world.fill(stop?.id ?? null).advance(20_000);
    expect(world.fills().map(({ side }) => side)).toEqual(['buy', 'sell']);
    expect(world.requestsOf('place')).toHaveLength(3);
    expect(world.events.slice(events)).toEqual([]);
  });

  it('stays paused over kill -9, and goes on by itself when its time is over', () => {
    const world = begun();
    world.control({ ...PAUSED, untilMs: world.nowMs + 60_000, entries: 'keep' });
    world.restart({ losing: true }).advance(30_000);
    expect(world.eventsOf('start')).toEqual([{ isRestart: false }]);
    expect(world.engine.locks.active()).toMatchObject([{ name: PAUSE, pauses: true, by: 'ali' }]);
    world.advance(30_000);
    expect(world.eventsOf('start')).toEqual([{ isRestart: false }, { isRestart: true }]);
    expect(world.order()).toMatchObject({ state: 'open' });
  });

  it('that never began is told its first start', () => {
    const world = new EngineWorld();
    world.control(PAUSED).advance(5_000);
    expect(world.eventsOf('start')).toEqual([]);
    world.control(RESUMED);
    expect(world.eventsOf('start')).toEqual([{ isRestart: false }]);
  });

  it('is not unpaused by a shorter lock, and no lock without "pauses" pauses', () => {
    const world = begun();
    const untilMs = world.nowMs + 1_000;
    world.control({ ...PAUSED, pauses: undefined, untilMs, entries: 'keep' });
    const told = booksOf(world);
    world.advance(2_000);
    expect(booksOf(world)).not.toBe(told);
    world.control(PAUSED);
    world.control({ ...PAUSED, pauses: undefined, untilMs: world.nowMs + 1_000 });
    const before = booksOf(world);
    world.advance(5_000);
    expect(booksOf(world)).toBe(before);
  });

  it('has its indicators fed meanwhile', () => {
    const seen: unknown[] = [];
    const averager = defineStrategy({
      name: 'one',
      data: ({ market }) => ({ bars: market.candles('1m') }),
      indicators: ({ bars }) => ({ average: sma(bars, 2) }),
      on: { bars: (ctx, { close }) => void seen.push([close, ctx.indicators.average]) },
    });
    const feeds = [...FEEDS, { ...feedOf('candles BTCUSDT 1m', 'candles', 60_000), wantedAgeMs: 60_000 }];
    const world = new EngineWorld({ strategies: [averager], feeds });
    const firstMs = Math.floor(START_MS / 60_000) * 60_000;
    for (let minute = -20; minute < 20; minute += 1) {
      const price = decimalText(String(100 + minute));
      const prices = { open: price, high: price, low: price, close: price, volume: price };
      world.venue.candles.push({ openTimeMs: firstMs + minute * 60_000, ...prices });
    }
    world.advance(150_000);
    world.control(PAUSED).advance(180_000);
    world.control(RESUMED).advance(60_000);
    expect(seen).toEqual([
      [100, 99.5],
      [101, 100.5],
      [105, 104.5],
    ]);
  });

  it('keeps its entries where that is said, and may cancel them once it goes on', () => {
    const world = begun();
    world.control({ ...PAUSED, entries: 'keep' });
    expect(world.waitingKinds()).toEqual([]);
    world.control(RESUMED);
    world.want(cancelAll());
    expect(world.waitingKinds()).toEqual(['cancel']);
  });
});
