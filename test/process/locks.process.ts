import { resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sarrafHere } from '../support/sarraf-here.ts';
import type { BotHome } from './bot-home.ts';
import { brokenPromises, OwnExchange } from './own-exchange.ts';
import { readLog } from './bot-process.ts';

const MARKETS = ['BTCIRT', 'BTCUSDT'];
/** Refusals to wait for: enough to see that no order leaves, although it is requested again and again. */
const REFUSALS = 6;
/** Time-out for a busy machine; what a test waits for mostly comes within a second. */
const PATIENT = { timeout: 120_000, interval: 200 };

let own: OwnExchange;

beforeEach(async () => {
  own = await OwnExchange.open({ seed: 11 });
});

afterEach(async (context) => {
  await own.close(context);
});

/** Markets of the filled orders of a side, one entry for each order. */
function marketsOf(side: 'buy' | 'sell'): readonly string[] {
  const orders = own.exchange.truth().orders.filter((order) => order.side === side && order.matched > 0n);
  return orders.map(({ market }) => market).toSorted();
}

async function sarraf({ dataFolder }: BotHome, ...args: readonly string[]): Promise<string> {
  const { code, out, error } = await sarrafHere([...args, '--data', dataFolder]);
  expect({ code, error }).toEqual({ code: 0, error: '' });
  return out;
}

/** Counts the orders that locks have refused, by the mirror. */
async function refusals(home: BotHome): Promise<number> {
  const out = await sarraf(home, 'intents', '--state', 'refused', '--last', '500', '--json');
  const { intents } = JSON.parse(out) as { intents: readonly { readonly reason: string }[] };
  expect(intents.filter(({ reason }) => !reason.startsWith('the lock news of all markets holds'))).toEqual(
    [],
  );
  return intents.length;
}

test('a lock by hand holds entries and no exit, outlasts kill -9, and ends by hand', async () => {
  const { exchange } = own;
  const home = own.home({ instance: 'locked', seed: 1, plugin: resolve('test/process/leaving-strategy.ts') });
  const first = own.start(home);
  const address = await first.healthAddress();
  await expect.poll(() => marketsOf('buy'), PATIENT).toEqual(MARKETS);

  await sarraf(home, 'lock', '--all', '--for', '2h', '--name', 'news', '--reason', 'a speech');
  const said = expect.stringMatching(/^the lock news of all markets holds until .*: a speech; only orders/);
  expect(await (await fetch(`${address}/readyz`)).json()).toMatchObject({ locks: [said] });
  expect(await (await fetch(`${address}/metrics`)).text()).toContain('\nsarraf_locks{kind="hand"} 1\n');
  await expect.poll(() => marketsOf('sell'), PATIENT).toEqual(MARKETS);
  await expect.poll(async () => refusals(home), PATIENT).toBeGreaterThan(REFUSALS);
  expect(marketsOf('buy')).toEqual(MARKETS);

  const killed = await first.kill();
  expect(killed.code).toBe('SIGKILL');
  const before = await refusals(home);
  const second = own.start(home);
  await second.healthAddress();
  await expect.poll(async () => refusals(home), PATIENT).toBeGreaterThan(before + REFUSALS);
  expect(await sarraf(home, 'locks')).toContain('a speech');
  expect(marketsOf('buy')).toEqual(MARKETS);

  await sarraf(home, 'unlock', '--name', 'news');
  await expect.poll(() => marketsOf('buy'), PATIENT).toEqual([...MARKETS, ...MARKETS].toSorted());
  expect(await sarraf(home, 'locks')).toContain('No lock holds.');

  exchange.endTrading();
  const { code, out, error } = await second.end();
  expect({ code, error: error.replaceAll(/^warning: .*\n/gm, '') }, out).toEqual({ code: 0, error: '' });
  expect(readLog(out).filter(({ level }) => level === 'error')).toEqual([]);
  expect(brokenPromises(exchange, home)).toEqual([]);
});
