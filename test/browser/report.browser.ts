import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PlottedSeries } from '../../src/backtest/backtest-run.ts';
import { REQUEST_FIGURES, finishRun } from '../../src/backtest/finish-run.ts';
import { writeRunFolder } from '../../src/backtest/write-run-folder.ts';
import { sarrafHere } from '../support/sarraf-here.ts';
import { demoRun, type DemoRunOptions } from '../unit/backtest/demo-run.ts';
import { lockRecord } from '../unit/backtest/run-records.ts';
import {
  contrast,
  keepDocsPicture,
  keepPicture,
  launchChromium,
  openPage,
  overhangOf,
  textOf,
  type Look,
  type Visited,
} from './open-page.ts';
import { folderOfAllTests } from '../support/temporary-folder.ts';

const root = folderOfAllTests();

/** Settings of an opened page: that of a made-up run, or of a run in a folder. */
interface Visit extends Look {
  readonly run?: DemoRunOptions;
  readonly folder?: string;
}

let browser: Browser;

beforeAll(async () => {
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
});

function reportOf(options: DemoRunOptions): string {
  const run = demoRun(options);
  return join(writeRunFolder(root, finishRun(run)), 'report.html');
}

const open = async ({ run = {}, folder, ...look }: Visit): Promise<Visited> =>
  openPage(browser, folder === undefined ? reportOf(run) : join(folder, 'report.html'), look);

/** Runs a backtest of a bundled strategy on the recording that ships with sarraf; returns its folder. */
async function bracketRun(strategy: string): Promise<string> {
  const data = join(root, strategy);
  const options = `--market BTCUSDT --timeframe 5m --catalogue data/example --cash 10000 --fee 0.1% --data ${data}`;
  const { code, error } = await sarrafHere(['backtest', strategy, ...options.split(' ')]);
  expect({ code, error: error.includes('expected') }).toEqual({ code: 0, error: false });
  const folder = join(data, 'backtests');
  return join(folder, readdirSync(folder).toSorted().at(-1) ?? '');
}

test.each(['en', 'fa'] as const)('profit is shown by day and other, in %s', async (language) => {
  const finished = finishRun(demoRun({ bars: 24 * 60, tradeChance: 0.3 }));
  const folder = writeRunFolder(join(root, language), finished, language);
  for (const screen of ['desktop', 'phone'] as const) {
    const { page } = await open({ folder, screen });
    await page.waitForSelector('#profits .calendar .good');
    for (const index of [0, 2, 3, 5]) {
      await page.locator('#profits .choices button').nth(index).focus();
      await page.keyboard.press('Enter');
      await page.waitForSelector(`#profits .choices button:nth-child(${index + 1})[aria-pressed=true]`);
      expect(await page.locator('#profits tbody tr').count()).toBeGreaterThan(0);
      if (index === 0 || index === 2) await keepPicture(page, `report-profit-${index}-${language}-${screen}`);
    }
    expect(await overhangOf(page)).toBe(0);
    await page.close();
  }
});

const HOUR_MS = 3_600_000;

/** Hourly bars of a market as CSV; the first one closes at the beginning of 2026-03-01. */
function hoursOf(name: string, volumeAt: (hour: number) => number): string {
  const file = join(root, `${name}.csv`);
  const lines = Array.from({ length: 24 * 14 }, (_, hour) => {
    const price = 100 + 10 * Math.sin(hour / 9);
    const bar = [price, price + 2, price - 2, price + 1].map((value) => value.toFixed(1));
    return [Date.UTC(2026, 2, 1) + (hour - 1) * HOUR_MS, ...bar, volumeAt(hour)].join();
  });
  writeFileSync(file, `time_ms,open,high,low,close,volume\n${lines.join('\n')}\n`);
  return `${name}=${file}`;
}

/** Runs the example of docs/universe.md on markets that take turns, with trading hours; its folder. */
async function busiestRun(): Promise<string> {
  const folder = join(root, 'busiest', 'backtests');
  if (existsSync(folder)) return join(folder, readdirSync(folder)[0] ?? '');
  const [, source = ''] = /```ts\n(.*?)```/s.exec(readFileSync('docs/universe.md', 'utf8')) ?? [];
  const strategy = join(root, 'busiest.ts');
  writeFileSync(strategy, source);
  const markets = [
    hoursOf('BTCIRT', () => 50),
    hoursOf('ETHIRT', (hour) => (hour % 120 < 50 ? 90 : 5)),
    hoursOf('LTCIRT', (hour) => (hour % 90 < 30 ? 70 : 2)),
    hoursOf('USDTIRT', () => 1),
  ];
  const locks = `locks=[{ kind: hours, name: night, open: ['08:00-23:00'] }, { kind: cooldown, for: 5h }]`;
  const options =
    '--market USDTIRT --timeframe 1h --cash 20000000 --fee 0.1% --price-step 0.1 --amount-step 0.000001 ' +
    `--param take=1 --param value=4000000 --data ${join(root, 'busiest')}`;
  const { code, error } = await sarrafHere([
    'backtest',
    strategy,
    '--set',
    locks,
    ...options.split(' '),
    ...markets.flatMap((market) => ['--csv', market]),
  ]);
  expect({ code, error: error.includes('expected') ? error : '' }).toEqual({ code: 0, error: '' });
  return join(folder, readdirSync(folder)[0] ?? '');
}

/** Counts the pixels of the charts with a colour of the style sheet; thin lines are only near to it. */
async function pixelsOf(page: Page, name: string, near = 3): Promise<number> {
  await page.mouse.move(0, 0);
  await page.waitForTimeout(200);
  return (await page.evaluate(`(() => {
    const probe = document.createElement('i');
    probe.style.color = 'var(--${name})';
    document.body.append(probe);
    const wanted = getComputedStyle(probe).color.match(/\\d+/g).map(Number);
    probe.remove();
    let found = 0;
    for (const canvas of document.querySelectorAll('#chart canvas')) {
      if (canvas.width === 0 || canvas.height === 0) continue;
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      for (let at = 0; at < data.length; at += 4)
        if (wanted.every((value, part) => Math.abs(data[at + part] - value) < ${near})) found += 1;
    }
    return found;
  })()`)) as number;
}

/** Places where the price pane's upper edge has the colour of locks: first pixel, number of pixels. */
async function shadedRuns(page: Page): Promise<readonly (readonly [from: number, width: number])[]> {
  await page.mouse.move(0, 0);
  await page.waitForTimeout(200);
  return (await page.evaluate(`(() => {
    const probe = document.createElement('i');
    probe.style.color = 'var(--lock)';
    document.body.append(probe);
    const wanted = getComputedStyle(probe).color.match(/\\d+/g).map(Number);
    probe.remove();
    const found = [...document.querySelectorAll('#chart canvas')].map((canvas) => {
      const runs = [];
      if (canvas.width === 0 || canvas.height < 3) return runs;
      const { data } = canvas.getContext('2d').getImageData(0, 2, canvas.width, 1);
      for (let at = 0; at < canvas.width; at += 1) {
        if (!wanted.every((value, part) => Math.abs(data[4 * at + part] - value) < 3)) continue;
        const last = runs.at(-1);
        // A line of the grid may go through a band.
        if (last !== undefined && at - last[0] - last[1] < 3) last[1] = at + 1 - last[0];
        else runs.push([at, 1]);
      }
      return runs;
    });
    return found.toSorted((left, right) => right.length - left.length)[0];
  })()`)) as [number, number][];
}

/** Picture of the chart, once it is drawn, as text: equal texts are equal pictures. */
async function chartPicture(page: Page): Promise<string> {
  await page.waitForTimeout(200);
  return (await page.locator('#chart').screenshot()).toString('base64');
}

describe('a report', () => {
  test('opens from a file without a request or a word on the console', async () => {
    const { page, messages, requests } = await open({ run: { warnings: ['Read <this> first.'] } });
    expect(await textOf(page, 'h1')).toBe('ma-cross BTCUSDT');
    expect(await textOf(page, '#warnings')).toContain('Read <this> first.');
    expect(await page.locator('#chart canvas').count()).toBeGreaterThan(3);
    expect(await textOf(page, '#fidelity')).toContain('worst first: of an OCO');
    expect(await textOf(page, '#config')).toContain('file: strategies/ma-cross.ts');
    expect(messages).toEqual([]);
    expect(requests).toEqual([]);
    await page.close();
  });

  test('shows the figures of the result', async () => {
    const { summary } = finishRun(demoRun()).head;
    const { page } = await open({});
    expect(await textOf(page, '[data-figure=trades] dd')).toBe(String(summary.trades));
    expect(await page.locator('#summary dd').allTextContents()).not.toContain('NaN');
    // A run on candles sends no requests.
    const shown = Object.keys(summary).filter((name) => !REQUEST_FIGURES.has(name));
    expect(await page.locator('#summary [data-figure]').count()).toBe(shown.length);
    await page.close();
  });

  test('follows the theme of the device until the switch is used, and keeps what was chosen', async () => {
    const { page, messages } = await open({ theme: 'dark' });
    const theme = async (): Promise<string | null> => page.getAttribute('html', 'data-theme');
    const background = async (): Promise<string> =>
      page.evaluate(`getComputedStyle(document.querySelector('#charts')).backgroundColor`);
    expect(await theme()).toBe('dark');
    const [dark, darkChart] = [await background(), await chartPicture(page)];
    await page.click('#theme');
    expect(await theme()).toBe('light');
    expect(await background()).not.toBe(dark);
    expect(await chartPicture(page)).not.toBe(darkChart);
    await page.reload();
    await page.waitForSelector('html[data-ready=true]');
    expect(await theme()).toBe('light');
    expect(messages).toEqual([]);
    await page.close();
  });

  test('lists the deepest drawdowns, and draws figures of the last days for each day', async () => {
    const { page } = await open({ screen: 'phone' });
    const depths = (await page.locator('#drawdowns td:first-child').allTextContents()).map(Number.parseFloat);
    expect(depths.length).toBeGreaterThan(1);
    expect(depths).toEqual(depths.toSorted((left, right) => right - left));
    expect(await textOf(page, '.tiles')).toContain(`${depths[0]?.toFixed(2)} %`);
    for (const line of await page.locator('#rolling path').all()) {
      const box = await line.boundingBox();
      expect([(box?.width ?? 0) > 200, (box?.height ?? 0) > 50]).toEqual([true, true]);
    }
    expect(await page.locator('#rolling path').count()).toBe(2);
    const [wide, screen] = await page.evaluate<number[]>(
      '[document.documentElement.scrollWidth, innerWidth]',
    );
    expect(wide).toBe(screen);
    await page.close();
  });

  test('scrolls the months on a phone, and keeps the years where they are', async () => {
    const { page } = await open({ screen: 'phone', run: { bars: 12_000 } });
    await page.locator('#monthly .scroll').focus();
    const [before, after, scrolled] = (await page.evaluate(`(() => {
      const frame = document.querySelector('#monthly .scroll');
      const left = () => frame.querySelector('tbody tr :first-child').getBoundingClientRect().left;
      const was = left();
      frame.scrollLeft = 120;
      return [was, left(), frame.scrollLeft];
    })()`)) as number[];
    expect(after).toBe(before);
    expect(scrolled).toBe(120);
    expect(await overhangOf(page)).toBe(0);
    await page.close();
  });

  test('moves the chart to the trade whose row is clicked', async () => {
    const { page } = await open({});
    const whole = await chartPicture(page);
    await page.locator('#trades tbody tr').nth(4).click();
    expect(await page.locator('#trades tr.is-chosen').getAttribute('data-trade')).toBe('5');
    const near = await chartPicture(page);
    expect(near).not.toBe(whole);
    // The middle of the trade is in the middle of the view.
    const opened = await textOf(page, '#trades tr.is-chosen td:nth-child(2)');
    const box = await page.locator('#chart').boundingBox();
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) * 0.45, (box?.y ?? 0) + 80);
    const legend = await textOf(page, '#legend');
    expect(Math.abs(Date.parse(`${legend.slice(0, 16)}Z`) - Date.parse(`${opened}Z`))).toBeLessThan(
      3 * 86_400_000,
    );
    expect(legend).toMatch(/O [\d,.]+ H [\d,.]+ L [\d,.]+ C [\d,.]+.*Equity.*Drawdown/);
    await page.click('#whole');
    await page.mouse.move(0, 0);
    expect(await chartPicture(page)).not.toBe(near);
    await page.close();
  });

  test('sorts its trades by a click on a title, and pages through them', async () => {
    const { page } = await open({ run: { tradeChance: 0.1 } });
    const profits = async (): Promise<number[]> =>
      (await page.locator('#trades tbody tr td:nth-child(4)').allTextContents()).map((text) =>
        Number(text.replaceAll(',', '')),
      );
    await page.click('#trades th button:text-is("Profit")');
    const rising = await profits();
    expect(rising).toEqual(rising.toSorted((left, right) => left - right));
    await page.click('#trades th button:text-is("Profit")');
    const falling = await profits();
    expect(falling).toEqual(falling.toSorted((left, right) => right - left));
    expect(falling[0]).toBeGreaterThan(rising[0] ?? 0);
    await page.click('.pager button:text-is("Next")');
    expect((await profits())[0]).toBeLessThanOrEqual(falling.at(-1) ?? 0);
    expect(await textOf(page, '.pager span')).toMatch(/^26 to 50 of \d+$/);
    await page.close();
  });

  test('draws a million bars, says how it thinned them, and shows fills when they can be seen', async () => {
    const { page, messages } = await open({ run: { bars: 1_051_200, timeframe: '1m', tradeChance: 0.02 } });
    expect(await textOf(page, '#charts')).toContain('each bar above stands for 17 min');
    expect(await textOf(page, '#note')).toMatch(/fills in view: zoom in to see them/);
    await page.locator('#trades tbody tr').nth(10).click();
    await page.waitForTimeout(300);
    expect(await textOf(page, '#note')).toBe('');
    expect(messages).toEqual([]);
    await keepPicture(page, 'million-bars');
    await page.close();
  });

  test('shows buying and holding and a logarithmic scale when asked', async () => {
    const { page } = await open({});
    for (const button of ['#hold', '#log']) {
      const before = await chartPicture(page);
      const pressed = await page.getAttribute(button, 'aria-pressed');
      await page.click(button);
      await page.mouse.move(0, 0);
      expect(await page.getAttribute(button, 'aria-pressed')).not.toBe(pressed);
      expect(await chartPicture(page)).not.toBe(before);
    }
    await page.close();
  });

  test.each([
    { screen: 'desktop', theme: 'light' },
    { screen: 'desktop', theme: 'dark' },
    { screen: 'phone', theme: 'light' },
  ] as const)('draws the exits of brackets on a $screen in the $theme theme', async (visit) => {
    const run = await bracketRun('mean-reversion');
    const { page, messages } = await open({ ...visit, folder: run });
    expect(await textOf(page, '#legend')).toMatch(/Target.*Stop/);
    expect(await textOf(page, '#trades thead')).toContain('Exit by');
    const exits = await page.locator('#trades tbody td:nth-child(10)').allTextContents();
    expect(new Set(exits)).toEqual(new Set(['take-profit', 'stop-loss']));
    await page.locator('#trades tbody tr').nth(2).click();
    for (const name of ['target', 'stop']) expect(await pixelsOf(page, name)).toBeGreaterThan(20);
    expect(await overhangOf(page)).toBe(0);
    await keepPicture(page, `brackets-${visit.screen}-${visit.theme}`);
    expect(messages.filter((text) => !text.includes('getImageData'))).toEqual([]);
    await page.close();
  });

  test('is a picture of the docs', async () => {
    const { page } = await open({ folder: await bracketRun('mean-reversion') });
    await page.waitForTimeout(200);
    expect(await keepDocsPicture(browser, page, 'backtest-report')).toBeLessThan(120_000);
    await page.close();
  });

  test.each([
    { screen: 'desktop', theme: 'light' },
    { screen: 'phone', theme: 'dark' },
  ] as const)('draws what a strategy plots on a $screen in the $theme theme', async (visit) => {
    const { page, messages } = await open({ ...visit, folder: await bracketRun('mean-reversion') });
    expect(await textOf(page, '#legend')).toMatch(/bands.lower bands.middle bands.upper range Equity/);
    // The panes: price, range, equity and drawdown.
    const panes = (await page.evaluate(
      `[...document.querySelectorAll('#chart tr')].filter((row) => row.clientHeight > 40).length`,
    )) as number;
    expect(panes).toBe(4);
    await page.locator('#trades tbody tr').nth(2).click();
    const box = await page.locator('#chart').boundingBox();
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) * 0.4, (box?.y ?? 0) + 80);
    expect(await textOf(page, '#legend')).toMatch(
      /V [\d.]+[KM]?.*bands.lower [\d,.]+.*bands.middle [\d,.]+.*range [\d.]+/,
    );
    expect(await overhangOf(page)).toBe(0);
    await keepPicture(page, `plots-${visit.screen}-${visit.theme}`);
    expect(messages.filter((text) => !text.includes('getImageData'))).toEqual([]);
    await page.close();
  });

  test('breaks a line of a plot at its gaps, and says which panes have no room', async () => {
    const run = demoRun({ bars: 60 });
    const plotted = (name: string, pane: string | null, valueAt: (bar: number) => number): PlottedSeries => ({
      strategy: 'ma-cross',
      market: 'BTCUSDT',
      name,
      pane,
      style: 'line',
      color: 'purple',
      every: 1,
      length: 60,
      atMs: Float64Array.from({ length: 60 }, (_, bar) => run.fromMs + (bar + 1) * HOUR_MS),
      value: Float64Array.from({ length: 60 }, (_, bar) => valueAt(bar)),
    });
    const drawn = async (plots: readonly PlottedSeries[]) => {
      const folder = writeRunFolder(root, finishRun({ ...run, plots }));
      return open({ folder });
    };
    const whole = await drawn([plotted('stop', 'stop', () => 5)]);
    const gaps = await drawn([plotted('stop', 'stop', (bar) => (bar > 20 && bar < 50 ? Number.NaN : 5))]);
    const [all, some] = [
      await pixelsOf(whole.page, 'plot-purple', 90),
      await pixelsOf(gaps.page, 'plot-purple', 90),
    ];
    // 30 of the 60 bars, which are about a thousand pixels wide.
    expect(all - some).toBeGreaterThan(400);
    await keepPicture(gaps.page, 'plot-gaps');
    const many = await drawn(
      Array.from({ length: 10 }, (_, at) => plotted(`x${at}`, `pane ${at}`, () => at)),
    );
    expect(await textOf(many.page, '#note')).toBe('2 more panes of plots are left out.');
    for (const { page, messages } of [whole, gaps, many]) {
      expect(messages.filter((text) => !text.includes('getImageData'))).toEqual([]);
      await page.close();
    }
  });

  test('draws stops that follow the price as steps', async () => {
    const { page, messages } = await open({ folder: await bracketRun('breakout') });
    await page.locator('#trades tbody tr').nth(1).click();
    expect(await pixelsOf(page, 'stop')).toBeGreaterThan(40);
    expect(await textOf(page, '#trades tbody')).toContain('trail');
    await keepPicture(page, 'trail');
    expect(messages.filter((text) => !text.includes('getImageData'))).toEqual([]);
    await page.close();
  });

  test.each([
    { screen: 'desktop', theme: 'light' },
    { screen: 'desktop', theme: 'dark' },
    { screen: 'phone', theme: 'light' },
    { screen: 'phone', theme: 'dark' },
  ] as const)('shades locks and marks members on a $screen in the $theme theme', async (visit) => {
    const { page, messages, requests } = await open({ ...visit, folder: await busiestRun() });
    expect(await textOf(page, '#legend')).toMatch(/Lock.*In a universe/);
    expect(await page.locator('#locks tbody tr').count()).toBeGreaterThan(10);
    expect(await textOf(page, '#locks tbody')).toContain('outside of the trading hours 08:00-23:00');
    expect(await textOf(page, '#members tbody')).toMatch(/its rank by volume24h is \d, of 1/);
    await page.selectOption('#market', { label: 'BTCIRT' });
    expect(await pixelsOf(page, 'member')).toBeGreaterThan(100);
    await keepPicture(page, `bands-${visit.screen}-${visit.theme}`);
    if (visit.screen === 'desktop') {
      // Nights are 9 of 24 hours, and begin within a bar.
      const nights = await shadedRuns(page);
      expect(nights).toHaveLength(15);
      for (const [index, [from, width]] of nights.slice(1, -2).entries()) {
        const day = (nights[index + 2]?.[0] ?? 0) - from;
        expect(Math.abs(width - (9 / 24) * day)).toBeLessThan(2);
      }
    }
    const before = await chartPicture(page);
    await page.selectOption('#market', { label: 'USDTIRT' });
    // Tether is in no universe; the hours of all markets are shaded there too.
    expect(await pixelsOf(page, 'member')).toBe(0);
    expect(await chartPicture(page)).not.toBe(before);
    await page.selectOption('#market', { label: 'BTCIRT' });
    const box = await page.locator('#chart').boundingBox();
    const said: string[] = [];
    for (let part = 0.1; part < 0.8; part += 0.02) {
      await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) * part, (box?.y ?? 0) + 120);
      said.push(await textOf(page, '#held'));
      if (said.at(-1)?.includes('night') === true && said.at(-1)?.includes('busiest/members') === true) break;
    }
    expect(said.join('\n')).toMatch(
      /night \(all markets\), 2026-03-\d\d 19:30 to 2026-03-\d\d 04:30: outside of the trading hours 08:00-23:00/,
    );
    expect(said.join('\n')).toMatch(
      /busiest\/members, 2026-03-\d\d \d\d:00 to 2026-03-\d\d \d\d:00: a member, entered with rank 1/,
    );
    expect(await textOf(page, '#legend')).toMatch(/Equity [\d,]+.*Buy and hold [\d,]+.*Drawdown -?[\d.]+ %/);
    await keepPicture(page, `bands-pointed-${visit.screen}-${visit.theme}`);
    expect(await overhangOf(page)).toBe(0);
    expect(messages.filter((text) => !text.includes('getImageData'))).toEqual([]);
    expect(requests).toEqual([]);
    await page.close();
  });

  test('says so where locks are too many to be told apart, until the reader zooms in', async () => {
    const run = demoRun({ bars: 12_000 });
    const records = Array.from({ length: 1_500 }, (_, index) => {
      const beganAtMs = run.fromMs + index * 8 * HOUR_MS;
      return lockRecord({ beganAtMs, endedAtMs: beganAtMs + HOUR_MS, refused: index % 7 });
    });
    const folder = writeRunFolder(root, finishRun({ ...run, locks: { records, more: 0 } }));
    const { page, messages } = await open({ folder });
    expect(await textOf(page, '#note')).toContain('1,500 locks in view: zoom in to see them.');
    expect(await textOf(page, '#locks')).toContain('Of 1,500, the 100 that refused most orders');
    await page.locator('#trades tbody tr').nth(5).click();
    await page.waitForTimeout(300);
    expect(await textOf(page, '#note')).not.toContain('locks in view');
    await keepPicture(page, 'many-locks');
    expect(messages).toEqual([]);
    await page.close();
  });

  test('speaks Persian from right to left, with the charts from left to right', async () => {
    const run = demoRun({ bars: 3_000, tradeChance: 0.05 });
    const folder = writeRunFolder(root, finishRun(run), 'fa');
    for (const screen of ['desktop', 'phone'] as const) {
      const { page, messages } = await open({ folder, screen });
      const row = await page.locator('#trades tbody tr').first().innerText();
      expect(row).toMatch(/۱۴۰۱\/۱/);
      expect(row).toContain('تتر');
      expect(row).not.toMatch(/[0-9]/);
      expect(await textOf(page, '#legend')).toContain('ساعت‌ها به وقت تهران است.');
      expect(
        await page.evaluate(
          `['html', '#chart'].map((each) => getComputedStyle(document.querySelector(each)).direction)`,
        ),
      ).toEqual(['rtl', 'ltr']);
      expect(await overhangOf(page)).toBe(0);
      expect(messages).toEqual([]);
      await keepPicture(page, `persian-${screen}`);
      await page.close();
    }
  });

  test('says so where nothing was traded', async () => {
    const { page, messages } = await open({ run: { tradeChance: 0, bars: 3 } });
    expect(await textOf(page, '#trade-list')).toContain('Nothing was traded.');
    expect(messages).toEqual([]);
    await page.close();
  });

  test.each([
    { screen: 'desktop', theme: 'light' },
    { screen: 'desktop', theme: 'dark' },
    { screen: 'phone', theme: 'light' },
    { screen: 'phone', theme: 'dark' },
  ] as const)(
    'fits a $screen in the $theme theme, with text that contrasts with its background',
    async (visit) => {
      const { page } = await open({ ...visit, run: { bars: 12_000, warnings: ['A sentence to heed.'] } });
      expect(await overhangOf(page)).toBe(0);
      const colours = (await page.evaluate(
        `['color', 'backgroundColor'].map((name) => getComputedStyle(document.querySelector(name === 'color' ? 'dt' : '#summary'))[name])`,
      )) as string[];
      expect(contrast(colours[0] ?? '', colours[1] ?? '')).toBeGreaterThan(4.5);
      await keepPicture(page, `${visit.screen}-${visit.theme}`);
      await page.close();
    },
  );
});
