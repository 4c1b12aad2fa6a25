import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AlertsSetup } from '../../../../src/alerts/alerts-setup.ts';
import { AlertOutbox } from '../../../../src/alerts/alert-outbox.ts';
import { openOutboxFile } from '../../../../src/alerts/outbox-file.ts';
import { WatchdogAlerts } from '../../../../src/alerts/watchdog-alerts.ts';
import { RULES } from '../core/snapshot-fixture.ts';

test('keeps what has just happened until the process that holds the outbox lets go of it', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'sarraf-watchdog-alerts-'));
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
  alerts.tell({ kind: 'canceled', result, isRepeat: false });
  other.exec('COMMIT');
  alerts.tell({ kind: 'problem', message: 'any' });
  alerts.tell({ kind: 'problem', message: 'any' });
  const listed = new AlertOutbox(other).list({ isOpenOnly: false, last: 10, beforeId: null });
  expect(listed.map(({ facts }) => facts)).toEqual([{ rule: 'entries', canceled: 1, kept: 0, left: 0 }]);
  await alerts.end();
  other.close();
  rmSync(dataFolder, { recursive: true });
});
