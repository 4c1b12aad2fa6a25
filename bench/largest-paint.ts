import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { AccessStore } from '../src/dashboard/access-store.ts';
import { DashboardServer } from '../src/dashboard/server/dashboard-server.ts';
import { decimalText } from '../src/domain/decimal-text.ts';
import { parseUnits } from '../src/domain/money.ts';
import type { MirrorChange } from '../src/engine/mirror-change.ts';
import { mirrorName } from '../src/mirror/mirror-path.ts';
import { MirrorStore } from '../src/mirror/mirror-store.ts';
import { DEFAULT_RETENTION } from '../src/mirror/pruner.ts';
import { EMPTY_FILL } from '../src/records/fill.ts';
import { orderIdOf, tradeIdOf } from '../src/venues/read-records.ts';
import { launchChromium } from '../test/browser/open-page.ts';
import { median, type BenchResult } from './result.ts';

const FILLS = 100_000;
const BATCH = 1_000;
const ROUNDS = 5;
const LONGEST_MS = 1_000;
/** Time in ms for which a page is left alone: a larger paint may follow the first. */
const SETTLE_MS = 2_000;
const MINUTE_MS = 60_000;
const VIEWS = ['overview', 'market/BTCIRT', 'orders', 'fills', 'trips', 'profits', 'quality', 'log'];

/** Page with built files: run `npm run build` before. */
const PAGE = join(import.meta.dirname, '..', 'dist', 'src', 'dashboard', 'page');

/** Makes the mirror of a bot that has bought and sold again, fill by fill. */
function fillMirror(path: string, nowMs: number): void {
  const store = MirrorStore.open({
    path,
    retention: DEFAULT_RETENTION,
    nowMs,
    epoch: () => 'e001',
    durability: 'off',
  });
  const market = {
    symbol: 'BTCIRT',
    version: 1,
    fromMs: nowMs - FILLS * MINUTE_MS,
    priceStep: decimalText('10'),
    amountStep: decimalText('0.000001'),
    minOrderValue: decimalText('3000000'),
  };
  store.apply([{ kind: 'market', market }], { atMs: nowMs, isDurable: true });
  for (let first = 1; first <= FILLS; first += BATCH) {
    const changes = Array.from({ length: BATCH }, (_, index): MirrorChange => {
      const row = first + index;
      const isBuy = row % 2 === 1;
      const price = parseUnits(String(50_000_000_000 + (row % 97) * 10_000_000));
      return {
        kind: 'fill',
        fill: {
          ...EMPTY_FILL,
          tradeId: tradeIdOf(row),
          cursor: row,
          venueOrderId: orderIdOf(row),
          orderKey: `home-grid-e001-${row}`,
          strategy: 'grid',
          market: 'BTCIRT',
          side: isBuy ? 'buy' : 'sell',
          atMs: nowMs - (FILLS - row) * MINUTE_MS,
          price,
          amount: parseUnits('0.001'),
          total: parseUnits(String(50_000_000 + (row % 97) * 10_000)),
          fee: parseUnits(isBuy ? '0.0000025' : '125000'),
        },
      };
    });
    store.apply(changes, { atMs: nowMs, isDurable: true });
  }
  store.close();
}

/** Returns when the largest paint of a view came, in ms since its address was opened. */
async function largestPaintMs(browser: Browser, of: { readonly url: string; readonly token: string }) {
  const page = await browser.newPage({
    viewport: { width: 1_280, height: 900 },
    extraHTTPHeaders: { authorization: `Bearer ${of.token}` },
  });
  await page.goto(of.url);
  await page.waitForSelector('main h1, main h2, main .main-figure');
  await page.waitForTimeout(SETTLE_MS);
  const paint = await page.evaluate<number>(`new Promise((resolve) =>
    new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime)).observe({
      type: 'largest-contentful-paint',
      buffered: true,
    }))`);
  await page.close();
  return paint;
}

/** Measures the largest contentful paint of views of a bot whose mirror has 100,000 fills. */
export async function benchLargestPaint(): Promise<BenchResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sarraf-paint-'));
  const browser = await launchChromium();
  try {
    fillMirror(join(folder, mirrorName('live')), Date.now());
    const store = new AccessStore(folder);
    const token = store.addToken({ name: 'bench', role: 'read' });
    store.close();
    const server = new DashboardServer({
      dataFolder: folder,
      pageFolder: PAGE,
      host: '127.0.0.1',
      port: 0,
      hosts: [],
      tls: null,
      language: 'en',
      onError: (message) => {
        throw new Error(message);
      },
    });
    const address = await server.listen();
    const results: BenchResult[] = [];
    for (const view of VIEWS) {
      const paintsMs: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1)
        paintsMs.push(await largestPaintMs(browser, { url: `${address}/#/${view}`, token }));
      const value = median(paintsMs);
      results.push({
        name: `paint: largest of ${view} with 100,000 fills`,
        value,
        unit: 'ms',
        reference: null,
        ratio: null,
        target: LONGEST_MS,
        holds: value <= LONGEST_MS,
      });
    }
    await server.close();
    return results;
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
