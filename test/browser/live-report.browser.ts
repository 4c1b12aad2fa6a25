import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser } from 'playwright-core';
import { parseUnits } from '../../src/domain/money.ts';
import { orderIdOf } from '../../src/venues/read-records.ts';
import { sarrafHere } from '../support/sarraf-here.ts';
import { demoRun } from '../unit/backtest/demo-run.ts';
import { mirrorRun } from '../unit/backtest/live/mirror-of-run.ts';
import { MirrorFolder, orderRecord } from '../unit/mirror/mirror-fixture.ts';
import { keepPicture, launchChromium, openPage, overhangOf, textOf } from './open-page.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => browser?.close());

/** Page of a bot that was killed, with an order left open and a pause before its last life. */
async function pageOf(folder: MirrorFolder): Promise<string> {
  const run = demoRun({ bars: 500, tradeChance: 0.1 });
  const store = folder.open();
  mirrorRun(store, run, { opening: { usdt: parseUnits('10000') }, withCandles: true });
  const json = JSON.stringify({ isRestart: true, aliveUntilMs: run.toMs - 7_200_000 });
  const order = orderRecord({
    market: 'BTCUSDT',
    state: 'open',
    venueId: orderIdOf(9),
    price: parseUnits('20000'),
    plannedAtMs: run.toMs - 1,
  });
  store.apply(
    [
      { kind: 'journal', entry: { kind: 'control', subject: 'start', json } },
      { kind: 'order', order },
    ],
    { atMs: run.toMs, isDurable: true },
  );
  store.abandon();
  const { code, out } = await sarrafHere(['report', 'live', '--mirror', folder.path, '--json']);
  expect(code).toBe(0);
  return (JSON.parse(out) as { readonly page: string }).page;
}

test.each(['desktop', 'phone'] as const)('the page of a live session draws and fits a %s', async (screen) => {
  using folder = new MirrorFolder();
  const { page, messages, requests } = await openPage(browser, await pageOf(folder), { screen });
  expect(await textOf(page, '#strategies')).toContain('The bot was not running when this was written.');
  expect(await textOf(page, '#open')).toContain('BTCUSDT buy, limit');
  expect(await textOf(page, '#pauses')).toContain('1 pause, 2 h in total');
  expect(await textOf(page, '#fidelity')).toContain('What the mirror does not know');
  expect(await page.locator('#trades tbody tr').count()).toBeGreaterThan(5);
  expect(await overhangOf(page)).toBe(0);
  await keepPicture(page, `live-${screen}`);
  expect({ messages, requests }).toEqual({ messages: [], requests: [] });
  await page.close();
});
