import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkAgreement } from '../../src/fuzz/checkers/agreement-checker.ts';
import { type ExchangeTruth, readMirrorRows } from '../../src/fuzz/checkers/exchange-truth.ts';
import { checkOrders } from '../../src/fuzz/checkers/order-checker.ts';
import type { BotHome } from './bot-home.ts';
import { numberOf } from './environment.ts';
import { mostInWindow } from './most-in-window.ts';
import { brokenPromises, OwnExchange } from './own-exchange.ts';

const SECONDS = numberOf('SARRAF_SHARED_SECONDS', 8);

/** Limits so small that two bots want more than they allow. */
const LIMITS = {
  'v2/orderbook': { limit: 20, windowMs: 5_000 },
  'trades/list': { limit: 10, windowMs: 5_000 },
  'orders/add': { limit: 6, windowMs: 5_000 },
};

let own: OwnExchange;

beforeEach(async () => {
  own = await OwnExchange.open({ seed: 3, limits: LIMITS });
});

afterEach(async (context) => {
  await own.close(context);
});

/** Orders and fills at the exchange of one of the instances that share the account. */
function truthOfInstance({ orders, fills }: ExchangeTruth, { instance }: BotHome): ExchangeTruth {
  const ours = orders.filter(({ clientOrderId }) => clientOrderId?.startsWith(`${instance}-`));
  const ids = new Set(ours.flatMap(({ id, pairId }) => (pairId === null ? [id] : [id, pairId])));
  return {
    orders: orders.filter(({ id }) => ids.has(id)),
    fills: fills.filter(({ orderId }) => ids.has(orderId)),
    balances: new Map(),
  };
}

/** Counts the orders that each of the two bots has placed. */
function ordersOf(exchange: OwnExchange['exchange']): readonly number[] {
  const owners = exchange.truth().orders.map(({ clientOrderId }) => clientOrderId?.split('-')[0]);
  return ['one', 'two'].map((instance) => owners.filter((owner) => owner === instance).length);
}

test('two bots share the limits of one token and both trade, and a third by the name of one is refused', async () => {
  const { exchange } = own;
  const homes = [own.home({ instance: 'one', seed: 10 }), own.home({ instance: 'two', seed: 20 })] as const;
  const [one, two] = [own.start(homes[0]), own.start(homes[1])];
  await Promise.all([one.healthAddress(), two.healthAddress()]);

  const conflicting = own.start(own.home({ instance: 'one', seed: 30, name: 'namesake' }));
  const third = await conflicting.finished;
  expect(third.error).toMatch(
    /expected account \w+ under the instance name "one" for this run alone; pid \d+ on .* has it/,
  );
  expect(third.error).toContain(`pid ${one.id} `);
  expect(third.code).toBe(1);

  await pause(SECONDS * 1_000);
  // Threads of strategies may start slowly on a busy machine.
  while (Math.min(...ordersOf(exchange)) <= 3 && one.isRunning && two.isRunning) await pause(200);
  const firstEnd = await one.end();
  // The second bot goes on for a while, so the first is compared only by its own orders.
  const rows = readMirrorRows(homes[0].mirrorPath);
  const truth = truthOfInstance(exchange.truth(), homes[0]);
  const known = { ...rows, fills: rows.fills.filter(({ orderKey }) => orderKey !== null) };
  exchange.endTrading();
  const lastEnd = await two.end();

  expect([firstEnd, lastEnd].map(({ code }) => code)).toEqual([0, 0]);
  expect(checkOrders(truth, known, undefined, exchange.tolerances)).toEqual([]);
  expect(checkAgreement(truth, known, { instance: 'one' })).toEqual([]);
  // With so few requests the last comparison of wallets may come too late; the next start makes it.
  const broken = brokenPromises(exchange, homes[1]).filter(({ check }) => check !== 'balances agree');
  expect(broken).toEqual([]);
  const most = Object.entries(LIMITS).map(([budget, { limit, windowMs }]) => {
    const times = exchange
      .requests()
      .flatMap((request) => (request.budget === budget ? [request.timeMs] : []));
    return { budget, limit, most: mostInWindow(times, windowMs) };
  });
  const counts = ordersOf(exchange);
  console.log({ most, counts });
  expect(Math.min(...counts)).toBeGreaterThan(3);
  // Limits that were never nearly reached would prove nothing.
  expect(most.some(({ limit, most }) => most === limit)).toBe(true);
});
