import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ControlClient } from '../../src/daemon/control-client.ts';
import { controlPath } from '../../src/daemon/control-file.ts';
import type { PlaceCommand, PositionCommand } from '../../src/engine/engine-event.ts';
import { english } from '../../src/language/sentence.ts';
import { sarrafHere } from '../support/sarraf-here.ts';
import type { BotHome } from './bot-home.ts';
import { readLog } from './bot-process.ts';
import { brokenPromises, OwnExchange } from './own-exchange.ts';
import { SlowDisk } from './slow-disk.ts';

/** Time-out for a busy machine; what a test waits for mostly comes within a second. */
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

/** Counts the orders of an amount at the exchange, in any state. */
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
  // A sale far from the market: it adds no risk, so that it may pass during a pause.
  const place = ['order', 'place', 'sell', 'BTCIRT', '0.00111', '--price', '62000000000'];
  const book = ['--strategy', 'bracket-0', '--yes', '--json'];
  const dry = await sarraf(home, ...place, '--strategy', 'bracket-0', '--dry-run');
  expect([dry, ordersOf(11_100_000n)]).toEqual(['every check allows it now\n', 0]);
  const placed = JSON.parse(await sarraf(home, ...place, ...book, '--key', 'mine')) as {
    readonly placed: readonly string[];
  };
  expect(await sarraf(home, ...place, ...book, '--key', 'mine')).toBe(`${JSON.stringify(placed)}\n`);
  expect(ordersOf(11_100_000n)).toBe(1);
  expect(await sarraf(home, 'orders', '--json')).toContain('"tag":"by-hand"');
  expect(await sarraf(home, 'cancel', placed.placed[0] ?? '', '--yes')).toContain('1 order is canceled');

  // Killed with posted commands; which of them it had taken and done is not known.
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
  expect(killed.code).toBe('SIGKILL');
  // An order that an earlier run took but did not finish: only the mirror shows whether it was sent.
  const had = client.post(taken);
  const database = new Database(controlPath(home.dataFolder));
  database.prepare('UPDATE commands SET taken_at_ms = posted_at_ms WHERE id = ?').run(had);
  database.close();

  const second = own.start(home);
  await second.healthAddress();
  await expect.poll(() => client.read(close)?.result?.ok, PATIENT).toBe(true);
  const result = client.read(had)?.result;
  expect(result?.ok).toBe(false);
  expect(english(result?.message ?? '')).toContain('nothing has left, and it is not placed now');
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

/** Source of a strategy that holds what it is given. */
const HOLDER = `import { defineStrategy } from '#sdk';
export default defineStrategy({
  name: 'holder',
  data: ({ markets }) => ({ rial: markets.of('BTCIRT').book(), tether: markets.of('BTCUSDT').book() }),
  on: {},
});
`;

/** Bound of the loop: more commits than a bot makes for three commands. */
const MOST_COMMITS = 40;

test('coins are adopted, written off and moved once, whichever two writes a kill -9 comes between', async ({
  skip,
}) => {
  const disk = SlowDisk.compile(own.folder);
  if (typeof disk === 'string') {
    skip(disk);
    return;
  }
  const plugin = join(own.folder, 'holder.ts');
  writeFileSync(plugin, HOLDER);
  const home = own.home({ instance: 'moved', seed: 1, plugin });
  const lastCommit = join(own.folder, 'last-commit');
  const begin = async () => {
    const bot = own.start(home, [], disk.endingAfter(lastCommit));
    await bot.healthAddress();
    return bot;
  };
  const base = {
    kind: 'position',
    strategy: 'bracket-0',
    to: null,
    market: 'BTCIRT',
    price: '60000000000',
  } as const;
  const client = new ControlClient(home.dataFolder);
  const post = (act: PositionCommand['act'], amount: string, more: Partial<PositionCommand> = {}): number =>
    client.post({ ...base, key: randomUUID(), act, amount, ...more });
  let bot = await begin();
  const first = post('adopt', '1');
  await expect.poll(() => client.read(first)?.result?.ok, PATIENT).toBe(true);
  let commits = 0;
  for (let isDone = false; !isDone;) {
    commits += 1;
    expect(commits).toBeLessThan(MOST_COMMITS);
    writeFileSync(lastCommit, String(commits));
    const ids = [
      post('write-off', '0.01'),
      post('move', '0.005', { to: 'bracket-1' }),
      post('adopt', '0.02', { strategy: 'bracket-1', market: 'BTCUSDT', price: '100000' }),
    ];
    const said = () => ids.map((id) => english(client.read(id)?.result?.message ?? null));
    const areDone = (): boolean => !said().includes(null);
    await expect.poll(() => !bot.isRunning || areDone(), PATIENT).toBe(true);
    isDone = areDone();
    rmSync(lastCommit);
    await bot.kill();
    bot = await begin();
    await expect
      .poll(said, PATIENT)
      .toEqual([
        expect.stringMatching(/^0.01 BTC were taken out/),
        expect.stringMatching(/^0.005 BTC went from bracket-0 to bracket-1/),
        expect.stringMatching(/^bracket-1 has adopted 0.02 BTC/),
      ]);
    const status = await sarraf(home, 'status', '--json');
    expect([Number(heldOf('bracket-0', status)), Number(heldOf('bracket-1', status))]).toEqual(
      [1 - commits * 0.015, commits * 0.025].map((amount) => expect.closeTo(amount, 9)),
    );
  }
  client.close();
  console.log({ commits });
  const { code, out } = await bot.end();
  expect(code, out).toBe(0);
  const mirror = new Database(home.mirrorPath, { readonly: true });
  expect(mirror.prepare('SELECT count(*) FROM position_moves').pluck().get()).toBe(1 + 3 * commits);
  mirror.close();
});
