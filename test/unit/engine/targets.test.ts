import { describe, expect, it } from 'vitest';
import { parseUnits } from '../../../src/domain/money.ts';
import { createRiskLimits } from '../../../src/engine/risk-limits.ts';
import { target, targets } from '../../support/intents.ts';
import { EngineWorld } from './engine-world.ts';

/** Makes a world whose account has 100,000 USDT, with best prices 99 and 101: a tenth is 100 BTC. */
function open(): EngineWorld {
  const limits = createRiskLimits({ collarBps: null, maxBookAgeMs: null });
  return EngineWorld.answering({ instances: [{ limits }] }, 30_000);
}

const TENTH = targets('BTCUSDT', { BTCUSDT: '0.1' }, { band: 0 });
const amounts = (world: EngineWorld): readonly string[] =>
  world.orders().map(({ side, amount, state }) => `${side} ${amount / parseUnits('1')} ${state}`);

const lacks = (world: EngineWorld): readonly string[] =>
  world.messages('warning').filter((message) => message.includes('could place nothing'));

describe('a set of shares', () => {
  it('goes on after a restart: an order of unknown outcome is found, and not placed again', () => {
    const world = open().want(TENTH);
    const order = world.venue.place(world.pending('place').call.order);
    world.fail('place');
    world.restart().advance(20_000);
    expect(amounts(world)).toEqual(['buy 100 open']);
    world.venue.fill(order.id, '60', '100');
    world.venue.end(order.id);
    world.restart().advance(30_000);
    // The fee is taken from the coins that were received.
    expect(amounts(world)).toEqual(['buy 100 cancelled', 'buy 40 sending']);
    expect(world.requestsOf('place')).toHaveLength(2);
  });

  it('waits for the end of what it took the place of, also over a restart', () => {
    const world = open().want(TENTH);
    world.accept();
    world.advance(3_000);
    world.want(targets('BTCUSDT', { BTCUSDT: '0.2' }, { band: 0 })).advance(5_000);
    expect(world.waitingKinds()).toEqual(['cancel']);
    world.restart().advance(10_000);
    expect(world.requestsOf('place')).toHaveLength(1);
    world.venue.fill(world.order().venueId, '50', '100');
    world.end(world.order().venueId).advance(30_000);
    expect(amounts(world)).toEqual(['buy 100 cancelled', 'buy 150 sending']);
  });

  it('ends a target of its coin, and is ended by one', () => {
    const world = open().want(target('BTCUSDT', { position: '10', price: '98' }));
    world.accept();
    world.advance(3_000);
    world.want(TENTH);
    world.endCanceled().advance(3_000);
    expect(amounts(world)).toEqual(['buy 10 cancelled', 'buy 100 sending']);
    world.accept();
    world.advance(3_000);
    world.want(target('BTCUSDT', { position: '0' })).advance(1_000);
    expect(world.waitingKinds()).toContain('cancel');
  });

  it('of a market that the bot does not follow is refused', () => {
    const world = open().want(targets('BTCUSDT', { BTCUSDT: '0.1', ETHUSDT: '0.1' }));
    world.advance(1_000);
    expect(world.eventsOf('reject')).toMatchObject([
      { code: 'fit', reason: 'expected a market that the bot follows in shares, was ETHUSDT' },
    ]);
  });

  describe('for which nobody knows a price', () => {
    it('waits, says once after five minutes what it lacks, and goes on with the price', () => {
      const world = open();
      world.quote(null, null).advance(10_000);
      world.want(TENTH).advance(299_000);
      expect(lacks(world)).toEqual([]);
      world.advance(1_200_000);
      expect(lacks(world)).toEqual([
        'one: its targets in BTCUSDT could place nothing for 5 minutes: no price of BTCUSDT is known. It goes on waiting',
      ]);
      expect(amounts(world)).toEqual([]);
      world.quote('99', '101').advance(10_000);
      expect(amounts(world)).toEqual(['buy 100 sending']);
      expect(lacks(world)).toHaveLength(1);
    });

    it('says it too once the shares have become positions', () => {
      const world = open().want(TENTH);
      world.advance(1_000);
      const order = world.accept();
      world.quote(null, null);
      world.venue.fill(order.id, '60', '100');
      world.end(order.id).advance(290_000);
      expect(lacks(world)).toEqual([]);
      world.advance(600_000);
      expect(amounts(world)).toEqual(['buy 100 cancelled']);
      expect(lacks(world)).toEqual([
        'one: its targets in BTCUSDT could place nothing for 5 minutes: no price of BTCUSDT is known. It goes on waiting',
      ]);
    });

    it('says it of a target of one market too', () => {
      const world = open();
      world.quote('99', null).advance(10_000);
      world.want(target('BTCUSDT', { position: '10' })).advance(310_000);
      expect(lacks(world)).toEqual([
        'one: its target in BTCUSDT could place nothing for 5 minutes: no price of BTCUSDT is known. It goes on waiting',
      ]);
    });
  });
});
