import { expect, test } from 'vitest';
import { equityItems } from '../../../src/dashboard/readers/equity-items.ts';
import type { MirrorChange } from '../../../src/engine/mirror-change.ts';
import { MirrorReader } from '../../../src/mirror/mirror-reader.ts';
import { MirrorFolder } from '../mirror/mirror-fixture.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** The first moment of a day in Tehran. */
const MIDNIGHT_MS = Date.parse('2026-04-01T20:30:00Z');
const NOON_MS = MIDNIGHT_MS + 12 * HOUR_MS;

/** A profit that rises by one a minute, from midnight on. */
const profitAt = (atMs: number): MirrorChange => ({
  kind: 'figure',
  figure: { name: 'profit/rls', atMs, value: String((atMs - MIDNIGHT_MS) / MINUTE_MS) },
});

test('the profit of the day is exact where the mirror has far more values than a drawdown is measured over', () => {
  using folder = new MirrorFolder();
  const store = folder.open();
  const hours = Array.from({ length: 7_200 }, (_, hour) => profitAt(MIDNIGHT_MS - (7_200 - hour) * HOUR_MS));
  const today = Array.from({ length: 145 }, (_, five) => profitAt(MIDNIGHT_MS + five * 5 * MINUTE_MS));
  const equity: MirrorChange = {
    kind: 'figure',
    figure: { name: 'equity/rls', atMs: NOON_MS, value: '9000' },
  };
  store.apply([...hours, ...today, equity], { atMs: NOON_MS, isDurable: true });
  const reader = new MirrorReader(folder.path);
  expect(equityItems(reader, [])).toMatchObject([
    { currency: 'rls', now: '9000', day: '720', drawdown: '0', asOfMs: NOON_MS },
  ]);
  reader.close();
});
