import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Dice } from '../../src/fuzz/dice.ts';
import { readMirrorRows } from '../../src/fuzz/checkers/exchange-truth.ts';
import { numberOf } from './environment.ts';
import { brokenPromises, OwnExchange } from './own-exchange.ts';
import { readLog, type BotProcess } from './bot-process.ts';
import type { BotHome } from './bot-home.ts';
import type { ServedExchange } from './served-exchange.ts';
import type { FaultRule } from '../../src/simulator-server/fault-plan.ts';

const KILLS = numberOf('SARRAF_KILLS', 6);
const SEED = numberOf('SARRAF_SEED', Date.now() % 1_000_000);

/** Share of lives that end during their start, before or amid the first requests; most end later. */
const SHARE_OF_STILLBORN = 0.15;
const LONGEST_BEGINNING_MS = 2_000;
const LONGEST_LIFE_MS = 7_000;
/** Longest wait for an order under way before a kill, in ms; without one the life ends anyway. */
const LONGEST_WAIT_MS = 5_000;

const ORDER_PATHS = ['/market/orders/add', '/market/orders/update-status'];

let own: OwnExchange;

beforeEach(async () => {
  own = await OwnExchange.open({ seed: SEED });
});

afterEach(async (context) => {
  await own.close(context);
});

/** Resolves when a request that changes orders reaches the exchange, or after `LONGEST_WAIT_MS`. */
async function nextOrderRequest(exchange: ServedExchange): Promise<void> {
  const arrived = Promise.withResolvers<void>();
  const stop = exchange.onRequest((path) => {
    if (ORDER_PATHS.some((start) => path.startsWith(start))) arrived.resolve();
  });
  const waited = new AbortController();
  await Promise.race([
    arrived.promise,
    pause(LONGEST_WAIT_MS, null, { signal: waited.signal }).catch(() => null),
  ]);
  waited.abort();
  stop();
}

/** Counts the orders of a mirror by state. */
function statesOf({ mirrorPath }: BotHome): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  // The first life may end before it makes a mirror.
  if (!existsSync(mirrorPath)) return counts;
  for (const { state } of readMirrorRows(mirrorPath).orders) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

/** The message of a bot that ends because it got no markets at its start: its supervisor restarts it. */
const MAY_END_WITH = /expected the options of the exchange, which name its markets/;

/**
 * One life under faults, killed at a random moment; every other one as soon as an order or a cancel is under
 * way. Returns the errors of its log; throws when it ended by itself without a good reason.
 */
async function liveAndDie(bot: BotProcess, dice: Dice): Promise<readonly string[]> {
  const { exchange } = own;
  exchange.setFaults(drawFaults(dice));
  if (dice.happens(SHARE_OF_STILLBORN)) await pause(dice.between(0, LONGEST_BEGINNING_MS));
  else {
    // A bot that gets no markets ends before it logs the address of its health page.
    await Promise.race([bot.healthAddress().catch(() => null), bot.finished]);
    await pause(dice.between(0, LONGEST_LIFE_MS));
    if (dice.happens(0.5)) {
      await nextOrderRequest(exchange);
      await pause(dice.integer(0, 30));
    }
  }
  const { code, out, error } = await bot.kill();
  if (code !== 'SIGKILL' && !MAY_END_WITH.test(error))
    throw new Error(`expected the bot to live until it is killed, it ended with ${code}\n${out}\n${error}`);
  return readLog(out)
    .filter(({ level }) => level === 'error')
    .map(({ msg }) => msg);
}

test(`keeps its promises over ${KILLS} kills at random moments under faults (SARRAF_SEED=${SEED})`, async () => {
  const { exchange } = own;
  const dice = Dice.of(SEED, 'kills');
  const home = own.home({ instance: 'killed', seed: SEED });
  const errors: string[] = [];
  const leftBehind: Record<string, number> = {};
  for (let kill = 0; kill < KILLS; kill += 1) {
    errors.push(...(await liveAndDie(own.start(home), dice)));
    for (const [state, count] of Object.entries(statesOf(home)))
      leftBehind[state] = (leftBehind[state] ?? 0) + count;
  }
  exchange.setFaults([]);
  const last = own.start(home);
  await last.healthAddress();
  await pause(5_000);
  exchange.endTrading();
  const { code, out, error } = await last.end();

  const { orders, fills } = exchange.truth();
  console.log({
    kills: KILLS,
    requests: exchange.requests().length,
    orders: orders.length,
    fills: fills.length,
    leftBehind,
    atTheEnd: statesOf(home),
    errors: [...new Set(errors)].slice(0, 20),
  });
  expect(brokenPromises(exchange, home)).toEqual([]);
  expect({ code, error: error.replaceAll(/^warning: .*\n/gm, '') }, out).toEqual({ code: 0, error: '' });
  // On a busy machine the first books may come after the second try of an exit.
  const wrong = readLog(out).filter(({ level, msg }) => level === 'error' && !/no book of \w+ is/.test(msg));
  expect(wrong).toEqual([]);
  expect(orders.length).toBeGreaterThan(KILLS);
  expect(fills.length).toBeGreaterThan(0);
});

/** Faults that lose replies or requests; each applies to some requests. A draw has about half of them. */
const KINDS: readonly FaultRule[] = [
  { kind: 'lost', probability: 0.03 },
  { kind: 'reply-lost', probability: 0.06 },
  { kind: 'reset', probability: 0.05, isHandled: true },
  { kind: 'reset', probability: 0.05 },
  { kind: 'server-error', probability: 0.05, isHandled: true },
  { kind: 'server-error', probability: 0.05 },
  { kind: 'bad-gateway', probability: 0.05, isHandled: true },
  { kind: 'truncated', probability: 0.05 },
  { kind: 'late', probability: 0.05, delayMs: 500 },
  { kind: 'lagging-lists', probability: 0.3, lagMs: 2_000 },
  { kind: 'shuffled-trades', probability: 0.3 },
];

/** Draws the faults of one life. About every fourth reply is slow: a kill finds requests under way. */
const drawFaults = (dice: Dice): readonly FaultRule[] => [
  ...dice.some(KINDS, 0.5),
  { kind: 'delay', probability: 0.25, delayMs: dice.integer(100, 800) },
];
