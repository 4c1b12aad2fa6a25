import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pageFolder } from '../../../src/dashboard/page-folder.ts';
import { DashboardHere } from '../../support/dashboard-here.ts';
import { sarrafHere } from '../../support/sarraf-here.ts';
import { startSarraf, type SarrafProcess } from '../../support/sarraf-process.ts';
import { launchChromium, openAddress, textOf } from '../open-page.ts';
import { findBarriers } from './find-barriers.ts';

const root = mkdtempSync(join(tmpdir(), 'sarraf-page-'));
const data = join(root, 'data');

/** Quotes on an exchange in the bot itself, ten times as fast as time. */
const CONFIG = `
mode: embedded
instance: seen
embedded: { seed: 3, speed: 10, balances: { rls: '100000000000', usdt: '100000' } }
strategies:
  - { plugin: market-maker, name: maker, market: BTCIRT, params: { spreadBps: 1.5 } }
data: { folder: ${data} }
dashboard: { port: 0 }
`;

/** Whatever is waited for mostly comes within a second; the machine may be slow and busy. */
const PATIENT = { timeout: 100_000 };

let browser: Browser;
let bot: SarrafProcess;

beforeAll(async () => {
  browser = await launchChromium();
  writeFileSync(join(root, 'bot.yaml'), CONFIG);
  bot = startSarraf(['run', '--config', join(root, 'bot.yaml')]);
});

afterAll(async () => {
  await browser?.close();
  bot?.child.kill('SIGKILL');
  await bot?.finished;
  rmSync(root, { recursive: true, force: true });
});

const goTo = async (page: Page, view: string): Promise<unknown> =>
  page.evaluate(`location.hash = '#/${view}'`);

/** Does what a button asks for, over the dialog with its cost; what was said in the end. */
async function act(page: Page, button: string): Promise<string> {
  await page.click(button);
  await page.click('[data-confirm]');
  await page.waitForSelector('[data-outcome=done]', PATIENT);
  const said = await textOf(page, 'dialog.action .steps');
  await page.keyboard.press('Escape');
  return said;
}

test('a person sees fills come, halts, sees the orders gone, resumes, and reads on when the bot is dead', async () => {
  await bot.line((line) => line.includes('page at http://'));
  const { out: link } = await sarrafHere(['token', 'link', '--data', data]);
  const [address = ''] = /http:\S+/.exec(link) ?? [];
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
  expect(second.messages).toEqual([]);
  await second.page.close();
  await here.close();
});
