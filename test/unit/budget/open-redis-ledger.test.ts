import { neededBudgets } from '../../../src/budget/trading-begins.ts';
import { INTERFACE_PROFILE } from '../../../src/venues/interface-profile.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { OpenLedger } from '../../../src/budget/ledger-report.ts';
import { openLedger } from '../../../src/budget/open-ledger.ts';
import { monotonicMs, thisMachine } from '../../../src/budget/process-owner.ts';
import { raiseLimitAt, readLedgerAt, readLedgerIfAny } from '../../../src/budget/ledger-snapshot.ts';
import { redisPlace } from '../../../src/budget/ledger-file.ts';
import { RedisConnection } from '../../../src/budget/redis/redis-connection.ts';
import { renewLedgerAt } from '../../../src/cli/commands/ledger.ts';
import { checkLedger } from '../../../src/cli/doctor/check-ledger.ts';
import { FolderLedger } from '../../../src/daemon/folder-ledger.ts';
import { leaveRecord } from '../daemon/left-record.ts';
import { HAS_REDIS } from '../../support/ledger-worlds.ts';
import { RedisServer } from '../../process/redis-server.ts';
import { folderOfThisTest } from '../../support/temporary-folder.ts';

const SECRET = 'open-sesame-7';
const budgets = [
  { name: 'orders/list', limit: 3, statedLimit: 4, windowMs: 1_000, per: 'token' as const, assumed: false },
];
const cancel = { budget: 'orders/list', requestClass: 'cancel', credential: 'with' } as const;

describe.skipIf(!HAS_REDIS)('a ledger in Redis', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sarraf-redis-'));
  let server: RedisServer;
  const said: string[] = [];
  const open: OpenLedger[] = [];
  beforeAll(async () => {
    server = await RedisServer.start({ folder, password: SECRET });
  });
  afterEach(async () => {
    for (const ledger of open.splice(0)) await ledger.close();
    said.length = 0;
    vi.unstubAllEnvs();
  });
  afterAll(async () => {
    await server.kill();
    rmSync(folder, { recursive: true });
  });

  const place = (key: string): string => `${server.url}/0#sarraf:ledger:${key}`;

  async function openAt(at: string, password: string | undefined = SECRET): Promise<OpenLedger> {
    vi.stubEnv('SARRAF_REDIS_PASSWORD', password);
    const ledger = await openLedger({
      place: at,
      budgets,
      subjects: { ip: 'this-address', token: 'abc' },
      isGuest: false,
      timeoutMs: 5_000,
      log: (line) => said.push(line),
    });
    open.push(ledger);
    return ledger;
  }

  test('opens also where the first answers take too long', async () => {
    vi.stubEnv('SARRAF_REDIS_PASSWORD', SECRET);
    const { address, key } = redisPlace(place('slow'));
    const control = await RedisConnection.open({ address, key, timeoutMs: 5_000 });
    await control.client.call('CLIENT', 'PAUSE', '700', 'ALL');
    const ledger = await openLedger({
      place: place('slow'),
      budgets,
      subjects: { ip: 'this-address', token: 'abc' },
      isGuest: false,
      timeoutMs: 200,
      log: (line) => said.push(line),
    });
    open.push(ledger);
    control.close();
    expect(ledger.rows()).toHaveLength(1);
  });

  test('begins with full windows, and by hand with none; shows, and takes back, what is lowered', async () => {
    const at = place('by-hand');
    vi.stubEnv('SARRAF_REDIS_PASSWORD', SECRET);
    expect(await readLedgerIfAny(at)).toBeNull();
    const first = await openAt(at);
    expect(await first.admittance.enter(cancel, monotonicMs())).toMatchObject({ isAdmitted: false });
    expect(said.join('\n')).toMatch(/begins anew: it was empty/);
    expect(first.rows()).toMatchObject([{ budget: 'orders/list', limit: 3, isUnheard: false }]);
    expect(first.rows()[0]?.fullForMs).toBeGreaterThan(60_000);
    expect(await renewLedgerAt(at, thisMachine())).toEqual({ kind: 'in use' });
    await first.close();
    open.length = 0;
    expect(await renewLedgerAt(at, thisMachine())).toEqual({ kind: 'made', keptAs: null });
    const next = await openAt(at);
    const entry = await next.admittance.enter(cancel, monotonicMs());
    expect(entry).toMatchObject({ isAdmitted: true });
    next.admittance.applyLimit('orders/list', { named: 2, isOwn: true }, monotonicMs());
    await expect.poll(async () => (await readLedgerAt(at))[0]?.lowered?.named).toBe(2);
    expect(await raiseLimitAt(at, 'orders/list')).toEqual([{ subject: 'abc', named: 2 }]);
    expect((await readLedgerAt(at))[0]).toMatchObject({ lowered: null, onTheWay: 1 });
    await next.admittance.enter(cancel, monotonicMs());
    expect([...next.admittance.namedLimits(monotonicMs())]).toEqual([]);
    await next.close();
    open.length = 0;
    expect(await renewLedgerAt(at, thisMachine())).toMatchObject({ kind: 'counting', requests: 2 });
    const { findings } = await checkLedger(at, {
      subjects: new Set(['abc']),
      budgets,
      needed: neededBudgets(INTERFACE_PROFILE),
      isPaper: false,
    });
    expect(findings.map(({ check, verdict }) => `${check}: ${verdict}`)).toEqual([
      'ledger: ok',
      'ledger: warning',
    ]);
  });

  test('is read beside by those who may not wait, who have it with a later look', async () => {
    const at = place('looked-at');
    await openAt(at);
    const folder = folderOfThisTest();
    leaveRecord(folder, { ledger: at, subjects: ['abc'] });
    const ledger = new FolderLedger(folder);
    expect(ledger.rows()).toEqual([]);
    await expect
      .poll(() => ledger.rows(), { timeout: 30_000 })
      .toMatchObject([{ budget: 'orders/list', subject: 'abc' }]);
  });

  test('is not used with a wrong password, which nobody is shown', async () => {
    for (const wrong of ['wrong-horse', '']) {
      const opened = openAt(place('wrong'), wrong);
      await expect(opened).rejects.toThrow(/refuses the password/);
      await expect(opened).rejects.not.toThrow(/wrong-horse/);
    }
    const { findings, silence } = await checkLedger(place('wrong'), {
      subjects: new Set(),
      budgets,
      needed: neededBudgets(INTERFACE_PROFILE),
      isPaper: false,
    });
    expect(silence).toBe('the ledger can not be used');
    expect(findings[0]?.text).toMatch(/refuses the password/);
  });

  test('is not used where nobody listens', async () => {
    const nowhere = `redis://127.0.0.1:1/0#sarraf:ledger:none`;
    await expect(openAt(nowhere)).rejects.toThrow(
      'expected the ledger in Redis at redis://127.0.0.1:1, found nothing that listens there: nothing is sent without it',
    );
  });

  test.each([
    [
      'that drops keys',
      ['CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru'],
      ['CONFIG', 'SET', 'maxmemory-policy', 'noeviction'],
      /drops keys .*allkeys-lru/,
    ],
    [
      'that is a replica',
      ['REPLICAOF', '127.0.0.1', '1'],
      ['REPLICAOF', 'NO', 'ONE'],
      /a replica, which takes no writes/,
    ],
  ])('is not used in one %s', async (_, begin, end, message) => {
    const control = await server.client();
    await control.call(...(begin as [string]));
    try {
      await expect(openAt(place('refused'))).rejects.toThrow(message);
    } finally {
      await control.call(...(end as [string]));
      control.disconnect();
    }
  });

  test('sends nothing while Redis refuses, stops or is gone, says so once, and goes on when it is back', async () => {
    const at = place('gone');
    const first = await openAt(at);
    await first.close();
    open.length = 0;
    const control = await server.client();
    expect((await renewLedgerAt(at, thisMachine())).kind).toBe('made');
    const ledger = await openAt(at);
    const admitted = async () => (await ledger.admittance.enter(cancel, monotonicMs())).isAdmitted;
    expect(await admitted()).toBe(true);
    said.length = 0;
    await control.call('CONFIG', 'SET', 'maxmemory', '1');
    expect([await admitted(), await admitted()]).toEqual([false, false]);
    expect(said).toEqual([expect.stringMatching(/its memory is full.*nothing is sent until it answers/)]);
    await control.call('CONFIG', 'SET', 'maxmemory', '0');
    expect(await admitted()).toBe(true);
    expect(said[1]).toMatch(/answers again/);
    control.disconnect();
  });
});
