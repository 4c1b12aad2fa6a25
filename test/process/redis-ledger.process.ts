import { setTimeout as pause } from 'node:timers/promises';
import { startSarraf } from '../support/sarraf-process.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ledgerPlace } from '../../src/budget/ledger-file.ts';
import { readLedgerAt } from '../../src/budget/ledger-snapshot.ts';
import { thisMachine } from '../../src/budget/process-owner.ts';
import { renewLedgerAt } from '../../src/cli/commands/ledger.ts';
import { numberOf } from './environment.ts';
import { mostInWindow } from './most-in-window.ts';
import { OwnExchange } from './own-exchange.ts';
import { RedisServer } from './redis-server.ts';
import { manyOrdersHome, openOrdersAt, untilOpenAt } from './resting-bot.ts';

/** How long both bots use the limits before Redis is killed, in seconds. */
const SECONDS = numberOf('SARRAF_SHARED_SECONDS', 15);
/** Seconds of waiting once Redis is back and empty; nothing may be sent for 2.5 minutes and a window. */
const SILENT_SECONDS = numberOf('SARRAF_SILENT_SECONDS', 8);

const WINDOW_MS = 5_000;
const CANCELS = 'orders/update-status';
/** Limits so small that two bots want more than they allow. */
const LIMITS = {
  'v2/orderbook': { limit: 10, windowMs: WINDOW_MS },
  'trades/list': { limit: 10, windowMs: WINDOW_MS },
  'orders/add': { limit: 6, windowMs: WINDOW_MS },
  [CANCELS]: { limit: 90, windowMs: WINDOW_MS },
};
/** Arrivals up to this long after Redis was lost were sent before: all run on one machine. In ms. */
const ARRIVES_WITHIN_MS = 2_000;

let own: OwnExchange;
let redis: RedisServer;

beforeEach(async () => {
  own = await OwnExchange.open({ seed: 3, limits: LIMITS });
  redis = await RedisServer.start({ folder: own.folder });
});

afterEach(async (context) => {
  await own.endBots();
  await redis.kill();
  await own.close(context);
});

const timesOf = (budget: string): readonly number[] =>
  own.exchange.requests().flatMap((request) => (request.budget === budget ? [request.timeMs] : []));

/** For each budget, the most requests in any window, and in any from a multiple of its length on. */
function mostOf() {
  return Object.entries(LIMITS).map(([budget, { limit, windowMs }]) => {
    const times = timesOf(budget);
    const fixed = Map.groupBy(times, (timeMs) => Math.floor(timeMs / windowMs));
    const mostFixed = Math.max(0, ...[...fixed.values()].map(({ length }) => length));
    return { budget, limit, most: mostInWindow(times, windowMs), mostFixed };
  });
}

test('a halt cancels every order while Redis is gone, within the limit', async () => {
  const { exchange } = own;
  const place = ledgerPlace(exchange.baseUrl, { ledger: redis.url, ledgerFolder: null });
  expect(await renewLedgerAt(place, thisMachine())).toMatchObject({ kind: 'made' });
  const home = manyOrdersHome(own, { orders: 20, ledger: redis.url });
  const bot = own.start(home);
  await bot.healthAddress();
  await untilOpenAt(own, 20);
  await redis.kill();
  const halt = await startSarraf(['halt', '--data', home.dataFolder, '--reason', 'a test']).finished;
  expect(halt.code, halt.error + halt.out).toBe(0);
  expect(openOrdersAt(own)).toBe(0);
  expect(exchange.budgetViolations()).toEqual([]);
  expect(bot.isRunning).toBe(true);
});

test('two bots share the limits through Redis, use them, and send nothing but cancels while Redis is gone or has forgotten', async () => {
  const { exchange } = own;
  const place = ledgerPlace(exchange.baseUrl, { ledger: redis.url, ledgerFolder: null });
  expect(await renewLedgerAt(place, thisMachine())).toMatchObject({ kind: 'made' });
  const bots = ['one', 'two'].map((instance, index) =>
    own.start(own.home({ instance, seed: 10 * (index + 1), ledger: redis.url })),
  );
  await Promise.all(bots.map(async (bot) => bot.healthAddress()));

  const fromMs = Date.now();
  await pause(SECONDS * 1_000);
  const toMs = Date.now();
  const rows = await readLedgerAt(place);
  expect(rows.find(({ budget }) => budget === 'v2/orderbook')).toMatchObject({ limit: 10 });
  expect(own.exchange.budgetViolations()).toEqual([]);
  const before = mostOf();
  const busiest = Math.max(
    ...Object.entries(LIMITS).map(([budget, { limit, windowMs }]) => {
      const sent = timesOf(budget).filter((timeMs) => timeMs >= fromMs && timeMs <= toMs).length;
      return sent / ((limit * (toMs - fromMs)) / windowMs);
    }),
  );

  await redis.kill();
  const goneMs = Date.now();
  await pause(3_000);
  await redis.begin();
  const backMs = Date.now();
  await pause(SILENT_SECONDS * 1_000);
  // A few cancels may leave by the leases of the bots.
  const all = own.exchange.requests().flatMap(({ timeMs, budget }) => (budget === CANCELS ? [] : [timeMs]));
  const silentMs = 155_000;
  const sentSilently = all.filter(
    (timeMs) => timeMs > goneMs + ARRIVES_WITHIN_MS && timeMs < backMs + silentMs - WINDOW_MS,
  );
  const sentAgain = all.filter((timeMs) => timeMs >= backMs + silentMs - WINDOW_MS).length;
  console.log({ before, after: mostOf(), busiest: busiest.toFixed(3), sentAgain });

  expect(bots.map(({ isRunning }) => isRunning)).toEqual([true, true]);
  expect(sentSilently).toEqual([]);
  expect(own.exchange.budgetViolations()).toEqual([]);
  for (const { limit, most, mostFixed } of mostOf()) {
    expect(most).toBeLessThanOrEqual(limit);
    expect(mostFixed).toBeLessThanOrEqual(limit);
  }
  expect(before.some(({ limit, most }) => most === limit)).toBe(true);
  expect(busiest).toBeGreaterThan(0.9);
  if (SILENT_SECONDS > 170) expect(sentAgain).toBeGreaterThan(10);
});
