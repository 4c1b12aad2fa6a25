import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AlertsSetup } from '../../../../src/alerts/alerts-setup.ts';
import { AlertOutbox } from '../../../../src/alerts/alert-outbox.ts';
import { openOutboxFile } from '../../../../src/alerts/outbox-file.ts';
import { WatchdogAlerts, conditionsAfter } from '../../../../src/alerts/watchdog-alerts.ts';
import { RULES } from '../core/snapshot-fixture.ts';
import type { AlertCondition } from '../../../../src/alerts/core/alert-facts.ts';
import type { CanceledEntries } from '../../../../src/daemon/cancel-entries.ts';
import type { Pulse } from '../../../../src/daemon/run-record.ts';
import type { WatchdogNews } from '../../../../src/daemon/watchdog.ts';
import { folderOfThisTest } from '../../../support/temporary-folder.ts';

test('keeps what has just happened until the process that holds the outbox lets go of it', async () => {
  const dataFolder = folderOfThisTest();
  const setup: AlertsSetup = {
    channels: [],
    rules: RULES,
    quietHours: null,
    groupMs: 10_000,
    escalateAfterMs: null,
    remindEveryMs: null,
    summary: { dailyMinute: null, weeklyMinute: null },
    dataFolder,
    mirrorPath: join(dataFolder, 'mirror.sqlite'),
    madeSinceMs: null,
    deviceFile: null,
    bot: 'one',
    language: 'en',
  };
  const alerts = await WatchdogAlerts.open(setup, () => undefined);
  const other = openOutboxFile(dataFolder, 'watchdog');
  other.exec('BEGIN IMMEDIATE');
  const result = { canceled: ['a'], kept: [], left: [], unseen: [], isBack: false };
  alerts.notify({ kind: 'canceled', result, isRepeat: false });
  other.exec('COMMIT');
  alerts.notify({ kind: 'problem', message: 'any' });
  alerts.notify({ kind: 'problem', message: 'any' });
  const listed = new AlertOutbox(other).list({ isOpenOnly: false, last: 10, beforeId: null });
  expect(listed.map(({ facts }) => facts)).toEqual([{ rule: 'entries', canceled: 1, kept: 0, left: 0 }]);
  await alerts.end();
  other.close();
});

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
