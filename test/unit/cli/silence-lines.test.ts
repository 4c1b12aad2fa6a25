import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ledgerLines, silenceLines, silenceOf } from '../../../src/cli/commands/status.ts';
import { folderOfAllTests } from '../../support/temporary-folder.ts';

const folder = folderOfAllTests();

const NOW_MS = Date.UTC(2026, 0, 5, 12);

/** Returns for how long a bot is silent whose last sign of life was at a time, in ms; null if it is not. */
function silenceAt(beatMs: number, endedAtMs: number | null = null): number | null {
  const path = join(folder, 'heartbeat.json');
  writeFileSync(path, JSON.stringify({ pid: 1, sinceMs: 0, endedAtMs, failure: null }));
  utimesSync(path, beatMs / 1_000, beatMs / 1_000);
  return silenceOf(folder, NOW_MS);
}

test('a bot is silent when its loop has not turned for longer than health allows', () => {
  expect(silenceOf(folder, NOW_MS)).toBeNull();
  expect(silenceAt(NOW_MS - 10_000)).toBeNull();
  expect(silenceAt(NOW_MS - 21_000)).toBe(21_000);
  expect(silenceAt(NOW_MS - 21_000, NOW_MS - 20_000)).toBeNull();
  expect(silenceLines(21_000)).toEqual([
    'silent  for 21 s: the bot decides nothing, and its orders stay open',
  ]);
  expect(silenceLines(null)).toEqual([]);
});

test('a lockout is named, also one that stops no order', () => {
  const tradingBegins = { waitMs: 0, latestMs: 0, budget: null, why: null };
  const lockouts = [{ budget: 'v2/orderbook', forMs: 1_680_000 }];
  expect(ledgerLines({ ledger: '/l.sqlite', tradingBegins, lowered: [], lockouts }, null)).toEqual([
    'ledger  /l.sqlite: an order could leave at once',
    'locked  v2/orderbook is LOCKED OUT by the exchange for 28 min more: do not restart the bot',
  ]);
});
