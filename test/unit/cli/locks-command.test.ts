import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ControlInbox } from '../../../src/daemon/control/control-inbox.ts';
import { bothTimesText } from '../../../src/domain/zone-time.ts';
import { storedForm } from '../../../src/domain/stored-json.ts';
import { NO_LOCKS } from '../../../src/engine/stored-records.ts';
import { UNTIL_RESUMED_MS, type Lock } from '../../../src/engine/lock.ts';
import { sarrafHere } from '../../support/sarraf-here.ts';
import { folderOfEachTest } from '../../support/temporary-folder.ts';
import { openMirror } from '../../support/open-mirror.ts';

const HOUR_MS = 3_600_000;

const folder = folderOfEachTest();

const sarraf = async (...args: string[]) => sarrafHere([...args, '--data', folder]);

/** A lock that has not ended by any clock of these tests. */
const HELD: Lock = {
  name: 'stops',
  rule: 'stops',
  strategy: null,
  market: 'BTCIRT',
  reason: '3 stop-outs within 6 h, the rule is 3',
  beganAtMs: Date.UTC(2024, 0, 1),
  endsAtMs: Date.UTC(2100, 0, 1),
  entries: 'cancel',
};

function mirrorWith(locks: readonly Lock[]): void {
  const store = openMirror(join(folder, 'mirror.sqlite'), HELD.beganAtMs);
  const json = JSON.stringify({ ...NO_LOCKS, locks: [...locks] }, storedForm);
  store.apply([{ kind: 'kept', name: 'locks', json }], { atMs: HELD.beganAtMs, isDurable: true });
  store.close();
}

/** Returns the commands that the next start of a bot would take from its inbox. */
function waiting(): readonly unknown[] {
  const inbox = new ControlInbox(folder);
  try {
    return inbox.poll().map(({ command }) => command);
  } finally {
    inbox.close();
  }
}

describe('sarraf lock', () => {
  test('waits for the next start where no bot runs, and is shown', async () => {
    const beganMs = Date.now();
    const { code, out } = await sarraf('lock', 'btc-rls', '--for', '۲h', '--reason', 'news');
    const endedMs = Date.now();
    expect([code, out.trim()]).toEqual([0, 'no bot runs; its next start takes it before it places anything']);
    const shown = await sarraf('locks');
    expect(shown.out).toContain('Waits for the bot: lock hand of BTCIRT until ');
    const [command] = waiting() as [{ readonly untilMs: number }];
    expect(command).toMatchObject({
      kind: 'lock',
      name: 'hand',
      market: 'BTCIRT',
      strategy: null,
      reason: 'news',
      entries: 'cancel',
    });
    expect(command.untilMs - beganMs).toBeGreaterThanOrEqual(2 * HOUR_MS);
    expect(command.untilMs - endedMs).toBeLessThanOrEqual(2 * HOUR_MS);
  });

  test('takes an end in Jalali and a strategy', async () => {
    const untilMs = Date.now() + 5 * HOUR_MS;
    const [, text = ''] = /\((.*) in Tehran\)/.exec(bothTimesText(untilMs)) ?? [];
    const { code } = await sarraf('lock', '--strategy', 'grid', '--until', text, '--json');
    expect(code).toBe(0);
    expect(waiting()).toMatchObject([
      { strategy: 'grid', market: null, untilMs: Math.floor(untilMs / 60_000) * 60_000 },
    ]);
  });

  test('pauses one strategy until it is resumed, with who said so', async () => {
    expect((await sarraf('pause', 'grid', '--reason', 'news', '--entries', 'keep')).code).toBe(0);
    expect((await sarraf('locks')).out).toContain('lock pause of all markets for grid until it is resumed');
    expect((await sarraf('resume', 'grid')).code).toBe(0);
    expect(waiting()).toMatchObject([
      { kind: 'lock', name: 'pause', strategy: 'grid', market: null, pauses: true, entries: 'keep' },
      { kind: 'unlock', name: 'pause', strategy: 'grid', market: null, isAll: false },
    ]);
  });

  test.each([
    [['lock', 'BTCIRT'], 'expected --for such as 2h'],
    [['lock', '--for', '1h'], 'expected a market such as BTCIRT'],
    [['lock', 'BTCIRT', '--for', '0s'], 'expected a length of time from 1ms to 366d'],
    [['lock', 'BTCIRT', '--for', '100y'], 'expected a length of time from 1ms to 366d'],
    [['lock', 'BTCIRT', '--for', '400d'], 'expected a length of time from 1ms to 366d'],
    [['lock', 'BTCIRT', '--until', '1404/12/30'], 'a date that exists in the Jalali calendar'],
    [['lock', 'BTCIRT', '--until', '2020-01-01'], 'expected an end from now to 366 days on'],
    [['lock', 'BTC', '--for', '1h'], 'expected'],
    [['lock', 'BTCIRT', '--all', '--for', '1h'], 'expected --all, or a market'],
    [['lock', 'BTCIRT', '--for', '1h', '--name', 'My Lock'], 'lower-case letters'],
    [['unlock'], 'expected a market such as BTCIRT, --strategy or --all or --name'],
  ])('%j is refused, and nothing waits', async (args, part) => {
    const { code, error } = await sarraf(...args);
    expect(code).toBe(2);
    expect(error).toContain(part);
    expect(existsSync(join(folder, 'control.sqlite')) ? waiting() : []).toEqual([]);
  });
});

describe('sarraf locks', () => {
  test('shows what the mirror has while the bot is off, without what has ended', async () => {
    mirrorWith([HELD, { ...HELD, name: 'cooldown', endsAtMs: Date.UTC(2024, 0, 2) }]);
    const { code, out } = await sarraf('locks');
    expect(code).toBe(0);
    expect(out).toMatch(
      /stops +BTCIRT +\d+ d(?: \d+ h)? +2100-01-01T00:00:00Z \(1478\/10\/12 03:30 in Tehran\) +cancel +3 stop-outs/,
    );
    expect(out).not.toContain('cooldown');
    const { out: json } = await sarraf('locks', '--json');
    expect(JSON.parse(json)).toMatchObject({ locks: [HELD], nextChangeAtMs: null, waiting: [] });
    expect((await sarraf('status')).out).toContain(
      'locks   1 hold: stops of BTCIRT. "sarraf locks" shows them',
    );
  });

  test('shows a pause by whom and why', async () => {
    const pause = { ...HELD, name: 'pause', rule: null, strategy: 'grid', market: null, reason: 'a fork' };
    mirrorWith([{ ...pause, pauses: true, by: 'ali', endsAtMs: UNTIL_RESUMED_MS }]);
    const { out } = await sarraf('locks');
    expect(out).toMatch(/pause +all markets for grid +"sarraf resume" +cancel +a fork \(ali\)/);
  });

  test('refuses what another version has written', async () => {
    mirrorWith([]);
    const store = openMirror(join(folder, 'mirror.sqlite'), HELD.beganAtMs);
    const json = JSON.stringify({ ...NO_LOCKS, version: 9 });
    store.apply([{ kind: 'kept', name: 'locks', json }], { atMs: HELD.beganAtMs, isDurable: true });
    store.close();
    const { code, error } = await sarraf('locks');
    expect(code).toBe(1);
    expect(error).toContain('expected version 1 of what is kept of locks');
  });

  test('has nothing to show without a mirror', async () => {
    writeFileSync(join(folder, 'note'), '');
    expect((await sarraf('locks')).code).toBe(1);
  });
});
