import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { brokenPromises, OwnExchange } from './own-exchange.ts';
import { steppedClock } from './stepped-clock.ts';

const HOUR_MS = 3_600_000;
/** How long a life goes on after its first new order, in ms. */
const LIFE_MS = 3_000;
/**
 * Time for the first new order of a life, in ms: an order whose reply is lost counts as under way until its
 * time-out of 20 s, so the new one may have to wait for the time-outs of the first orders.
 */
const FIRST_ORDER_MS = 120_000;

let own: OwnExchange;

beforeEach(async () => {
  own = await OwnExchange.open({ seed: 7 });
});

afterEach(async (context) => {
  await own.close(context);
});

/** Waits until there are more orders than `before`; the test fails where none comes. */
async function live(before: number): Promise<void> {
  const { exchange } = own;
  const until = Date.now() + FIRST_ORDER_MS;
  while (exchange.truth().orders.length <= before && Date.now() < until) await pause(100);
  await pause(LIFE_MS);
}

test('goes on when the clock is an hour back after a kill, and ahead again after the next', async () => {
  const { exchange } = own;
  exchange.setFaults([{ kind: 'reply-lost', endpoints: ['addOrder'], probability: 0.5 }]);
  const home = own.home({ instance: 'clock', seed: 9 });
  const orders: number[] = [];
  for (const byMs of [HOUR_MS, 0, HOUR_MS, -HOUR_MS]) {
    const bot = own.start(home, steppedClock({ byMs, at: 'start' }));
    await bot.healthAddress();
    await live(exchange.truth().orders.length);
    orders.push(exchange.truth().orders.length);
    await bot.kill();
  }
  exchange.setFaults([]);
  const last = own.start(home);
  await last.healthAddress();
  await live(exchange.truth().orders.length);
  orders.push(exchange.truth().orders.length);
  exchange.endTrading();
  const { code, out } = await last.end();
  expect(code, out).toBe(0);
  expect(brokenPromises(exchange, home)).toEqual([]);
  for (const [life, count] of orders.entries())
    expect(count, `life ${life}`).toBeGreaterThan(orders[life - 1] ?? 0);
});
