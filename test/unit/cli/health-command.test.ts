import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { HealthSource } from '../../../src/daemon/health-source.ts';
import { HealthServer } from '../../../src/daemon/health/health-server.ts';
import { claimDataFolder } from '../../../src/daemon/process-locks.ts';
import { sarrafHere, failed } from '../../support/sarraf-here.ts';
import { wellSource } from '../daemon/health/well-source.ts';
import { folderOfEachTest } from '../../support/temporary-folder.ts';

const folder = folderOfEachTest();
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Starts a bot that claims the data folder and serves its health, as the daemon does. */
async function startBot(but: Partial<HealthSource> = {}, host = '127.0.0.1'): Promise<string> {
  const lock = claimDataFolder(folder);
  const server = new HealthServer({ source: () => wellSource(but), host, port: 0 });
  ends.push(
    async () => server.close(),
    () => lock[Symbol.dispose](),
  );
  const address = await server.listen();
  lock.noteHealth(address);
  return address;
}

const health = async (...options: string[]) => sarrafHere(['health', '--data', folder, ...options]);

describe('sarraf health', () => {
  test('finds the bot by its data folder, whichever port it has, and says that it is well', async () => {
    await startBot({}, '0.0.0.0');
    expect(await health()).toEqual({ code: 0, out: 'well\n', error: '' });
    expect(await health('--ready')).toEqual({ code: 0, out: 'ready\n', error: '' });
  });

  test('fails with the reasons when it is not ready, though it lives', async () => {
    await startBot({ haltReason: () => 'lunch', lockouts: () => [{ budget: 'ip', forMs: null }] });
    expect((await health()).code).toBe(0);
    expect(await health('--ready')).toEqual({
      code: 1,
      out: '',
      error: 'trading is halted: lunch\nip is locked out\n',
    });
    const { code, out } = await health('--ready', '--json');
    expect([code, JSON.parse(out)]).toEqual([
      1,
      { ok: false, reasons: ['trading is halted: lunch', 'ip is locked out'], locks: [] },
    ]);
  });

  test('names the locks that hold', async () => {
    const said = 'the lock hand of BTCIRT holds until 18:00: news';
    await startBot({ locks: () => [{ kind: 'hand', text: said }] });
    expect(await health()).toEqual({ code: 0, out: `well\n${said}\n`, error: '' });
    expect(await health('--ready')).toEqual({ code: 0, out: `ready\n${said}\n`, error: '' });
    expect(JSON.parse((await health('--json')).out)).toEqual({ ok: true, reasons: [], locks: [said] });
  });

  test('fails where no bot runs', async () => {
    expect(await health()).toMatchObject({
      code: 1,
      error: `expected a bot that runs with ${folder}, found none: start it, or name its folder with --data\n`,
    });
  });

  test('takes a bot that serves no health for living, and not for ready', async () => {
    const lock = claimDataFolder(folder);
    ends.push(() => lock[Symbol.dispose]());
    expect((await health()).code).toBe(0);
    expect(await health('--ready')).toEqual(failed(1, 'health.port'));
  });

  test('fails where nothing, or something else, listens at the port', async () => {
    const other = createServer((_, reply) => reply.end('hello')).listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const port = String((other.address() as AddressInfo).port);
    expect(await health('--port', port)).toEqual(failed(1, `:${port}/healthz: `));
    await new Promise((resolve) => other.close(resolve));
    expect(await health('--port', port)).toEqual(failed(1, 'ECONNREFUSED'));
  });
});
