import type { Page } from 'playwright-core';

/** What runs from left to right in any language: code, names and numbers, data as it came. */
const ISLANDS = 'bdi, code, pre, [dir=ltr], option, [lang=en], .brand, script, style';

/** Latin words that Persian texts have: names of commands, of units and of settings. */
const ALLOWED = new Set(
  'sarraf token link report live operate IP UTC BTC ETH USDT TWAP VWAP DCA Lightweight Charts TradingView Vazirmatn'.split(
    ' ',
  ),
);

/** Each text of a page that stands in no island of direction. */
const READ = `[...document.querySelectorAll('body *')].flatMap((element) =>
  element.closest(${JSON.stringify(ISLANDS)}) !== null || !element.checkVisibility() ? [] :
    [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.textContent))`;

const ISLAND = /[\u2066-\u2068][^\u2066-\u2069]*\u2069/g;

/** A text without its islands; one may stand in another. */
function withoutIslands(text: string): string {
  const rest = text.replaceAll(ISLAND, '');
  return rest === text ? text : withoutIslands(rest);
}

/** The words of a page in Latin letters, where a person reads Persian. */
export async function latinWords(page: Page): Promise<readonly string[]> {
  const texts = (await page.evaluate(READ)) as readonly string[];
  return texts.flatMap((text) =>
    (withoutIslands(text).match(/[A-Za-z][A-Za-z'-]+/g) ?? [])
      .filter((word) => !ALLOWED.has(word))
      .map((word) => `${word} in: ${text}`),
  );
}

/** What is shown as somebody wrote it, in English. */
export async function wordsOfOthers(page: Page): Promise<readonly string[]> {
  return page.locator('.said[lang=en]').allInnerTexts();
}
