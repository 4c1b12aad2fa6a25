import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import Database from 'better-sqlite3';
import type { BotHome } from './bot-home.ts';
import { readLog } from './bot-process.ts';
import { numberOf } from './environment.ts';
import { mostInWindow } from './most-in-window.ts';
import { brokenPromises, OwnExchange } from './own-exchange.ts';
import { STEP_SIGNAL, steppedClock } from './stepped-clock.ts';

const SECONDS = numberOf('SARRAF_CLOCK_SECONDS', 8);
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Limits so small that the bot always wants more than they allow. */
const BOOKS = { limit: 8, windowMs: 8_000 };

let own: OwnExchange;

beforeEach(async () => {
  own = await OwnExchange.open({ seed: 7, limits: { 'v2/orderbook': BOOKS } });
});

afterEach(async (context) => {
  await own.close(context);
});

/** Counts the one-minute candles in the mirror that closed after `sinceMs` and before `nowMs`. */
function closedSince({ mirrorPath }: BotHome, sinceMs: number, nowMs = Date.now()): number {
  const mirror = new Database(mirrorPath, { readonly: true });
  try {
    const row = mirror
      .prepare<[number, number], { count: number }>(
        "SELECT count(*) AS count FROM candles WHERE timeframe = '1m' AND open_time_ms > ? AND open_time_ms <= ?",
      )
      .get(sinceMs - MINUTE_MS, nowMs - MINUTE_MS);
    return row?.count ?? 0;
  } finally {
    mirror.close();
  }
}

describe.each([
  ['ahead', HOUR_MS],
  ['back', -HOUR_MS],
])('when the wall clock is stepped an hour %s', (_name, byMs) => {
  test('goes on with books and orders, and sends not one request more', async () => {
    const { exchange } = own;
    const home = own.home({ instance: 'clock', seed: 8 });
    const bot = own.start(home, steppedClock({ byMs, at: 'signal' }));
    const address = await bot.healthAddress();
    await pause(3_000);
    bot.signal(STEP_SIGNAL);
    const stepMs = Date.now();
    const ordersBefore = exchange.truth().orders.length;
    await pause(SECONDS * 1_000);
    const requests = exchange.requests();
    const books = requests.flatMap(({ budget, timeMs }) => (budget === 'v2/orderbook' ? [timeMs] : []));
    const ordersAfter = exchange.truth().orders.length;
    const health = await fetch(`${address}/healthz`);
    exchange.endTrading();
    const { code, out } = await bot.end();

    console.log({
      ordersBefore,
      ordersAfter,
      candlesAfter: closedSince(home, stepMs),
      booksAfter: books.filter((timeMs) => timeMs > stepMs).length,
      mostBooks: mostInWindow(books, BOOKS.windowMs),
      limit: BOOKS.limit,
    });
    expect(
      readLog(out).filter(({ time }) => Math.abs(Date.parse(time) - Date.now()) > HOUR_MS / 2).length,
    ).toBeGreaterThan(0);
    expect(ordersAfter).toBeGreaterThan(ordersBefore);
    expect(books.some((timeMs) => timeMs > stepMs)).toBe(true);
    // In a short run perhaps no minute has closed.
    expect(closedSince(home, stepMs)).toBeGreaterThanOrEqual(Math.floor((SECONDS * 1_000) / MINUTE_MS) - 1);
    expect(health.status).toBe(200);
    expect(code, out).toBe(0);
    expect(brokenPromises(exchange, home)).toEqual([]);
  });
});

test.each([
  ['slept for two hours', { isSleep: true }],
  ['was set right when it had begun two hours behind', { isSleep: false }],
])('a bot whose machine %s goes on at the time of the exchange', async (_name, { isSleep }) => {
  const { exchange } = own;
  const home = own.home({ instance: 'slept', seed: 9 });
  const minutes = 120;
  const bot = own.start(home, steppedClock({ byMs: minutes * MINUTE_MS, at: 'signal', isSleep }));
  await bot.healthAddress();
  await pause(3_000);
  exchange.advance(minutes);
  bot.signal(STEP_SIGNAL);
  const wokeMs = Date.now() + minutes * MINUTE_MS;
  const ordersBefore = exchange.truth().orders.length;
  const isBack = (): boolean =>
    exchange.truth().orders.length > ordersBefore &&
    closedSince(home, wokeMs - 2 * MINUTE_MS, wokeMs + HOUR_MS) > 0;
  await expect.poll(isBack, { timeout: 120_000, interval: 500 }).toBe(true);
  exchange.endTrading();
  const { code, out } = await bot.end();
  expect(code, out).toBe(0);
  expect(out).toMatch(
    isSleep ? /this machine slept for [\d.]+ (?:h|min)/ : /the bot's time was [\d.]+ (?:h|min) behind that/,
  );
  expect(brokenPromises(exchange, home)).toEqual([]);
});
