import { describe, expect, it } from 'vitest';
import { parseUnits } from '../../../src/domain/money.ts';
import { createRiskLimits } from '../../../src/engine/risk-limits.ts';
import { ORDER_LABELS } from '../../../src/records/order.ts';
import { buy, cancelAll, sell, twap } from '../../support/intents.ts';
import { EngineWorld, WITH_COINS } from './engine-world.ts';
import { sentence } from '../../../src/language/sentence.ts';

const LABELS = Object.fromEntries(ORDER_LABELS.map((label) => [label, 'first']));
const WISH = buy('BTCUSDT', { amount: '1', price: '98', ...LABELS });

describe('placing an order', () => {
  it('writes the order down before its request leaves, and opens it with the reply', () => {
    const world = EngineWorld.ready().want(WISH);
    expect(world.order()).toMatchObject({ state: 'sending', attempts: 1, ...LABELS });
    const placed = world.accept();
    expect(world.order()).toMatchObject({ state: 'open', venueId: placed.id });
    expect(world.eventsOf('order')).toMatchObject([{ status: 'Active', tag: 'first' }]);
  });

  it('asks for what was wanted, on the steps of the market, under a name that says whose it is', () => {
    const world = EngineWorld.ready(WITH_COINS);
    world.want(sell('BTCUSDT', { amount: '1.23456', price: '101.237', stopPrice: '102' }));
    expect(world.pending('place').call.order).toEqual({
      clientOrderId: expect.stringMatching(/^bot-one-e001-[a-z0-9]+$/),
      base: 'btc',
      quote: 'usdt',
      side: 'sell',
      execution: 'stop_limit',
      amount: parseUnits('1.234'),
      price: parseUnits('101.24'),
      stopPrice: parseUnits('102'),
    });
    expect(world.pending('place').requestClass).toBe('place');
  });

  it.each([
    ['98.5', null],
    ['99', '5'],
    ['100', '0'],
    ['101', undefined],
  ])('journals what the known book has before a purchase at %s', (price, ahead) => {
    const world = EngineWorld.ready().want(buy('BTCUSDT', { amount: '1', price }));
    const line = world.mirror.journal.find(({ subject }) => subject === world.order().key);
    expect((JSON.parse(line?.json ?? '') as Record<string, unknown>)['ahead']).toBe(ahead);
  });

  it('waits for a slot no longer than it may', () => {
    const world = EngineWorld.ready({ settings: { placeWithinMs: 1_234 } }).want(WISH);
    const request = world.pending('place');
    expect(request.expiresAtMs - (world.order().sentAtMs ?? 0)).toBe(1_234);
  });

  it('rejects an order that the exchange refused, and tells the strategy its code', () => {
    const world = EngineWorld.ready().want(WISH);
    world.refuse('place', 'OverValueOrder');
    expect(world.order()).toMatchObject({ state: 'rejected', reason: 'OverValueOrder' });
    expect(world.eventsOf('reject')).toMatchObject([
      { code: 'OverValueOrder', tag: 'first', market: 'BTCUSDT' },
    ]);
    expect(world.waitingKinds()).toEqual([]);
    expect([...world.mirror.intents.values()]).toMatchObject([
      { status: 'refused', reason: 'OverValueOrder' },
    ]);
  });

  it('rejects an order whose request never left, and tells the strategy', () => {
    const world = EngineWorld.ready().want(WISH);
    world.unsend('place', 'no slot');
    expect(world.order()).toMatchObject({
      state: 'rejected',
      reason: sentence('order-not-sent', { reason: 'no slot' }),
    });
    expect(world.eventsOf('reject')).toHaveLength(1);
    world.advance(200_000);
    expect(world.requestsOf('place')).toHaveLength(1);
  });

  it('takes a refusal that may have had an effect for no answer', () => {
    const world = EngineWorld.ready().want(WISH);
    world.refuse('place', 'Unavailable', { effect: 'unknown' });
    expect(world.order().state).toBe('unknown');
    expect(world.eventsOf('reject')).toEqual([]);
  });

  it('rejects an order that is a duplicate of somebody else’s on its first way', () => {
    const world = EngineWorld.ready().want(WISH);
    world.refuse('place', 'DuplicateOrder');
    expect(world.order()).toMatchObject({ state: 'rejected', reason: 'DuplicateOrder' });
  });

  it('takes its own id being in use for evidence that the order is there', () => {
    const world = EngineWorld.ready().want(WISH);
    world.refuse('place', 'DuplicateClientOrderId');
    expect(world.order().state).toBe('unknown');
  });

  it('tells the strategy what does not fit its market, and asks for nothing', () => {
    const world = EngineWorld.ready();
    world.want(
      buy('BTCUSDT', { amount: '0.0001', price: '98' }),
      buy('BTCUSDT', { amount: '0.001', price: '98' }),
      buy('ETHUSDT', { amount: '1', price: '98' }),
    );
    expect(world.eventsOf('reject')).toMatchObject([{ code: 'fit' }, { code: 'fit' }, { code: 'market' }]);
    expect(world.orders()).toEqual([]);
    expect(world.requestsOf('place')).toEqual([]);
  });

  it('takes no orders before the account was read', () => {
    const world = new EngineWorld();
    world.failing = { kind: 'wallets', code: 'TIMED_OUT' };
    world.advance(5_000);
    expect(world.engine.status().phase).toBe('syncing');
    world.failing = null;
    world.advance(6_000);
    world.want(WISH);
    expect(world.waitingKinds()).toEqual(['place']);
  });

  it('checks every order: a limit that is changed changes what is asked for', () => {
    const limits = createRiskLimits({ maxOrderAmount: { btc: parseUnits('0.9') } });
    const world = EngineWorld.ready({ instances: [{ limits }] });
    world.want(WISH, buy('BTCUSDT', { amount: '0.9', price: '98' }));
    expect(world.eventsOf('reject')).toMatchObject([{ code: 'risk order-size', tag: 'first' }]);
    expect(
      world.requestsOf('place').map(({ call }) => (call.kind === 'place' ? call.order.amount : null)),
    ).toEqual([parseUnits('0.9')]);
  });
});

const placements = (world: EngineWorld) =>
  world.requestsOf('place').flatMap(({ call }) => (call.kind === 'place' ? [call.order] : []));

describe('an identical order', () => {
  it('is held back until the exchange has forgotten the first', () => {
    const { world } = EngineWorld.ready().open(WISH);
    const acceptedAtMs = world.nowMs;
    world.want(WISH);
    expect(world.waitingKinds()).toEqual([]);
    world.advance(10_400 - (world.nowMs - acceptedAtMs));
    expect(world.waitingKinds()).toEqual([]);
    world.advance(100);
    expect(world.waitingKinds()).toEqual(['place']);
  });

  it('is held back whoever wants it, and one that differs is not', () => {
    const world = EngineWorld.ready().want(WISH, WISH, buy('BTCUSDT', { amount: '1', price: '98.01' }));
    expect(world.waitingKinds()).toEqual(['place', 'place']);
    expect(world.engine.ordersByState()).toEqual({ sending: 2, planned: 1 });
  });

  it('goes at once as often as it is wanted where the strategy allows it, with the check of the exchange turned off', () => {
    const world = EngineWorld.ready();
    const wish = buy('BTCUSDT', { amount: '1', price: '98', allowIdentical: true });
    world.want(wish, wish, wish, wish, wish, wish);
    const placed = placements(world);
    expect(placed.map(({ pro }) => pro)).toEqual([true, true, true, true, true, true]);
    expect(new Set(placed.map(({ clientOrderId }) => clientOrderId)).size).toBe(6);
    expect(world.eventsOf('reject')).toEqual([]);
  });

  it('of an algorithm goes at once, and turns the check of the exchange off only where it has to', () => {
    const world = EngineWorld.ready();
    world.want(twap('BTCUSDT', 'buy', { amount: '3', overMs: 36_000, slices: 3, price: '98' }));
    world.want(twap('BTCUSDT', 'buy', { amount: '3', overMs: 36_000, slices: 3, price: '98' }));
    expect(placements(world).map(({ pro }) => pro)).toEqual([undefined, true]);
  });

  it('is given up with the time after which it may be repeated', () => {
    const world = EngineWorld.ready().want(WISH, WISH, WISH);
    world.accept();
    world.advance(11_000);
    world.accept();
    const secondAcceptedAtMs = world.nowMs;
    world.advance(1_000);
    expect(world.eventsOf('reject')).toMatchObject([
      { code: 'IdenticalOrder', reason: expect.stringContaining(`it may be repeated in `) },
    ]);
    expect(JSON.stringify(world.eventsOf('reject'))).toContain(`at ${secondAcceptedAtMs + 10_500};`);
  });

  it('is given up when the fate of the first stays unknown', () => {
    const world = EngineWorld.ready().want(WISH, WISH);
    world.fail('place').advance(12_000);
    expect(world.eventsOf('reject')).toMatchObject([{ code: 'IdenticalOrder' }]);
    expect(world.requestsOf('place')).toHaveLength(1);
  });

  it('goes at once when the first was refused ten and a half seconds ago, and no sooner', () => {
    const world = EngineWorld.ready().want(WISH, WISH);
    world.refuse('place', 'OverValueOrder').advance(10_400);
    expect(world.waitingKinds()).toEqual([]);
    world.advance(200);
    expect(world.waitingKinds()).toEqual(['place']);
  });

  it('that has waited is checked again, by what is known then', () => {
    const limits = createRiskLimits({ maxBookAgeMs: 5_000 });
    const world = EngineWorld.ready({ instances: [{ limits }] }).want(WISH, WISH);
    world.accept();
    world.failing = { kind: 'book', code: 'TIMED_OUT' };
    world.advance(12_000);
    expect(world.eventsOf('reject')).toMatchObject([{ code: expect.stringMatching(/^Risk: .*book/) }]);
    expect(world.requestsOf('place')).toHaveLength(1);
  });

  it('that waits is dropped with a cancel and costs no request', () => {
    const world = EngineWorld.ready().want(WISH, WISH, cancelAll());
    world.accept();
    world.advance(2_000);
    expect(world.waitingKinds()).toEqual(['cancel']);
    world.endCanceled().advance(20_000);
    expect(world.orders().map(({ state }) => state)).toEqual(['cancelled', 'rejected']);
    expect(world.requestsOf('place')).toHaveLength(1);
  });
});

it('an order with an end is canceled when its time is over, over a restart too, and comes with its tag', () => {
  const world = EngineWorld.answering();
  world.open(buy('BTCUSDT', { amount: '1', price: '98', tag: 'dip', expireAfterMs: 60_000 }));
  expect(world.eventsOf('order')).toMatchObject([{ status: 'Active', tag: 'dip' }]);
  world.advance(30_000);
  world.restart().advance(25_000);
  expect(world.waitingKinds()).toEqual([]);
  world.advance(6_000);
  expect(world.waitingKinds()).toEqual(['cancel']);
  world.endCanceled().advance(10_000);
  expect(world.order()).toMatchObject({ state: 'cancelled' });
  expect(world.requestsOf('place')).toHaveLength(1);
});

describe('an order that is to rest', () => {
  it.each([
    ['buy', '101', 'expected a price below 101 for postOnly, was 101, which would trade at once'],
    ['sell', '98.5', 'expected a price above 99 for postOnly, was 98.5, which would trade at once'],
  ] as const)('is refused where it would trade at once: %s at %s', (side, price, reason) => {
    const world = EngineWorld.ready();
    const wish = { amount: '1', price, postOnly: true };
    world.want(side === 'buy' ? buy('BTCUSDT', wish) : sell('BTCUSDT', wish));
    expect(world.eventsOf('reject')).toMatchObject([{ code: 'fit', reason }]);
    expect(world.waitingKinds()).toEqual([]);
  });

  it('is placed a step away from it, and refused without a limit price', () => {
    const world = EngineWorld.ready().want(buy('BTCUSDT', { amount: '1', price: '100.99', postOnly: true }));
    expect(world.waitingKinds()).toEqual(['place']);
    world.want(buy('BTCUSDT', { amount: '1', postOnly: true }));
    expect(world.eventsOf('reject')).toMatchObject([{ code: 'fit' }]);
  });
});

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
