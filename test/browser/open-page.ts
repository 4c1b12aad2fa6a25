import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';

const pictures = process.env['SARRAF_SCREENSHOTS'];

const SCREENS = {
  desktop: { width: 1_280, height: 900 },
  phone: { width: 390, height: 844 },
} as const;

/** Screen and theme in which a page is opened. */
export interface Look {
  readonly screen?: keyof typeof SCREENS;
  readonly theme?: 'light' | 'dark';
}

/** A page that is drawn, with its console messages and its requests, which grow while it is open. */
export interface Visited {
  readonly page: Page;
  readonly messages: readonly string[];
  readonly requests: readonly string[];
}

/** Launches headless Chromium. The caller closes it. */
export async function launchChromium(): Promise<Browser> {
  // Chromium's sandbox needs rights that a container may not have; only files of these tests are opened.
  return chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
}

/** Opens the file of a report, and waits until it is drawn. */
export const openPage = async (browser: Browser, file: string, look: Look = {}): Promise<Visited> =>
  openAddress(browser, pathToFileURL(file).href, look);

/** Opens an address, and waits until it is drawn. `prepare` gets the page before it loads anything. */
export async function openAddress(
  browser: Browser,
  address: string,
  { screen = 'desktop', theme = 'light' }: Look = {},
  prepare: (page: Page) => Promise<void> = async () => {},
): Promise<Visited> {
  const page = await browser.newPage({
    viewport: SCREENS[screen],
    colorScheme: theme,
    reducedMotion: 'reduce',
  });
  const messages: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => messages.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => messages.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (request.url() !== address) requests.push(request.url());
  });
  await prepare(page);
  await page.goto(address);
  await page.waitForSelector('html[data-ready=true]');
  return { page, messages, requests };
}

/**
 * Takes a picture of the screen or of one element as a small WebP file, and returns its size in bytes. It
 * goes into the docs only if SARRAF_DOCS_PICTURES is set, as each machine draws letters differently.
 */
export async function keepDocsPicture(
  browser: Browser,
  of: Pick<Page, 'screenshot'>,
  name: string,
): Promise<number> {
  const png = await of.screenshot();
  const blank = await browser.newPage();
  const packed = await blank.evaluate(
    `(async () => {
      const bytes = Uint8Array.from(atob('${png.toString('base64')}'), (letter) => letter.charCodeAt(0));
      const picture = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const canvas = new OffscreenCanvas(picture.width, picture.height);
      canvas.getContext('2d').drawImage(picture, 0, 0);
      const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.85 });
      return Array.from(new Uint8Array(await blob.arrayBuffer()));
    })()`,
  );
  await blank.close();
  const bytes = Buffer.from(packed as number[]);
  if (process.env['SARRAF_DOCS_PICTURES'] !== undefined)
    writeFileSync(join('docs/images', `${name}.webp`), bytes);
  return bytes.length;
}

/** Saves a picture of the whole page if SARRAF_SCREENSHOTS names a folder. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
}

export const textOf = async (page: Page, selector: string): Promise<string> =>
  (await page.textContent(selector)) ?? '';

/** Returns by how many pixels the page is wider than the screen. */
export async function overhangOf(page: Page): Promise<number> {
  const [width = 0, room = 0] = (await page.evaluate(
    '[document.documentElement.scrollWidth, innerWidth]',
  )) as number[];
  return Math.max(0, width - room);
}

/** Returns by how many pixels the widest table of the page is wider than its container. */
export async function tableOverhangOf(page: Page): Promise<number> {
  const overhangs = (await page.evaluate(
    "[...document.querySelectorAll('.table-room')].map((room) => room.scrollWidth - room.clientWidth)",
  )) as number[];
  return Math.max(0, ...overhangs);
}

/** Contrast of two colours such as `rgb(1, 2, 3)`, from 1 to 21; 4.5 is enough for text. WCAG 2.2, 1.4.3. */
export function contrast(first: string, second: string): number {
  const [low = 0, high = 0] = [luminance(first), luminance(second)].toSorted((left, right) => left - right);
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/\d+/g) ?? []).map((text) => {
    const part = Number(text) / 255;
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
