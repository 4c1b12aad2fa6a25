import { describe, expect, it } from 'vitest';
import { formatUnits } from '../../../src/domain/money.ts';
import type { Intent } from '../../../src/strategy/intents.ts';
import { cancelAll } from '../../support/intents.ts';
import { EngineWorld } from './engine-world.ts';

const market = 'BTCUSDT';
const VWAP: Intent = { kind: 'vwap', market, side: 'buy', amount: '1', overMs: 60_000, profile: ['1', '3'] };
const LADDER: Intent = { kind: 'ladder', market, side: 'buy', amount: '3', from: '98', to: '96', orders: 3 };
const PEG: Intent = { kind: 'peg', market, side: 'buy', amount: '1', bound: '98.5', everyMs: 1_000 };
const DCA: Intent = { kind: 'dca', market, value: '101', everyMs: 60_000, times: 2 };

/** Writes all orders that were requested, such as `buy 1@98`. */
const placed = (world: EngineWorld): readonly string[] =>
  world.requestsOf('place').map(({ call }) => {
    const { side, amount, price, execution } = call.order;
    const at = execution === 'market' || price === null ? '' : `@${formatUnits(price)}`;
    return `${side} ${formatUnits(amount)}${at}`;
  });

describe('a restart', () => {
  it('places no rung of a ladder again whose order has arrived', () => {
    const { world } = EngineWorld.answering().open(LADDER);
    world.venue.place(world.pending('place').call.order);
    world.restart({ losing: true });
    // During the sync after the start a rung is refused; it is tried again ten seconds later.
    world.advance(15_000);
    world.accept();
    world.advance(5_000);
    expect(placed(world)).toEqual(['buy 1@98', 'buy 1@97', 'buy 1@96']);
    expect(world.engine.ordersByState()).toEqual({ open: 3 });
  });

  it('makes no purchase again whose order has arrived, and the next at its time', () => {
    const world = EngineWorld.answering().want(DCA);
    const { id } = world.venue.place(world.pending('place').call.order);
    world.venue.fill(id);
    world.restart({ losing: true }).advance(30_000);
    expect(placed(world)).toEqual(['buy 1']);
    world.advance(30_000);
    world.fillNext().advance(60_000);
    expect(placed(world)).toEqual(['buy 1', 'buy 1']);
    expect(world.stored().algorithms).toEqual([]);
  });

  it('lets a VWAP go on with its next slice', () => {
    const world = EngineWorld.answering().want(VWAP);
    world.fillNext().advance(10_000);
    world.restart().advance(30_000);
    world.fillNext().advance(60_000);
    expect(placed(world)).toEqual(['buy 0.25', 'buy 0.75']);
    expect(world.stored().algorithms).toEqual([]);
  });

  it('leaves the order of a peg where it rests', () => {
    const { world } = EngineWorld.answering().open(PEG);
    world.restart().advance(30_000);
    expect(placed(world)).toEqual(['buy 1@98.5']);
    expect(world.engine.ordersByState()).toEqual({ open: 1 });
  });
});

describe.each([
  ['a ladder', LADDER],
  ['a peg', PEG],
  ['a DCA', DCA],
  ['a VWAP', VWAP],
])('%s', (_, intent) => {
  it('ends with a halt, and places nothing more', () => {
    const { world } = EngineWorld.answering().open(intent);
    const before = placed(world).length;
    world.control({ kind: 'halt', reason: 'by hand', wholeAccount: false }).advance(120_000);
    expect(placed(world)).toHaveLength(before);
    expect(world.stored().algorithms).toEqual([]);
  });

  it('ends with all orders, and places nothing more', () => {
    const { world } = EngineWorld.answering().open(intent);
    world.want(cancelAll());
    const before = placed(world).length;
    world.advance(120_000);
    expect(placed(world)).toHaveLength(before);
    expect(world.stored().algorithms).toEqual([]);
  });
});

describe('a ladder', () => {
  it('keeps what rests when the exchange refuses a rung, and waits', () => {
    const { world } = EngineWorld.answering().open(LADDER);
    world.refuse('place', 'OverValueOrder').advance(60_000);
    expect(placed(world)).toEqual(['buy 1@98', 'buy 1@97']);
    world.deposit('usdt', '5').advance(25_000);
    expect(placed(world)).toEqual(['buy 1@98', 'buy 1@97', 'buy 1@97']);
  });

  it('takes a value for all of its orders', () => {
    const world = EngineWorld.answering();
    world.want({ kind: 'ladder', market, side: 'buy', value: '291', from: '98', to: '96', orders: 3 });
    expect(placed(world)).toEqual(['buy 1@98']);
  });
});

describe('an order that is to rest', () => {
  it('is refused where its price would cross once it is on the steps of the market', () => {
    const world = EngineWorld.answering();
    world.want({ kind: 'place', market, side: 'buy', amount: '1', price: '100.996', postOnly: true });
    expect(placed(world)).toEqual([]);
    world.want({ kind: 'place', market, side: 'buy', amount: '1', price: '100.994', postOnly: true });
    expect(placed(world)).toEqual(['buy 1@100.99']);
  });

  it('is dropped where it would cross by the time that it no longer waits for an identical one', () => {
    const world = EngineWorld.answering();
    const wish: Intent = { kind: 'place', market, side: 'buy', amount: '1', price: '98', postOnly: true };
    world.open(wish);
    world.want(wish);
    world.quote('97', '98').advance(12_000);
    expect(placed(world)).toEqual(['buy 1@98']);
    expect(world.eventsOf('reject')).toMatchObject([
      { code: expect.stringContaining('PostOnly: expected a price below 98') as string },
    ]);
  });
});
