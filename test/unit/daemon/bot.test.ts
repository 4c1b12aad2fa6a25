import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { formatUnits } from '../../../src/domain/money.ts';
import { Bot } from '../../../src/daemon/bot.ts';
import type { HandlerResult, StrategyContext, StrategyDefinition } from '../../../src/strategy/definition.ts';
import { StrategyRunner } from '../../../src/strategy/runner.ts';
import { book, buy, candles, cancel, sell, sma, type Intent } from '../../../src/strategy/sdk.ts';
import { createBotWorld, type BotWorld } from './bot-world.ts';

const MARKET = 'BTCUSDT';
type Context = StrategyContext<unknown, unknown>;

let world: BotWorld;
let bot: Bot;

/** What a test's strategy does at each look at the book; it is named after its place. */
type Script = (context: Context, looks: number) => readonly Intent[];

function strategyOf(name: string, script: Script, more: Partial<StrategyDefinition> = {}): StrategyDefinition {
  let looks = 0;
  return {
    name,
    params: z.strictObject({}),
    subscribe: ({ market }) => [book(market)],
    init: () => null,
    onBook(context): HandlerResult<unknown> {
      looks += 1;
      return { intents: script(context, looks) };
    },
    ...more,
  };
}

async function startBot(...definitions: StrategyDefinition[]): Promise<void> {
  bot = new Bot({
    ...world,
    markets: new Map([[MARKET as string, world.market]]),
    runners: definitions.map((definition) => new StrategyRunner(definition, { market: MARKET, span: '1m' })),
    run: 'test',
  });
  await bot.start();
}

async function runFor(durationMs: number): Promise<void> {
  const endMs = world.clock.now() + durationMs;
  while (world.clock.now() < endMs) await bot.step();
}

const position = (place = 0): string => formatUnits(bot.seats[place]!.account.position);
const countOf = (path: string): number => world.sent.filter((sent) => sent === path).length;

beforeEach(() => {
  world = createBotWorld();
  world.other('buy', '1', '64990');
  world.other('sell', '1', '65010');
});

afterEach(() => world.close());

describe('the bot', () => {
  test('reads each of its fills once, and books it for the strategy that wanted it', async () => {
    await startBot(
      strategyOf('first', (_, looks) => (looks === 1 ? [buy(MARKET, { amount: '0.01', price: '65000' })] : [])),
      strategyOf('second', () => []),
    );
    await runFor(5_000);
    world.other('sell', '0.004', '65000');
    await runFor(10_000);
    world.other('sell', '0.02', '65000');
    await runFor(30_000);
    expect(world.told.fills.map(({ amount, price }) => [amount, price])).toEqual([
      ['0.004', '65000'],
      ['0.006', '65000'],
    ]);
    expect([position(0), position(1)]).toEqual(['0.00999', '0']);
    expect(world.mirror.orders.all()).toMatchObject([{ stage: 'ended', status: 'Done', matched: '0.01' }]);
    expect(world.mirror.orders.trades().map(({ fee }) => fee)).toEqual(['0.000004', '0.000006']);
    expect(bot.orders.unfinished()).toEqual([]);
  });

  test('tells a strategy of its own orders and fills, and of nobody else’s', async () => {
    const seen: string[] = [];
    const listening = (name: string): Partial<StrategyDefinition> => ({
      onFill: (_, { side, amount }) => {
        seen.push(`${name} ${side} ${amount}`);
        return {};
      },
      onOrder: (_, { status }) => {
        seen.push(`${name} ${status}`);
        return {};
      },
    });
    await startBot(
      strategyOf('first', (_, looks) => (looks === 1 ? [buy(MARKET, { amount: '0.01' })] : []), listening('first')),
      strategyOf('second', () => [], listening('second')),
    );
    await runFor(15_000);
    expect(seen.toSorted()).toEqual(['first Done', 'first buy 0.01']);
  });

  test('books both sides when its strategies trade with each other', async () => {
    await startBot(
      strategyOf('first', (_, looks) => (looks === 1 ? [buy(MARKET, { amount: '0.01', price: '65005' })] : [])),
      strategyOf('second', (_, looks) => (looks === 3 ? [sell(MARKET, { amount: '0.01' })] : [])),
    );
    await runFor(30_000);
    expect([position(0), position(1)]).toEqual(['0.00999', '-0.01']);
    expect(world.mirror.orders.trades()).toHaveLength(2);
    expect(bot.orders.unfinished()).toEqual([]);
  });

  test('finds an order whose reply was lost, and every fill of it', async () => {
    world.losesReply = ({ path }) => path === '/market/orders/add';
    await startBot(strategyOf('first', (_, looks) => (looks === 1 ? [buy(MARKET, { amount: '0.01' })] : [])));
    await runFor(60_000);
    expect(countOf('/market/orders/add')).toBe(1);
    expect(world.botOrders()).toMatchObject([{ status: 'Done' }]);
    expect([position(), world.told.fills.length]).toEqual(['0.009987', 1]);
    expect(bot.orders.unfinished()).toEqual([]);
  });

  test('finds the fills of an order whose reply was lost although they were listed before it', async () => {
    world.losesReply = ({ path }) => path === '/market/orders/add' || path.startsWith('/market/orders/list');
    await startBot(strategyOf('first', (_, looks) => (looks === 1 ? [buy(MARKET, { amount: '0.01' })] : [])));
    await runFor(20_000);
    expect([world.botOrders()[0]!.status, world.told.fills]).toEqual(['Done', []]);
    world.losesReply = () => false;
    await runFor(20_000);
    expect([position(), world.told.fills.length]).toEqual(['0.009987', 1]);
    expect(bot.orders.unfinished()).toEqual([]);
  });

  test('stops a strategy that throws, says so, and lets the others go on', async () => {
    await startBot(
      strategyOf('first', () => {
        throw new Error('no idea');
      }),
      strategyOf('second', (_, looks) => (looks === 2 ? [buy(MARKET, { amount: '0.01' })] : [])),
    );
    await runFor(20_000);
    expect(world.told.notices).toEqual(['first is stopped: onBook: no idea']);
    expect(world.told.fills).toHaveLength(1);
  });

  test('goes on after a poll without an answer', async () => {
    await startBot(strategyOf('first', (_, looks) => (looks === 3 ? [buy(MARKET, { amount: '0.01' })] : [])));
    let losses = 2;
    world.losesReply = ({ path }) => path.startsWith('/v2/orderbook') && (losses -= 1) >= 0;
    await runFor(20_000);
    expect(world.told.notices).toHaveLength(2);
    expect(world.told.fills).toHaveLength(1);
  });

  test('hands closed candles on in order, each once, after those that its indicators begin with', async () => {
    const closes: [string, unknown][] = [];
    for (const price of ['65000', '65010', '65020']) {
      world.other('sell', '0.001', '65000.01');
      world.other('buy', '0.001', price === '65000' ? '65000.01' : price);
      await world.clock.sleepUntil(world.clock.now() + 60_000);
    }
    await startBot({
      ...strategyOf('first', () => []),
      subscribe: ({ market }) => [candles(market, '1m')],
      indicators: () => ({ average: sma(2) }),
      onCandle({ indicators }, { close }) {
        closes.push([close, indicators['average']]);
        return {};
      },
    });
    world.other('sell', '0.001', '65000.05');
    world.other('buy', '0.001', '65000.05');
    await runFor(150_000);
    expect(closes).toEqual([['65000.05', 65_000.03]]);
  });

  test('cancels what it has open when it stops, and only that', async () => {
    const foreign = world.other('buy', '0.5', '60000');
    await startBot(
      strategyOf('first', (_, looks) =>
        looks === 1
          ? [buy(MARKET, { amount: '0.01', price: '64000' }), sell(MARKET, { amount: '0.01', price: '66000' })]
          : [],
      ),
    );
    await runFor(5_000);
    expect(await bot.stop()).toBe(0);
    expect(world.botOrders().map(({ status }) => status)).toEqual(['Canceled', 'Canceled']);
    expect(foreign.status).toBe('Active');
    const wallets = world.exchange.accounts.walletsOf(1);
    expect(world.mirror.market.balances()).toEqual(
      wallets
        .map(({ currency, total, held }) => ({ currency, total: formatUnits(total), held: formatUnits(held) }))
        .toSorted((left, right) => left.currency.localeCompare(right.currency)),
    );
    expect(wallets.every(({ held }) => held === 0n)).toBe(true);
  });

  test('takes no intents any more while it stops', async () => {
    await startBot(
      strategyOf('first', (_, looks) => (looks === 1 ? [buy(MARKET, { amount: '0.01', price: '64000' })] : []), {
        onOrder: (_, { status }) => (status === 'Canceled' ? { intents: [buy(MARKET, { amount: '0.02' })] } : {}),
      }),
    );
    await runFor(5_000);
    await bot.stop();
    expect(countOf('/market/orders/add')).toBe(1);
  });

  test('shows a strategy its open orders, which it can cancel', async () => {
    await startBot(
      strategyOf('first', ({ orders }, looks) => {
        if (looks === 1) return [buy(MARKET, { amount: '0.01', price: '64000' })];
        return orders.map(({ clientOrderId }) => cancel(clientOrderId));
      }),
    );
    await runFor(10_000);
    expect(world.botOrders().map(({ status }) => status)).toEqual(['Canceled']);
    expect(countOf('/market/orders/update-status')).toBe(1);
  });

  test('never asks more often than the limits let it, however long it runs', async () => {
    await startBot(
      strategyOf('first', (_, looks) => [buy(MARKET, { amount: '0.001', price: String(64_000 + (looks % 50)) })]),
    );
    await runFor(20 * 60_000);
    for (const { most, budget } of world.gate.usage()) expect(most).toBeLessThanOrEqual(budget.limit);
    expect(world.told.notices.filter((notice) => notice.includes('over a rate limit'))).toEqual([]);
  });
});
