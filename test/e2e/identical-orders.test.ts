import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatUnits } from '../../src/domain/money.ts';
import { MirrorReader } from '../../src/mirror/mirror-reader.ts';
import { BotLife, createEmbeddedWorld } from '../support/embedded-bot.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

/** Source of a strategy that makes its intents once; a test puts them in. */
const PLUGIN = `
import { defineStrategy } from '#sdk';
import { z } from 'zod';
export default defineStrategy({
  name: 'once',
  params: z.strictObject({}),
  state: z.strictObject({ isDone: z.boolean().default(false) }),
  data: ({ market }) => ({ book: market.book() }),
  on: {
    book(ctx) {
      if (!ctx.state.isDone) { INTENTS; }
      ctx.setState({ isDone: true });
    },
  },
});
`;

const folder = folderOfEachTest();

/** Orders that the intents led to within a minute on the embedded exchange, as the mirror has them. */
async function ordersOf(intents: string): Promise<readonly string[]> {
  const plugin = join(folder, 'once.ts');
  const path = join(folder, 'mirror.sqlite');
  writeFileSync(plugin, PLUGIN.replace('INTENTS', intents));
  const world = createEmbeddedWorld({ seed: 3, config: { strategies: [{ plugin, market: 'BTCIRT' }] } });
  const life = await BotLife.prepare(world, path);
  life.bot.shell.start();
  await life.run(60_000);
  await life.drop();
  using mirror = new MirrorReader(path);
  const orders = mirror.orders({ strategy: null, market: null, last: 100, state: 'all' });
  return orders.map(({ state, filled }) => `${state} ${formatUnits(filled)}`);
}

test('a TWAP of ten equal slices in twenty seconds trades ten equal slices on the embedded exchange', async () => {
  const orders = await ordersOf(`ctx.twap('buy', { amount: 0.01, overMs: 20_000, slices: 10 })`);
  expect(orders).toEqual(Array(10).fill('filled 0.001'));
});

test('six identical orders that are allowed are six on the embedded exchange', async () => {
  const orders = await ordersOf(
    `Array.from({ length: 6 }, () => ctx.buy({ amount: 0.001, allowIdentical: true }))`,
  );
  expect(orders).toEqual(Array(6).fill('filled 0.001'));
});
