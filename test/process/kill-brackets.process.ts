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

/** All of them by `SARRAF_BRACKET_KILLS=50`. */
const KILLS = numberOf('SARRAF_BRACKET_KILLS', 3);
const SEED = numberOf('SARRAF_SEED', Date.now() % 1_000_000);

const LONGEST_LIFE_MS = 4_000;
/** An exit or a cancel is on its way within it, mostly. */
const LONGEST_WAIT_MS = 3_000;
const ORDER_PATHS = ['/market/orders/add', '/market/orders/update-status'];
/** After the last start every position has its exit within it, on a machine however busy. */
const LONGEST_RECOVERY_MS = 90_000;

let own: OwnExchange;

beforeEach(async () => {
  own = await OwnExchange.open({ seed: SEED });
});

afterEach(async (context) => {
  await own.close(context);
});

/** The brackets that are at work, as the mirror has them. */
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
    // Only how it is now is asked.
    fromMs: nowMs,
    untilMs: nowMs + 1,
    isProtection: false,
    before: 0n,
    names: new Set(
      orders.flatMap(({ intentId, clientOrderId }) =>
        intentId === row.intentId && clientOrderId !== null ? [clientOrderId] : [],
      ),
    ),
    excuses: [],
  }));
}

/** Positions of brackets that have no exit now, by the exchange's own orders. */
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

/** Waits until a request that places or cancels reaches the exchange, or no longer. */
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
  // A move of an exit may be under way at any one look.
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
  // Kills amid the placement of one exit keep it from arriving more than once, which a person is told.
  const errors = readLog(out).filter(({ level }) => level === 'error');
  expect(errors.filter(({ msg }) => !msg.includes('(NeverArrived): the position has no exit'))).toEqual([]);
  expect(atWork).toBeGreaterThan(0);
  expect(sales).toBeGreaterThan(0);
});
