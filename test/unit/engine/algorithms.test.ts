import { describe, expect, it } from 'vitest';
import { parseUnits, formatUnits } from '../../../src/domain/money.ts';
import { createRiskLimits } from '../../../src/engine/risk-limits.ts';
import type { Intent, Quote } from '../../../src/strategy/intents.ts';
import { cancelAll, iceberg, quotes, replace, target, twap } from '../../support/intents.ts';
import { EngineWorld, WITH_COINS } from './engine-world.ts';
import { sentence } from '../../../src/language/sentence.ts';

/** Makes quotes from texts: `98 1` is a purchase of one at 98; a negative amount is a sale. */
function set(...wanted: readonly string[]): Intent {
  return quotes(
    'BTCUSDT',
    wanted.map((text): Quote => {
      const [price = '', amount = ''] = text.split(' ');
      return { side: amount.startsWith('-') ? 'sell' : 'buy', price, amount: amount.replace('-', '') };
    }),
  );
}

function acceptAll(world: EngineWorld): void {
  while (world.waitingKinds().includes('place')) world.accept();
}

function placed(world: EngineWorld): readonly string[] {
  return world.requestsOf('place').map(({ call: { order } }) => {
    return `${order.side} ${formatUnits(order.price ?? 0n)} ${formatUnits(order.amount)}`;
  });
}

describe('quotes', () => {
  it('that are right already stay untouched, and cost no request', () => {
    const world = EngineWorld.answering(WITH_COINS).want(set('98 1', '97 1', '103 -1'));
    acceptAll(world);
    const changes = () => world.made.filter(({ requestClass }) => ['place', 'cancel'].includes(requestClass));
    const before = changes().length;
    for (let count = 0; count < 10; count += 1) world.want(set('98 1', '97 1', '103 -1'));
    world.advance(20_000);
    expect(world.engine.ordersByState()).toEqual({ open: 3 });
    expect(changes()).toHaveLength(before);
  });

  it('change where they differ, and only there', () => {
    const world = EngineWorld.answering().want(set('98 1', '97 1'));
    acceptAll(world);
    const [kept, changed] = world.orders();
    world.want(set('98 1', '96 1'));
    expect(world.pending('cancel').call).toMatchObject({ clientOrderId: changed?.key });
    world.endCanceled().advance(3_000);
    acceptAll(world);
    expect(placed(world)).toEqual(['buy 98 1', 'buy 97 1', 'buy 96 1']);
    expect(world.order(kept?.key)).toEqual(kept);
  });

  it('are sized by value and by share of the equity, each at its own price, at the first and at every later set', () => {
    const world = EngineWorld.answering({ instances: [{ inventory: { btc: parseUnits('1') } }] });
    world.want(
      quotes('BTCUSDT', [
        { side: 'buy', price: 98, value: 196 },
        { side: 'sell', price: '103', amount: '1' },
      ]),
    );
    acceptAll(world);
    world.want(
      quotes('BTCUSDT', [
        { side: 'buy', price: 98, value: 196 },
        { side: 'buy', price: 97, equityShare: '0.00097' },
      ]),
    );
    acceptAll(world);
    expect(placed(world)).toEqual(['buy 98 2', 'sell 103 1', 'buy 97 1.001']);
  });

  it('are placed anew after a fill', () => {
    const world = EngineWorld.answering().want(set('98 1'));
    world.fillNext().advance(20_000);
    world.want(set('98 1')).advance(2_000);
    expect(placed(world)).toEqual(['buy 98 1', 'buy 98 1']);
  });

  it('are never doubled while the fate of one is unknown', () => {
    const world = EngineWorld.answering().want(set('98 1'));
    world.fail('place');
    for (let count = 0; count < 10; count += 1) world.want(set('98 1'));
    world.advance(60_000);
    expect(placed(world)).toEqual(['buy 98 1']);
  });

  it('end with cancelAll', () => {
    const world = EngineWorld.answering().want(set('98 1'));
    acceptAll(world);
    world.want(cancelAll());
    world.endCanceled().advance(30_000);
    expect(world.engine.status().liveOrders).toBe(0);
    expect(placed(world)).toHaveLength(1);
    expect(world.mirror.load(0).algorithms).toEqual([]);
  });
});

it('a target of a value buys what is worth it', () => {
  const world = EngineWorld.answering().want(target('BTCUSDT', { value: 500, price: 98 }));
  expect(placed(world)).toEqual([`buy 98 5.102`]);
});

describe('a replacement', () => {
  it('cancels the order and places what is left of the wanted amount once its fills are known', () => {
    const { world, key, id } = EngineWorld.answering().open();
    world.want(replace(key, { price: '97' }));
    world.venue.fill(id, '0.3');
    world.endCanceled();
    expect(placed(world)).toHaveLength(1);
    world.advance(6_000);
    world.accept();
    expect(placed(world)).toEqual(['buy 98 1', 'buy 97 0.7']);
  });

  it('of an order that was filled meanwhile places nothing', () => {
    const { world, key, id } = EngineWorld.answering().open();
    world.want(replace(key, { price: '97' }));
    world.venue.fill(id);
    world.refuse('cancel', 'NotApplied', { order: { ...world.venue.orderOf(id) } }).advance(20_000);
    expect(placed(world)).toEqual(['buy 98 1']);
    expect(world.order().state).toBe('filled');
  });

  it('of an order that is being replaced is refused', () => {
    const { world, key } = EngineWorld.answering().open();
    world.want(
      replace(key, { price: '97' }),
      replace(key, { price: '96' }),
      replace('nobody', { price: '96' }),
    );
    expect(world.eventsOf('reject')).toMatchObject([{ code: 'fit' }, { code: 'market' }]);
  });
});

it('a target is reached with what is missing, and another one ends it', () => {
  const world = EngineWorld.answering().want(target('BTCUSDT', { position: '1', price: '98' }));
  world.fillNext('0.5').advance(6_000);
  world.want(target('BTCUSDT', { position: '0.2', price: '98.5' }));
  world.endCanceled().advance(6_000);
  // The fee of the purchase was taken from the coins.
  expect(placed(world)).toEqual(['buy 98 1', 'sell 98.5 0.299']);
});

it('an order over a time is placed in slices, each once', () => {
  const world = EngineWorld.answering().want(
    twap('BTCUSDT', 'buy', { amount: '1', overMs: 60_000, slices: 4 }),
  );
  for (let slice = 0; slice < 4; slice += 1) world.fillNext().advance(15_000);
  world.advance(20_000);
  expect(placed(world)).toEqual(Array.from({ length: 4 }, () => 'buy 101 0.25'));
  expect(world.orders().map(({ state }) => state)).toEqual(['filled', 'filled', 'filled', 'filled']);
  expect([...world.mirror.intents.values()]).toMatchObject([{ status: 'done', reason: sentence('filled') }]);
});

it('an iceberg shows a part at a time', () => {
  const world = EngineWorld.answering(WITH_COINS);
  world.want(iceberg('BTCUSDT', 'sell', { amount: '2.5', visible: '1', price: '105' }));
  for (const part of ['1', '1', '0.5']) {
    expect(world.pending('place').call.order.amount).toBe(parseUnits(part));
    world.fillNext().advance(21_000);
  }
  expect(placed(world)).toHaveLength(3);
  expect(world.engine.status().liveOrders).toBe(0);
});

it('what an algorithm places is checked as any order, and its refusal is reported', () => {
  const limits = createRiskLimits({ maxOrderAmount: { btc: parseUnits('0.9') } });
  const world = EngineWorld.answering({ instances: [{ limits, inventory: { btc: parseUnits('10') } }] });
  world.want(iceberg('BTCUSDT', 'sell', { amount: '2.5', visible: '1', price: '105' }));
  expect(placed(world)).toEqual([]);
  expect(world.eventsOf('reject')[0]).toMatchObject({ code: 'risk order-size' });
});
