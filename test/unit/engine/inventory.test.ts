import { describe, expect, it } from 'vitest';
import { formatUnits, parseUnits } from '../../../src/domain/money.ts';
import { createMarket } from '../../../src/domain/market.ts';
import { createRiskLimits } from '../../../src/engine/risk-limits.ts';
import type { StrategyInstanceSettings } from '../../../src/engine/engine-settings.ts';
import { parseMarket } from '../../../src/exchange/market-names.ts';
import { profitOf } from '../../../src/portfolio/profit.ts';
import { defineStrategy } from '../../../src/strategy/definition.ts';
import { StrategyRunner } from '../../../src/strategy/runner.ts';
import { buy, oco, protect, sell, target } from '../../support/intents.ts';
import { EngineWorld, FEEDS, type WorldOptions } from './engine-world.ts';
import { english, inEnglish } from '../../../src/language/sentence.ts';
import { runnerOn } from '../../support/runner-on.ts';

/** The account has 100,000 USDT and 10 BTC; best prices are 99 and 101; purchases pay 0.2 % in coins. */
const LIMITS = createRiskLimits({ collarBps: null, maxBookAgeMs: null });

const given = (btc: string): WorldOptions => ({
  instances: [{ limits: LIMITS, inventory: { btc: parseUnits(btc) } }],
});

const NOTHING: WorldOptions = { instances: [{ limits: LIMITS }] };

const open = (options: WorldOptions): EngineWorld => EngineWorld.answering(options, 30_000);

const refusals = (world: EngineWorld): readonly unknown[] => world.eventsOf('reject');

const totalOf = (world: EngineWorld): string | null => {
  const { ledger } = world.engine.instances[0]!;
  const { total } = profitOf(ledger, (market) => world.engine.markets.priceOf(market));
  return total === null ? null : formatUnits(total);
};

const another = (inventory = {}): WorldOptions => ({
  instances: [{ limits: LIMITS, inventory }],
  strategies: [
    defineStrategy({
      name: 'two',
      data: ({ market }) => ({ book: market.book() }),
      on: { book: () => undefined },
    }),
  ],
});
const leftRow = (world: EngineWorld) => {
  world.mirror.flush();
  return world.mirror.copy().strategies.find(({ name }) => name === 'one');
};

describe('coins of a strategy that left the configuration', () => {
  it('are named at each start and in its row, with the line to write', () => {
    const world = open(NOTHING).want(buy('BTCUSDT', { amount: '5', price: '100' }));
    world.fillNext().advance(30_000);
    const reason =
      "it is not in the configuration any more, and its books have 4.99 BTC, which no strategy sells: put it back, or write under another one: inventory: { btc: '4.99' }";
    for (let start = 1; start <= 2; start += 1) {
      world.restart({ options: another() }).advance(10_000);
      expect(world.messages('warning').filter((text) => text === `one: ${reason}`)).toHaveLength(start);
      expect(inEnglish(leftRow(world))).toMatchObject({ status: 'stopped', reason });
    }
    world.restart({ options: another({ btc: parseUnits('4.99') }) }).advance(10_000);
    expect(english(leftRow(world)?.reason ?? null)).toBe('it is not in the configuration any more');
    world.restart({ options: NOTHING }).advance(10_000);
    expect(world.held).toBe('4.99');
    expect(leftRow(world)).toMatchObject({ status: 'running', reason: null });
  });
});

describe('a strategy that was given no coins', () => {
  it('sells none of the account, and is told what is missing and the line to write', () => {
    const world = open(NOTHING).want(sell('BTCUSDT', { amount: '1', price: '100' }));
    expect(world.requestsOf('place')).toEqual([]);
    expect(refusals(world)).toMatchObject([
      {
        code: 'funds',
        reason:
          "expected at most 0 BTC to be spent, was 1: the account has 10, one owns 0 by its purchases and its inventory, 1 are missing, and it sells no coins of the account that it was not given; this gives it more: inventory: { btc: '1' }",
      },
    ]);
  });

  it('sells what it has bought, less the fee, once', () => {
    const world = open(NOTHING).want(buy('BTCUSDT', { amount: '5', price: '100' }));
    world.fillNext().advance(30_000);
    expect(world.held).toBe('4.99');
    world.want(
      sell('BTCUSDT', { amount: '5', price: '100' }),
      sell('BTCUSDT', { amount: '4', price: '100' }),
      sell('BTCUSDT', { amount: '1', price: '100' }),
    );
    expect(world.requestsOf('place')).toHaveLength(2);
    expect(refusals(world)).toHaveLength(2);
  });

  it('sells no more than it has by exits and sales together', () => {
    const world = open(NOTHING).want(buy('BTCUSDT', { amount: '5', price: '100' }));
    world.fillNext().advance(30_000);
    world.open(sell('BTCUSDT', { amount: '4', price: '120' }));
    world.want(protect('BTCUSDT', { stopLoss: { percent: 10 } })).advance(3_000);
    expect(world.waitingKinds()).not.toContain('place');
    expect(refusals(world)).toMatchObject([{ code: 'funds' }]);
  });

  it('does not go below zero by a target, a pair, or a sale of the rest of an order', () => {
    const world = open(NOTHING);
    world.want(
      target('BTCUSDT', { position: '-1' }),
      oco('BTCUSDT', 'sell', { amount: '1', price: '120', stopPrice: '90', stopLimitPrice: '89' }),
    );
    world.advance(10_000);
    expect(world.made.filter(({ call }) => call.kind === 'place' || call.kind === 'place-oco')).toEqual([]);
  });
});

describe('a strategy with inventory', () => {
  it('has it as its position before it starts, and sells it', () => {
    const world = open(given('2'));
    expect(world.held).toBe('2');
    world.want(
      sell('BTCUSDT', { amount: '1.5', price: '100' }),
      sell('BTCUSDT', { amount: '0.6', price: '100' }),
      sell('BTCUSDT', { amount: '2.1', price: '100' }),
    );
    expect(world.requestsOf('place')).toHaveLength(1);
    expect(refusals(world)).toMatchObject([
      {
        reason: expect.stringContaining(
          'one owns 2 by its purchases and its inventory, one has reserved 1.5',
        ),
      },
      { reason: expect.stringContaining("inventory: { btc: '2.1' }") },
    ]);
    world.fillNext().advance(30_000);
    expect(world.held).toBe('0.5');
  });

  it('has gained and lost nothing by it as it comes, and what its price does after that', () => {
    const world = open(given('2'));
    expect(totalOf(world)).toBe('0');
    world.quote('119', '121').advance(10_000);
    expect(totalOf(world)).toBe('40');
  });

  it('keeps it over a restart: it is not given twice', () => {
    const world = open(given('2')).want(sell('BTCUSDT', { amount: '1.5', price: '100' }));
    world.fillNext().advance(30_000);
    world.restart({ losing: true }).advance(30_000);
    expect(world.held).toBe('0.5');
    world.restart({ options: given('3') }).advance(30_000);
    expect(world.held).toBe('1.5');
    expect(world.messages('info')).toContain('one was given 1 BTC of the account to sell');
  });

  it('gives back what its configuration gives it no more, as far as it is there', () => {
    const world = open(given('2')).want(sell('BTCUSDT', { amount: '1.5', price: '100' }));
    world.fillNext().advance(30_000);
    const before = totalOf(world);
    world.restart({ options: NOTHING }).advance(30_000);
    expect(world.held).toBe('0');
    expect(totalOf(world)).toBe(before);
    expect(world.messages('warning').join()).toContain('gave back 0.5 of the 2 BTC');
    world.want(buy('BTCUSDT', { amount: '1', price: '100' }));
    world.fillNext().advance(30_000);
    world.restart({ options: NOTHING }).advance(30_000);
    expect(world.held).toBe('0');
  });

  it('does not start where the account has less than that beside what strategies own', () => {
    const world = new EngineWorld({
      instances: [{ limits: LIMITS, inventory: { btc: parseUnits('10.5') } }],
    });
    expect(() => world.advance(30_000)).toThrow(
      'expected at most 10 BTC for the inventory of one, was 10.5: the account has 10, of which strategies own 0. Lower inventory.btc, or put 0.5 BTC into the spot wallet',
    );
    expect(world.requestsOf('place')).toEqual([]);
  });

  it('has what an earlier version sold of the account settled by it', () => {
    const world = open(given('2')).want(sell('BTCUSDT', { amount: '1.5', price: '100' }));
    world.fillNext().advance(30_000);
    world.restartWithout('-1.5', NOTHING).advance(30_000);
    expect(world.held).toBe('-1.5');
    expect(world.messages('warning').join()).toContain(
      "one has sold 1.5 BTC more than it had bought, which an earlier version of sarraf let it take from the account. It sells no BTC until that is settled. If those coins were meant for it, write under its name in strategies: inventory: { btc: '1.5' }",
    );
    world.want(sell('BTCUSDT', { amount: '0.1', price: '100' }));
    expect(refusals(world).at(-1)).toMatchObject({ code: 'funds' });
    world.restart({ options: given('1.5') }).advance(30_000);
    expect(world.held).toBe('0');
    expect(world.engine.instances[0]!.ledger.state.holdings.get('btc')!.cost).toMatchObject({ usdt: 0n });
  });
});

const sellsTether = (amounts: readonly number[]): StrategyRunner =>
  runnerOn(
    defineStrategy({
      name: 'bridge',
      data: ({ market }) => ({ book: market.book() }),
      on: { start: (ctx) => amounts.forEach((amount) => ctx.sell({ amount, price: 100 })) },
    }),
    'USDTIRT',
    '1m',
  );

describe('a coin that is also a quote currency', () => {
  const BRIDGE = createMarket({
    market: parseMarket('USDTIRT'),
    priceStep: '1',
    amountStep: '0.01',
    minOrderValue: '5',
  });

  const openBridge = (settings: Partial<StrategyInstanceSettings>): EngineWorld => {
    const world = new EngineWorld({
      instances: [{ limits: LIMITS, ...settings }],
      settings: { markets: [BRIDGE] },
      feeds: FEEDS.map((feed) => (feed.kind === 'book' ? { ...feed, market: 'USDTIRT' } : feed)),
    });
    world.advance(10_000);
    return world;
  };

  it('is named capital in the line to write', () => {
    const world = openBridge({ runner: sellsTether([10]) });
    expect(world.requestsOf('place')).toEqual([]);
    expect(world.messages('info').join()).toContain("capital: { usdt: '10' }");
  });

  it('is sold as far as capital gives it', () => {
    const world = openBridge({ runner: sellsTether([8, 11]), capital: { usdt: parseUnits('10') } });
    expect(world.requestsOf('place')).toHaveLength(1);
    expect(world.messages('info').join()).toContain("capital: { usdt: '11' }");
  });
});
