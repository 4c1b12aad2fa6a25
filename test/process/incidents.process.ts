import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BotHome } from './bot-home.ts';
import { OperatorPage } from './operator-page.ts';
import { OwnExchange } from './own-exchange.ts';
import { openOrdersAt, startRestingBot, untilSaid, type RestingBot } from './resting-bot.ts';
import { SECOND_TOKEN, TOKEN, USER } from './served-exchange.ts';
import { SmallDisk } from './small-disk.ts';

const SEES = 'What you see';
const DOES = 'What you do';
const OVER = 'When it is over';

let own: OwnExchange;
beforeEach(async () => {
  own = await OwnExchange.open({ seed: 5 });
});
afterEach(async (context) => own.close(context));

const startBot = (dataFolder?: string): Promise<RestingBot> =>
  startRestingBot(own, dataFolder === undefined ? {} : { dataFolder });
const openOrders = (): number => openOrdersAt(own);

const pageOf = (name: string, home: BotHome, more: Readonly<Record<string, string>> = {}): OperatorPage =>
  new OperatorPage(`incidents/${name}`, own.folder, {
    '/data': home.dataFolder,
    'bot.yaml': home.configPath,
    ...more,
  });

test('a lockout is seen, waited for, and over by itself, as its page says', async () => {
  const { home } = await startBot();
  const page = pageOf('lockout', home);
  own.exchange.setFaults([{ kind: 'too-many-requests', endpoints: ['orderBook'], backOff: 30, limit: 240 }]);
  await untilSaid(page, 'sarraf status --data /data', 'LOCKED OUT');
  own.exchange.setFaults([]);
  expect(await page.follow(SEES)).toEqual([]);
  expect(await page.follow(DOES)).toEqual([]);
  await untilSaid(page, 'sarraf health --ready --data /data', /^ready$/m);
  expect(await page.follow(OVER)).toEqual([]);
  expect(page.left).toBe(0);
});

test('an unknown order is found with the next list, as its page says', async () => {
  const { home } = await startBot();
  own.exchange.setFaults([
    { kind: 'reply-lost', endpoints: ['addOrder'] },
    { kind: 'server-error', endpoints: ['ordersList', 'orderStatus'] },
  ]);
  const page = pageOf('unknown-order', home);
  await page.run('sarraf cancel --all --yes --data /data');
  await untilSaid(page, 'sarraf orders --data /data', / buy .* unknown\n/);
  await untilSaid(page, 'sarraf health --ready --data /data', /^orders is /m);
  const [, order = ''] =
    /(bot-maker-\S+) .* unknown\n/.exec(await page.run('sarraf orders --data /data')) ?? [];
  const shown = pageOf('unknown-order', home, { 'bot-maker-wnf5-5': order });
  expect(await shown.follow(SEES)).toEqual([]);
  expect(await shown.follow(DOES)).toEqual([]);
  own.exchange.setFaults([]);
  await untilSaid(page, 'sarraf orders --data /data', / buy .* open\n/);
  expect(await shown.follow(OVER)).toEqual([]);
  expect(shown.left).toBe(0);
});

test('a break of the books is explained and accepted, as its page says', async () => {
  const { home } = await startBot();
  const page = pageOf('break', home);
  // Before that the books may begin again, from the balances that are there.
  await untilSaid(page, 'sarraf status --data /data', /compared (?:[6-9]|[1-9]\d+) times/);
  const { accounts } = own.exchange.simulation.exchange;
  const wallet = accounts.walletsOf(USER).find(({ currency }) => currency === 'rls');
  if (wallet === undefined) throw new Error('expected a wallet of rial');
  // Money leaves without a line in the history of the wallet, as it never should.
  wallet.total -= 12_345_678_901_000n;
  accounts.houseOf('rls').outside += 12_345_678_901_000n;
  await untilSaid(page, 'sarraf status --data /data', 'BREAK');
  expect(await page.follow(SEES)).toEqual([]);
  expect(await page.follow(DOES)).toEqual([]);
  await untilSaid(page, 'sarraf reconcile --data /data', 'The books and the exchange agree.');
  expect(await page.follow(OVER)).toEqual([]);
  expect(page.left).toBe(0);
});

test('a full disk is told of, halted on, and left behind, as its page says', async (context) => {
  const disk = SmallDisk.mount(join(own.folder, 'disk'), 48);
  if (typeof disk === 'string') {
    context.skip(disk);
    return;
  }
  try {
    const { home } = await startBot(join(disk.path, 'data'));
    const page = pageOf('full-disk', home);
    disk.fill();
    await untilSaid(page, 'sarraf health --data /data', 'can not be written to');
    expect(await page.follow(SEES)).toEqual([]);
    expect(await page.follow(DOES)).toEqual([]);
    expect(openOrders()).toBe(0);
    disk.free();
    await untilSaid(page, 'sarraf health --ready --data /data', /^trading is halted: [^;]*$/);
    expect(await page.follow(OVER)).toEqual([]);
    expect(page.left).toBe(0);
  } finally {
    await own.endBots();
    disk.unmount();
  }
});

test('a stolen key is halted on, revoked and replaced, as its page says', async () => {
  const { home, bot } = await startBot();
  const page = pageOf('lost-key', home);
  expect(await page.follow(DOES)).toEqual([]);
  expect(openOrders()).toBe(0);
  own.exchange.revoke(TOKEN);
  await untilSaid(page, 'sarraf status --data /data', 'REFUSED');
  expect(await page.follow(SEES)).toEqual([]);
  await bot.end();
  const settings = readFileSync(home.configPath, 'utf8');
  writeFileSync(home.configPath, settings.replace(TOKEN, SECOND_TOKEN));
  await own.start(home).healthAddress();
  await untilSaid(page, 'sarraf reconcile --data /data', 'The books and the exchange agree.');
  expect(await page.follow(OVER)).toEqual([]);
  expect(page.left).toBe(0);
});

test('a silent bot is ended, its orders are canceled, and it goes on, as its page says', async () => {
  const { home, bot } = await startBot();
  const page = pageOf('silent-bot', home, { '12345': String(bot.id) });
  await untilSaid(page, 'sarraf orders --data /data', / open\n/);
  bot.signal('SIGSTOP');
  await untilSaid(page, 'sarraf status --data /data', 'silent');
  expect(await page.follow(SEES)).toEqual([]);
  expect(openOrders()).toBe(2);
  expect(await page.follow(DOES)).toEqual([]);
  expect(openOrders()).toBe(0);
  await own.start(home).healthAddress();
  expect(await page.follow(OVER)).toEqual([]);
  expect(page.left).toBe(0);
});
