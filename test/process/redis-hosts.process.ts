import { createServer } from 'node:http';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ledgerPlace } from '../../src/budget/ledger-file.ts';
import { thisMachine, monotonicMs } from '../../src/budget/process-owner.ts';
import { renewLedgerAt } from '../../src/cli/commands/ledger.ts';
import { mostInWindow } from './most-in-window.ts';
import { RedisServer } from './redis-server.ts';
import { execFileSync } from 'node:child_process';
import { startCommand, type SarrafProcess } from '../support/sarraf-process.ts';
import { folderOfThisTest } from '../support/temporary-folder.ts';

const run = (command: string, ...args: string[]): void => {
  execFileSync(command, args, { stdio: 'ignore' });
};

/** True if this machine lets a test make hosts with networks and clocks of their own. */
function canMakeHosts(): boolean {
  try {
    run('unshare', '--time', '--monotonic', '1000', 'true');
    run('ip', 'netns', 'add', 'sarraf-probe');
    run('ip', 'netns', 'del', 'sarraf-probe');
    return true;
  } catch {
    console.log('skipped: hosts with clocks of their own need root, "ip netns" and "unshare --time"');
    return false;
  }
}

/** Simulated hosts on this machine, each with its own network address and monotonic clock. */
class NetworkHosts {
  /** Address of the machine itself, where servers listen for the hosts. */
  readonly address: string;
  private readonly names: string[] = [];
  private readonly bridge: string;
  private readonly subnet: string;

  constructor() {
    this.subnet = `10.${process.pid % 200}.${(process.pid >> 8) % 200}`;
    this.bridge = `sf${process.pid % 100_000}`;
    this.address = `${this.subnet}.1`;
    run('ip', 'link', 'add', this.bridge, 'type', 'bridge');
    run('ip', 'address', 'add', `${this.address}/24`, 'dev', this.bridge);
    run('ip', 'link', 'set', this.bridge, 'up');
  }

  add(): string {
    const number = this.names.length + 2;
    const name = `${this.bridge}n${number}`;
    const [inside, outside] = [`${this.bridge}i${number}`, `${this.bridge}o${number}`];
    run('ip', 'netns', 'add', name);
    this.names.push(name);
    run('ip', 'link', 'add', outside, 'type', 'veth', 'peer', 'name', inside, 'netns', name);
    run('ip', 'link', 'set', outside, 'master', this.bridge, 'up');
    run('ip', '-n', name, 'address', 'add', `${this.subnet}.${number}/24`, 'dev', inside);
    run('ip', '-n', name, 'link', 'set', inside, 'up');
    run('ip', '-n', name, 'link', 'set', 'lo', 'up');
    return name;
  }

  /** Starts `node FILE …args` on a host whose monotonic clock is `aheadSeconds` ahead. */
  start(name: string, aheadSeconds: number, args: readonly string[]): SarrafProcess {
    const time = ['unshare', '--time', '--monotonic', String(aheadSeconds)];
    return startCommand('ip', ['netns', 'exec', name, ...time, process.execPath, ...args]);
  }

  remove(): void {
    for (const name of this.names) run('ip', 'netns', 'del', name);
    run('ip', 'link', 'del', this.bridge);
  }
}

const LIMIT = 20;
const WINDOW_MS = 2_000;
const SECONDS = 14;
const DAY_SECONDS = 86_400;

test.skipIf(!canMakeHosts())(
  'hosts whose clocks are days apart share a limit, and one that was stopped sends nothing of what it was given',
  async () => {
    const folder = folderOfThisTest();
    const hosts = new NetworkHosts();
    const { address } = hosts;
    const redis = await RedisServer.start({
      folder,
      more: ['--bind', '127.0.0.1', address, '--protected-mode', 'no'],
    });
    const times: number[] = [];
    const counter = createServer((request, response) => {
      times.push(monotonicMs());
      request.resume();
      response.end('{}');
    }).listen(0, address);
    await once(counter, 'listening');
    const { port } = counter.address() as { readonly port: number };
    const url = `http://${address}:${port}`;
    try {
      const naming = (host: string) => ({ ledger: `redis://${host}:${redis.port}`, ledgerFolder: null });
      expect(await renewLedgerAt(ledgerPlace(url, naming('127.0.0.1')), thisMachine())).toMatchObject({
        kind: 'made',
      });
      const place = ledgerPlace(url, naming(address));
      const args = ['test/process/redis-host.ts', place, url, String(LIMIT), String(WINDOW_MS)];
      const processes = [0, 5 * DAY_SECONDS].map((aheadSeconds) =>
        hosts.start(hosts.add(), aheadSeconds, [...args, String(SECONDS * 1_000)]),
      );
      await Promise.all(processes.map(async (host) => host.line((text) => text === 'begun')));
      const fromMs = monotonicMs();
      await pause(4_000);
      processes[1]?.child.kill('SIGSTOP');
      await pause(3_000);
      processes[1]?.child.kill('SIGCONT');
      const ends = await Promise.all(processes.map(async ({ finished }) => finished));
      const toMs = fromMs + (SECONDS - 1) * 1_000;
      const used = times.filter((timeMs) => timeMs >= fromMs && timeMs < toMs).length;
      const share = used / ((LIMIT * (toMs - fromMs)) / WINDOW_MS);
      const most = mostInWindow(times, WINDOW_MS);
      console.log({ most, limit: LIMIT, share: share.toFixed(3), ends: ends.map(({ out }) => out.trim()) });
      expect(ends.map(({ code }) => code)).toEqual([0, 0]);
      // A host that was stopped may have waited too long for Redis, but its ledger must not begin anew.
      expect(ends.map(({ error }) => error).join('')).not.toContain('begins anew');
      expect(most).toBeLessThanOrEqual(LIMIT);
      // While one host is stopped, the slots of its requests under way stay taken.
      expect(share).toBeGreaterThan(0.7);
    } finally {
      counter.close();
      await redis.kill();
      hosts.remove();
    }
  },
);
