import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StrategyThreads } from '../../src/daemon/strategy-threads.ts';
import { parseUnits } from '../../src/domain/money.ts';
import { MirrorReader } from '../../src/mirror/mirror-reader.ts';
import { transferFunds } from '../../src/simulator/core/margin/transfer.ts';
import { BotLife, createEmbeddedWorld } from '../support/embedded-bot.ts';

const BORROWER = join(process.cwd(), 'test/support/plugins/borrower.ts');
const LIMITS = { handlerMs: 30_000, loadMs: 120_000, memoryMb: 128, restartsAnHour: 0 };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sarraf-margin-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What the strategy logged, each text with its fields, without repetitions. */
function logged(path: string): ReadonlySet<string> {
  const reader = new MirrorReader(path);
  try {
    return new Set(reader.logLines({ strategy: null, last: 1_000 }).map(({ json }) => json));
  } finally {
    reader.close();
  }
}

/** One life, a transfer by hand in it, and after its sudden end another one. */
async function liveTwice(threaded: boolean): Promise<ReadonlySet<string>> {
  const path = join(folder, `${threaded}.sqlite`);
  const strategies = [{ plugin: BORROWER, market: 'BTCIRT' }];
  const world = createEmbeddedWorld({ seed: 3, config: { strategies } });
  const { exchange } = world.venue.simulation;
  for (let life = 0; life < 2; life += 1) {
    const threads = new StrategyThreads({ limits: LIMITS, onPrint: () => undefined });
    try {
      const bot = await BotLife.prepare(world, path, threaded ? threads : undefined);
      bot.bot.shell.start();
      await bot.run(60_000);
      if (life === 0) {
        const moved = transferFunds(exchange.accounts, {
          userId: world.userId,
          currency: 'rls',
          units: parseUnits('1234567'),
          src: 'spot',
          dst: 'margin',
          timeMs: world.time.now(),
        });
        expect(moved.ok).toBe(true);
      }
      await bot.run(240_000);
      // A line of the wallet's history explains what went to the margin wallet: the books agree.
      expect(bot.bot.engine.reconciler.break).toBe(null);
      expect(bot.bot.engine.status().phase).toBe('trading');
      if (life === 0) await bot.drop();
      else {
        await bot.drain();
        bot.mirror.close();
      }
    } finally {
      await threads.dispose();
    }
  }
  return logged(path);
}

test('a bot reads margin over a restart, alike in a thread, and a transfer by hand breaks no books', async () => {
  const direct = await liveTwice(false);
  expect(direct).toContain('{"text":"pools","fields":{"available":1000,"ageMs":0}}');
  expect(direct).toContain('{"text":"wallets","fields":{"hasPools":true}}');
  expect(direct).toContain('{"text":"wallets","fields":{"rial":"1234567","hasPools":true}}');
  expect([...direct].filter((json) => json.includes('"limit"'))).not.toEqual([]);
  expect(await liveTwice(true)).toEqual(direct);
});
