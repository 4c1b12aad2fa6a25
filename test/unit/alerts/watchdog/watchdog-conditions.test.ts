import { expect, test } from 'vitest';
import { conditionsAfter } from '../../../../src/alerts/watchdog/watchdog-conditions.ts';
import type { AlertCondition } from '../../../../src/alerts/core/alert-facts.ts';
import type { Pulse } from '../../../../src/daemon/heartbeat.ts';
import type { WatchdogNews } from '../../../../src/daemon/watchdog/run-watchdog.ts';

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

test('each cancel of entries is told once, and failed ones as one thing that holds', () => {
  const result = { canceled: ['a', 'b'], kept: ['c'], left: [], isBack: false };
  const found = after([SILENT, FAILED, FAILED, { kind: 'canceled', result }]);
  expect(found.holding.map(({ key }) => key)).toEqual(['silent', 'entries-failed']);
  expect(found.moments).toMatchObject([
    { facts: { rule: 'entries', canceled: 2, kept: 1, left: 0 }, isMoment: true },
  ]);
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
