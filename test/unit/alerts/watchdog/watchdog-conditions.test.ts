import { expect, test } from 'vitest';
import { conditionsAfter } from '../../../../src/alerts/watchdog-alerts.ts';
import type { AlertCondition } from '../../../../src/alerts/core/alert-facts.ts';
import type { CanceledEntries } from '../../../../src/daemon/cancel-entries.ts';
import type { Pulse } from '../../../../src/daemon/run-record.ts';
import type { WatchdogNews } from '../../../../src/daemon/watchdog.ts';

const PULSE: Pulse = { pid: 7, sinceMs: 0, beatMs: 40_000.5, endedAtMs: null, failure: null };

function after(news: readonly WatchdogNews[]) {
  let holding: readonly AlertCondition[] = [];
  const moments: AlertCondition[] = [];
  for (const [index, one] of news.entries()) {
    const found = conditionsAfter(holding, one, 100_000 + index);
    ({ holding } = found);
    moments.push(...found.moments);
  }
  return { holding, moments };
}

const SILENT: WatchdogNews = { kind: 'silent', pulse: PULSE, forMs: 60_000 };
const FAILED: WatchdogNews = { kind: 'not-canceled', reason: 'locked out', isLast: false };

test('silence holds until the bot is back, and names its last sign of life', () => {
  expect(after([SILENT])).toEqual({
    holding: [
      {
        key: 'silent',
        severity: 'critical',
        facts: { rule: 'silent', lastSignMs: 40_000 },
        sinceMs: 40_000,
      },
    ],
    moments: [],
  });
  expect(after([SILENT, FAILED, { kind: 'back', pulse: PULSE }]).holding).toEqual([]);
});

const canceled = (
  changed: Partial<CanceledEntries> = {},
  isRepeat = false,
): Extract<WatchdogNews, { readonly kind: 'canceled' }> => {
  const result = { canceled: ['a', 'b'], kept: ['c'], left: [], unseen: [], isBack: false, ...changed };
  return { kind: 'canceled', result, isRepeat };
};

test('each cancel of entries is told once, and failed ones as one thing that holds until one succeeds', () => {
  const failed = after([SILENT, FAILED, FAILED]);
  expect(failed.holding.map(({ key }) => key)).toEqual(['silent', 'entries-failed']);
  const found = after([SILENT, FAILED, FAILED, canceled()]);
  expect(found.holding.map(({ key }) => key)).toEqual(['silent']);
  expect(found.moments).toMatchObject([
    { facts: { rule: 'entries', canceled: 2, kept: 1, left: 0 }, isMoment: true },
  ]);
});

test('nobody is told again what the try before said, nor of a try that the bot was back before', () => {
  expect(after([SILENT, canceled(), canceled({ canceled: [] }, true)]).moments).toHaveLength(1);
  expect(after([SILENT, canceled({ canceled: [], isBack: true })]).moments).toEqual([]);
});

test('an end in order is no trouble, and one with an error is until the next run', () => {
  const ended = (failure: string | null): WatchdogNews => ({
    kind: 'ended',
    pulse: { ...PULSE, endedAtMs: 50_000, failure },
  });
  expect(after([ended(null)]).holding).toEqual([]);
  expect(after([ended('no room')]).holding).toMatchObject([
    { facts: { rule: 'ended', reason: 'no room' }, sinceMs: 50_000 },
  ]);
  expect(after([ended('no room'), { kind: 'began', pulse: PULSE }]).holding).toEqual([]);
});
