import { setTimeout as pause } from 'node:timers/promises';
import { resolve } from 'node:path';
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Dice } from '../../src/fuzz/dice.ts';
import { type WatchedBracket, checkProtection } from '../../src/fuzz/checkers/protection-checker.ts';
import { readMirrorRows } from '../../src/fuzz/checkers/exchange-truth.ts';
import { brokenPromises, OwnExchange } from './own-exchange.ts';
import type { BotHome } from './bot-home.ts';
import { readLog } from './bot-process.ts';
import { numberOf } from './environment.ts';

/** Number of kills; `SARRAF_BRACKET_KILLS=50` sets the full number. */
const KILLS = numberOf('SARRAF_BRACKET_KILLS', 3);
const SEED = numberOf('SARRAF_SEED', Date.now() % 1_000_000);

const LONGEST_LIFE_MS = 4_000;
/** Longest wait for an exit or a cancel under way, in ms; mostly one comes earlier. */
const LONGEST_WAIT_MS = 3_000;
const ORDER_PATHS = ['/market/orders/add', '/market/orders/update-status'];
/** Time after the last start in which every position must get its exit, in ms, on a busy machine. */
const LONGEST_RECOVERY_MS = 90_000;

let own: OwnExchange;

beforeEach(async () => {
  own = await OwnExchange.open({ seed: SEED });
});

afterEach(async (context) => {
  await own.close(context);
});

/** Active brackets, as the mirror has them. */
function bracketsAtWork({ mirrorPath }: BotHome, nowMs: number): readonly WatchedBracket[] {
  if (!existsSync(mirrorPath)) return [];
  const database = new Database(mirrorPath, { readonly: true });
  const rows = database
    .prepare<[], { readonly intentId: string; readonly strategy: string; readonly market: string }>(
      `SELECT intent_id AS intentId, strategy, market FROM algorithms WHERE json LIKE '%"kind":"bracket"%'`,
    )
    .all();
  database.close();
  const { orders } = readMirrorRows(mirrorPath);
  return rows.map((row) => ({
    ...row,
    // Only the present state is asked for.
    fromMs: nowMs,
    untilMs: nowMs + 1,
    isProtection: false,
    before: 0n,
    names: new Set(
      orders.flatMap(({ intentId, clientOrderId }) =>
        intentId === row.intentId && clientOrderId !== null ? [clientOrderId] : [],
      ),
    ),
    sales: new Set<string>(),
    excuses: [],
  }));
}

/** Positions of brackets without an exit at this moment, by the orders of the exchange. */
function bareNow(home: BotHome): readonly string[] {
  const { exchange } = own;
  const truth = exchange.truth();
  const nowMs = Date.now();
  const { violations } = checkProtection(truth, {
    instance: home.instance,
    brackets: bracketsAtWork(home, nowMs),
    excuses: [],
    longestMs: 0,
    markets: [...exchange.simulation.exchange.markets.values()].map(({ rules }) => rules),
    clockSkewMs: 0,
    refused: new Set(),
  });
  return violations.map(({ message }) => message);
}

/** Waits until a request that places or cancels reaches the exchange, at most `LONGEST_WAIT_MS`. */
async function nextOrderRequest(): Promise<void> {
  const arrived = Promise.withResolvers<void>();
  const stop = own.exchange.onRequest((path) => {
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

test(`protects its positions again after ${KILLS} kills with brackets at work (SARRAF_SEED=${SEED})`, async () => {
  const { exchange } = own;
  const dice = Dice.of(SEED, 'bracket kills');
  const home = own.home({
    instance: 'killed',
    seed: SEED,
    plugin: resolve('test/process/bracket-strategy.ts'),
  });
  let withExit = 0;
  let atWork = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const bot = own.start(home);
    await Promise.race([bot.healthAddress().catch(() => null), bot.finished]);
    await pause(dice.between(0, LONGEST_LIFE_MS));
    if (dice.happens(0.5)) {
      await nextOrderRequest();
      await pause(dice.integer(0, 30));
    }
    const { code, out, error } = await bot.kill();
    expect(code, `${out}\n${error}`).toBe('SIGKILL');
    atWork += bracketsAtWork(home, Date.now()).length;
    withExit += exchange.truth().orders.filter(({ isOpen, side }) => isOpen && side === 'sell').length;
  }
  const last = own.start(home);
  await last.healthAddress();
  let bare = bareNow(home);
  const untilMs = Date.now() + LONGEST_RECOVERY_MS;
  // At any one reading an exit may be just being moved.
  while (bare.length > 0 && Date.now() < untilMs) {
    await pause(500);
    bare = bareNow(home);
  }
  expect(bare).toEqual([]);
  exchange.endTrading();
  const { code, out, error } = await last.end();
  const { orders, fills } = exchange.truth();
  const sales = orders.filter(({ side }) => side === 'sell').length;
  console.log({ kills: KILLS, orders: orders.length, sales, fills: fills.length, atWork, withExit });
  expect(brokenPromises(exchange, home)).toEqual([]);
  expect({ code, error: error.replaceAll(/^warning: .*\n/gm, '') }, out).toEqual({ code: 0, error: '' });
  // Kills while an exit is being placed keep it from arriving several times, which is logged for a person.
  const errors = readLog(out).filter(({ level }) => level === 'error');
  expect(errors.filter(({ msg }) => !msg.includes('(NeverArrived): the position has no exit'))).toEqual([]);
  expect(atWork).toBeGreaterThan(0);
  expect(sales).toBeGreaterThan(0);
});
