import { describe, expect, it } from 'vitest';
import { parseUnits } from '../../../src/domain/money.ts';
import { createRiskLimits } from '../../../src/engine/risk-limits.ts';
import { defineStrategy, type StrategyDefinition } from '../../../src/strategy/definition.ts';
import type { Intent } from '../../../src/strategy/intents.ts';
import { buy, iceberg, oco, protect, quotes, replace, sell, twap } from '../../support/intents.ts';
import { issue } from '../../support/issue.ts';
import { EngineWorld, WISH, type WorldOptions } from './engine-world.ts';

/** The account has 100,000 USDT and 10 BTC; the best prices are 99 and 101. */
const LIMITS = createRiskLimits({ collarBps: null, maxBookAgeMs: null });
const HALF = { amount: '500', price: '100' } as const;

/** Places the intents of its list with the next book, and records what it sees and why it was refused. */
class Wisher {
  readonly chosen: Intent[] = [];
  readonly refusals: string[] = [];
  free = { base: '', quote: '' };
  readonly definition: StrategyDefinition;
  private readonly step: () => void;

  constructor(name: string, step: () => void) {
    this.step = step;
    this.definition = defineStrategy({
      name,
      data: ({ market }) => ({ book: market.book() }),
      on: {
        book: (ctx) => {
          this.free = { base: ctx.exact.freeBase, quote: ctx.exact.freeQuote };
          issue(ctx, this.chosen.splice(0));
        },
        reject: (_, { code, reason }) => void this.refusals.push(`${code}: ${reason}`),
      },
    });
  }

  asks(...intents: Intent[]): void {
    this.chosen.push(...intents);
    this.step();
  }
}

function open(instances: WorldOptions['instances'] = [{}, {}]) {
  const step = () => void world.advance(3_000);
  const [one, two] = [new Wisher('one', step), new Wisher('two', step)];
  const world: EngineWorld = EngineWorld.ready(
    {
      strategies: [one.definition, two.definition],
      instances: instances.map((settings) => ({ limits: LIMITS, ...settings })),
    },
    30_000,
  );
  world.answers.add('order');
  return { world, one, two };
}

describe('money that one strategy has asked to spend', () => {
  it('is not there for another in the same moment, which says who has it', () => {
    const { world, one, two } = open();
    one.chosen.push(buy('BTCUSDT', HALF));
    two.asks(buy('BTCUSDT', { amount: '500.001', price: '100' }));
    expect(world.waitingKinds().filter((kind) => kind === 'place')).toHaveLength(1);
    expect(two.refusals).toEqual([
      'funds: expected at most 50000 USDT to be spent, was 50000.1: the account has 100000, one has reserved 50000',
    ]);
    expect(two.free).toEqual({ base: '0', quote: '50000' });
    two.asks(buy('BTCUSDT', { ...HALF, price: '99.99' }));
    expect(world.requestsOf('place')).toHaveLength(2);
  });

  it('counts once, whether or not a reading shows what the exchange holds for it', () => {
    const { world, one, two } = open();
    one.asks(buy('BTCUSDT', HALF));
    const { id } = world.accept();
    world.advance(30_000);
    expect(two.free.quote).toBe('50000');
    world.venue.held.set('usdt', parseUnits('50000'));
    world.advance(30_000);
    expect(two.free.quote).toBe('50000');
    world.venue.fill(id, '200', '90');
    world.venue.held.set('usdt', parseUnits('30000'));
    world.advance(30_000);
    expect(two.free).toEqual({ base: '0', quote: '52000' });
    expect(one.free.base).toBe('199.6');
    world.venue.end(id);
    world.venue.held.clear();
    world.advance(60_000);
    expect(two.free.quote).toBe('82000');
  });

  it('stays reserved while nobody knows whether the order arrived, and over a restart', () => {
    const { world, one, two } = open();
    one.asks(buy('BTCUSDT', HALF));
    world.fail('place').advance(3_000);
    expect(world.order().state).toBe('unknown');
    expect(two.free.quote).toBe('50000');
    world.restart().advance(10_000);
    expect(two.free.quote).toBe('50000');
  });

  it('comes back when the exchange refuses the order', () => {
    const { world, one, two } = open();
    one.asks(buy('BTCUSDT', HALF));
    world.refuse('place', 'BadPrice').advance(3_000);
    expect(two.free.quote).toBe('100000');
  });

  it('is what a market order pays one percent beyond its price', () => {
    const { one, two } = open();
    one.asks(buy('BTCUSDT', { amount: '100' }));
    expect(two.free.quote).toBe('89799');
  });

  it('is of a pair what the dearer leg costs', () => {
    const { one, two } = open();
    one.asks(oco('BTCUSDT', 'buy', { amount: '100', price: '90', stopPrice: '110', stopLimitPrice: '120' }));
    expect(two.free.quote).toBe('88000');
  });

  it('is of a TWAP and an iceberg all that they will buy', () => {
    const { one, two } = open();
    one.asks(
      twap('BTCUSDT', 'buy', { amount: '300', overMs: 600_000, slices: 3, price: '100' }),
      iceberg('BTCUSDT', 'buy', { amount: '400', visible: '10', price: '100' }),
      iceberg('BTCUSDT', 'buy', { amount: '400', visible: '10', price: '100' }),
    );
    expect(two.free.quote).toBe('30000');
    expect(one.refusals).toEqual([
      'funds: expected at most 30000 USDT to be spent, was 40000: the account has 100000, one has reserved 70000',
    ]);
  });

  it('is needed once by an order that takes the place of another', () => {
    const { world, one, two } = open();
    one.asks(buy('BTCUSDT', { amount: '900', price: '100' }));
    world.accept();
    world.advance(3_000);
    one.asks(replace(world.order().key, { price: '105' }), replace(world.order().key, { price: '112' }));
    expect(one.refusals).toHaveLength(1);
    expect(two.free.quote).toBe('5500');
    world.endCanceled().advance(3_000);
    expect(two.free.quote).toBe('5500');
    expect(world.pending('place').call.order.price).toBe(parseUnits('105'));
  });

  it('is not there when somebody else has it set aside, or has taken it', () => {
    const { world, two } = open();
    world.venue.held.set('usdt', parseUnits('40000'));
    world.advance(30_000);
    expect(two.free.quote).toBe('60000');
    world.venue.held.clear();
    world.deposit('usdt', '-40000').advance(12_000);
    expect(two.free.quote).toBe('60000');
    world.advance(200_000);
    expect(two.free.quote).toBe('60000');
    world.deposit('usdt', '5000').advance(200_000);
    expect(two.free.quote).toBe('65000');
    expect(world.engine.reconciler.break).toBeNull();
  });

  it('is not there when it had gone before an order that could have paid it', () => {
    const { world, one, two } = open();
    world.deposit('usdt', '-40000').advance(12_000);
    one.asks(buy('BTCUSDT', { amount: '300', price: '100' }));
    world.accept();
    world.advance(12_000);
    expect(two.free.quote).toBe('30000');
  });
});

it('a strategy with capital spends no more than that, however much the account has', () => {
  const { world, one, two } = open([{ capital: { usdt: parseUnits('1000') } }, {}]);
  world.advance(3_000);
  expect([one.free.quote, two.free.quote]).toEqual(['1000', '100000']);
  one.asks(buy('BTCUSDT', { amount: '6', price: '100' }), buy('BTCUSDT', { amount: '4.01', price: '100' }));
  expect(one.refusals).toEqual([
    'funds: expected at most 400 USDT to be spent, was 401: the account has 100000, the capital of one is 1000, one has reserved 600',
  ]);
  world.fillNext('6', '50').advance(30_000);
  expect(one.free.quote).toBe('700');
});

describe('coins', () => {
  it('are sold by the strategy that has bought them or was given them, and by no other', () => {
    const { world, one, two } = open([{}, { inventory: { btc: parseUnits('9') } }]);
    one.asks(buy('BTCUSDT', { amount: '5', price: '100' }));
    world.fillNext().advance(30_000);
    expect([one.free.base, two.free.base]).toEqual(['4.99', '9']);
    two.asks(
      sell('BTCUSDT', { amount: '9.001', price: '100' }),
      sell('BTCUSDT', { amount: '8', price: '100' }),
    );
    expect(two.refusals).toEqual([
      "funds: expected at most 9 BTC to be spent, was 9.001: the account has 14.99, two owns 9 by its purchases and its inventory, other strategies own 4.99, 0.001 are missing, and it sells no coins of the account that it was not given; this gives it more: inventory: { btc: '9.001' }",
    ]);
    world.accept();
    world.advance(30_000);
    expect([one.free.base, two.free.base]).toEqual(['4.99', '1']);
    one.asks(sell('BTCUSDT', { amount: '4.99', price: '120' }));
    expect(world.requestsOf('place')).toHaveLength(3);
  });

  it('that are gone keep an exit from its order until they are back', () => {
    const { world, one } = open();
    one.asks(buy('BTCUSDT', { amount: '5', price: '100' }));
    world.fillNext().advance(30_000);
    world.deposit('btc', '-14').advance(200_000);
    one.asks(protect('BTCUSDT', { stopLoss: { percent: 10 } }));
    expect(one.refusals).toEqual([]);
    expect(world.waitingKinds()).toEqual([]);
    expect(world.alarms()).toContainEqual(
      expect.stringMatching(/^strategies hold 4 BTC more than the account has/),
    );
    world.deposit('btc', '4').advance(200_000);
    expect(world.pending('place').call.order.amount).toBe(parseUnits('4.99'));
  });
});

it('a set of quotes places what there is money for, and each by itself', () => {
  const { world, one } = open([{ inventory: { btc: parseUnits('10') } }, {}]);
  one.chosen.push(
    quotes('BTCUSDT', [
      { side: 'buy', price: '98', amount: '600' },
      { side: 'buy', price: '97', amount: '600' },
      { side: 'sell', price: '103', amount: '10' },
    ]),
  );
  world.advance(1_500);
  expect(world.requestsOf('place')).toHaveLength(2);
  expect(one.refusals.join()).toContain('was 58200: the account has 100000, one has reserved 58800');
});

it('an order is held against what all strategies together have, not against its own alone', () => {
  const limits = createRiskLimits({ maxMarketExposure: { rls: null, usdt: parseUnits('150') } });
  const { world, one, two } = open([{ limits: createRiskLimits() }, { limits }]);
  one.asks(WISH);
  world.fillNext().advance(15_000);
  expect(world.order()).toMatchObject({ strategy: 'one', state: 'filled' });
  two.asks(buy('BTCUSDT', { amount: '0.6', price: '98' }));
  expect(two.refusals.join()).toContain('exposure');
  expect(world.waitingKinds()).not.toContain('place');
  two.asks(buy('BTCUSDT', { amount: '0.4', price: '98' }));
  expect(world.pending('place').call.order.amount).toBe(parseUnits('0.4'));
});
