import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startNode, type SarrafProcess } from '../support/sarraf-process.ts';
import type { BotHome } from './bot-home.ts';
import type { BotProcess } from './bot-process.ts';
import { brokenPromises, OwnExchange } from './own-exchange.ts';

/** Time-out for a busy machine. */
const PATIENT = { timeout: 120_000, interval: 200 };

let own: OwnExchange;
let watchdog: SarrafProcess | null = null;
/** Server that gets the messages of the watchdog. */
let phone: Server;
const messages: string[] = [];
const told = (): string => messages.join('\n');

beforeEach(async () => {
  own = await OwnExchange.open({ seed: 31 });
  phone = createServer((request, reply) => {
    request.setEncoding('utf8').on('data', (text: string) => messages.push(text));
    request.on('end', () => reply.end('ok'));
  }).listen(0, '127.0.0.1');
  await once(phone, 'listening');
});

afterEach(async (context) => {
  watchdog?.child.kill('SIGKILL');
  await watchdog?.finished;
  await own.close(context);
  phone.close();
});

function watch(home: BotHome): SarrafProcess {
  const config = JSON.parse(readFileSync(home.configPath, 'utf8')) as Record<string, unknown>;
  const times = { silentAfter: '5s', cancelEntriesAfter: '6s' };
  const { port } = phone.address() as AddressInfo;
  const alerts = { channels: [{ kind: 'webhook', url: `http://127.0.0.1:${port}/` }], group: '1s' };
  // The bot keeps the configuration that it read, so that every message comes from the watchdog.
  const path = home.configPath.replace('bot.yaml', 'watchdog.yaml');
  writeFileSync(path, JSON.stringify({ ...config, watchdog: times, alerts }));
  return startNode(['bin/sarraf.js', 'watchdog', '--config', path, '--json']);
}

interface News {
  readonly atMs: number;
  readonly event: string;
  readonly message: string;
}

/** Time of the line that the test read last. */
let heardMs = 0;

/** Waits for the next line with one of these events. */
async function news(...events: readonly string[]): Promise<string> {
  const isNext = (text: string): boolean => {
    const read = JSON.parse(text) as News;
    return events.includes(read.event) && read.atMs > heardMs;
  };
  const line = JSON.parse((await watchdog?.line(isNext)) ?? '{}') as News;
  heardMs = line.atMs;
  return line.message;
}

/** Stops a bot that may hold the ledger, and returns what became of its entries. */
async function stop(bot: BotProcess): Promise<string> {
  for (let times = 1; ; times += 1) {
    bot.signal('SIGSTOP');
    expect(await news('silent')).toMatch(/^the bot \(pid \d+\) is silent since/);
    const result = await news('canceled', 'not-canceled');
    if (!result.includes('database is locked')) return result;
    expect(times).toBeLessThan(5);
    bot.signal('SIGCONT');
    await news('back');
  }
}

/** Counts open orders at the exchange: in this test the purchases are entries, and the sales exits. */
function open(): { readonly entries: number; readonly exits: number } {
  const orders = own.exchange.truth().orders.filter(({ isOpen }) => isOpen);
  const entries = orders.filter(({ side }) => side === 'buy').length;
  return { entries, exits: orders.length - entries };
}

test('a watchdog cancels the entries of a bot that stands still, keeps its exits, and leaves a bot that is back alone', async () => {
  const { exchange } = own;
  const home = own.home({
    instance: 'dogged',
    seed: 1,
    plugin: resolve('test/process/protected-strategy.ts'),
  });
  const bot = own.start(home);
  await bot.healthAddress();
  // Each of two strategies has a purchase far below the market, and both legs of an OCO.
  await expect.poll(open, PATIENT).toEqual({ entries: 2, exits: 4 });
  watchdog = watch(home);
  await news('began');

  const requests = exchange.requests().length;
  expect(await stop(bot)).toMatch(/^of the silent bot 2 entries are canceled .*; [24] exits stay/);
  expect(open()).toEqual({ entries: 0, exits: 4 });
  // Two cancels, a page of open orders, and requests that were under way.
  expect(exchange.requests().length).toBeGreaterThan(requests);
  await expect.poll(told, PATIENT).toMatch(/The bot is silent[^]*2 entries canceled, [24] exits kept/);

  bot.signal('SIGCONT');
  expect(await news('back')).toContain('looks after its orders itself');
  await expect.poll(told, PATIENT).toMatch(/Over after [^]*The bot is silent/);
  await expect
    .poll(async () => (await fetch(`${await bot.firstHealthAddress()}/readyz`)).status, PATIENT)
    .toBe(200);
  expect(open()).toEqual({ entries: 0, exits: 4 });

  await bot.kill();
  await news('silent');
  expect(await news('canceled')).toMatch(/^of the silent bot no entry was open; [24] exits stay/);

  const second = own.start(home);
  await second.healthAddress();
  await news('back');
  exchange.endTrading();
  second.signal('SIGTERM');
  await second.finished;
  expect(await news('ended')).toBe('the bot has ended in order');
  watchdog.child.kill('SIGTERM');
  expect((await watchdog.finished).code).toBe(0);
  expect(brokenPromises(exchange, home)).toEqual([]);
});
