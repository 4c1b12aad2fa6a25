import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withoutDirectionMarks } from '../../src/language/isolate.ts';
import type { Language } from '../../src/language/locale.ts';
import { studyHtml, studyReportData } from '../../src/study/study-html.ts';
import { demoStudy, demoWalk, type DemoStudyOptions } from '../unit/study/report/demo-study.ts';
import {
  contrast,
  keepPicture,
  launchChromium,
  openPage,
  overhangOf,
  textOf,
  type Look,
  type Visited,
} from './open-page.ts';
import { folderOfAllTests } from '../support/temporary-folder.ts';

const OPTIONS = {
  one: { walk: { kind: 'known', result: demoWalk() }, holdout: 'opened' },
  two: {
    objectives: [
      { metric: 'sharpe', direction: 'maximize' },
      { metric: 'maxDrawdown', direction: 'minimize' },
    ],
  },
  failed: { trials: 20, fails: true },
} as const satisfies Readonly<Record<string, DemoStudyOptions>>;

type Name = keyof typeof OPTIONS;

const root = folderOfAllTests();
const made = new Map<Name, ReturnType<typeof demoStudy>>();
let browser: Browser;

beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
});

function studyOf(name: Name): ReturnType<typeof demoStudy> {
  const known = made.get(name) ?? demoStudy(join(root, `${name}.sqlite`), OPTIONS[name]);
  made.set(name, known);
  return known;
}

async function open(name: Name, look: Look = {}, language: Language = 'en'): Promise<Visited> {
  const file = join(root, `${name}-${language}.html`);
  writeFileSync(file, studyHtml(studyOf(name), language));
  return openPage(browser, file, look);
}

/** Counts the marks of each picture below an element, by class. */
async function countsOf(page: Page, selector: string): Promise<readonly Readonly<Record<string, number>>[]> {
  return (await page.evaluate(`[...document.querySelectorAll('${selector} svg')].map((svg) =>
    Object.fromEntries([...svg.querySelectorAll('[data-count]')].map((path) =>
      [path.getAttribute('class').split(' ').at(-1), Number(path.dataset.count)])))`)) as Record<
    string,
    number
  >[];
}

/** Points at a place in the first element of a selector, and returns the text of the tooltip. */
async function saidOf(
  page: Page,
  selector: string,
  at: { readonly x: number; readonly y: number },
): Promise<string> {
  await page.locator(selector).first().scrollIntoViewIfNeeded();
  const box = await page.locator(selector).first().boundingBox();
  await page.mouse.move((box?.x ?? 0) + at.x, (box?.y ?? 0) + at.y);
  return textOf(page, '#tip');
}

describe('the report of a study', () => {
  test('opens from a file without a request or a word on the console', async () => {
    const { page, messages, requests } = await open('one');
    expect(await textOf(page, 'h1')).toBe('demo');
    expect(await textOf(page, 'main > section:first-child')).toMatch(/^Verdict on trial \d+/);
    expect(await page.locator('[data-statistic]').count()).toBe(9);
    expect(messages).toEqual([]);
    expect(requests).toEqual([]);
    await page.close();
  });

  test('draws every trial by every param, with the best one and its neighbours', async () => {
    const { page } = await open('one');
    const { parameters, trials } = studyReportData(studyOf('one'));
    const counts = await countsOf(page, '#slices');
    expect(counts).toHaveLength(parameters.length);
    for (const [index, values] of trials.values.entries()) {
      const there = values.flatMap((value, place) => (value === null ? [] : [place]));
      const failed = there.filter((place) => trials.state[place] === 2).length;
      const near = there.filter((place) => trials.isNear[place] === 1 && trials.state[place] !== 2).length;
      const all = Object.values(counts[index] ?? {}).reduce((sum, count) => sum + count, 0);
      expect(all).toBe(there.length);
      expect(counts[index]).toMatchObject({ 'dots-failed': failed, 'dots-near': near, 'dots-best': 1 });
    }
    // A parameter with choices has no plateau; each of the others has one.
    expect(await page.locator('#slices rect.plateau').count()).toBe(
      parameters.filter(({ near }) => near !== null).length,
    );
    expect(await textOf(page, '#slices')).toMatch(/median of neighbours.*worst tenth/);
    await page.selectOption('#figure', { label: 'maxDrawdown' });
    expect(await textOf(page, '#slices')).not.toContain('worst tenth');
    expect(await page.getAttribute('#slices svg', 'aria-label')).toBe('maxDrawdown by fast');
    await page.close();
  });

  test('marks a trial in every chart by a click on its row, and says it under the pointer', async () => {
    const { page } = await open('one');
    const row = page.locator('#best tbody tr').nth(4);
    const number = await row.getAttribute('data-trial');
    await row.click();
    expect(await row.getAttribute('class')).toBe('is-chosen');
    for (const counts of await countsOf(page, '#slices')) expect(counts['dots-chosen'] ?? 1).toBe(1);
    expect((await countsOf(page, '#parallel'))[0]).toMatchObject({ 'line-chosen': 1, 'line-best': 1 });
    const chosen = (await page.getAttribute('#slices path.dots-chosen', 'd')) ?? '';
    const [, left = 0, top = 0] = (/^M([\d.]+) ([\d.]+)h0$/.exec(chosen) ?? []).map(Number);
    expect(await saidOf(page, '#slices svg', { x: left, y: top })).toMatch(
      new RegExp(`^Trial ${number}\\b.*sharpe`, 's'),
    );
    await row.click();
    expect(await page.locator('.dots-chosen').count()).toBe(0);
    await page.close();
  });

  test('has a heat map of two params, with the median of the trials in each cell', async () => {
    const { page } = await open('one');
    const { trials, parameters } = studyReportData(studyOf('one'));
    await page.selectOption('#heat-across', { label: 'share' });
    await page.selectOption('#heat-up', { label: 'exit' });
    const places = new Set(
      trials.number.flatMap((_, place) =>
        trials.state[place] === 0 ? [`${trials.values[1]?.[place]} ${trials.values[2]?.[place]}`] : [],
      ),
    );
    expect(await page.locator('#heat rect.cell').count()).toBe(places.size);
    // The lowest row is the first choice, and the first column the lowest share.
    const values = trials.number
      .flatMap((_, place) =>
        trials.state[place] === 0 && trials.values[1]?.[place] === 0.1 && trials.values[2]?.[place] === 0
          ? [trials.figures[0]?.[place] ?? 0]
          : [],
      )
      .toSorted((left, right) => left - right);
    const middle = values.length >> 1;
    const median =
      values.length % 2 === 1
        ? (values[middle] ?? 0)
        : ((values[middle - 1] ?? 0) + (values[middle] ?? 0)) / 2;
    const height = (await page.locator('#heat svg').boundingBox())?.height ?? 0;
    const said = await saidOf(page, '#heat svg', { x: 90, y: height - 46 - 17 });
    expect(said).toContain(`${parameters[1]?.name} 0.1`);
    expect(said).toContain('exit trail');
    expect(said).toContain(`${values.length} trial`);
    expect(Number(/median of sharpe (-?[\d.]+)/.exec(said)?.[1])).toBeCloseTo(median, 1);
    await page.close();
  });

  test('draws every trial as a line over all params, the best tenth before the others', async () => {
    const { page } = await open('one');
    const { trials } = studyReportData(studyOf('one'));
    const complete = trials.state.filter((state) => state !== 2).length;
    const foremost = Math.ceil(complete / 10);
    expect((await countsOf(page, '#parallel'))[0]).toEqual({
      'line-other': complete - foremost,
      'line-foremost': foremost,
      'line-best': 1,
    });
    await page.close();
  });

  test('draws the account of a walk-forward over its windows, and windows in against out of sample', async () => {
    const { page } = await open('one');
    const { windows, account } = demoWalk();
    expect(await page.locator('#equity rect.window').count()).toBe(windows.length);
    expect((await countsOf(page, '#equity'))[0]).toEqual({ 'equity-line': account.equity.length });
    const box = await page.locator('#equity svg').boundingBox();
    const said = await saidOf(page, '#equity svg', { x: (box?.width ?? 0) * 0.5, y: 120 });
    expect(said).toMatch(/^2024-\d\d-\d\d\nequity [\d,]+, -?[\d.]+ %\nwindow \d: \{"fast":\d+\}$/);
    expect((await countsOf(page, '#in-out'))[0]).toEqual({ 'dots-near': windows.length });
    await page.selectOption('#walk-figure', { label: 'growth a day' });
    expect(await page.getAttribute('#in-out svg', 'aria-label')).toContain('growth a day in sample');
    expect(await page.locator('#windows tbody tr').count()).toBe(windows.length);
    expect(await textOf(page, '#drift tbody')).toContain('fast');
    await page.close();
  });

  test('has a Pareto front of two objectives', async () => {
    const { page, messages } = await open('two');
    const { trials } = studyReportData(studyOf('two'));
    const front = trials.isFront.filter((flag) => flag === 1).length;
    const [counts = {}] = await countsOf(page, '#pareto');
    // The best trial has its own mark.
    expect((counts['dots-front'] ?? 0) + (counts['dots-best'] ?? 0)).toBe(front);
    expect(await textOf(page, '#pareto')).toMatch(
      /sharpe, more is better.*maxDrawdown, less is better|maxDrawdown, less is better.*sharpe, more is better/,
    );
    expect(await page.locator('#best tbody tr').count()).toBe(Math.min(50, front));
    await keepPicture(page, 'study-two-objectives');
    expect(messages).toEqual([]);
    await page.close();
  });

  test('of trials that all failed says why, and has no charts', async () => {
    const { page, messages } = await open('failed');
    expect(await textOf(page, '#verdict')).toContain('No trial has values.');
    expect(await page.locator('#failures tbody tr').count()).toBe(2);
    expect(await page.locator('main svg').count()).toBe(0);
    expect(messages).toEqual([]);
    await page.close();
  });

  test.each([
    { screen: 'desktop', theme: 'light' },
    { screen: 'desktop', theme: 'dark' },
    { screen: 'phone', theme: 'light' },
    { screen: 'phone', theme: 'dark' },
  ] as const)('fits a $screen in the $theme theme, with text that can be read', async (look) => {
    for (const name of ['one', 'two'] as const) {
      const { page, messages } = await open(name, look);
      expect(await overhangOf(page)).toBe(0);
      for (const text of ['#luck .muted', '#best th', '#luck-word'])
        expect(await contrastOf(page, text)).toBeGreaterThan(4.5);
      expect(messages).toEqual([]);
      await keepPicture(page, `study-${name}-${look.screen}-${look.theme}`);
      await page.close();
    }
  });
});

describe('the report of a study in Persian', () => {
  test('fits a phone from right to left, and has English in islands alone', async () => {
    const { page, messages } = await open('one', { screen: 'phone' }, 'fa');
    expect(await overhangOf(page)).toBe(0);
    expect(messages).toEqual([]);
    const directions = `['html', 'main svg', '#luck code'].map((each) => getComputedStyle(document.querySelector(each)).direction)`;
    expect(await page.evaluate(directions)).toEqual(['rtl', 'ltr', 'ltr']);
    // Reads all that is shown, with pictures and their labels: two Latin words in a row are a sentence.
    const shown = (await page.evaluate(`(() => {
      const root = document.body.cloneNode(true);
      for (const own of root.querySelectorAll('script, style, code, cite, pre, .hashes')) own.remove();
      const labels = [...root.querySelectorAll('[aria-label]')].map((each) => each.getAttribute('aria-label'));
      const texts = [];
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) texts.push(walker.currentNode.data);
      return [...texts, ...labels];
    })()`)) as readonly string[];
    const outside = shown.map((text) => text.replaceAll(/[\u2066\u2068][^\u2066-\u2069]*\u2069/g, ''));
    expect(outside.filter((text) => /[A-Za-z]{2,} [A-Za-z]/.test(text))).toEqual([]);
    expect(outside.filter((text) => /[0-9]/.test(text))).toEqual([]);
    await keepPicture(page, 'study-persian-phone');
    await page.close();
  });

  test('says trials and days under the pointer in its words and digits', async () => {
    const { page, messages } = await open('one', {}, 'fa');
    const best = (await page.getAttribute('#slices path.dots-best', 'd')) ?? '';
    const [, left = 0, top = 0] = (/^M([\d.]+) ([\d.]+)h0$/.exec(best) ?? []).map(Number);
    const trial = withoutDirectionMarks(await saidOf(page, '#slices svg', { x: left, y: top }));
    expect(trial).toMatch(/^آزمایش [۰-۹]+، بهترین\nشارپ: [۰-۹٫]+\nبازده: [۰-۹٫]+٪\n/);
    const box = await page.locator('#equity svg').boundingBox();
    const day = await saidOf(page, '#equity svg', { x: (box?.width ?? 0) * 0.5, y: 120 });
    expect(withoutDirectionMarks(day)).toMatch(
      /^۱۴۰۳\/[۰-۹/]+\nارزش کل دارایی [۰-۹٬]+ تتر، ‎?[-−]?[۰-۹٫]+٪\nپنجرهٔ [۰-۹]: \{"fast":\d+\}$/,
    );
    expect(await textOf(page, '#slices')).toMatch(/میانهٔ همسایه‌ها.*بدترین دهک/);
    // All columns of the windows are on the screen, in the language with the longest titles too.
    const beyond = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('#windows .scroll'))`;
    expect(await page.evaluate(beyond)).toBe(0);
    expect(messages).toEqual([]);
    await keepPicture(page, 'study-persian-desktop');
    await page.close();
  });
});

async function contrastOf(page: Page, selector: string): Promise<number> {
  const [text = '', card = ''] = (await page.evaluate(
    `[getComputedStyle(document.querySelector('${selector}')).color, getComputedStyle(document.querySelector('#luck')).backgroundColor]`,
  )) as string[];
  return contrast(text, card);
}
