import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ControlClient } from '../../src/daemon/control/control-client.ts';
import { controlPath } from '../../src/daemon/control/control-file.ts';
import type { PlaceCommand } from '../../src/engine/engine-event.ts';
import { sarrafHere } from '../support/sarraf-here.ts';
import type { BotHome } from './bot-home.ts';
import { readLog } from './bot-process.ts';
import { brokenPromises, OwnExchange } from './own-exchange.ts';

/** For a machine however busy; whatever is waited for mostly comes within a second. */
const PATIENT = { timeout: 120_000, interval: 200 };
const BASE = { strategy: 'bracket-0', market: 'BTCIRT', side: 'buy', stopPrice: null } as const;

let own: OwnExchange;

beforeEach(async () => {
  own = await OwnExchange.open({ seed: 12 });
});

afterEach(async (context) => {
  await own.close(context);
});

async function sarraf({ dataFolder }: BotHome, ...args: readonly string[]): Promise<string> {
  const { code, out, error } = await sarrafHere([...args, '--data', dataFolder]);
  expect({ code, error }).toEqual({ code: 0, error: '' });
  return out;
}

/** Orders of an amount that the exchange has, whatever became of them. */
const ordersOf = (amount: bigint): number =>
  own.exchange.truth().orders.filter((order) => order.amount === amount).length;

function heldOf(strategy: string, json: string): string {
  const { strategies } = JSON.parse(json) as {
    readonly strategies: readonly { readonly name: string; readonly positions: Record<string, string> }[];
  };
  return strategies.find(({ name }) => name === strategy)?.positions['btc'] ?? '0';
}

test('a person pauses, places, cancels and closes, and kill -9 amid it does nothing twice', async () => {
  const { exchange } = own;
  const home = own.home({ instance: 'handed', seed: 1, plugin: resolve('test/process/leaving-strategy.ts') });
  const first = own.start(home);
  await first.healthAddress();
  await expect
    .poll(async () => Number(heldOf('bracket-0', await sarraf(home, 'status', '--json'))), PATIENT)
    .toBeGreaterThan(0);

  await sarraf(home, 'pause', 'bracket-0', '--reason', 'a test');
  expect(await sarraf(home, 'status')).toMatch(/bracket-0 +paused by hand/);
  // A sale far from the market: it adds no risk, so a pause lets it pass.
  const place = ['order', 'place', 'sell', 'BTCIRT', '0.00111', '--price', '62000000000'];
  const book = ['--strategy', 'bracket-0', '--yes', '--json'];
  const placed = JSON.parse(await sarraf(home, ...place, ...book, '--key', 'mine')) as {
    readonly placed: readonly string[];
  };
  expect(await sarraf(home, ...place, ...book, '--key', 'mine')).toBe(`${JSON.stringify(placed)}\n`);
  expect(ordersOf(11_100_000n)).toBe(1);
  expect(await sarraf(home, 'orders', '--json')).toContain('"tag":"by-hand"');
  expect(await sarraf(home, 'cancel', placed.placed[0] ?? '', '--yes')).toContain('1 order is canceled');

  // Killed with commands that it may have taken and done, or not.
  const client = new ControlClient(home.dataFolder);
  const taken: PlaceCommand = {
    ...BASE,
    kind: 'place',
    key: 'taken',
    side: 'sell',
    amount: '0.00112',
    price: '62000000000',
  };
  const close = client.post({ kind: 'close', key: randomUUID(), strategy: 'bracket-0', market: null });
  const killed = await first.kill();
  expect(killed.code).toBeNull();
  // An order that an earlier run took and had not done: whether it left is in the mirror alone.
  const had = client.post(taken);
  const database = new Database(controlPath(home.dataFolder));
  database.prepare('UPDATE commands SET taken_at_ms = posted_at_ms WHERE id = ?').run(had);
  database.close();

  const second = own.start(home);
  await second.healthAddress();
  await expect.poll(() => client.look(close)?.result?.ok, PATIENT).toBe(true);
  expect(client.look(had)?.result).toMatchObject({
    ok: false,
    message: expect.stringContaining('nothing has left, and it is not placed now'),
  });
  client.close();
  expect(ordersOf(11_200_000n)).toBe(0);
  await expect
    .poll(async () => Number(heldOf('bracket-0', await sarraf(home, 'status', '--json'))), PATIENT)
    .toBeLessThan(0.000_001);
  expect(await sarraf(home, 'status')).toMatch(/bracket-0 +paused by hand/);
  await sarraf(home, 'resume', 'bracket-0');
  await expect
    .poll(async () => Number(heldOf('bracket-0', await sarraf(home, 'status', '--json'))), PATIENT)
    .toBeGreaterThan(0.001);

  exchange.endTrading();
  const { code, out, error } = await second.end();
  expect({ code, error: error.replaceAll(/^warning: .*\n/gm, '') }, out).toEqual({ code: 0, error: '' });
  expect(readLog(out).filter(({ level }) => level === 'error')).toEqual([]);
  expect(brokenPromises(exchange, home)).toEqual([]);
});
