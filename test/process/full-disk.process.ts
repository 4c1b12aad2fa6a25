import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readMirrorRows } from '../../src/fuzz/checkers/exchange-truth.ts';
import { startSarraf } from '../support/sarraf-process.ts';
import { readLog } from './bot-process.ts';
import { brokenPromises, OwnExchange } from './own-exchange.ts';
import { SmallDisk } from './small-disk.ts';

/** Size of the disk: enough for the mirror to make its reserve file. */
const DISK_MEGABYTES = 48;

let own: OwnExchange;

beforeEach(async () => {
  own = await OwnExchange.open({ seed: 5 });
});

afterEach(async (context) => {
  await own.close(context);
});

/** Waits until a condition is true; throws with its name if it takes too long. */
async function until(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (let waitedMs = 0; waitedMs < 30_000; waitedMs += 50) {
    if (await isTrue()) return;
    await pause(50);
  }
  throw new Error(`expected ${what} within 30 s`);
}

test('cancels on a full disk, says so, and goes on once there is room again', async (context) => {
  const disk = SmallDisk.mount(join(own.folder, 'disk'), DISK_MEGABYTES);
  if (typeof disk === 'string') {
    context.skip(disk);
    return;
  }
  try {
    const { exchange } = own;
    const home = own.home({ instance: 'disk', seed: 6, dataFolder: join(disk.path, 'data') });
    const bot = own.start(home);
    const address = await bot.healthAddress();
    const healthOf = async (): Promise<number> => (await fetch(`${address}/healthz`)).status;
    const readyOf = async (): Promise<string> => (await fetch(`${address}/readyz`)).text();
    const open = (): number => exchange.truth().orders.filter(({ isOpen }) => isOpen).length;
    await until('three open orders', () => open() >= 3);
    expect(await healthOf()).toBe(200);

    disk.fill();
    await until('the health to turn bad', async () => (await healthOf()) === 503);
    const placedBefore = exchange.truth().orders.length;
    const openBefore = open();
    expect(openBefore).toBeGreaterThan(0);
    const halt = await startSarraf(['halt', '--data', home.dataFolder, '--reason', 'the disk is full'])
      .finished;
    await until('every order to be canceled', () => open() === 0);
    const atTheExchange = exchange.truth().orders.flatMap(({ clientOrderId }) => clientOrderId ?? []);
    const known = new Set(readMirrorRows(home.mirrorPath).orders.map(({ clientOrderId }) => clientOrderId));
    // The little room left in the mirror's files may be used for orders, but each order must have its row.
    expect(atTheExchange.filter((clientOrderId) => !known.has(clientOrderId))).toEqual([]);
    const placedMeanwhile = exchange.truth().orders.length - placedBefore;
    // The mirror and the test both take the room that the reserve file frees, so writes may succeed again.
    expect(await readyOf()).toContain('the disk is full, so no orders are placed');

    disk.free();
    await until('the health to be good again', async () => (await healthOf()) === 200);
    const resume = await startSarraf(['resume', '--data', home.dataFolder]).finished;
    await until(
      'orders to be placed again',
      () => exchange.truth().orders.length > placedBefore + placedMeanwhile,
    );
    exchange.endTrading();
    const { code, out } = await bot.end();
    const errors = readLog(out).filter(({ level }) => level === 'error');
    console.log({ openBefore, placedMeanwhile, errors: errors.map(({ msg }) => msg), halt, resume });
    expect(
      errors.filter(({ msg }) => /is full: what was kept back for that was given up/.test(msg)),
    ).toHaveLength(1);
    expect(code, out).toBe(0);
    expect(brokenPromises(exchange, home)).toEqual([]);
  } finally {
    await own.endBots();
    disk.unmount();
  }
});
