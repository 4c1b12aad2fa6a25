import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { MINUTE_MS } from '../../../src/domain/time-text.ts';
import { pageFolder } from '../../../src/plugins/own-files.ts';
import { DashboardHere } from '../../support/dashboard-here.ts';
import { sarrafHere } from '../../support/sarraf-here.ts';
import { startSarraf, type SarrafProcess } from '../../support/sarraf-process.ts';
import { launchChromium, openAddress, textOf } from '../open-page.ts';
import { findBarriers } from './find-barriers.ts';
import { folderOfAllTests } from '../../support/temporary-folder.ts';

const root = folderOfAllTests();
const data = join(root, 'data');

/** Configuration of a bot that quotes on an embedded exchange, `speed` times as fast as the clock. */
const configOf = (of: {
  readonly speed: number;
  readonly folder: string;
  readonly more?: string;
}): string => `
mode: embedded
instance: seen
embedded: { seed: 3, speed: ${of.speed}, balances: { rls: '100000000000', usdt: '100000' } }
strategies:
  - { plugin: market-maker, name: maker, market: BTCIRT, params: { spreadBps: 1.5 } }
${of.more ?? ''}
data: { folder: ${of.folder} }
record: {}
dashboard: { port: 0 }
`;

/** Strategies in two more markets. */
const TWO_MORE = `
  - { plugin: ma-cross, name: cross, market: USDTIRT }
  - { plugin: grid, name: grid, market: ETHIRT }`;

/** Time-out for a busy machine; what a test waits for mostly comes within a second. */
const PATIENT = { timeout: 100_000 };

let browser: Browser;
let bot: SarrafProcess;

beforeAll(async () => {
  browser = await launchChromium();
  writeFileSync(join(root, 'bot.yaml'), configOf({ speed: 10, folder: data }));
  bot = startSarraf(['run', '--config', join(root, 'bot.yaml')]);
});

afterAll(async () => {
  await browser?.close();
  bot?.child.kill('SIGKILL');
  await bot?.finished;
});

/** Waits for the page of a bot, and returns a link that signs in. */
async function addressOf(ofBot: SarrafProcess, folder: string): Promise<string> {
  await ofBot.line((line) => line.includes('page at http://'));
  const { out: link } = await sarrafHere(['token', 'link', '--data', folder]);
  const [address = ''] = /http:\S+/.exec(link) ?? [];
  return address;
}

const goTo = async (page: Page, view: string): Promise<unknown> =>
  page.evaluate(`location.hash = '#/${view}'`);

/** Clicks a button and confirms its dialog; returns the text of the outcome. */
async function act(page: Page, button: string): Promise<string> {
  await page.click(button);
  return confirm(page);
}

async function confirm(page: Page): Promise<string> {
  await page.click('[data-confirm]');
  await page.waitForSelector('[data-outcome=done]', PATIENT);
  const said = await textOf(page, 'dialog.action .steps');
  await page.keyboard.press('Escape');
  return said;
}

test('a person sees fills come, halts, sees the orders gone, resumes, and reads on when the bot is dead', async () => {
  const address = await addressOf(bot, data);
  const { page, messages, requests } = await openAddress(browser, address);
  await page.waitForSelector('[data-bot=running]', PATIENT);
  expect(page.url()).not.toContain('code');

  await goTo(page, 'fills');
  await page.waitForSelector('main[data-view=fills] tbody tr', PATIENT);
  const before = await page.locator('main tbody tr').count();
  await expect.poll(async () => page.locator('main tbody tr').count(), PATIENT).toBeGreaterThan(before);
  expect(await findBarriers(page)).toEqual([]);

  await goTo(page, 'market/BTCIRT');
  await page.waitForSelector('.book tr.own', PATIENT);
  await goTo(page, 'orders');
  await page.waitForSelector('main[data-view=orders] tbody tr', PATIENT);
  expect(await act(page, '.tools .danger')).toContain('Done.');
  await page.waitForSelector('[data-bot=halted]', PATIENT);
  await page.waitForSelector('main[data-view=orders] .empty', PATIENT);

  expect(await act(page, '.tools .primary')).toContain('Done.');
  await page.waitForSelector('[data-bot=running]', PATIENT);
  await page.waitForSelector('main[data-view=orders] tbody tr', PATIENT);
  expect(messages).toEqual([]);
  expect(requests.filter((url) => !url.startsWith(new URL(address).origin))).toEqual([]);
  await page.close();

  bot.child.kill('SIGKILL');
  await bot.finished;
  const here = await new DashboardHere(data, pageFolder()).listen();
  const second = await openAddress(browser, here.address);
  await second.page.fill('#field-token', readFileSync(join(data, 'dashboard-token'), 'utf8').trim());
  await second.page.keyboard.press('Enter');
  await second.page.waitForSelector('[data-bot=ended]', PATIENT);
  expect(await textOf(second.page, '.state')).toMatch(/last written .+ · last order /);
  await goTo(second.page, 'fills');
  await second.page.waitForSelector('main[data-view=fills] tbody tr', PATIENT);
  expect(await second.page.locator('main tbody tr').count()).toBeGreaterThan(before);

  // The killed bot left a log without an end.
  const { items } = (await here.api('/orders?limit=500')).json as { items: { readonly key: string }[] };
  const { key } = items.at(-1) ?? { key: '' };
  await goTo(second.page, `order/${key}`);
  await second.page.click('button:text("What the bot knew")');
  await second.page.waitForSelector('dialog[data-moment=shown]', PATIENT);
  const known = await textOf(second.page, '[data-moment]');
  for (const part of [key, 'answer to', 'Best prices', 'BTCIRT', 'Open orders'])
    expect(known).toContain(part);
  expect(known).not.toContain('decides otherwise');
  expect(await findBarriers(second.page)).toEqual([]);
  expect(second.messages).toEqual([]);
  await second.page.close();
  await here.close();
});

/** Two strategies that hold what they get; one of them was given coins. */
const HOLDERS = `
mode: embedded
instance: held
embedded: { seed: 3, speed: 10, balances: { rls: '100000000000', usdt: '100000', btc: '2' } }
strategies:
  - { plugin: ./holder.ts, name: keeper, market: BTCIRT, inventory: { btc: '0.5' } }
  - { plugin: ./holder.ts, name: heir, market: BTCIRT }
data: { folder: data }
dashboard: { port: 0 }
`;
const HOLDER = `import { defineStrategy } from '#sdk';
export default defineStrategy({ name: 'holder', data: ({ market }) => ({ book: market.book() }), on: {} });
`;

test('a person says what became of a position: it was sold, moved to another strategy, or found', async () => {
  const folder = mkdtempSync(join(root, 'held-'));
  writeFileSync(join(folder, 'bot.yaml'), HOLDERS);
  writeFileSync(join(folder, 'holder.ts'), HOLDER);
  const holders = startSarraf(['run', '--config', join(folder, 'bot.yaml')]);
  try {
    await holders.line((line) => line.includes('page at http://'));
    const { out: link } = await sarrafHere(['token', 'link', '--data', join(folder, 'data')]);
    const { page, messages } = await openAddress(browser, /http:\S+/.exec(link)?.[0] ?? '');
    await page.waitForSelector('[data-bot=running]', PATIENT);
    const rowOf = (name: string) =>
      page.locator(`tr:has(a[href$="strategy/${name}"])`).filter({ hasText: 'Moved by hand…' });
    const sayOf = async (name: string, of: readonly [what: string, amount: string, to?: string]) => {
      const [what, amount, to] = of;
      await rowOf(name).getByText('Moved by hand…').click();
      await page.selectOption('#field-act', what);
      if (to !== undefined) await page.selectOption('#field-to', to);
      await page.fill('#field-amount', amount);
      await page.fill('#field-price', '60000000000');
      await page.click('dialog.action [type=submit]');
      return confirm(page);
    };
    const amountOf = async (name: string) =>
      (await rowOf(name).locator('th, td').first().textContent()) ?? '';
    await expect.poll(async () => amountOf('keeper'), PATIENT).toMatch(/^0\.5\D/);
    expect(await sayOf('keeper', ['write-off', '0.1'])).toContain(
      '0.1 BTC were taken out of the books of keeper',
    );
    await expect.poll(async () => amountOf('keeper'), PATIENT).toMatch(/^0\.4\D/);
    expect(await sayOf('keeper', ['move', '0.3', 'heir'])).toContain('0.3 BTC went from keeper to heir');
    await expect.poll(async () => amountOf('heir'), PATIENT).toMatch(/^0\.3\D/);
    expect(await sayOf('heir', ['adopt', '1.2'])).toContain('heir has adopted 1.2 BTC');
    await expect.poll(async () => amountOf('heir'), PATIENT).toMatch(/^1\.5\D/);
    expect(await amountOf('keeper')).toMatch(/^0\.1\D/);
    expect(messages).toEqual([]);
    await page.close();
  } finally {
    holders.child.kill('SIGKILL');
    await holders.finished;
  }
});

/** Maximum body of all replies that a view receives in a minute, in bytes. */
const MOST_BYTES = 110_000;

/** Time in which the bytes are counted, in ms. A busy machine sends fewer, as a page reads when it can. */
const COUNTED_MS = 20_000;

/** Opens a view; returns a function that says how many bytes its API replies have had since the last call. */
async function counted(context: BrowserContext, address: string): Promise<() => number> {
  const page = await context.newPage();
  const network = await context.newCDPSession(page);
  await network.send('Network.enable');
  const ofApi = new Set<string>();
  let bytes = 0;
  network.on('Network.responseReceived', ({ requestId, response }) => {
    if (response.url.includes('/api/v1/')) ofApi.add(requestId);
  });
  network.on('Network.dataReceived', ({ requestId, dataLength }) => {
    if (ofApi.has(requestId)) bytes += dataLength;
  });
  await page.goto(address);
  await page.waitForSelector('main[data-view]', PATIENT);
  return () => {
    const sinceLast = bytes;
    bytes = 0;
    return sinceLast;
  };
}

test('no view of a bot that trades in three markets receives more than 110 KB a minute while it is open', async () => {
  const folder = join(root, 'three');
  writeFileSync(join(root, 'three.yaml'), configOf({ speed: 1, folder, more: TWO_MORE }));
  const three = startSarraf(['run', '--config', join(root, 'three.yaml')]);
  onTestFinished(async () => {
    three.child.kill('SIGKILL');
    await three.finished;
  });
  const address = await addressOf(three, folder);
  const signedIn = await browser.newContext();
  const first = await signedIn.newPage();
  await first.goto(address);
  await first.waitForSelector('[data-bot=running]', PATIENT);
  await first.evaluate(`location.hash = '#/fills'`);
  await first.waitForSelector('main[data-view=fills] tbody tr', PATIENT);
  const listed = await first
    .locator('nav a[href^="#/"]')
    .evaluateAll((links) => links.map(({ hash }) => hash));
  const storageState = await signedIn.storageState();
  await signedIn.close();
  expect(listed.length).toBeGreaterThan(10);
  const opened = new Map<string, () => number>();
  // A page of its own each: those of one window share connections, and one that is hidden reads nothing.
  for (const view of [...listed, '#/market/BTCIRT', '#/strategy/maker']) {
    const context = await browser.newContext({ storageState });
    opened.set(view, await counted(context, `${new URL(address).origin}/${view}`));
  }
  await setTimeout(5_000);
  for (const bytes of opened.values()) bytes();
  await setTimeout(COUNTED_MS);
  const aMinute = [...opened].map(([view, bytes]) => [view, (bytes() * MINUTE_MS) / COUNTED_MS] as const);
  console.log(Object.fromEntries(aMinute.map(([view, bytes]) => [view, Math.round(bytes / 1_000)])));
  expect(aMinute.every(([, bytes]) => bytes > 0)).toBe(true);
  expect(aMinute.filter(([, bytes]) => bytes > MOST_BYTES)).toEqual([]);
});
