import { describe, expect, it } from 'vitest';
import { parseUnits } from '../../../src/domain/money.ts';
import { buy, iceberg, quotes } from '../../support/intents.ts';
import { EngineWorld, WISH } from './engine-world.ts';

const HALT = { kind: 'halt', reason: 'a test', wholeAccount: false } as const;

const open = (): EngineWorld => EngineWorld.answering().open().world;

describe('a halt', () => {
  it('cancels every own order and takes no new ones', () => {
    const world = open();
    world.control(HALT);
    expect(world.waitingKinds()).toEqual(['cancel']);
    world.endCanceled().want(WISH);
    expect(world.eventsOf('reject')).toMatchObject([{ code: 'closed', reason: 'trading is halted: a test' }]);
    world.advance(20_000);
    expect(world.requestsOf('place')).toHaveLength(1);
    expect(world.engine.status()).toMatchObject({ phase: 'halted', liveOrders: 0 });
    expect(world.engine.haltReason()).toBe('a test');
  });

  it('drops what waits, ends algorithms, and cancels what was on its way once it is there', () => {
    const world = open();
    world.want(
      WISH,
      quotes('BTCUSDT', [{ side: 'buy', price: '97', amount: '1' }]),
      buy('BTCUSDT', { amount: '2', price: '98' }),
    );
    expect(world.engine.ordersByState()).toEqual({ open: 1, planned: 1, sending: 2 });
    world.control(HALT);
    expect(world.engine.ordersByState()).toEqual({ cancelling: 1, sending: 2 });
    world.accept();
    world.accept();
    world.advance(3_000);
    for (let count = 0; count < 3; count += 1) world.endCanceled();
    world.advance(30_000);
    expect(world.waitingKinds()).toEqual([]);
    expect(world.orders().map(({ state }) => state)).toEqual([
      'cancelled',
      'rejected',
      'cancelled',
      'cancelled',
    ]);
    expect(world.eventsOf('reject')).toMatchObject([{ code: 'Halted' }]);
  });

  it('cancels what shows up later', () => {
    const world = open();
    world.control(HALT);
    world.endCanceled();
    world.venue.placeByHand('buy', '1', '98', 'bot-one-e000-9');
    world.advance(6_200);
    expect(world.waitingKinds()).toEqual(['cancel']);
  });

  it('touches no order that is not its own', () => {
    const world = open();
    world.venue.placeByHand('buy', '1', '98');
    world.venue.placeByHand('buy', '1', '98', 'other-one-e000-9');
    world.advance(6_000);
    world.control(HALT);
    world.endCanceled().advance(20_000);
    expect(world.requestsOf('cancel')).toHaveLength(1);
    expect(world.requestsOf('cancel-old')).toEqual([]);
    expect(world.venue.open()).toHaveLength(2);
  });

  it('of the whole account cancels everybody’s orders, the stop orders that this leaves one by one', () => {
    const world = open();
    const foreign = world.venue.placeByHand('buy', '1', '90');
    world.control({ kind: 'halt', reason: 'a test', wholeAccount: true });
    world.endCanceled();
    world.give('cancel-old', null).advance(100);
    expect(world.waitingKinds()).toEqual(['cancel']);
    expect(world.pending('cancel').call).toMatchObject({ venueId: foreign.id });
  });

  it('of the whole account turns every page of what is open', () => {
    const world = open();
    for (let count = 0; count < 12; count += 1) world.venue.placeByHand('sell', '1', String(200 + count));
    world.control({ kind: 'halt', reason: 'a test', wholeAccount: true });
    world.endCanceled();
    world.give('cancel-old', null).advance(500);
    expect(world.waitingKinds()).toHaveLength(12);
    while (world.waitingKinds().length > 0) world.endCanceled();
    expect(world.venue.open()).toEqual([]);
  });

  it('of the whole account says where its orders could not be listed', () => {
    const world = open();
    world.failing = { kind: 'orders', code: 'TIMED_OUT' };
    world.control({ kind: 'halt', reason: 'a test', wholeAccount: true });
    world.fail('cancel-old').advance(100);
    expect(world.alarms().at(-1)).toMatch(/could not be listed/);
  });

  it('holds over a restart, until it is ended', () => {
    const world = open();
    world.control(HALT);
    world.restart({ losing: true });
    expect(world.engine.status().phase).toBe('halted');
    world.advance(2_000);
    expect(world.alarms().at(-1)).toMatch(/trading was halted before this start: a test/);
    world.endCanceled().control({ kind: 'resume' });
    expect(world.engine.status().phase).toBe('trading');
    world.advance(11_000);
    world.want(WISH);
    expect(world.waitingKinds()).toEqual(['place']);
    world.restart({ losing: true });
    expect(world.engine.haltReason()).toBeNull();
  });
});

describe('a drain', () => {
  it('that cancels ends once every order has', () => {
    const world = open();
    world.control({ kind: 'drain', openOrders: 'cancel' });
    expect(world.eventsOf('stop')).toEqual([{ reason: 'the run is ending' }]);
    expect(world.engine.isDrained()).toBe(false);
    world.endCanceled();
    expect(world.engine.isDrained()).toBe(true);
    expect(world.engine.status().phase).toBe('draining');
  });

  it('that keeps ends at once, and leaves open orders where they are', () => {
    const world = open();
    world.control({ kind: 'drain', openOrders: 'keep' });
    expect(world.engine.isDrained()).toBe(true);
    world.advance(10_000);
    expect(world.requestsOf('cancel')).toEqual([]);
    expect(world.order().state).toBe('open');
  });

  it('waits for the answer of what is on its way', () => {
    const world = open().want(buy('BTCUSDT', { amount: '2', price: '98' }));
    world.control({ kind: 'drain', openOrders: 'keep' });
    expect(world.engine.isDrained()).toBe(false);
    world.accept();
    expect(world.engine.isDrained()).toBe(true);
  });

  it('is over with the process: the next one trades', () => {
    const world = open();
    world.control({ kind: 'drain', openOrders: 'keep' });
    world.restart().advance(2_000);
    expect(world.engine.status().phase).toBe('trading');
  });

  it('that keeps leaves algorithms to the next start, whatever happens to their orders meanwhile', () => {
    const world = EngineWorld.answering();
    const first = world.want(iceberg('BTCUSDT', 'buy', { amount: '2', visible: '1', price: '98' })).accept();
    world.control({ kind: 'drain', openOrders: 'keep' });
    world.fill(first.id).advance(12_000);
    expect(world.order().state).toBe('filled');
    world.restart().advance(15_000);
    expect(world.pending('place').call.order).toMatchObject({
      amount: parseUnits('1'),
      price: parseUnits('98'),
    });
  });
});
