import { INTERFACE_PROFILE } from '../../../src/venues/interface-profile.ts';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { HealthService } from '../../../src/daemon/health/health-service.ts';
import { claimDataFolder } from '../../../src/daemon/process-locks.ts';
import { configWith } from '../../support/embedded-bot.ts';
import { MirrorStore } from '../../../src/mirror/mirror-store.ts';
import { sarrafHere, failed } from '../../support/sarraf-here.ts';
import { folderOfEachTest } from '../../support/temporary-folder.ts';
import { openMirror } from '../../support/open-mirror.ts';
import { utimesSync, writeFileSync } from 'node:fs';
import { ledgerLines, silenceLines, silenceOf } from '../../../src/cli/commands/status.ts';

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
  expect(ledgerLines({ ledger: '/l.sqlite', tradingBegins, lowered: [], lockouts }, null, 0)).toEqual([
    'ledger  /l.sqlite: an order could leave at once',
    'locked  v2/orderbook is LOCKED OUT by the exchange for 28 min more: do not restart the bot',
  ]);
});

const folder = folderOfEachTest();
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Starts a run in the folder, as far as the daemon gets before the exchange has answered. */
async function begin(port: 0 | null): Promise<void> {
  const lock = claimDataFolder(folder);
  const config = configWith({ 'health.port': port }, folder);
  const health = new HealthService(config, INTERFACE_PROFILE);
  ends.push(
    async () => health.end(),
    () => lock[Symbol.dispose](),
  );
  const address = await health.begin();
  if (address !== null) lock.noteHealth(address);
}

const status = async (...options: string[]) => sarrafHere(['status', '--data', folder, ...options]);

function createMirror(): MirrorStore {
  const path = join(folder, 'mirror.sqlite');
  return openMirror(path, 0, 'abcd');
}

describe('status of a bot that waits for its first answer', () => {
  test('says that it is starting and what it waits for, though there is no mirror yet', async () => {
    await begin(0);
    expect(await status()).toEqual(
      failed(1, /^no mirror yet, as a bot is starting \(pid \d+ on [^)]+\): no answer from the exchange yet/),
    );
  });

  test('says so without a port, and says that it knows no more', async () => {
    await begin(null);
    expect(await status()).toEqual(
      failed(1, /a bot is starting .*as far as the command can see without health\.port\n$/),
    );
  });

  test('says so above what the mirror of an earlier run holds', async () => {
    createMirror().close();
    expect((await status()).out).toContain('epoch abcd: no bot is running');
    await begin(0);
    expect((await status()).out).toMatch(
      /epoch abcd: a bot is starting \(pid \d+ on .*\): no answer from the exchange/,
    );
    expect(JSON.parse((await status('--json')).out)).toMatchObject({
      isRunning: false,
      starting: { pid: process.pid, waitsFor: expect.stringContaining('no answer from the exchange yet') },
    });
  });

  test('says that it runs once it has the mirror open', async () => {
    await begin(0);
    const mirror = createMirror();
    ends.push(() => mirror.close());
    expect((await status()).out).toContain('epoch abcd: a bot is running');
    expect(JSON.parse((await status('--json')).out)).toMatchObject({ starting: null });
  });
});

test('the other commands that read the mirror name the bot that is starting', async () => {
  await begin(null);
  for (const name of ['orders', 'trades', 'balances', 'intents']) {
    const { code, error } = await sarrafHere([name, '--data', folder]);
    expect([name, code, error]).toEqual([
      name,
      1,
      expect.stringMatching(/found none yet: a bot is starting \(pid \d+/),
    ]);
  }
});
