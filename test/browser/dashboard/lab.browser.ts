import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pageFolder } from '../../../src/plugins/own-files.ts';
import { EXAMPLE_RUN, LabHere } from '../../support/lab-here.ts';
import { folderOfAllTests } from '../../support/temporary-folder.ts';
import {
  keepDocsPicture,
  keepPicture,
  launchChromium,
  openAddress,
  overhangOf,
  tableOverhangOf,
  textOf,
  type Look,
} from '../open-page.ts';
import { findBarriers } from './find-barriers.ts';

const folder = folderOfAllTests('lab');
let browser: Browser;
let lab: LabHere;

/** The lab after two backtests and a study with a hold-out. */
beforeAll(async () => {
  browser = await launchChromium();
  lab = await new LabHere(folder, { pageFolder: pageFolder(), exchange: ['--config', 'bot.yaml'] }).listen();
  lab.write('own.ts', '');
  const run = { kind: 'backtest', strategy: 'ma-cross', typed: EXAMPLE_RUN };
  const typed = { ...EXAMPLE_RUN, holdout: '20%', 'budget.trials': '4', 'sampler.kind': 'random' };
  for (const body of [run, { ...run, params: { fast: '3', slow: '9' } }, { ...run, kind: 'study', typed }])
    expect((await lab.until(await lab.add(body))).state).toBe('done');
}, 300_000);

afterAll(async () => {
  await browser?.close();
  await lab?.close();
});

interface Visit extends Look {
  readonly language?: 'en' | 'fa';
  readonly until?: string;
}

/** Opens a view of the lab as someone who signed in by a link. */
async function open(view: string, { language = 'en', until = 'main h1', ...look }: Visit = {}) {
  const { code } = lab.here.store.addLink('operate');
  const visited = await openAddress(browser, `${lab.here.address}/#code=${code}`, look, async (page) => {
    await page.addInitScript(`localStorage.setItem('sarraf.language', '${language}');`);
  });
  await visited.page.waitForSelector('nav.views');
  await visited.page.evaluate(`location.hash = '#/${view}'`);
  await visited.page.waitForSelector(`main[data-view="${view}"]`);
  await visited.page.waitForSelector(until);
  await visited.page.evaluate('document.fonts.ready');
  return visited;
}

/** Views, each with the selector of its part that is drawn last. */
const VIEWS = [
  ['jobs', 'main tbody tr'],
  ['backtest', '#field-param-fast, .empty'],
  ['study', '.panel:nth-of-type(2) .empty, .panel:nth-of-type(2) .form-fields'],
  ['walk-forward', '.panel:nth-of-type(2) .empty, .panel:nth-of-type(2) .form-fields'],
  ['studies', 'main tbody tr'],
  ['data', 'main tbody tr'],
] as const;

const LOOKS: readonly Visit[] = [
  { language: 'en', theme: 'light', screen: 'desktop' },
  { language: 'en', theme: 'dark', screen: 'phone' },
  { language: 'fa', theme: 'dark', screen: 'desktop' },
  { language: 'fa', theme: 'light', screen: 'phone' },
];

describe.each(LOOKS)('in $language, $theme, on a $screen', (look) => {
  test.each(VIEWS)('%s fits, says nothing to the console, and keeps nobody out', async (view, until) => {
    const { page, messages, requests } = await open(view, { ...look, until });
    expect(await overhangOf(page)).toBe(0);
    if (look.screen === 'phone') expect(await tableOverhangOf(page)).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    expect(messages).toEqual([]);
    expect(requests.filter((url) => !url.startsWith(lab.here.address))).toEqual([]);
    expect(await page.getAttribute('html', 'dir')).toBe(look.language === 'fa' ? 'rtl' : 'ltr');
    await keepPicture(page, `lab-${view}-${look.language}-${look.theme}-${look.screen}`);
    await page.close();
  });
});

test('a backtest is run by the keyboard alone, and its report opens', async () => {
  const { page, messages } = await open('backtest');
  const type = async (field: string, text: string): Promise<void> => {
    await page.focus(`#field-${field.replaceAll('.', String.raw`\.`)}`);
    await page.keyboard.type(text);
  };
  await page.focus('#field-strategy');
  await page.keyboard.type('ma-cross');
  await page.waitForSelector('#field-param-fast');
  await type('backtest-markets', 'BTCUSDT');
  await type('backtest-timeframe', '5m');
  await type('backtest-balances', 'usdt=10000');
  await type('backtest-fee', '0.1');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.problem[role=alert], .notice[data-field=fee]');
  await type('backtest-fee', '%');
  await type('param-fast', '5');
  await page.keyboard.press('Enter');
  await page.waitForSelector('p[data-added]');
  await page.evaluate(`location.hash = '#/jobs'`);
  await page.waitForSelector('tbody tr:first-child [data-job=done]', { timeout: 100_000 });
  const report = await page.getAttribute('tbody tr:first-child td a', 'href');
  expect(report).toMatch(/^\/api\/v1\/reports\//);
  // The refusal of the first try is a failed request.
  expect(messages.filter((text) => !text.includes('400'))).toEqual([]);
  await page.close();
});

test('runs stand side by side, and the picture for the docs has them', async () => {
  const { page } = await open('jobs', { until: 'tbody tr' });
  const boxes = page.locator('tbody input[type=checkbox]');
  await boxes.nth(0).check();
  await boxes.nth(1).check();
  await page.waitForSelector('table[aria-label="Side by side"]');
  const compared = await textOf(page, 'table[aria-label="Side by side"]');
  expect(compared).toContain('Sharpe');
  const ids = await page.locator('tbody .tick .note:first-of-type').allTextContents();
  for (const id of ids.slice(0, 2)) expect(compared).toContain(`ma-cross ${id}`);
  expect(await findBarriers(page)).toEqual([]);
  await keepPicture(page, 'lab-compare');
  expect(await keepDocsPicture(browser, page, 'lab')).toBeLessThan(120_000);
  await page.close();
});

test('a hold-out is opened only after a warning that names the trials', async () => {
  const { page } = await open('studies', { until: 'tbody tr' });
  await page.click('text=Open the hold-out');
  await page.waitForSelector('dialog[open]');
  expect(await textOf(page, 'dialog')).toMatch(/opened once.*\d trials were run on this data/s);
  expect(await findBarriers(page)).toEqual([]);
  await keepPicture(page, 'lab-holdout');
  await page.keyboard.press('Escape');
  expect(await page.locator('dialog').count()).toBe(0);
  await page.click('text=Open the hold-out');
  await page.click('[data-confirm]');
  await page.waitForSelector('p[data-added]');
  await page.close();
});
