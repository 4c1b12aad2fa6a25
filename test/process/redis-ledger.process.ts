import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ledgerPlace } from '../../src/budget/ledger-place.ts';
import { readLedgerAt } from '../../src/budget/read-ledger-at.ts';
import { thisMachine } from '../../src/budget/machine.ts';
import { renewLedgerAt } from '../../src/cli/renew-ledger.ts';
import { numberOf } from './environment.ts';
import { mostInWindow } from './most-in-window.ts';
import { OwnExchange } from './own-exchange.ts';
import { RedisServer } from './redis-server.ts';

/** How long both use the limits before Redis is killed. */
const SECONDS = numberOf('SARRAF_SHARED_SECONDS', 15);
/** How long nothing is sent once Redis is back and empty: two minutes and a window where all of it is waited for. */
const SILENT_SECONDS = numberOf('SARRAF_SILENT_SECONDS', 8);

const WINDOW_MS = 5_000;
/** So small that two bots want more of them than there is. */
const LIMITS = {
  'v2/orderbook': { limit: 10, windowMs: WINDOW_MS },
  'trades/list': { limit: 10, windowMs: WINDOW_MS },
  'orders/add': { limit: 6, windowMs: WINDOW_MS },
};
/** What arrives later was sent before: both bots are on the machine of the exchange. */
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

/** The most that the exchange saw of each budget in any window, and in any that begins with a multiple of it. */
function mostOf() {
  return Object.entries(LIMITS).map(([budget, { limit, windowMs }]) => {
    const times = timesOf(budget);
    const fixed = Map.groupBy(times, (timeMs) => Math.floor(timeMs / windowMs));
    const mostFixed = Math.max(0, ...[...fixed.values()].map(({ length }) => length));
    return { budget, limit, most: mostInWindow(times, windowMs), mostFixed };
  });
}

test('two bots share the limits through Redis, use them, and send nothing while Redis is gone or has forgotten', async () => {
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
  const all = own.exchange.requests().map(({ timeMs }) => timeMs);
  const silentMs = 125_000;
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
  if (SILENT_SECONDS > 140) expect(sentAgain).toBeGreaterThan(10);
});
