import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { summarize } from '../../src/daemon/run/screen.ts';
import {
  formatUnits,
  parseUnits,
  type Units,
  UNITS_PER_ONE,
  divideHalfEven,
} from '../../src/domain/money.ts';
import { BotLife, createEmbeddedWorld } from '../support/embedded-bot.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const folder = folderOfEachTest();

test('triangles on the embedded exchange make what the wallets say', async () => {
  const balances = { rls: '20000000000', usdt: '20000', btc: '0.5' };
  const strategy = {
    plugin: resolve('strategies/triangle.ts'),
    market: 'BTCIRT',
    params: { edge: 0.001, size: 100, pauseMs: 20_000 },
    inventory: { btc: balances.btc },
  };
  const config = { strategies: [strategy], 'embedded.balances': balances };
  const world = createEmbeddedWorld({ seed: 7, config });
  const life = await BotLife.prepare(world, join(folder, 'mirror.sqlite'));
  const { engine, counts, shell } = life.bot;
  shell.start();
  await life.run(600_000);
  await life.drain();

  const { strategies } = summarize(engine, counts);
  const wallets = new Map(
    world.venue.simulation.exchange.accounts
      .walletsOf(world.userId)
      .map(({ currency, total }) => [currency, total]),
  );
  const gained = (currency: keyof typeof balances): bigint =>
    (wallets.get(currency) ?? 0n) - parseUnits(balances[currency]);
  const priceOf = (market: string): bigint => engine.markets.priceOf(market) ?? 0n;
  const inRial =
    gained('rls') +
    divideHalfEven(gained('btc') * priceOf('BTCIRT'), UNITS_PER_ONE) +
    divideHalfEven(gained('usdt') * priceOf('USDTIRT'), UNITS_PER_ONE);

  // Its inventory is valued at the price of now, less the price at the start.
  const { ledger } = engine.instances[0]!;
  const given = divideHalfEven(parseUnits(balances.btc) * priceOf('BTCIRT'), UNITS_PER_ONE);
  const sinceStart = given - (ledger.state.inventoryValue.get('rls') ?? 0n);

  expect(strategies[0]?.fills).toBeGreaterThan(6);
  expect(strategies).toMatchObject([
    {
      currency: 'rls',
      profit: formatUnits((inRial + sinceStart) as Units),
      positions: {
        btc: formatUnits((parseUnits(balances.btc) + gained('btc')) as Units),
        usdt: formatUnits(gained('usdt')),
      },
      unvalued: [],
    },
  ]);
});
