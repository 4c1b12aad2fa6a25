import { describe, expect, it } from 'vitest';
import { buy } from '../../../src/strategy/intents.ts';
import { EngineWorld, type WorldOptions } from './engine-world.ts';

const WISH = buy('BTCUSDT', { amount: '1', price: '98' });

/** An order that was asked for and not answered, and that the exchange does or does not have. */
function lost(way: { readonly arrives: boolean; readonly options?: WorldOptions }): EngineWorld {
  const world = EngineWorld.ready(way.options);
  world.want(WISH);
  if (way.arrives) world.venue.place(world.pending('place').call.order);
  world.fail('place');
  expect(world.order()).toMatchObject({ state: 'unknown' });
  return world;
}

describe('an order without an answer', () => {
  it('is looked up by its own id at once, and opens when that finds it', () => {
    const world = lost({ arrives: true });
    const { call } = world.pending('order');
    expect(call).toMatchObject({ venueId: null, clientOrderId: world.order().clientOrderId });
    world.give('order', world.venue.read(call));
    expect(world.order()).toMatchObject({ state: 'open' });
  });

  it('stays unknown when nobody knows its id, and is found by the list of open orders', () => {
    const world = lost({ arrives: true });
    world.refuse('order', 'NotFound');
    expect(world.order().state).toBe('unknown');
    world.advance(5_100);
    expect(world.order().state).toBe('open');
  });

  it('is found by a pass over all orders when it was there and has ended', () => {
    const world = lost({ arrives: true });
    world.venue.end(world.venue.orders[0]!.id!);
    world.refuse('order', 'NotFound');
    world.advance(1_200);
    expect(world.order()).toMatchObject({ state: 'cancelled', venueStatus: 'Canceled' });
  });

  it('takes in a trade that came before its order was known, once', () => {
    const world = lost({ arrives: true });
    const { id } = world.venue.orders[0]!;
    world.venue.hidden.add(id!);
    world.refuse('order', 'NotFound');
    world.venue.fill(id!, '0.4');
    world.advance(30_000);
    expect(world.order()).toMatchObject({ state: 'unknown', filled: 0n });
    world.venue.hidden.clear();
    world.advance(80_000);
    expect(world.order()).toMatchObject({ state: 'open', filled: 4_000_000_000n });
    expect(world.toldOf('fill')).toHaveLength(1);
  });
});
