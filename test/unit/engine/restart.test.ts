import { describe, expect, it } from 'vitest';
import { buy, quotes, twap } from '../../support/intents.ts';
import { EngineWorld, PAIR, WISH, WITH_COINS } from './engine-world.ts';
import { english, sentence } from '../../../src/language/sentence.ts';

/** Makes a world with one order on its way, where look-ups are answered automatically. */
function sending(): EngineWorld {
  return EngineWorld.answering().want(WISH);
}

/** Makes a world whose order was refused although it has filled; no list shows its trade. */
function wronglyRefused() {
  const world = sending();
  const placed = world.venue.place(world.pending('place').call.order);
  world.refuse('place', 'MarketClosed');
  world.venue.fill(placed.id);
  world.venue.hidden.add(world.venue.trades.at(-1)?.id);
  return { world, placed };
}

describe('a restart', () => {
  it('asks whether an order has arrived whose request may have left', () => {
    const world = sending();
    const { id } = world.venue.place(world.pending('place').call.order);
    world.restart({ losing: true });
    expect(world.order()).toMatchObject({ state: 'unknown' });
    world.advance(100);
    expect(world.order()).toMatchObject({ state: 'open', venueId: id });
    expect(world.requestsOf('place')).toHaveLength(1);
  });

  it('counts the last arrival of such an order from its own beginning', () => {
    const world = sending();
    world.advance(60_000);
    world.restart({ losing: true }).advance(125_000);
    expect(world.order().state).toBe('unknown');
    world.advance(20_000);
    expect(world.order()).toMatchObject({ state: 'rejected', reason: sentence('order-never-arrived') });
    expect(world.requestsOf('place')).toHaveLength(1);
  });

  it('ends the search for an order that a clock an hour ahead sent, once the clock is right again', () => {
    const world = sending();
    world.fail('place').advance(5_000);
    world.nowMs -= 3_600_000;
    world.restart().advance(145_000);
    expect(world.order()).toMatchObject({ state: 'rejected', reason: sentence('order-never-arrived') });
  });

  it('finds an order that was wrongly refused shortly before, though no list has its trade any more', () => {
    const { world, placed } = wronglyRefused();
    for (let life = 0; life < 3; life += 1) world.restart();
    expect(world.order()).toMatchObject({ state: 'rejected' });
    world.advance(30_000);
    expect(world.order()).toMatchObject({ state: 'settling', venueId: placed.id });
  });

  it('finds an order that was wrongly refused long before, by its first trade', () => {
    const { world, placed } = wronglyRefused();
    world.advance(3_600_000);
    world.restart();
    world.venue.hidden.clear();
    world.advance(30_000);
    expect(world.order()).toMatchObject({ state: 'filled', venueId: placed.id, filled: 10_000_000_000n });
    expect(world.fills()).toMatchObject([{ strategy: 'one' }]);
  });

  it('goes on with the search for an order without an answer', () => {
    const world = sending();
    world.fail('place').advance(60_000);
    world.restart({ losing: true });
    expect(world.order().state).toBe('unknown');
    world.advance(145_000);
    expect(world.order()).toMatchObject({ state: 'rejected', reason: sentence('order-never-arrived') });
  });

  it('drops an order that had not left', () => {
    const world = sending();
    world.accept();
    world.want(WISH);
    expect(world.engine.ordersByState()).toEqual({ open: 1, planned: 1 });
    world.restart().advance(20_000);
    expect(world.orders().map(({ state, reason }) => [state, english(reason)])).toEqual([
      ['open', null],
      ['rejected', 'Restarted'],
    ]);
    expect(world.requestsOf('place')).toHaveLength(1);
    expect(world.eventsOf('reject')).toMatchObject([{ code: 'Restarted' }]);
  });

  it('knows an open order again, and sees what became of it meanwhile', () => {
    const world = sending();
    const { id } = world.accept();
    world.restart();
    expect(world.order().state).toBe('open');
    world.venue.fill(id, '0.4');
    world.end(id).advance(12_000);
    expect(world.order()).toMatchObject({ state: 'cancelled', filled: 4_000_000_000n });
  });

  it('waits on for the fills of a closed order', () => {
    const world = sending();
    const id = world.accept().id;
    const trade = world.venue.fill(id, '0.3');
    world.venue.hidden.add(trade.id);
    world.end(id).advance(10_100);
    expect(world.order().state).toBe('settling');
    world.restart();
    expect(world.order().state).toBe('settling');
    world.venue.hidden.clear();
    world.advance(6_000);
    expect(world.order()).toMatchObject({ state: 'cancelled', filled: 3_000_000_000n });
  });

  it('reads a trade again that was nobody’s yet, however many came after it', () => {
    const world = EngineWorld.ready().want(WISH);
    const id = world.venue.place(world.pending('place').call.order).id;
    world.fail('place');
    world.refuse('order', 'NotFound');
    world.venue.hidden.add(id);
    world.venue.fill(id, '0.4');
    const foreign = world.venue.placeByHand('sell', '100', '99').id;
    for (let count = 0; count < 60; count += 1) world.fill(foreign, '0.01').advance(500);
    expect(world.order().state).toBe('unknown');
    world.restart();
    world.venue.hidden.clear();
    world.answers.add('order');
    world.advance(20_000);
    expect(world.order()).toMatchObject({ state: 'open', filled: 4_000_000_000n });
  });

  it('leaves an order alone that had come to its end', () => {
    const world = sending();
    const id = world.accept().id;
    world.end(id).advance(10_100);
    const before = world.order();
    world.restart().advance(20_000);
    expect(world.orders()).toEqual([before]);
  });

  it('never gives two orders one id', () => {
    const world = sending();
    world.accept();
    for (let count = 0; count < 3; count += 1) {
      world.restart({ losing: true }).advance(2_000);
      world.open(buy('BTCUSDT', { amount: '1', price: String(90 + count) }));
    }
    expect(new Set(world.orders().map(({ key }) => key)).size).toBe(4);
  });

  it('holds an identical order back from one that was sent before', () => {
    const world = sending();
    world.accept();
    world.restart({ losing: true }).advance(2_000);
    world.want(WISH);
    expect(world.waitingKinds()).toEqual([]);
    world.advance(9_000);
    expect(world.waitingKinds()).toEqual(['place']);
  });

  it('tells strategies that it is one, with their state', () => {
    const world = EngineWorld.ready();
    expect(world.eventsOf('start')).toEqual([{ isRestart: false }]);
    world.restart().advance(100);
    expect(world.eventsOf('start')).toEqual([{ isRestart: false }, { isRestart: true }]);
    const kept = world.mirror.load(world.nowMs).strategies;
    expect(kept).toMatchObject([{ name: 'one', status: 'running' }]);
    const state = (JSON.parse(kept[0]?.json ?? '{}') as { readonly state: { readonly books: number } }).state;
    world.advance(3_000);
    world.mirror.flush();
    const later = JSON.parse(world.mirror.load(world.nowMs).strategies[0]?.json ?? '{}') as {
      readonly state: { readonly books: number };
    };
    expect(later.state.books).toBeGreaterThan(state.books);
  });

  it('keeps what a strategy holds', () => {
    const world = sending();
    world.fillNext().advance(10_100);
    expect(world.engine.instances[0]?.held('btc')).toBe(9_980_000_000n);
    world.restart();
    expect(world.engine.instances[0]?.held('btc')).toBe(9_980_000_000n);
    world.advance(20_000);
    expect(world.engine.instances[0]?.held('btc')).toBe(9_980_000_000n);
  });

  it('goes on with algorithms and their orders, and places nothing twice', () => {
    const world = EngineWorld.answering();
    world.open(quotes('BTCUSDT', [{ side: 'buy', price: '98', amount: '1' }]));
    world.restart().advance(20_000);
    expect(world.requestsOf('place')).toHaveLength(1);
    expect(world.waitingKinds()).toEqual([]);
    world.want(quotes('BTCUSDT', []));
    expect(world.waitingKinds()).toEqual(['cancel']);
  });

  it('goes on with a slow order where it stood', () => {
    const world = EngineWorld.answering();
    world.want(twap('BTCUSDT', 'buy', { amount: '1', overMs: 60_000, slices: 2 }));
    world.fillNext().advance(10_000);
    world.restart().advance(60_000);
    world.fillNext().advance(20_000);
    expect(world.orders().map(({ state, amount }) => [state, amount])).toEqual([
      ['filled', 5_000_000_000n],
      ['filled', 5_000_000_000n],
    ]);
    expect(world.mirror.load(world.nowMs).algorithms).toEqual([]);
  });

  it('brings intents to their end that were at work', () => {
    const world = EngineWorld.answering();
    const ends = (): readonly string[] =>
      [...world.mirror.intents.values()].map(({ status, reason }) => `${status} ${english(reason)}`);
    world.want(WISH, quotes('BTCUSDT', [{ side: 'buy', price: '97', amount: '1' }]), WISH);
    const { id } = world.accept();
    world.accept();
    expect(ends()).toEqual(['working null', 'working null', 'working null']);
    world.restart().advance(2_000);
    world.mirror.flush();
    expect(ends()).toEqual(['working null', 'working null', 'refused Restarted']);
    world.end(id).advance(10_000);
    world.want(quotes('BTCUSDT', []));
    world.endCanceled().advance(20_000);
    world.mirror.flush();
    expect(ends()).toEqual(['done cancelled', 'done no quotes are wanted', 'refused Restarted']);
  });

  it('drops a pair whole that had not left', () => {
    const world = EngineWorld.ready(WITH_COINS);
    const pair = PAIR;
    world.want(pair, pair);
    world.acceptPair();
    world.restart();
    world.answers.add('order');
    world.advance(20_000);
    expect(world.engine.ordersByState()).toEqual({ open: 2 });
    expect(world.requestsOf('place-oco')).toHaveLength(1);
  });

  it('keeps a promotion that was stored just before it, and its undo', () => {
    const world = EngineWorld.ready();
    const strategy = world.engine.instances[0]?.name ?? '';
    const promotion = { kind: 'promote', strategy, shadow: 'next', setups: 'mark' } as const;
    world.control({ ...promotion, act: 'promote' }).restart({ losing: true });
    expect(world.record('promotions')).toMatchObject([{ strategy, shadow: 'next', setups: 'mark' }]);
    world.control({ ...promotion, act: 'undo' }).restart({ losing: true });
    expect(world.record('promotions')).toEqual([]);
  });
});
