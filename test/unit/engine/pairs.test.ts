import { describe, expect, it } from 'vitest';
import { parseUnits } from '../../../src/domain/money.ts';
import { cancel, oco } from '../../support/intents.ts';
import { EngineWorld, WITH_COINS } from './engine-world.ts';

const PAIR = oco('BTCUSDT', 'sell', {
  amount: '1',
  price: '110',
  stopPrice: '90',
  stopLimitPrice: '89',
  tag: 'way out',
});

const states = (world: EngineWorld): readonly string[] => world.orders().map(({ state }) => state);

describe('a pair of orders', () => {
  it('is asked for as one, and both of its legs open with the reply', () => {
    const world = EngineWorld.ready(WITH_COINS).want(PAIR);
    expect(world.pending('place-oco').call.order).toMatchObject({
      amount: parseUnits('1'),
      price: parseUnits('110'),
      stopPrice: parseUnits('90'),
      stopLimitPrice: parseUnits('89'),
    });
    expect(states(world)).toEqual(['sending', 'sending']);
    const [first, second] = world.acceptPair();
    expect(world.orders()).toMatchObject([
      { state: 'open', venueId: first.id, price: 1_100_000_000_000n, stopPrice: null },
      {
        state: 'open',
        venueId: second.id,
        price: 890_000_000_000n,
        stopPrice: 900_000_000_000n,
        clientOrderId: null,
      },
    ]);
  });

  it('stores in both legs the best prices that the bot knew when it planned them', () => {
    const world = EngineWorld.ready(WITH_COINS).want(PAIR);
    world.acceptPair();
    world.venue.book = { bid: '90', ask: '95' };
    world.advance(9_000);
    const known = { arrivalBid: parseUnits('99'), arrivalAsk: parseUnits('101') };
    expect(world.orders()).toMatchObject([known, known]);
  });

  it('is refused as one, and reported once', () => {
    const world = EngineWorld.ready(WITH_COINS).want(PAIR);
    world.refuse('place-oco', 'InsufficientBalance');
    expect(states(world)).toEqual(['rejected', 'rejected']);
    expect(world.eventsOf('reject')).toMatchObject([{ code: 'InsufficientBalance', tag: 'way out' }]);
  });

  it('ends when one leg is filled', () => {
    const world = EngineWorld.ready(WITH_COINS).want(PAIR);
    const [, stop] = world.acceptPair();
    world.venue.fill(stop.id);
    world.answers.add('order');
    world.advance(9_000);
    expect(states(world)).toEqual(['cancelled', 'filled']);
    expect(world.eventsOf('fill')).toMatchObject([{ clientOrderId: world.orders()[1]?.key, tag: 'way out' }]);
  });

  it('ends when one leg is canceled', () => {
    const world = EngineWorld.ready(WITH_COINS).want(PAIR);
    world.acceptPair();
    world.answers.add('order');
    world.advance(5_100);
    world.want(cancel(world.orders()[1]?.key ?? ''));
    world.endCanceled().advance(100);
    expect(states(world)).toEqual(['cancelled', 'cancelled']);
    expect(world.requestsOf('cancel')).toHaveLength(1);
  });

  it('is found by the first leg’s name after a lost reply, and the stop leg by its pair', () => {
    const world = EngineWorld.ready(WITH_COINS).want(PAIR);
    const [first, second] = world.venue.placePair(world.pending('place-oco').call.order);
    world.fail('place-oco');
    expect(states(world)).toEqual(['unknown', 'unknown']);
    world.give('order', world.venue.read(world.pending('order').call));
    expect(world.orders()).toMatchObject([
      { state: 'open', venueId: first.id },
      { state: 'open', venueId: second.id },
    ]);
  });

  it('is found after a lost reply when its stop leg has traded and nothing is open any more', () => {
    const world = EngineWorld.ready(WITH_COINS).want(PAIR);
    const [, stop] = world.venue.placePair(world.pending('place-oco').call.order);
    world.venue.fill(stop.id);
    world.fail('place-oco');
    world.refuse('order', 'NotFound');
    world.answers.add('order');
    world.advance(7_000);
    expect(states(world)).toEqual(['cancelled', 'filled']);
    expect(world.eventsOf('fill')).toHaveLength(1);
  });

  it.each([
    ['gives no trade of its stop leg away as foreign while its fate is unknown', ['first', 'stop']],
    [
      'keeps the trades of its stop leg when that is listed alone before anybody knows whose it is',
      ['first'],
    ],
  ] as const)('%s', (_, hidden) => {
    const world = EngineWorld.ready(WITH_COINS).want(PAIR);
    const [first, stop] = world.venue.placePair(world.pending('place-oco').call.order);
    for (const leg of hidden) world.venue.hidden.add({ first, stop }[leg].id);
    world.venue.fill(stop.id, '0.25');
    world.fail('place-oco');
    world.refuse('order', 'NotFound').advance(10_000);
    expect(world.fills()).toEqual([]);
    world.venue.hidden.clear();
    world.advance(80_000);
    expect(world.orders()[1]).toMatchObject({ filled: 2_500_000_000n });
  });

  it('that never arrived is rejected whole, and not sent again', () => {
    const world = EngineWorld.ready({ ...WITH_COINS, settings: { resendUnknown: true } }).want(PAIR);
    world.fail('place-oco');
    world.refuse('order', 'NotFound').advance(150_000);
    expect(states(world)).toEqual(['rejected', 'rejected']);
    expect(world.eventsOf('reject')).toHaveLength(1);
    expect(world.requestsOf('place-oco')).toHaveLength(1);
  });

  it('comes through a restart with its reply missing', () => {
    const world = EngineWorld.ready(WITH_COINS).want(PAIR);
    world.venue.placePair(world.pending('place-oco').call.order);
    world.restart({ losing: true });
    expect(states(world)).toEqual(['sending', 'sending']);
    world.answers.add('order');
    world.advance(3_000);
    expect(states(world)).toEqual(['open', 'open']);
  });
});
