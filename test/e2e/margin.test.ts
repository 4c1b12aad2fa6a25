import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readReconciliation, type ReconciliationReport } from '../../src/mirror/read-reconciliation.ts';
import { reportLines } from '../../src/cli/commands/reconcile.ts';
import { StrategyThreads } from '../../src/daemon/strategy-threads.ts';
import { parseUnits } from '../../src/domain/money.ts';
import { MirrorReader } from '../../src/mirror/mirror-reader.ts';
import { transferFunds } from '../../src/simulator/accounts.ts';
import { BotLife, createEmbeddedWorld } from '../support/embedded-bot.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const BORROWER = join(process.cwd(), 'test/support/plugins/borrower.ts');
const COLLATERAL = join(process.cwd(), 'test/support/plugins/collateral.ts');
const LIMITS = { handlerMs: 30_000, loadMs: 120_000, memoryMb: 128, restartsAnHour: 0 };

const folder = folderOfEachTest();

/** Distinct log lines of the strategy, each a text with its fields. */
function logged(path: string): ReadonlySet<string> {
  using reader = new MirrorReader(path);
  return new Set(reader.lines('log', { strategy: null, last: 1_000 }).map(({ json }) => json));
}

/** Runs one life with a transfer by hand in it, and after its sudden end another one. */
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
      await bot.run(150_000);
      // A line of the wallet's history explains the amount in the margin wallet, so the books agree.
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

test.each([false, true])(
  'a bot moves money to margin and back, each once: in a thread %s',
  async (threaded) => {
    const path = join(folder, 'mirror.sqlite');
    const strategies = [{ plugin: COLLATERAL, market: 'BTCIRT' }];
    const world = createEmbeddedWorld({ seed: 5, config: { strategies } });
    const { accounts } = world.venue.simulation.exchange;
    const threads = new StrategyThreads({ limits: LIMITS, onPrint: () => undefined });
    try {
      const bot = await BotLife.prepare(world, path, threaded ? threads : undefined);
      const before = accounts.find(world.userId, 'rls')?.total ?? 0n;
      bot.bot.shell.start();
      await bot.run(300_000);
      const { reconciler } = bot.bot.engine;
      const spot = before - parseUnits('600000.5');
      expect(accounts.find(world.userId, 'rls', 'margin')?.total).toBe(parseUnits('600000.5'));
      expect(accounts.find(world.userId, 'rls')?.total).toBe(spot);
      expect([reconciler.break, reconciler.books.expectedOf('rls')]).toEqual([null, spot]);
      await bot.drain();
      bot.mirror.close();
    } finally {
      await threads.dispose();
    }
    expect([...logged(path)]).toEqual([
      '{"text":"transfer","fields":{"status":"done","to":"margin","amount":"1000000.5"}}',
      '{"text":"transfer","fields":{"status":"done","to":"spot","amount":"400000"}}',
    ]);
  },
);

test('a transfer whose reply is lost is made once, over a restart, until the balances are accepted', async () => {
  const path = join(folder, 'mirror.sqlite');
  const strategies = [{ plugin: COLLATERAL, market: 'BTCIRT' }];
  const world = createEmbeddedWorld({ seed: 5, config: { strategies } });
  const { accounts } = world.venue.simulation.exchange;
  const inMargin = () => accounts.find(world.userId, 'rls', 'margin')?.total;
  const first = await BotLife.prepare(world, path);
  first.loseReplies();
  first.bot.shell.start();
  await first.run(180_000);
  expect(inMargin()).toBe(parseUnits('1000000.5'));
  await first.drop();
  const second = await BotLife.prepare(world, path);
  second.bot.shell.start();
  await second.run(300_000);
  expect(inMargin()).toBe(parseUnits('1000000.5'));
  expect(second.lines.join('\n')).toContain('nobody knows whether the transfer of 1000000.5 rls');
  expect(second.bot.engine.reconciler.break).toBe(null);
  const report = (): ReconciliationReport => {
    using reader = new MirrorReader(path);
    return readReconciliation(reader);
  };
  expect(report().unknownTransfers).toMatchObject([{ currency: 'rls', amount: '1000000.5', from: 'spot' }]);
  expect(reportLines(report(), world.time.now()).join('\n')).toContain(
    'UNKNOWN   whether 1000000.5 rls went',
  );
  second.bot.shell.control({ kind: 'accept-balances' });
  await second.run(120_000);
  expect(report().unknownTransfers).toEqual([]);
  await second.drain();
  second.mirror.close();
});
