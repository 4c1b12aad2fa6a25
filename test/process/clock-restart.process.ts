import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { brokenPromises, OwnExchange } from './own-exchange.ts';
import { steppedClock } from './stepped-clock.ts';

const HOUR_MS = 3_600_000;
/** Orders of which the last life did not hear take some seconds, and only then are there new ones. */
const LIFE_MS = 5_000;

let own: OwnExchange;

beforeEach(async () => {
  own = await OwnExchange.open({ seed: 7 });
});

afterEach(async (context) => {
  await own.close(context);
});

test('goes on when the clock is an hour back after a kill, and ahead again after the next', async () => {
  const { exchange } = own;
  exchange.setFaults([{ kind: 'reply-lost', endpoints: ['addOrder'], probability: 0.5 }]);
  const home = own.home({ instance: 'clock', seed: 9 });
  const orders: number[] = [];
  for (const byMs of [HOUR_MS, 0, HOUR_MS, -HOUR_MS]) {
    const bot = own.start(home, steppedClock({ byMs, at: 'start' }));
    await bot.healthAddress();
    await pause(LIFE_MS);
    orders.push(exchange.truth().orders.length);
    await bot.kill();
  }
  exchange.setFaults([]);
  const last = own.start(home);
  await last.healthAddress();
  await pause(LIFE_MS);
  orders.push(exchange.truth().orders.length);
  exchange.endTrading();
  const { code, out } = await last.end();
  console.log({ orders });
  expect(code, out).toBe(0);
  expect(brokenPromises(exchange, home)).toEqual([]);
  for (const [life, count] of orders.entries())
    expect(count, `life ${life}`).toBeGreaterThan(orders[life - 1] ?? 0);
});
