import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { keepPicture, launchChromium, openAddress, overhangOf } from '../open-page.ts';
import { latinWords, wordsOfOthers } from './latin-words.ts';
import { NOW_MS } from './made-up-replies.ts';
import { MadeUpServer } from './made-up-server.ts';
import { giveTroubles, WORDS_OF_PEOPLE } from './persian-situations.ts';

let browser: Browser;
let server: MadeUpServer;
let address: string;

beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => browser?.close());
beforeEach(async () => {
  server = new MadeUpServer();
  giveTroubles(server);
  address = await server.listen();
});
afterEach(async () => server.close());

/** Opens a view in Persian on a phone, once the sentences of the bot are there. */
async function openInPersian(view: string, until: string): Promise<Page> {
  const { page } = await openAddress(browser, `${address}/#/${view}`, { screen: 'phone' }, async (each) => {
    await each.addInitScript(`
      localStorage.setItem('sarraf.language', 'fa');
      localStorage.setItem('sarraf.signed-in', 'yes');`);
    await each.clock.install({ time: NOW_MS });
  });
  await page.waitForSelector(until);
  await page.waitForSelector('html[data-sentences=fa]');
  return page;
}

describe('in Persian there is no English sentence', () => {
  test.each([
    ['overview', 'main tbody tr'],
    ['market/BTCIRT', '.book tr'],
    ['orders', 'main tbody tr'],
    ['order/grid-1000', '.life li'],
    ['strategy/grid', 'main tbody tr'],
    ['fills', 'main tbody tr'],
    ['budgets', 'main tbody tr'],
    ['books', 'main tbody tr'],
    ['locks', 'main tbody tr'],
    ['log', 'main tbody tr'],
    ['alerts', 'main tbody tr'],
    ['reports', 'main tbody tr'],
    ['bots', 'main tbody tr'],
  ])('in %s, but for what people wrote', async (view, until) => {
    const page = await openInPersian(view, until);
    expect(await latinWords(page)).toEqual([]);
    const others = await wordsOfOthers(page);
    expect(others.filter((text) => !WORDS_OF_PEOPLE.includes(text))).toEqual([]);
    expect(await overhangOf(page)).toBe(0);
    await keepPicture(page, `dashboard-troubles-${view.replace('/', '-')}-fa`);
    await page.close();
  });

  test('in what an action came to', async () => {
    const page = await openInPersian('orders', 'main tbody tr');
    await page.click('.tools .danger');
    await page.click('[data-confirm]');
    await page.clock.runFor(1_000);
    await page.waitForSelector('[data-outcome=failed]');
    expect(await latinWords(page)).toEqual([]);
    expect(await wordsOfOthers(page)).toEqual([]);
    await keepPicture(page, 'dashboard-troubles-action-fa');
    await page.close();
  });

  test.each([
    'not-found',
    'invalid-request',
    'data-unusable',
    'key-taken',
    'no-bot',
    'too-many-streams',
    'internal',
  ])('in the failure %s', async (code) => {
    server.failWith({ code, message: 'expected an order of this bot, was "x"' });
    const page = await openInPersian('order/x', 'main [role=alert]');
    expect(await latinWords(page)).toEqual([]);
    await page.close();
  });
});
