import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ApiError } from '../../../src/dashboard/api-error.ts';
import { reasonItem } from '../../../src/dashboard/readers/row-items.ts';
import { sentence, type Sentence } from '../../../src/language/sentence.ts';
import { pageFolder } from '../../../src/plugins/own-files.ts';
import { keepPicture, launchChromium, openAddress, overhangOf } from '../open-page.ts';
import { NOW_MS, REPLIES } from './made-up-replies.ts';
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

/**
 * Opens a view in Persian on a phone, and waits until the bot's sentences are loaded, if it has any. Adds the
 * addresses that it loads to `loaded`.
 */
async function openInPersian(view: string, until: string, loaded: string[] = []): Promise<Page> {
  const { page } = await openAddress(browser, `${address}/#/${view}`, { screen: 'phone' }, async (each) => {
    each.on('request', (request) => loaded.push(request.url()));
    await each.addInitScript(`
      localStorage.setItem('sarraf.language', 'fa');
      localStorage.setItem('sarraf.signed-in', 'yes');`);
    await each.clock.install({ time: NOW_MS });
  });
  await page.waitForSelector(until);
  await page.waitForSelector('html:not([data-sentences=loading])');
  return page;
}

/** Compressed size of the scripts, styles and HTML at these addresses, in bytes. */
function bytesOf(urls: readonly string[]): number {
  return urls
    .map((url) => new URL(url).pathname.replace(/^\/$/, '/index.html'))
    .filter((path) => /\.(?:js|css|html)$/.test(path))
    .reduce((sum, path) => sum + statSync(join(pageFolder(), `${path}.gz`)).size, 0);
}

test('a market weighs at most 110 KB with its chart and what the bot says', async () => {
  const loaded: string[] = [];
  const page = await openInPersian('market/BTCIRT', '.chart.candles[data-drawn=true]', loaded);
  for (const part of ['candle-chart', 'persian-sentences', 'persian-font'])
    expect(loaded).toContainEqual(expect.stringContaining(part));
  expect(bytesOf(loaded)).toBeLessThanOrEqual(110 * 1_024);
  await page.close();
});

test('what the bot wrote is shown where its sentences in Persian are out of reach', async () => {
  const page = await openInPersian('locks', 'main tbody tr');
  await page.route('**/persian-sentences*', (route) => route.abort());
  await page.reload();
  await page.waitForSelector('.said[lang=en]:text-is("no answer from the exchange yet")');
  await page.close();
});

/** Ends of a replay's process without an answer. */
const ENDS: Readonly<Record<string, Sentence>> = {
  late: sentence('apart-late', { bound: '5 min' }),
  memory: sentence('apart-memory', { bound: 512 }),
  ended: sentence('apart-ended', { how: 'SIGSEGV' }),
};

describe('in Persian there is no English sentence', () => {
  test.each([
    ['overview', 'main tbody tr'],
    ['market/BTCIRT', '.book tr'],
    ['orders', 'main tbody tr'],
    ['order/grid-1000', '.life li'],
    ['strategy/grid', 'main tbody tr'],
    ['trips', 'main tbody tr'],
    ['profits', '.calendar'],
    ['quality', 'main tbody tr'],
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

  test.each(['shown', 'off', 'unknown', 'unreached', 'otherwise', 'late', 'memory', 'ended'])(
    'in what the bot knew: %s',
    async (name) => {
      const made = REPLIES.moment as { readonly moment: object };
      const reason = ENDS[name];
      const state = reason === undefined ? name : 'unusable';
      const problem = reason === undefined ? null : reasonItem(reason);
      const moment = state === 'shown' ? made.moment : null;
      server.replies.set('moment', { ...made, state, problem, moment });
      const page = await openInPersian('order/grid-1000', '.life li');
      await page.click('main .panel-actions button');
      await page.waitForSelector(`[data-moment=${state}]`);
      await page.waitForSelector('html:not([data-sentences=loading])');
      expect(await latinWords(page)).toEqual([]);
      if (reason !== undefined) {
        expect(await page.locator('[data-moment] .said[lang=en]').count()).toBe(0);
        await keepPicture(page, `dashboard-moment-${name}-fa`);
      }
      await page.close();
    },
  );

  test('in what the bot knew, while others are replayed', async () => {
    const page = await openInPersian('order/grid-1000', '.life li');
    const { reply } = new ApiError('busy', sentence('apart-busy', { most: 3, count: 3 }));
    await page.route('**/moment', (route) => route.fulfill({ status: 503, json: reply }));
    await page.click('main .panel-actions button');
    await page.waitForSelector('dialog [role=alert]:has-text("۳")');
    expect(await latinWords(page)).toEqual([]);
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

/** Elements that run from left to right in any language: code, names, numbers, and data as it came. */
const ISLANDS = 'bdi, code, pre, [dir=ltr], option, [lang=en], .brand, script, style';

/** Latin words that Persian texts may have: names of commands, units and settings. */
const ALLOWED = new Set(
  'sarraf token link report live operate IP UTC BTC ETH USDT TWAP VWAP DCA Lightweight Charts TradingView Vazirmatn'.split(
    ' ',
  ),
);

/** Script that returns each text of a page outside of these elements. */
const READ = `[...document.querySelectorAll('body *')].flatMap((element) =>
  element.closest(${JSON.stringify(ISLANDS)}) !== null || !element.checkVisibility() ? [] :
    [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.textContent))`;

const ISLAND = /[\u2066-\u2068][^\u2066-\u2069]*\u2069/g;

/** Removes the isolated parts of a text; they may be nested. */
function withoutIslands(text: string): string {
  const rest = text.replaceAll(ISLAND, '');
  return rest === text ? text : withoutIslands(rest);
}

/** Words in Latin letters in a page that is read in Persian. */
async function latinWords(page: Page): Promise<readonly string[]> {
  const texts = (await page.evaluate(READ)) as readonly string[];
  return texts.flatMap((text) =>
    (withoutIslands(text).match(/[A-Za-z][A-Za-z'-]+/g) ?? [])
      .filter((word) => !ALLOWED.has(word))
      .map((word) => `${word} in: ${text}`),
  );
}

/** Texts that are shown in English, as somebody wrote them. */
const wordsOfOthers = async (page: Page): Promise<readonly string[]> =>
  page.locator('.said[lang=en]').allInnerTexts();
