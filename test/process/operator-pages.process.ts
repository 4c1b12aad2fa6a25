import { cpSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ChatServer, ACCEPTED } from '../support/chat-server.ts';
import { OperatorPage } from './operator-page.ts';
import { OwnExchange } from './own-exchange.ts';
import { startRestingBot, untilSaid } from './resting-bot.ts';

let own: OwnExchange;
beforeEach(async () => {
  own = await OwnExchange.open({ seed: 7 });
});
afterEach(async (context) => own.close(context));

test('the checklist before real money has commands that show what it says', async () => {
  await using telegram = new ChatServer(() => ACCEPTED);
  const apiRoot = await telegram.listen();
  const channel = { kind: 'telegram', chat: '5', token: '123:abc', apiRoot };
  const { home } = await startRestingBot(own, { alerts: { channels: [channel] } });
  const page = new OperatorPage('production', own.folder, {
    '/data': home.dataFolder,
    'bot.yaml': home.configPath,
  });
  expect(await page.follow('The configuration')).toEqual([]);
  await untilSaid(page, 'sarraf reconcile --data /data', 'The books and the exchange agree.');
  expect(await page.follow('Drills')).toEqual([]);
  expect(page.left).toBe(0);
});

test('the page of security has commands that show what it says', async () => {
  const { home } = await startRestingBot(own);
  const page = new OperatorPage('security', own.folder, { 'bot.yaml': home.configPath });
  expect(await page.follow('Where secrets are')).toEqual([]);
  expect(page.left).toBe(0);
});

test('an upgrade goes on with the data, and back to a backup, as its page says', async () => {
  const { home, bot } = await startRestingBot(own);
  const newer = join(own.folder, 'newer');
  const page = new OperatorPage('upgrade', own.folder, {
    '/backups': join(own.folder, 'backups'),
    '/newer': newer,
    '/data': home.dataFolder,
    'bot.yaml': home.configPath,
  });
  expect(await page.follow('Before')).toEqual([]);
  await bot.end();
  const upgraded = own.start(home);
  await upgraded.healthAddress();
  await untilSaid(page, 'sarraf health --ready --data /data', /^ready$/m);
  await untilSaid(page, 'sarraf reconcile --data /data', 'The books and the exchange agree.');
  expect(await page.follow('Upgrade')).toEqual([]);
  await upgraded.end();
  cpSync(home.dataFolder, newer, { recursive: true });
  const mirror = new Database(join(newer, 'mirror.sqlite'));
  mirror.pragma('user_version = 99');
  mirror.close();
  expect(await page.follow('A mirror of another version')).toEqual([]);
  const isBack = async (): Promise<void> => void (await own.start(home).healthAddress());
  expect(await page.follow('Back', isBack)).toEqual([]);
  expect(page.left).toBe(0);
  await untilSaid(page, 'sarraf orders --data /data', / open\n/);
});
