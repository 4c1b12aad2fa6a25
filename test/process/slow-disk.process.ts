import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startSarraf } from '../support/sarraf-process.ts';
import type { BotHome } from './bot-home.ts';
import { brokenPromises, OwnExchange } from './own-exchange.ts';
import { SlowDisk } from './slow-disk.ts';

const ORDERS = 25;

let own: OwnExchange;

beforeEach(async () => {
  own = await OwnExchange.open({ seed: 6 });
});

afterEach(async (context) => {
  await own.close(context);
});

function openOrders(): number {
  return own.exchange.truth().orders.filter(({ isOpen }) => isOpen).length;
}

async function untilOpen(count: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < 240_000; waitedMs += 50) {
    if (openOrders() === count) return;
    await pause(50);
  }
  throw new Error(`expected ${count} open orders within 240 s, found ${openOrders()}`);
}

/** A bot whose one strategy keeps its orders far from the price. */
function restingHome(instance: string): BotHome {
  const home = own.home({ instance, seed: 1 });
  const settings = JSON.parse(readFileSync(home.configPath, 'utf8')) as { readonly execution: object };
  const execution = { ...settings.execution, placeWithin: '60s' };
  const strategies = [
    {
      plugin: resolve('test/process/resting-strategy.ts'),
      name: 'resting',
      market: 'BTCIRT',
      params: { orders: ORDERS },
      risk: { maxOpenOrdersPerStrategy: ORDERS, maxOrdersPerMinute: null },
    },
  ];
  writeFileSync(home.configPath, JSON.stringify({ ...settings, execution, strategies }, null, 2));
  return home;
}

test.for([0, 20, 60, 150])(
  'closes all orders of a halt, and of a drain, on a disk that takes %i ms longer for each fsync',
  async (fsyncMs, { skip }) => {
    const disk = SlowDisk.compile(own.folder);
    if (typeof disk === 'string') {
      skip(disk);
      return;
    }
    const home = restingHome('slow');
    const bot = own.start(home, [], disk.environment(fsyncMs));
    await bot.healthAddress();
    const startedMs = performance.now();
    await untilOpen(ORDERS);
    const placedMs = Math.round(performance.now() - startedMs);
    const haltMs = performance.now();
    const halt = await startSarraf(['halt', '--data', home.dataFolder, '--reason', 'a test']).finished;
    const haltedMs = Math.round(performance.now() - haltMs);
    expect(halt.code, halt.error + halt.out).toBe(0);
    expect(openOrders()).toBe(0);

    const resume = await startSarraf(['resume', '--data', home.dataFolder]).finished;
    expect(resume.code, resume.error).toBe(0);
    await untilOpen(ORDERS);
    own.exchange.endTrading();
    const drainMs = performance.now();
    const { code, out } = await bot.end();
    console.log({ fsyncMs, placedMs, haltedMs, drainedMs: Math.round(performance.now() - drainMs) });
    expect(code, out).toBe(0);
    expect(brokenPromises(own.exchange, home)).toEqual([]);
  },
);
