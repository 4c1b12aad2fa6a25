import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { HealthService } from '../../../src/daemon/health/health-service.ts';
import { claimDataFolder } from '../../../src/daemon/process-locks.ts';
import { readBotConfig } from '../../../src/daemon/read-bot-config.ts';
import { MirrorStore } from '../../../src/mirror/mirror-store.ts';
import { sarrafHere } from '../../support/sarraf-here.ts';
import { folderOfEachTest } from '../../support/temporary-folder.ts';
import { openMirror } from '../../support/open-mirror.ts';

const folder = folderOfEachTest();
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Starts a run in the folder, as far as the daemon gets before the exchange has answered. */
async function begin(port: 0 | null): Promise<void> {
  const lock = claimDataFolder(folder);
  const overrides: [string, string][] = [['health.port', String(port)]];
  const reading = readBotConfig(null, { environment: {}, workingFolder: folder, overrides });
  if (!reading.ok) throw new Error(reading.problems.join('\n'));
  const health = new HealthService(reading.config);
  ends.push(
    async () => health.end(),
    () => lock.release(),
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
    const { code, error } = await status();
    expect(code).toBe(1);
    expect(error).toMatch(
      /^no mirror yet, as a bot is starting \(pid \d+ on [^)]+\): no answer from the exchange yet/,
    );
  });

  test('says so without a port, and says that it knows no more', async () => {
    await begin(null);
    expect(await status()).toMatchObject({
      code: 1,
      error: expect.stringMatching(
        /a bot is starting .*as far as the command can see without health\.port\n$/,
      ),
    });
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
