import { execFileSync } from 'node:child_process';
import { startCommand, type SarrafProcess } from '../support/sarraf-process.ts';

const run = (command: string, ...args: string[]): void => {
  execFileSync(command, args, { stdio: 'ignore' });
};

/** Whether this machine lets a test make hosts of its own, with networks and clocks of their own. */
export function canMakeHosts(): boolean {
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

/** Hosts on this machine, each with a network address and a monotonic clock of its own. */
export class NetworkHosts {
  /** Of the machine itself, where servers listen for the hosts. */
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

  /** Starts `node FILE …args` on a host whose monotonic clock is so much ahead. */
  start(name: string, aheadSeconds: number, args: readonly string[]): SarrafProcess {
    const time = ['unshare', '--time', '--monotonic', String(aheadSeconds)];
    return startCommand('ip', ['netns', 'exec', name, ...time, process.execPath, ...args]);
  }

  remove(): void {
    for (const name of this.names) run('ip', 'netns', 'del', name);
    run('ip', 'link', 'del', this.bridge);
  }
}
