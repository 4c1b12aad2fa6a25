import { describe, expect, it } from 'vitest';
import { buy } from '../../../src/strategy/intents.ts';
import { EngineWorld } from './engine-world.ts';

const WISH = buy('BTCUSDT', { amount: '1', price: '98' });

describe('placing an order', () => {
  it('writes the order down before its request leaves, and opens it with the reply', () => {
    const world = EngineWorld.ready();
    world.want(WISH);
    expect(world.order()).toMatchObject({ state: 'sending', attempts: 1 });
    const placed = world.accept();
    expect(world.order()).toMatchObject({ state: 'open', venueId: placed.id });
    expect(world.toldOf('order')).toMatchObject([{ status: 'Active' }]);
  });

  it('holds an identical order back until the exchange has forgotten the first', () => {
    const world = EngineWorld.ready();
    world.want(WISH);
    world.accept();
    const acceptedAtMs = world.nowMs;
    world.want(WISH);
    expect(world.waitingKinds()).toEqual([]);
    world.advance(10_400 - (world.nowMs - acceptedAtMs));
    expect(world.waitingKinds()).toEqual([]);
    world.advance(100);
    expect(world.waitingKinds()).toEqual(['place']);
  });
});
