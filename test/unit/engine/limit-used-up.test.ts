import { describe, expect, it } from 'vitest';
import { buy } from '../../support/intents.ts';
import { EngineWorld, WISH } from './engine-world.ts';

describe('orders whose limit is used up', () => {
  it('are refused at once until it is free again, so that none is written down in vain', () => {
    const world = EngineWorld.ready().want(WISH);
    world.answer('place', { outcome: 'unsent', reason: 'expired', retryInMs: 40_000 });
    world.want(WISH);
    expect(world.requestsOf('place')).toHaveLength(1);
    expect(world.eventsOf('reject').at(-1)).toMatchObject({
      code: 'closed',
      reason: 'the limit for orders is used up for 40 s more',
    });
    world.advance(40_000);
    world.want(WISH);
    expect(world.requestsOf('place')).toHaveLength(2);
  });

  it('are taken at once where it is not known when it is free again', () => {
    const world = EngineWorld.ready().want(WISH);
    world.answer('place', { outcome: 'unsent', reason: 'queue full', retryInMs: null });
    world.want(buy('BTCUSDT', { amount: '1', price: '97' }));
    expect(world.requestsOf('place')).toHaveLength(2);
  });
});
