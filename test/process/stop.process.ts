import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ledgerPath } from '../../src/budget/ledger-file.ts';
import { monotonicMs } from '../../src/budget/process-owner.ts';
import { Dice } from '../../src/fuzz/dice.ts';
import type { BotProcess } from './bot-process.ts';
import { numberOf } from './environment.ts';
import { brokenPromises, OwnExchange } from './own-exchange.ts';

const STOP_SECONDS = numberOf('SARRAF_STOP_SECONDS', 8);
const SHORT_STOPS = numberOf('SARRAF_SHORT_STOPS', 5);
const SEED = numberOf('SARRAF_SEED', Date.now() % 1_000_000);

/**
 * A stop longer than the 250 ms in which an admitted request must leave, and shorter than the 5 s up to which
 * a stop during a commit counts as a slow disk: so requests under way leave late.
 */
const SHORT_STOP_MS = 400;
/** Turns of the event loop to wait: one accepts a connection, the next reads its request. */
const TURNS = 10;
/** Budget of the cancel requests. */
const CANCELS = 'orders/update-status';

let own: OwnExchange;

beforeEach(async () => {
  own = await OwnExchange.open({ seed: SEED });
});

afterEach(async (context) => {
  await own.close(context);
});

/** Requests that have arrived at the exchange so far, by budget. */
function arrived(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { budget } of own.exchange.requests()) {
    if (budget !== null) counts.set(budget, (counts.get(budget) ?? 0) + 1);
  }
  return counts;
}

/** Slots that the ledger gave out after `sinceMs` of the monotonic clock and still holds, by budget. */
function admittedSince(sinceMs: number): ReadonlyMap<string, number> {
  const ledger = new Database(ledgerPath(own.exchange.baseUrl, own.ledgerFolder), { readonly: true });
  try {
    const rows = ledger
      .prepare<[number], { budget: string; count: number }>(
        'SELECT budget, count(*) AS count FROM slots WHERE admitted_at_ms >= ? GROUP BY budget',
      )
      .all(sinceMs);
    return new Map(rows.map(({ budget, count }) => [budget, count]));
  } finally {
    ledger.close();
  }
}

/**
 * Stops a bot for a time and lets it go on. Returns the budgets of which more requests arrived after the stop
 * than were admitted after it: those had been admitted before it and were too old. Cancels are never too old.
 */
async function stopAndGoOn(
  bot: BotProcess,
  times: { readonly stopMs: number; readonly goOnMs: number },
): Promise<readonly string[]> {
  bot.signal('SIGSTOP');
  await pause(times.stopMs);
  // Requests that arrived before the stop are read first, however long this process had to wait.
  for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
  const before = arrived();
  const sinceMs = monotonicMs();
  bot.signal('SIGCONT');
  await pause(times.goOnMs);
  const after = arrived();
  const admitted = admittedSince(sinceMs);
  return [...after].flatMap(([budget, count]) => {
    const came = count - (before.get(budget) ?? 0);
    const most = admitted.get(budget) ?? 0;
    return budget === CANCELS || came <= most
      ? []
      : [
          `expected at most the ${most} requests of ${budget} that were admitted after the stop, ${came} arrived`,
        ];
  });
}

test(`goes on after a stop of ${STOP_SECONDS} s and sends nothing that it was admitted for before`, async () => {
  const { exchange } = own;
  const dice = Dice.of(SEED, 'stops');
  exchange.setFaults([{ kind: 'delay', probability: 0.3, delayMs: 200 }]);
  const home = own.home({ instance: 'stop', seed: SEED });
  const bot = own.start(home);
  await bot.healthAddress();
  await pause(2_000);
  for (let stop = 0; stop < SHORT_STOPS; stop += 1)
    await stopAndGoOn(bot, { stopMs: SHORT_STOP_MS, goOnMs: dice.integer(200, 800) });
  const ordersBefore = exchange.truth().orders.length;
  const stale = await stopAndGoOn(bot, { stopMs: STOP_SECONDS * 1_000, goOnMs: 4_000 });
  const ordersAfter = exchange.truth().orders.length;
  exchange.endTrading();
  exchange.setFaults([]);
  const { code, out } = await bot.end();

  console.log({ requests: exchange.requests().length, ordersBefore, ordersAfter });
  expect(stale, `seed ${SEED}`).toEqual([]);
  expect(ordersBefore).toBeGreaterThan(0);
  expect(ordersAfter).toBeGreaterThan(ordersBefore);
  expect(code, out).toBe(0);
  expect(brokenPromises(exchange, home)).toEqual([]);
});
