import { afterEach, beforeEach, expect, test } from 'vitest';
import { startSarraf } from '../support/sarraf-process.ts';
import { brokenPromises, OwnExchange } from './own-exchange.ts';
import { manyOrdersHome, openOrdersAt, untilOpenAt } from './resting-bot.ts';
import { SlowDisk } from './slow-disk.ts';

const ORDERS = 25;

let own: OwnExchange;

beforeEach(async () => {
  own = await OwnExchange.open({ seed: 6 });
});

afterEach(async (context) => {
  await own.close(context);
});

test.for([0, 20, 60, 150])(
  'closes all orders of a halt, and of a drain, on a disk that takes %i ms longer for each fsync',
  async (fsyncMs, { skip }) => {
    const disk = SlowDisk.compile(own.folder);
    if (typeof disk === 'string') {
      skip(disk);
      return;
    }
    const home = manyOrdersHome(own, { orders: ORDERS });
    const bot = own.start(home, [], disk.environment(fsyncMs));
    await bot.healthAddress();
    const startedMs = performance.now();
    await untilOpenAt(own, ORDERS);
    const placedMs = Math.round(performance.now() - startedMs);
    const haltMs = performance.now();
    const halt = await startSarraf(['halt', '--data', home.dataFolder, '--reason', 'a test']).finished;
    const haltedMs = Math.round(performance.now() - haltMs);
    expect(halt.code, halt.error + halt.out).toBe(0);
    expect(openOrdersAt(own)).toBe(0);

    const resume = await startSarraf(['resume', '--data', home.dataFolder]).finished;
    expect(resume.code, resume.error).toBe(0);
    await untilOpenAt(own, ORDERS);
    own.exchange.endTrading();
    const drainMs = performance.now();
    const { code, out } = await bot.end();
    console.log({ fsyncMs, placedMs, haltedMs, drainedMs: Math.round(performance.now() - drainMs) });
    expect(code, out).toBe(0);
    expect(brokenPromises(own.exchange, home)).toEqual([]);
  },
);
