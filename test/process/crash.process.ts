import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readReconciliation, type ReconciliationReport } from '../../src/mirror/read-reconciliation.ts';
import type { StrategyRecord } from '../../src/records/rows.ts';
import { english } from '../../src/language/sentence.ts';
import { MirrorReader } from '../../src/mirror/mirror-reader.ts';
import type { BotHome } from './bot-home.ts';
import { readLog } from './bot-process.ts';
import { brokenPromises, OwnExchange } from './own-exchange.ts';

const PATIENCE_MS = 120_000;

/** Source of a strategy with an order that stays open, which then leaves a rejected promise unhandled. */
const REJECTING = `import { z } from 'zod';
import { defineStrategy } from '#sdk';
export default defineStrategy({
  name: 'rejecting',
  params: z.strictObject({}),
  state: z.strictObject({ hasPlaced: z.boolean().default(false) }),
  data: ({ market }) => ({ book: market.book() }),
  on: { book({ state, setState, orders, buy }, { bids }) {
    if (orders.some((order) => order.state === 'open')) void Promise.reject(new Error('lost on the way'));
    if (state.hasPlaced) return;
    setState({ hasPlaced: true });
    buy({ amount: 0.003, price: bids[0].price * 0.9 });
  } },
});
`;

let own: OwnExchange;

beforeEach(async () => {
  own = await OwnExchange.open({ seed: 6 });
});

afterEach(async (context) => {
  await own.close(context);
});

function read<Value>({ mirrorPath }: BotHome, look: (reader: MirrorReader) => Value): Value {
  const reader = new MirrorReader(mirrorPath);
  try {
    return look(reader);
  } finally {
    reader.close();
  }
}

const strategyOf = (home: BotHome, name: string): StrategyRecord | undefined =>
  read(home, (reader) => reader.strategies()).find((record) => record.name === name);

const reconciliationOf = (home: BotHome): ReconciliationReport => read(home, readReconciliation);

async function until(what: string, holds: () => boolean): Promise<void> {
  for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += 100) {
    if (holds()) return;
    await pause(100);
  }
  throw new Error(`expected ${what} within ${PATIENCE_MS / 1_000} s`);
}

test('a strategy whose promise is rejected ends by its policy alone; an error of nobody ends the bot in order', async () => {
  const { exchange } = own;
  const open = () => exchange.truth().orders.filter(({ isOpen }) => isOpen);
  const home = own.home({ instance: 'crash', seed: 11 });
  const config = JSON.parse(readFileSync(home.configPath, 'utf8')) as Record<string, unknown>;
  const plugin = join(own.folder, 'rejecting.ts');
  writeFileSync(plugin, REJECTING);
  const strategies = [
    { plugin: resolve('test/process/protected-strategy.ts'), name: 'protected', market: 'BTCUSDT' },
    { plugin, name: 'rejecting', market: 'BTCUSDT', onError: 'cancel' },
  ];
  writeFileSync(home.configPath, JSON.stringify({ ...config, strategies, drain: { within: '60s' } }));
  const preload = pathToFileURL(resolve('test/process/throw-on-signal.ts')).href;
  const bot = own.start(home, ['--import', preload]);
  await bot.healthAddress();

  // The rejected promise: its strategy stops and its order is canceled; the other strategy keeps its purchase
  // and both legs of its OCO.
  await until('the strategy to stop', () => strategyOf(home, 'rejecting')?.status === 'stopped');
  expect(english(strategyOf(home, 'rejecting')?.reason ?? null)).toMatch(
    /a promise was rejected and not caught: lost on the way/,
  );
  await until('the orders of the other alone', () => open().length === 3);
  expect(open().map(({ side, amount }) => [side, amount])).not.toContainEqual(['buy', 30_000_000n]);
  expect(strategyOf(home, 'protected')?.status).toBe('running');
  const before = reconciliationOf(home).comparisons;
  await until('the books to be compared after it', () => reconciliationOf(home).comparisons > before);
  expect(bot.isRunning).toBe(true);

  // The uncaught error: the drain keeps what only reduces the position.
  exchange.endTrading();
  const crashedAtMs = Date.now();
  bot.signal('SIGUSR2');
  const { code, out, error } = await bot.finished;
  expect(code, out).toBe(1);
  expect(open().map(({ side, amount }) => [side, amount])).toEqual([
    ['sell', 99_000_000n],
    ['sell', 99_000_000n],
  ]);
  const last = reconciliationOf(home);
  expect([last.state, last.differences]).toEqual(['agreed', []]);
  expect(last.comparedAtMs).toBeGreaterThan(crashedAtMs);
  const kept = new Set(open().map(({ id }) => `expected no open order, ${id} is open`));
  expect(brokenPromises(exchange, home).filter(({ message }) => !kept.has(message))).toEqual([]);

  const logged = readLog(out).filter(({ msg }) => msg.includes('was not caught, so the run ends'));
  expect(logged).toHaveLength(1);
  expect(logged[0]).toMatchObject({
    level: 'error',
    msg: 'an error was not caught, so the run ends: planted outside of any strategy',
    stack: expect.stringMatching(
      /^RangeError: planted outside.*\n.*throwOutside .*throw-on-signal\.ts/,
    ) as string,
  });
  expect(error).toContain('planted outside of any strategy');
  expect(readLog(out).filter(({ event }) => event === 'left').length).toBeGreaterThan(1);
});
