import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { planMessage } from '../../../../src/alerts/core/plan-message.ts';
import { AlertOutbox } from '../../../../src/alerts/alert-outbox.ts';
import {
  openOutboxFile,
  outboxPath,
  OUTBOX_SIDE_FILES,
  openOutbox,
} from '../../../../src/alerts/outbox-file.ts';
import type { MadeBackup } from '../../../../src/daemon/make-backup.ts';
import { planRestore, restoreBackup } from '../../../../src/daemon/restore-backup.ts';
import { backUp as backUpOf, journalLine, NOW_MS, mirrorOfEachTest } from '../../mirror/mirror-fixture.ts';
import { folderOfEachTest } from '../../../support/temporary-folder.ts';

const CHANNELS = [{ name: 'phone', least: 'info', step: 1 }] as const;
const DAY_MS = 86_400_000;

const place = mirrorOfEachTest();
let outbox: AlertOutbox;
const other = folderOfEachTest();

beforeEach(() => {
  place.write([journalLine('one')]);
  outbox = new AlertOutbox(openOutboxFile(place.folder));
});

afterEach(() => {
  outbox.close();
});

function alertOf(of: AlertOutbox, key: string): void {
  const condition = {
    key,
    severity: 'critical',
    facts: { rule: 'halted', reason: key },
    sinceMs: NOW_MS,
  } as const;
  of.apply({ changes: [{ kind: 'open', condition }], atMs: NOW_MS, cursor: null, channels: CHANNELS });
}

/** Composes and stores the next message of the channel, as is done before it is sent; returns its id. */
function compose(): number {
  const pacing = { groupMs: 0, mostPerHour: 100, quietHours: null };
  const plan = planMessage({ notes: outbox.notes('phone'), sent: [], mutedUntilMs: 0 }, pacing, NOW_MS);
  if (plan.kind !== 'send') throw new Error(`expected something to send, was ${plan.kind}`);
  return outbox.compose('phone', plan.message, NOW_MS).id;
}

const beside = OUTBOX_SIDE_FILES;

const backUp = async (): Promise<MadeBackup> => backUpOf(place.folder, { beside });

async function putBack(backup: string): Promise<readonly string[]> {
  const plan = await planRestore(backup, { dataFolder: other, instance: null, beside });
  return (await restoreBackup(plan, NOW_MS)).restored;
}

/** Opens the outbox of the folder into which the backup was restored. */
const restored = (): AlertOutbox => new AlertOutbox(openOutboxFile(other));

describe('alerts in a backup', () => {
  test('are known again with what was said of them, and no later alert has an id of before', async () => {
    alertOf(outbox, 'sent');
    outbox.sent(compose(), NOW_MS);
    outbox.setMeta('asked x', '{"atMs":1}');
    const { folder, leftOut } = await backUp();
    expect([leftOut, await putBack(folder)]).toEqual([[], ['alerts.sqlite', 'mirror.sqlite']]);
    const again = restored();
    expect(again.list({ isOpenOnly: true, last: 10, beforeId: null })).toMatchObject([
      { id: 1, key: 'sent', deliveries: [{ state: 'delivered' }] },
    ]);
    expect([again.settlePutBack(NOW_MS), again.unsent('phone'), again.meta('asked x')]).toEqual([
      0,
      [],
      null,
    ]);
    alertOf(again, 'later');
    expect(again.openAlerts().map(({ id }) => id)).toEqual([1, 10_002]);
    again.close();
  });

  test('that were not said yet are said once more under their id, and not once they are a day old', async () => {
    alertOf(outbox, 'on its way');
    const id = compose();
    alertOf(outbox, 'waiting');
    const { folder } = await backUp();
    await putBack(folder);
    const young = restored();
    expect(young.settlePutBack(NOW_MS + DAY_MS)).toBe(0);
    expect(young.unsent('phone')).toMatchObject([{ id, madeAtMs: NOW_MS }]);
    expect(young.notes('phone')).toHaveLength(1);
    expect(young.settlePutBack(NOW_MS + 2 * DAY_MS)).toBeNull();
    young.close();
    rmSync(outboxPath(other));
    await putBack(folder);
    const old = restored();
    expect(old.settlePutBack(NOW_MS + DAY_MS + 1)).toBe(2);
    expect([old.unsent('phone'), old.notes('phone')]).toEqual([[], []]);
    expect(old.openAlerts()).toHaveLength(2);
    old.close();
  });

  test('of the watchdog are taken along too, and it goes on from them as the run does', async () => {
    const own = new AlertOutbox(openOutboxFile(place.folder, 'watchdog'));
    alertOf(own, 'silent');
    own.close();
    const { folder } = await backUp();
    expect(await putBack(folder)).toEqual(['alerts.sqlite', 'watchdog-alerts.sqlite', 'mirror.sqlite']);
    const said: string[] = [];
    const again = openOutbox(other, {
      owner: 'watchdog',
      log: (level, text) => said.push(`${level} ${text}`),
    });
    expect(again.use((each) => each.openAlerts())).toMatchObject([{ id: 1, key: 'silent' }]);
    expect(said).toEqual([expect.stringMatching(/^info alerts go on from a backup/)]);
    again.close();
  });

  test('give way to those of the folder, which are newer', async () => {
    const { folder } = await backUp();
    const newer = restored();
    alertOf(newer, 'newer');
    newer.close();
    expect(await putBack(folder)).toEqual(['mirror.sqlite']);
    const there = restored();
    expect(there.settlePutBack(NOW_MS)).toBeNull();
    expect(there.openAlerts()).toMatchObject([{ key: 'newer' }]);
    there.close();
  });

  test('that can not be read keep no mirror from being backed up, and are named', async () => {
    outbox.close();
    writeFileSync(outboxPath(place.folder), 'x'.repeat(5_000));
    const { folder, leftOut } = await backUp();
    expect(leftOut).toEqual([expect.stringMatching(/^alerts\.sqlite: .*not a database/)]);
    expect(readdirSync(folder).toSorted()).toEqual(['manifest.json', 'mirror.sqlite']);
    await putBack(folder);
    expect(existsSync(outboxPath(other))).toBe(false);
  });
});
