import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { controlPath } from '../../src/daemon/control-file.ts';
import { readReconciliation } from '../../src/mirror/read-reconciliation.ts';
import { MirrorReader } from '../../src/mirror/mirror-reader.ts';
import { startSarraf } from '../support/sarraf-process.ts';
import type { BotHome } from './bot-home.ts';
import { readLog } from './bot-process.ts';
import { brokenPromises, OwnExchange } from './own-exchange.ts';

let own: OwnExchange;

beforeEach(async () => {
  own = await OwnExchange.open({ seed: 4 });
});

afterEach(async (context) => {
  await own.close(context);
});

/** Resolves when the exchange has `count` open orders; throws when it takes too long. */
async function untilOpen(count: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < 30_000; waitedMs += 20) {
    if (own.exchange.truth().orders.filter(({ isOpen }) => isOpen).length >= count) return;
    await pause(20);
  }
  throw new Error(`expected ${count} open orders within 30 s`);
}

/** Resolves when the bot has begun its books and compared them once. */
async function untilCompared({ mirrorPath }: BotHome): Promise<void> {
  for (let waitedMs = 0; waitedMs < 30_000; waitedMs += 200) {
    const reader = new MirrorReader(mirrorPath);
    const { state, comparisons } = readReconciliation(reader);
    reader.close();
    if (state === 'agreed' && comparisons > 1) return;
    await pause(200);
  }
  throw new Error('expected books that were compared within 30 s');
}

/** Time from the posting of the last command until the bot took it, in ms, by the clock of both processes. */
function takenAfterMs({ dataFolder }: BotHome): number {
  const control = new Database(controlPath(dataFolder), { readonly: true });
  try {
    const row = control
      .prepare<[], { ms: number }>(
        'SELECT taken_at_ms - posted_at_ms AS ms FROM commands ORDER BY id DESC LIMIT 1',
      )
      .get();
    return row?.ms ?? Number.NaN;
  } finally {
    control.close();
  }
}

test('ends at once at a later SIGTERM, not at an echo of the first, and the next run knows every order', async () => {
  const { exchange } = own;
  const home = own.home({ instance: 'twice', seed: 1 });
  const bot = own.start(home);
  await bot.healthAddress();
  const firstRequestMs = (exchange.requests()[0]?.timeMs ?? Number.NaN) - bot.spawnedAtMs;
  await untilOpen(3);
  // Node aborts if the process exits while a thread loads a native module, as the page's does at first.
  await bot.line(({ event }) => event === 'dashboard');
  // Nothing can be canceled while no reply comes, so the first signal alone would not end it.
  exchange.setFaults([{ kind: 'reply-lost' }]);
  bot.signal('SIGTERM');
  // As under npm, which passes on a Ctrl-C that the bot has already got from the terminal.
  await pause(10);
  bot.signal('SIGTERM');
  await pause(1_200);
  expect(bot.isRunning).toBe(true);
  const secondMs = performance.now();
  bot.signal('SIGTERM');
  const { code, error } = await bot.finished;
  const endedAfterMs = Math.round(performance.now() - secondMs);
  expect(code).toBe(1);
  expect(error).toContain('ended at once by a second SIGTERM');

  exchange.setFaults([]);
  const next = own.start(home);
  await next.healthAddress();
  await pause(3_000);
  exchange.endTrading();
  const drainMs = performance.now();
  const end = await next.end();
  console.log({ firstRequestMs, endedAfterMs, drainedAfterMs: Math.round(performance.now() - drainMs) });
  expect(end.code, end.out).toBe(0);
  expect(brokenPromises(exchange, home)).toEqual([]);
});

test('stays halted over a kill, with its orders canceled, until it gets the command to resume', async () => {
  const { exchange } = own;
  const home = own.home({ instance: 'halted', seed: 2 });
  const bot = own.start(home);
  await bot.healthAddress();
  await untilOpen(2);
  const halt = await startSarraf(['halt', '--data', home.dataFolder, '--reason', 'a test']).finished;
  expect(halt.code, halt.error).toBe(0);
  console.log({ haltTakenAfterMs: takenAfterMs(home) });
  const atHalt = exchange.truth().orders;
  expect(atHalt.filter(({ isOpen }) => isOpen)).toEqual([]);
  await bot.kill();

  const second = own.start(home);
  await second.healthAddress();
  await pause(4_000);
  expect(exchange.truth().orders).toHaveLength(atHalt.length);
  const resume = await startSarraf(['resume', '--data', home.dataFolder]).finished;
  expect(resume.code, resume.error).toBe(0);
  await untilOpen(1);
  exchange.endTrading();
  const { code, out } = await second.end();
  expect(code, out).toBe(0);
  expect(brokenPromises(exchange, home)).toEqual([]);
});

test('halts from outside after a kill, and leaves books that agree', async () => {
  const { exchange } = own;
  const home = own.home({ instance: 'away', seed: 3 });
  const bot = own.start(home);
  await bot.healthAddress();
  await untilOpen(2);
  await untilCompared(home);
  await bot.kill();

  const halt = await startSarraf(['halt', '--config', home.configPath]).finished;
  expect(halt.code, halt.error).toBe(0);
  const report = await startSarraf(['reconcile', '--data', home.dataFolder]).finished;
  expect(report.out).not.toContain('difference');
  expect(report.code, report.error).toBe(0);
  expect(exchange.truth().orders.filter(({ isOpen }) => isOpen)).toEqual([]);

  const next = own.start(home);
  await next.healthAddress();
  exchange.endTrading();
  const { code, out } = await next.end();
  expect(code, out).toBe(0);
  expect(brokenPromises(exchange, home)).toEqual([]);
});

test.each([
  { what: 'a SIGHUP', instance: 'hup', isClosed: false, hangUps: 1 },
  { what: 'a closed terminal, whose SIGHUP comes twice', instance: 'tty', isClosed: true, hangUps: 2 },
  { what: 'an output that nobody reads any more', instance: 'deaf', isClosed: true, hangUps: 0 },
])('drains at $what', async ({ instance, isClosed, hangUps }) => {
  const { exchange } = own;
  const home = own.home({ instance, seed: 5 });
  const bot = own.start(home);
  await bot.healthAddress();
  await untilOpen(2);
  exchange.endTrading();
  if (isClosed) bot.closeOutput();
  for (let count = 0; count < hangUps; count += 1) {
    bot.signal('SIGHUP');
    await pause(100);
  }
  const { code, out } = await bot.finished;
  expect(code, out).toBe(0);
  expect(brokenPromises(exchange, home)).toEqual([]);
});
test('leaves the OCO that protects a position, cancels the rest, and says so last', async () => {
  const { exchange } = own;
  const home = own.home({ instance: 'oco', seed: 9 });
  const config = JSON.parse(readFileSync(home.configPath, 'utf8')) as Record<string, unknown>;
  const strategies = [
    { plugin: resolve('test/process/protected-strategy.ts'), name: 'protected', market: 'BTCUSDT' },
  ];
  writeFileSync(home.configPath, JSON.stringify({ ...config, strategies, drain: { within: '60s' } }));
  const bot = own.start(home);
  await bot.healthAddress();
  await untilOpen(3);
  exchange.endTrading();
  const { code, out } = await bot.end();
  expect(code, out).toBe(0);
  const open = exchange.truth().orders.filter(({ isOpen }) => isOpen);
  expect(open.map(({ side, amount }) => [side, amount])).toEqual([
    ['sell', 99_000_000n],
    ['sell', 99_000_000n],
  ]);
  const last = readLog(out)
    .filter(({ event }) => event === 'left')
    .map(({ msg }) => msg);
  expect(last).toEqual([
    expect.stringMatching(new RegExp(`^Left open: ${open[0]?.id} BTCUSDT sell 0\\.0099 at .*, of an OCO`)),
    expect.stringMatching(
      new RegExp(`^Left open: ${open[1]?.id} BTCUSDT sell 0\\.0099 at .* once .* is reached, of an OCO`),
    ),
    expect.stringMatching(
      /^Unprotected: protected holds 0\.00\d+ btc, of which no stop order or OCO covers 0\.000\d+$/,
    ),
  ]);

  const halt = await startSarraf(['halt', '--config', home.configPath]).finished;
  expect(halt.code, halt.error).toBe(0);
  expect(exchange.truth().orders.filter(({ isOpen }) => isOpen)).toEqual([]);
});

test.each([
  { delayMs: 3_000, areOld: false },
  { delayMs: 40_000, areOld: true },
])(
  'waits for balances of after its last cancel, or says that they are older: wallets take $delayMs ms',
  async ({ delayMs, areOld }) => {
    const { exchange } = own;
    const home = own.home({ instance: 'slow', seed: 3 });
    const bot = own.start(home);
    await bot.healthAddress();
    await untilOpen(3);
    exchange.setFaults([{ kind: 'delay', endpoints: ['wallets', 'walletsList'], delayMs }]);
    exchange.endTrading();
    const { code, out } = await bot.end();
    expect(code, out).toBe(0);
    const said = readLog(out).filter(({ msg }) => msg.includes('did not send the balances again'));
    expect(said).toHaveLength(areOld ? 1 : 0);
    if (!areOld) expect(brokenPromises(exchange, home)).toEqual([]);
  },
);
