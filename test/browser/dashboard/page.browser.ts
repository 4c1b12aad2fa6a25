import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DASHBOARD_ENDPOINTS } from '../../../src/dashboard/schema/endpoints.ts';
import { logItemOf } from '../../../src/dashboard/readers/row-items.ts';
import { factsOfEnglish, reasonOf } from '../../support/facts-of-english.ts';
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
import { INTENT, NOW_MS, OVERVIEW, REPLIES } from './made-up-replies.ts';
import { MadeUpServer } from './made-up-server.ts';

let browser: Browser;
let server: MadeUpServer;
let address: string;

beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => browser?.close());
beforeEach(async () => {
  server = new MadeUpServer();
  address = await server.listen();
});
afterEach(async () => server.close());

interface Visit extends Look {
  readonly language?: 'en' | 'fa';
  readonly unit?: 'rial' | 'toman';
  /** Selector of what must be there before the view counts as shown. */
  readonly until?: string;
}

/** Opens a view at the time of the made-up replies; the clock moves only when a test moves it. */
async function open(
  view: string,
  { language = 'en', unit = 'rial', until = 'main h1', ...look }: Visit = {},
) {
  const visited = await openAddress(browser, `${address}/#/${view}`, look, async (page) => {
    await page.addInitScript(`
      localStorage.setItem('sarraf.language', '${language}');
      localStorage.setItem('sarraf.unit', '${unit}');
      localStorage.setItem('sarraf.signed-in', 'yes');`);
    await page.clock.install({ time: NOW_MS });
  });
  await visited.page.waitForSelector(until);
  await visited.page.evaluate('document.fonts.ready');
  return visited;
}

/** True if the chart has the colour of a band of conditions to buy, which is that of its word in the legend. */
const HAS_BANDS = `[...document.querySelectorAll('.chart canvas')].some((canvas) => {
  const wanted = getComputedStyle(document.documentElement).getPropertyValue('--good-ground').trim();
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(wanted.slice(at, at + 2), 16));
  const [width, height] = [canvas.width || 1, canvas.height || 1];
  const copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  if (canvas.width > 0) copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, width, height);
  let count = 0;
  for (let at = 0; at < data.length; at += 4)
    if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) count += 1;
  return count > 1_000;
})`;

/** Views, each with the selector of its part that is drawn last. */
const VIEWS = [
  ['overview', '.chart.lines[data-drawn=true]'],
  ['market/BTCIRT', '.chart.candles[data-drawn=true]'],
  ['market/recorded', '.chart.candles[data-drawn=true]'],
  ['orders', 'main tbody tr'],
  ['order/grid-1000', '.life li'],
  ['strategy/grid', '.chart.lines[data-drawn=true]'],
  ['trips', 'main tbody tr'],
  ['profits', '.calendar'],
  ['quality', 'main tbody tr'],
  ['fills', 'main tbody tr'],
  ['signals', 'main tbody tr'],
  ['budgets', '.chart.lines[data-drawn=true]'],
  ['books', 'main tbody tr'],
  ['locks', 'main tbody tr'],
  ['log', 'main tbody tr'],
  ['alerts', 'main tbody tr'],
  ['reports', 'main tbody tr'],
  ['bots', 'main tbody tr'],
] as const;

const LOOKS: readonly Visit[] = [
  { language: 'en', theme: 'light', screen: 'desktop' },
  { language: 'en', theme: 'dark', screen: 'phone' },
  { language: 'fa', theme: 'dark', screen: 'desktop' },
  { language: 'fa', theme: 'light', screen: 'phone', unit: 'toman' },
];

/** A line of the log that names an order. */
const CANCELED = logItemOf({
  seq: 9,
  atMs: NOW_MS - 60_000,
  kind: 'control',
  subject: 'cancel',
  json: JSON.stringify({ kind: 'cancel', order: 'grid-1000', by: 'ali' }),
  level: 0,
});

describe.each(LOOKS)('in $language, $theme, on a $screen', (look) => {
  test.each(VIEWS)('%s fits, says nothing to the console, and keeps nobody out', async (view, until) => {
    const { page, messages, requests } = await open(view, { ...look, until });
    expect(await overhangOf(page)).toBe(0);
    // On a phone no part of a table is beyond its edge.
    if (look.screen === 'phone') expect(await tableOverhangOf(page)).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    expect(messages).toEqual([]);
    expect(requests.filter((url) => !url.startsWith(address))).toEqual([]);
    expect(await page.getAttribute('html', 'dir')).toBe(look.language === 'fa' ? 'rtl' : 'ltr');
    await keepPicture(
      page,
      `dashboard-${view.replace('/', '-')}-${look.language}-${look.theme}-${look.screen}`,
    );
    await page.close();
  });

  test.each([
    ['order/grid-1000', ['What the bot knew', 'دانسته‌های ربات'], 'grid-1000'],
    ['strategy/grid', ['What the bot knew', 'دانسته‌های ربات'], INTENT.id],
    ['trips', ['What the bot knew at entry', 'دانسته‌های ربات هنگام ورود'], 'grid-1001'],
    ['trips', ['What the bot knew at exit', 'دانسته‌های ربات هنگام خروج'], 'grid-1003'],
    ['log', ['What the bot knew', 'دانسته‌های ربات'], 'grid-1000'],
  ] as const)(
    'what the bot knew is opened and closed by the keyboard in %s by %s, and fits',
    async (view, names, decision) => {
      server.replies.set('log', { items: [CANCELED], next: null });
      const button = names.map((name) => `main button:text-is("${name}")`).join(', ');
      const { page, messages, requests } = await open(view, { ...look, until: button });
      await keepPicture(
        page,
        `dashboard-to-moment-${view.replace('/', '-')}-${look.language}-${look.theme}-${look.screen}`,
      );
      const opener = page.locator(button).first();
      await opener.focus();
      await page.keyboard.press('Enter');
      await page.waitForSelector('dialog[data-moment=shown]');
      expect(requests).toContain(`${address}/api/v1/orders/${decision}/moment`);
      await page.waitForSelector('html:not([data-sentences=loading])');
      expect(await page.evaluate('document.activeElement.closest("dialog") !== null')).toBe(true);
      expect(await page.locator('dialog.moment h3').count()).toBe(8);
      expect(await page.locator('dialog.moment .notice.bad').count()).toBe(1);
      // Nothing can be done with an order of the past.
      expect(await page.locator('dialog.moment button').count()).toBe(1);
      expect(await overhangOf(page)).toBe(0);
      if (look.screen === 'phone') expect(await tableOverhangOf(page)).toBe(0);
      expect(await findBarriers(page)).toEqual([]);
      await keepPicture(
        page,
        `dashboard-moment-${view.replace('/', '-')}-${look.language}-${look.theme}-${look.screen}`,
      );
      await page.keyboard.press('Escape');
      await page.waitForSelector('dialog.moment', { state: 'detached' });
      expect(await opener.evaluate((each) => each.matches(':focus'))).toBe(true);
      expect(messages).toEqual([]);
      await page.close();
    },
  );
});

test('pictures for the docs', async () => {
  const wanted: readonly (readonly [string, string, string, Visit])[] = [
    ['dashboard-overview', 'overview', '.chart.lines[data-drawn=true]', {}],
    ['dashboard-market', 'market/BTCIRT', '.chart.candles[data-drawn=true]', { theme: 'dark' }],
    [
      'dashboard-persian',
      'overview',
      '.chart.lines[data-drawn=true]',
      { language: 'fa', unit: 'toman', screen: 'phone' },
    ],
  ];
  for (const [name, view, until, look] of wanted) {
    const { page } = await open(view, { ...look, until });
    expect(await keepDocsPicture(browser, page, name)).toBeLessThan(120_000);
    await page.close();
  }
});

test('what the bot knew says why it is not there, and waits for its replay', async () => {
  const made = { ...(REPLIES.moment as object), moment: null, differing: 0, differences: [] };
  server.replies.set('moment', { ...made, state: 'off' });
  const { page } = await open('strategy/grid', { until: '.chart.lines[data-drawn=true]' });
  await page.click('button:text("What the bot knew")');
  await page.waitForSelector('[data-moment=off]');
  expect(await textOf(page, '[data-moment] .notice')).toContain('record: {}');
  await page.click('dialog.moment button');
  server.replies.set('moment', { ...made, state: 'working' });
  await page.locator('button:text("What the bot knew")').nth(1).click();
  await page.waitForSelector('[data-moment=working]');
  server.replies.set('moment', REPLIES.moment);
  await page.waitForSelector('[data-moment=shown]');
  await page.close();
});

test('trades are sorted by a click on a head, and open on the chart at their time', async () => {
  const { page, requests } = await open('trips', { until: 'main tbody tr' });
  await page.click('th:has-text("Return") button');
  await page.waitForSelector('th[aria-sort=descending]:has-text("Return")');
  await page.waitForSelector('main tbody tr');
  const orders = new Set(requests.map((url) => new URL(url).searchParams.get('by')));
  orders.delete(null);
  expect([...orders]).toEqual(['closed', 'change']);
  await page.click('main tbody tr:first-child a');
  await page.waitForSelector('.chart.candles[data-drawn=true]');
  expect(await textOf(page, '.panel-head .note')).toMatch(/around .+ · arrows of the last 5,000 fills/);
  await page.close();
});

test.each([
  ['en', 'Note…', 'Store'],
  ['fa', 'یادداشت…', 'ذخیره'],
] as const)('a trade gets a note and tags by a form: %s', async (language, button, store) => {
  for (const screen of ['desktop', 'phone'] as const) {
    const { page } = await open('trips', { language, screen, until: 'main tbody tr' });
    const row = page.locator('main tbody tr').first();
    expect(await row.textContent()).toContain('پیش از خبر خریده شد');
    await row.getByRole('button', { name: button, exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector('#field-tags');
    expect(await page.inputValue('#field-tags')).toBe('خبر, late');
    await keepPicture(page, `note-${language}-${screen}`);
    await page.fill('#field-note', 'دیر');
    await page.fill('#field-tags', 'یک، two ,');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: store, exact: true }).click();
    await page.waitForSelector('[data-outcome=done]');
    expect(server.posted.at(-1)).toMatchObject({
      path: '/actions/note',
      body: { entry: 'grid-1001', text: 'دیر', tags: ['یک', 'two'] },
    });
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog.action', { state: 'detached' });
    expect(await overhangOf(page)).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    await keepPicture(page, `trades-${language}-${screen}`);
    await page.close();
  }
});

describe('the page', () => {
  test('links to the lab that the configuration names', async () => {
    server.replies.set('session', { ...Object(REPLIES.session), lab: 'http://127.0.0.1:8430' });
    const { page } = await open('overview');
    expect(await page.getAttribute('nav.views > a[href^=http]', 'href')).toBe('http://127.0.0.1:8430');
    await page.close();
  });

  test('says that looking costs nothing at the exchange', async () => {
    const { page } = await open('overview');
    expect(await textOf(page, '.foot')).toContain('No request goes to the exchange because you look');
    await page.close();
  });

  test('loads Persian letters in Persian alone, and no chart where none is shown', async () => {
    const english = await open('log', { until: 'main tbody tr' });
    expect(english.requests.filter((url) => /woff2|chart|persian/.test(url))).toEqual([]);
    await english.page.close();
    const persian = await open('log', { language: 'fa', until: 'main tbody tr' });
    expect(persian.requests.filter((url) => url.includes('woff2'))).toHaveLength(1);
    await persian.page.close();
  });

  test('loads what the bot says in Persian only where some of it is shown', async () => {
    const market = await open('market/BTCIRT', { language: 'fa', until: '.candles[data-drawn=true]' });
    expect(await market.page.getAttribute('html', 'data-sentences')).toBeNull();
    await market.page.click('nav a[href="#/overview"]');
    await market.page.waitForSelector('html[data-sentences=ended]');
    await market.page.close();
  });

  test('draws a plot in the pane of its own that its strategy wants, with numbers that are no money', async () => {
    const { page } = await open('log', { unit: 'toman', until: 'main tbody tr' });
    // A canvas has no text to read afterwards, so what is written on it is recorded.
    await page.evaluate(`
      globalThis.written = [];
      const { fillText } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
        written.push(text);
        return fillText.call(this, text, ...place);
      };`);
    await page.evaluate(`location.hash = '#/market/BTCIRT'`);
    await page.waitForSelector('.chart.candles[data-drawn=true]');
    await page.waitForFunction(`written.includes(' RSI of 14')`);
    const written = (await page.evaluate('[...new Set(written)]')) as string[];
    expect(written).toContain('80');
    const prices = written.filter((text) => /^[\d,]{12,}$/.test(text));
    expect(prices.length).toBeGreaterThan(4);
    // The axis of the candles has only prices, and does not reach down to the numbers of the pane below.
    for (const price of prices) expect(Number(price.replaceAll(',', ''))).toBeGreaterThan(5_000_000_000);
    await page.close();
  });

  test('shows budgets that hold something back first, and unfolds those that nothing uses', async () => {
    const { page } = await open('budgets', { screen: 'phone', until: 'main tbody tr' });
    const shown = (): Promise<readonly string[]> => page.locator('main td.title:visible').allTextContents();
    expect((await shown()).slice(0, 3)).toEqual(['orders/list', 'orders/add', 'market data']);
    expect(await shown()).not.toContain('withdrawals');
    await page.focus('.unused summary');
    expect(await textOf(page, '.unused summary')).toBe('Not in use: 3');
    await page.keyboard.press('Enter');
    expect(await shown()).toContain('withdrawals');
    expect(await findBarriers(page)).toEqual([]);
    await page.close();
  });

  test.each([
    ['en', 'The bot has started.'],
    ['fa', 'ربات'],
  ] as const)(
    'says in %s what a line of the log is about, without names of fields',
    async (language, words) => {
      const text = 'start: isRestart false';
      const data = { isRestart: false };
      const line = {
        seq: 3,
        atMs: NOW_MS,
        level: 'info',
        kind: 'control',
        subject: 'start',
        text,
        data,
        said: {},
      };
      server.replies.set('log', { items: [line], next: null });
      const { page } = await open('log', { language, until: 'main tbody tr' });
      const shown = await textOf(page, 'main td.title');
      expect(shown).toContain(words);
      expect(shown).not.toContain('isRestart');
      await page.close();
    },
  );

  test('writes numbers of a refusal as people read them', async () => {
    const reason = 'the order of 12345678.1234567891 RLS is above the limit of 5000000 RLS for one order';
    const line = {
      seq: 3,
      atMs: NOW_MS,
      level: 'warning',
      kind: 'intent',
      subject: 'grid-3',
      text: reason,
      data: { reason },
      said: { reason: factsOfEnglish(reason) },
    };
    server.replies.set('log', { items: [line], next: null });
    const { page } = await open('log', { language: 'fa', until: 'main tbody tr' });
    await page.waitForSelector('html[data-sentences=ended]');
    expect(await textOf(page, 'main td.title')).toContain('۱۲٬۳۴۵٬۶۷۸');
    expect(await textOf(page, 'main td.title')).not.toContain('٫۱۲');
    await page.close();
    const [strategy] = OVERVIEW.strategies;
    const decision = {
      ...strategy?.lastDecision,
      status: 'refused',
      ...reasonOf(reason),
    };
    server.replies.set('overview', { ...OVERVIEW, strategies: [{ ...strategy, lastDecision: decision }] });
    const english = await open('overview', { until: 'main .said' });
    expect(await english.page.locator('main .said').allTextContents()).toContain(
      'the order of 12,345,678 RLS is above the limit of 5,000,000 RLS for one order',
    );
    await english.page.close();
  });

  test('shows log lines in a row that say the same once, with their number', async () => {
    const items = ['odd', 'same', 'same', 'same', 'odd'].map((text, index) => ({
      seq: 9 - index,
      atMs: NOW_MS - index * 1_000,
      level: 'info',
      kind: 'log',
      subject: 'grid',
      text,
      data: { text },
      said: {},
    }));
    server.replies.set('log', { items, next: null });
    const { page } = await open('log', { until: 'main tbody tr' });
    expect(await page.locator('main tbody tr').count()).toBe(3);
    expect(await textOf(page, '[data-repeats]')).toBe('×3, first 2026-04-07 14:29:57');
    await page.close();
  });

  test('closes a dialog when another view is opened', async () => {
    const { page } = await open('overview', { until: '.main-figure' });
    await page.click('.tools .danger');
    await page.waitForSelector('dialog.action');
    await page.evaluate("location.hash = '#/orders'");
    await page.waitForSelector('main[data-view=orders]');
    await page.waitForSelector('dialog.action', { state: 'detached' });
    expect(server.posted.filter(({ body }) => body['dryRun'] !== true)).toEqual([]);
    await page.close();
  });

  test('shows a strategy beside its shadow, and promotes it after one confirmation', async () => {
    const { page } = await open('strategy/grid', { until: 'text=Shadow grid-2' });
    expect(await textOf(page, 'main')).toContain('Profit of the shadow less that of the strategy');
    await page.click('text=Promote…');
    expect(await textOf(page, 'dialog .about')).toBe('grid-2\nstep: 5 → 7');
    await page.click('[data-confirm]');
    await page.waitForSelector('[data-outcome=done]');
    expect(server.posted.at(-1)).toMatchObject({
      path: '/actions/promote',
      body: { shadow: 'grid-2', isUndone: false },
    });
    await page.close();
  });

  test('acknowledges all alerts up to the newest one shown', async () => {
    const items = ['9', '8'].map((id) => ({ ...OVERVIEW.alerts[0], id }));
    server.replies.set('alerts', { items, next: null });
    const { page } = await open('alerts', { until: 'main tbody tr' });
    await page.click('text=Acknowledge all');
    await page.click('[data-confirm]');
    await page.waitForSelector('[data-outcome=done]');
    expect(server.posted.at(-1)).toMatchObject({
      path: '/actions/acknowledge',
      body: { alert: '9', andOlder: true },
    });
    await page.close();
  });

  test('names the limit of each line of a budget, and shows budgets that nothing uses', async () => {
    const { page } = await open('budgets', { until: '.chart.lines[data-drawn=true]' });
    expect(await textOf(page, '.u-legend')).toMatch(/orders\/add \(limit \d+ in \w+\)/);
    expect(await textOf(page, 'main .use')).toMatch(/of \d+ requests/);
    await page.close();
    const reply = DASHBOARD_ENDPOINTS.budgets.reply.parse(REPLIES.budgets);
    const unused = reply.budgets.filter(({ inUse }) => inUse === 0);
    server.replies.set('budgets', { ...reply, budgets: unused });
    const idle = await open('budgets', { until: 'main tbody tr' });
    expect(await idle.page.locator('details.unused[open] tbody tr').count()).toBe(unused.length);
    await idle.page.close();
  });

  test('leaves a chart on a phone most of its width, and the start of a wide table in sight', async () => {
    const phone = await open('market/BTCIRT', { screen: 'phone', until: '.candles[data-drawn=true]' });
    const widths = (await phone.page.evaluate(
      "[...document.querySelectorAll('.candles tr:first-child td')].map((cell) => cell.clientWidth)",
    )) as number[];
    expect(widths.at(-1)).toBeLessThan(100);
    await phone.page.close();
    const wide = await open('fills', { language: 'fa', until: 'main tbody tr' });
    await wide.page.evaluate("document.querySelector('.table-room').style.inlineSize = '500px'");
    await wide.page.evaluate("document.querySelector('.table-room').scrollLeft = -400");
    const [room, first] = (await wide.page.evaluate(
      "['.table-room', 'main tbody td'].map((part) => document.querySelector(part).getBoundingClientRect().right)",
    )) as number[];
    expect(first).toBeCloseTo(room ?? 0, 0);
    await wide.page.close();
  });

  test('writes commands as code', async () => {
    server.replies.set('reports', { reports: [] });
    const { page } = await open('reports', { language: 'fa', until: 'main .empty' });
    expect(await textOf(page, '.empty code')).toBe('sarraf report live');
    expect(await textOf(page, '.empty')).not.toContain('`');
    await page.close();
  });

  test('switches language, unit and theme, and keeps them', async () => {
    const { page } = await open('overview', { until: '.main-figure' });
    expect(await textOf(page, '.main-figure')).toBe('48,250,175,300 rial');
    await page.click('text=Toman');
    expect(await textOf(page, '.main-figure')).toBe('4,825,017,530 toman');
    await page.click('button[lang=fa]');
    await page.waitForSelector('html[dir=rtl]');
    expect(await textOf(page, '.main-figure')).toBe('\u2066۴٬۸۲۵٬۰۱۷٬۵۳۰\u2069 تومان');
    await page.click('.tools button.icon >> nth=0');
    expect(await page.getAttribute('html', 'data-theme')).toBe('dark');
    expect(await page.evaluate('Object.entries(localStorage).flat().join(" ")')).toContain('dark');
    await page.close();
  });

  test('says since when a bot is silent, and shows what it stored', async () => {
    const bot = { ...OVERVIEW.bot, state: 'silent', silentSinceMs: NOW_MS - 3_600_000 };
    server.replies.set('overview', { ...OVERVIEW, bot });
    const { page } = await open('overview', { until: '.main-figure' });
    expect(await textOf(page, '.state')).toContain(
      'silent since 2026-04-07 13:30 · last order 2026-04-07 14:23',
    );
    expect(await textOf(page, '.notices')).toContain('Its orders may still rest at the exchange.');
    await page.close();
  });

  test('marks what is old when its own server is gone', async () => {
    const { page } = await open('overview', { until: '.main-figure' });
    await server.close();
    await page.clock.runFor(60_000);
    await page.waitForSelector('.lost');
    await page.waitForSelector('main .notice.warn');
    expect(await textOf(page, 'main .notice.warn')).toMatch(/Old data, read at 14:30:0\d/);
    expect(await textOf(page, '.main-figure')).toBe('48,250,175,300 rial');
    await page.close();
  });

  test.each([
    ['overview', 'line-chart', '.main-figure'],
    ['market/BTCIRT', 'candle-chart', 'main h1'],
    ['fills', 'further-view', '[data-reload]'],
  ])('%s says that a part of it (%s) could not be loaded', async (view, part, until) => {
    const { page } = await open('orders');
    await page.route(`**/${part}*`, async (route) => route.abort());
    await page.evaluate(`location.hash = '#/${view}'`);
    await page.waitForSelector(until);
    await page.waitForSelector('[data-reload=missing-part]');
    await page.unroute(`**/${part}*`);
    await page.click('[data-reload] button');
    await page.waitForSelector(VIEWS.find(([name]) => name === view)?.[1] ?? '');
    expect(await page.locator('[data-reload]').count()).toBe(0);
    await page.close();
  });

  test('goes on in its language where the other one can not be loaded', async () => {
    const { page } = await open('orders');
    await page.route('**/persian*', async (route) => route.abort());
    await page.click('header button:text-is("فارسی")');
    await page.waitForSelector('[data-reload=missing-part]');
    expect(await textOf(page, 'main h1')).toBe('Orders');
    expect(await page.getAttribute('html', 'lang')).toBe('en');
    await page.close();
  });

  test('says that another version runs when the connection is there again', async () => {
    const { page } = await open('overview', { until: '.main-figure' });
    await expect.poll(() => server.resumedFrom).toEqual([undefined]);
    await page.route(`${address}/`, async (route) => {
      await route.fulfill({ contentType: 'text/html', body: '<script type=module src=/assets/index-2.js>' });
    });
    server.endStreams();
    await page.waitForSelector('.lost');
    await page.clock.runFor(5_000);
    await page.waitForSelector('[data-reload=newer-page]');
    await page.close();
  });

  test('goes on with the stream where it was when it had ended', async () => {
    const { page } = await open('overview', { until: '.main-figure' });
    await expect.poll(() => server.resumedFrom).toEqual([undefined]);
    server.replies.set('overview', { ...OVERVIEW, bot: { ...OVERVIEW.bot, state: 'halted' } });
    server.endStreams();
    await page.waitForSelector('.lost');
    await page.clock.runFor(5_000);
    await page.waitForSelector('[data-bot=halted]');
    expect(server.resumedFrom).toEqual([undefined, '1.1']);
    expect(await page.locator('.lost').count()).toBe(0);
    expect(await page.locator('[data-reload]').count()).toBe(0);
    await page.close();
  });

  test('leaves its connection to others while nobody looks', async () => {
    const { page } = await open('overview', { until: '.main-figure' });
    await expect.poll(() => server.resumedFrom).toHaveLength(1);
    const look = async (isHidden: boolean): Promise<unknown> =>
      page.evaluate(`
        Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));`);
    await look(true);
    await expect.poll(() => server.openStreams).toBe(0);
    await page.clock.runFor(60_000);
    expect(server.resumedFrom).toHaveLength(1);
    await look(false);
    await expect.poll(() => server.resumedFrom).toEqual([undefined, '1.1']);
    expect(await page.locator('.lost').count()).toBe(0);
    await page.close();
  });

  test('shows what the exchange really said from left to right, a line for each field', async () => {
    const { page } = await open('order/grid-1000', { language: 'fa', until: '.replies li' });
    expect(await page.locator('.replies pre').first().isVisible()).toBe(false);
    for (const summary of await page.locator('.replies summary').all()) await summary.click();
    const [placed, canceled] = await page.locator('.replies pre').all();
    expect(await placed?.innerText()).toContain('\n    "price": "59460000000",\n');
    expect(await canceled?.innerText()).toBe('<html><title>502 Bad Gateway</title>');
    expect(await page.evaluate("getComputedStyle(document.querySelector('.replies pre')).direction")).toBe(
      'ltr',
    );
  });

  test('says what became of signals, and shows what they said to whoever opens it', async () => {
    const { page } = await open('signals', { language: 'fa', until: 'main tbody tr' });
    const states = await page.locator('main tbody .badge').allTextContents();
    expect(states).toEqual(['در انتظار', 'تحویل شد', 'کنار گذاشته شد', 'رد شد', 'رد شد']);
    expect(await textOf(page, 'main tbody tr:nth-child(3)')).toContain('توقف دستی');
    expect(await page.locator('main details[open]').count()).toBe(0);
    await page.click('main tbody tr:nth-child(2) summary');
    expect(await textOf(page, 'main details[open] pre')).toContain('breakout of the daily range');
    expect(await overhangOf(page)).toBe(0);
    const asked = page.waitForRequest((request) => request.url().includes('/signals?strategy=grid'));
    await page.selectOption('#field-signals-strategy', 'grid');
    await page.clock.runFor(2_000);
    await asked;
    await page.close();
  });

  test.each([
    ['en', 'grid can take no new risk since', 'the loss of the day is'],
    ['fa', 'نمی‌تواند ریسک تازه بگیرد:', 'زیان امروز'],
  ] as const)('names a limit on losses that lets no new risk pass: %s', async (language, words, why) => {
    const reason =
      'the loss of the day is 1012000000 RLS, above the limit of 1000000000 RLS; only orders that reduce the position pass until 00:00 UTC';
    const lossLimits = [{ strategy: 'grid', ...reasonOf(reason), sinceMs: OVERVIEW.nowMs - 60_000 }];
    server.replies.set('overview', { ...OVERVIEW, lossLimits });
    const { page } = await open('overview', { language, until: '.notices li' });
    const notices = (await page.textContent('.notices')) ?? '';
    expect(notices).toContain(words);
    expect(notices).toContain(why);
    server.replies.set('overview', OVERVIEW);
    await page.close();
  });

  test.each([
    ['en', 'Approve', 'Decline', '600,000,000'],
    ['fa', 'تأیید', 'رد', '۶۰۰٬۰۰۰٬۰۰۰'],
  ] as const)('shows entries that wait, with two buttons: %s', async (language, approve, decline, value) => {
    const entry = {
      id: 'i3f',
      strategy: 'grid',
      market: 'BTCIRT',
      kind: 'place',
      atMs: OVERVIEW.nowMs - 60_000,
      expiresAtMs: OVERVIEW.nowMs + 9 * 60_000,
      bound: '60000000000',
      best: '59700000000',
      value: '600000000',
      currency: 'rls',
      amount: '0.01005',
      coin: 'btc',
    };
    server.replies.set('overview', { ...OVERVIEW, approvals: [entry] });
    const { page } = await open('overview', { language, screen: 'phone', until: '.main-figure' });
    const row = page.locator('tr:has(a:text-is("grid"))').first();
    expect(await row.textContent()).toContain(value);
    expect(await row.textContent()).toMatch(/i3f.*≈/);
    for (const [name, path] of [
      [decline, '/actions/decline'],
      [approve, '/actions/approve'],
    ] as const) {
      await row.getByRole('button', { name, exact: true }).click();
      await page.click('[data-confirm]');
      await page.waitForSelector('[data-outcome=done]');
      expect(server.posted.at(-1)).toMatchObject({ path, body: { entry: 'i3f' } });
      await page.keyboard.press('Escape');
      await page.waitForSelector('dialog.action', { state: 'detached' });
    }
    expect(await overhangOf(page)).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    server.replies.set('overview', OVERVIEW);
    await page.close();
  });

  test.each([
    ['en', 'not set', 'Alerts are off: the configuration of the bot has no alerts.'],
    ['en', 'other speed', 'They need embedded.speed: 1.'],
    ['fa', 'not set', 'هشدارها خاموش است: پیکربندی ربات'],
    ['fa', 'other speed', 'صرافیِ درون ربات با سرعت دیگری'],
  ] as const)('says why there are no alerts: %s, %s', async (language, alertsOff, words) => {
    server.replies.set('overview', { ...OVERVIEW, alerts: [], alertsOff });
    server.replies.set('alerts', { items: [], next: null });
    const { page } = await open('alerts', { language, until: '[data-alerts-off]', screen: 'phone' });
    expect(await textOf(page, `[data-alerts-off="${alertsOff}"]`)).toContain(words);
    expect(await overhangOf(page)).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    await page.close();
  });

  test('opens an alert with words that are read aloud', async () => {
    const { page } = await open('overview', { until: '.main-figure' });
    expect(await textOf(page, '[aria-live=polite][data-alerts="1"]')).toContain('1 open alert');
    await page.close();
  });
});

describe('the login', () => {
  test('takes the code of a link out of the address before it is used', async () => {
    server.isSignedIn = false;
    const { page, requests } = await openAddress(browser, `${address}/#code=once-only`);
    await page.waitForSelector('main h1');
    expect(page.url()).toBe(`${address}/`);
    expect(requests.filter((url) => url.includes('once-only') && !url.startsWith(`${address}/#`))).toEqual(
      [],
    );
    expect(server.signedInWith).toEqual([{ code: 'once-only' }]);
    await page.close();
  });

  test.each(['desktop', 'phone'] as const)(
    'asks for a token on a %s, and refuses a wrong one',
    async (screen) => {
      server.isSignedIn = false;
      const { page, messages } = await openAddress(browser, address, { screen });
      await page.waitForSelector('#field-token');
      expect(messages).toEqual([]);
      expect(await findBarriers(page)).toEqual([]);
      await page.fill('#field-token', 'wrong');
      await page.keyboard.press('Enter');
      expect(await textOf(page, '[role=alert]')).toContain('not valid');
      await page.fill('#field-token', 'right');
      await page.keyboard.press('Enter');
      await page.waitForSelector('[data-bot=running]');
      await page.close();
    },
  );
});

/** Presses Tab until an element has the focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
  }
  throw new Error(`expected ${selector} within reach of the Tab key`);
}

describe('an action', () => {
  test('is done with the keyboard alone: its cost is said, it is asked once, and has one key', async () => {
    const { page } = await open('overview', { until: '.main-figure' });
    await tabTo(page, '.tools .danger');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-confirm]');
    expect(await textOf(page, 'dialog .cost')).toContain(
      '41 requests to the exchange – at most 90 in 1m, so up to 28s',
    );
    expect(await findBarriers(page)).toEqual([]);
    await tabTo(page, '[data-confirm]');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-outcome=done]');
    const [dry, real, ...more] = server.posted;
    expect(more).toEqual([]);
    expect(dry).toMatchObject({ path: '/actions/halt', body: { dryRun: true } });
    expect(real?.body).toEqual({ key: dry?.body['key'] });
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog.action', { state: 'detached' });
    expect(await page.evaluate('document.activeElement.className')).toBe('danger');
    await page.close();
  });

  test('takes Persian digits, and says prices in both units before it asks', async () => {
    const { page } = await open('market/BTCIRT', {
      language: 'fa',
      screen: 'phone',
      until: '.head-actions button',
    });
    await page.click('.head-actions button >> nth=0');
    await page.waitForSelector('.terms dl');
    expect(await findBarriers(page)).toEqual([]);
    await page.fill('#field-amount', '۰٫۰۰۱۲');
    await page.fill('#field-price', '۵۹٬۴۰۰٬۰۰۰٬۰۰۰');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-confirm]');
    const shown = (await textOf(page, 'dialog .cost')).replaceAll(/[\u2066-\u2069]/g, '');
    for (const part of [
      '۵۹٬۴۰۰٬۰۰۰٬۰۰۰ ریال (۵٬۹۴۰٬۰۰۰٬۰۰۰ تومان)',
      'کارمزد ≈ ۰٫۰۰۵ BTC',
      '۴۸٬۲۵۰٬۱۷۵٬۳۰۰ ریال (۴٬۸۲۵٬۰۱۷٬۵۳۰ تومان)',
      '۱۵۲ سفارش مانده از ۳۰۰',
      'رد شد: ',
    ])
      expect(shown).toContain(part);
    expect(await overhangOf(page)).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    expect(server.posted.map(({ body }) => body)).toMatchObject([
      {
        market: 'BTCIRT',
        side: 'buy',
        amount: '0.0012',
        price: '59400000000',
        stopPrice: null,
        dryRun: true,
      },
    ]);
    await page.close();
  });

  test.each(LOOKS)('shows quotes where the bot keeps no candles: $language, $screen', async (look) => {
    server.replies.set('candles', { ...(REPLIES.candles as object), candles: [] });
    const { page, messages } = await open('market/BTCIRT', {
      ...look,
      until: '.chart.lines[data-drawn=true]',
    });
    expect(messages).toEqual([]);
    // There are no candles to draw indicators on.
    expect(await page.locator('.panel-actions > button').count()).toBe(0);
    expect(await overhangOf(page)).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    await keepPicture(page, `dashboard-quotes-${look.language}-${look.theme}-${look.screen}`);
    await page.close();
  });

  test('goes from the market of the bot to recorded ones, to older candles, and back', async () => {
    const { page, requests } = await open('market/BTCIRT', { until: '.candles[data-drawn=true]' });
    await page.selectOption('#field-market-choice', 'recorded');
    await page.waitForSelector('option[value="recorded/ETHIRT"]:checked', { state: 'attached' });
    await page.click('.panel-actions button >> nth=0');
    const { candles } = REPLIES.recorded as { readonly candles: readonly { readonly openTimeMs: number }[] };
    const asked = `${address}/api/v1/recordings/ETHIRT/candles?timeframe=1h`;
    await expect.poll(() => requests).toContain(`${asked}&around=${candles[0]?.openTimeMs}`);
    await page.selectOption('#field-market-choice', 'BTCIRT');
    await page.waitForSelector('.head-actions button');
    await page.close();
  });

  test.each(['en', 'fa'] as const)('adds an indicator to the chart, which keeps it: %s', async (language) => {
    const { page, requests, messages } = await open('market/BTCIRT', {
      language,
      screen: 'phone',
      until: '.panel-actions button',
    });
    await page.click('.panel-actions button >> nth=0');
    await page.selectOption('#field-indicator', 'rsi');
    await page.fill('#field-length', language === 'fa' ? '۹' : '9');
    await page.keyboard.press('Enter');
    await page.waitForSelector('dialog li');
    expect(await textOf(page, 'dialog li bdi')).toBe('rsi 9');
    expect(await findBarriers(page)).toEqual([]);
    expect(await overhangOf(page)).toBe(0);
    await page.keyboard.press('Escape');
    const asked = `${address}/api/v1/markets/BTCIRT/plots?indicators=rsi%3A9&timeframe=1h`;
    await expect.poll(() => requests).toContain(asked);
    const before = requests.length;
    await page.reload();
    await page.waitForSelector('.chart[data-drawn]');
    expect(requests.slice(before)).toContain(asked);
    await page.click('.panel-actions button >> nth=0');
    await page.click('dialog li button');
    expect(await page.evaluate("localStorage.getItem('sarraf.indicators')")).toBe('');
    expect(messages).toEqual([]);
    await page.close();
  });

  test.each(LOOKS)('shows bands of conditions, and keeps the choice: $language $theme', async (look) => {
    const until = '.chart[data-drawn]';
    const { page, requests, messages } = await open('market/BTCIRT', { ...look, until });
    const asked = `${address}/api/v1/markets/BTCIRT/conditions?timeframe=1h`;
    expect(requests).not.toContain(asked);
    await page.click('.panel-actions button >> nth=0');
    await page.check('#field-conditions');
    await keepPicture(page, `dashboard-conditions-dialog-${look.language}-${look.theme}-${look.screen}`);
    expect(await findBarriers(page)).toEqual([]);
    expect(await overhangOf(page)).toBe(0);
    await page.keyboard.press('Escape');
    await page.waitForSelector('[data-conditions] .badge.good');
    expect(await textOf(page, '[data-conditions] .badge.good')).toBe(
      look.language === 'fa' ? 'شرط‌های خرید' : 'conditions to buy',
    );
    await page.reload();
    await page.waitForSelector('.chart[data-drawn]');
    await page.waitForSelector('[data-conditions]');
    expect(await findBarriers(page)).toEqual([]);
    expect(await overhangOf(page)).toBe(0);
    await expect.poll(() => page.evaluate(HAS_BANDS)).toBe(true);
    await keepPicture(page, `dashboard-conditions-${look.language}-${look.theme}-${look.screen}`);
    await page.click('.panel-actions button >> nth=0');
    await page.uncheck('#field-conditions');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.isVisible('[data-conditions]')).toBe(false);
    await expect.poll(() => page.evaluate(HAS_BANDS)).toBe(false);
    expect(messages).toEqual([]);
    await page.close();
  });

  test('is not needed to see all digits of a rounded number, or a long id', async () => {
    const key = 'home-market-maker-e001-00001k3';
    const { items } = REPLIES.fills as { readonly items: readonly object[] };
    server.replies.set('fills', {
      items: [{ ...items[0], orderKey: key, total: '74375000.25' }],
      next: null,
    });
    const { page } = await open('fills', { until: 'main tbody tr' });
    expect(await textOf(page, `a[title="${key}"]`)).toBe('…-maker-e001-00001k3');
    expect(await textOf(page, '[title="74,375,000.25 rial"]')).toBe('74,375,000 rial');
    await page.close();
  });

  test('with a number that may mean two is not sent', async () => {
    const { page } = await open('market/BTCIRT', { until: '.head-actions button' });
    await page.click('.head-actions button >> nth=0');
    await page.fill('#field-amount', '1,5');
    await page.keyboard.press('Enter');
    expect(await textOf(page, '.field .problem')).toContain('Expected a number');
    expect(server.posted).toEqual([]);
    await page.close();
  });

  test('is not offered to a token that may only read', async () => {
    server.replies.set('session', {
      name: 'eyes',
      role: 'read',
      csrf: 'x',
      endsAtMs: null,
      language: 'en',
      version: '0',
      lab: null,
    });
    const { page } = await open('orders', { until: 'main tbody tr' });
    expect(await page.locator('.danger, td button').count()).toBe(0);
    await page.close();
  });
});
