import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { AlertsSidecar } from '../src/alerts/alerts-sidecar.ts';
import { readBotConfig } from '../src/daemon/read-bot-config.ts';
import type { BotConfig } from '../src/daemon/create-bot-config.ts';
import { MirrorStore } from '../src/mirror/mirror-store.ts';
import { DEFAULT_RETENTION } from '../src/mirror/pruner.ts';
import { wayFigures, type BenchResult } from './result.ts';

const EVENTS = 20;
/** Time between two events, in ms: longer than the second in which messages are gathered here. */
const APART_MS = 1_500;
/** Time from a message about an end to the next event, in ms. */
const AFTER_OVER_MS = 20;
const LONGEST_MS = 1_000;
const PATIENCE_MS = 60_000;

/** A server that receives messages and notes when each event arrived. */
class Phone {
  readonly arrivedAtMs = new Map<number, number>();
  private readonly server: Server;
  private overs: (() => void)[] = [];

  constructor() {
    this.server = createServer((request, reply) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        this.apply(body);
        reply.end('ok');
      });
    });
  }

  async listen(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    const { port } = this.server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/`;
  }

  /** Waits for the next message that says that something is over. */
  async over(): Promise<void> {
    return new Promise((resolve) => void this.overs.push(resolve));
  }

  close(): void {
    this.server.close();
  }

  private apply(body: string): void {
    const { text } = JSON.parse(body) as { readonly text: string };
    const atMs = performance.now();
    for (const line of text.split('\n')) {
      const event = Number(/\bevent (\d+)\b/.exec(line)?.[1] ?? Number.NaN);
      if (!Number.isNaN(event) && !this.arrivedAtMs.has(event)) this.arrivedAtMs.set(event, atMs);
    }
    if (!text.includes('✅')) return;
    for (const notify of this.overs) notify();
    this.overs = [];
  }
}

const set = (path: string, value: unknown) => [path, JSON.stringify(value)] as const;

function configOf(folder: string, url: string): BotConfig {
  const off = { noData: null, silent: null, disk: null };
  const reading = readBotConfig(null, {
    environment: {},
    workingFolder: folder,
    overrides: [
      set('mode', 'live'),
      set('exchange', {
        baseUrl: 'http://127.0.0.1:9',
        credentials: { token: 'a-token' },
        ledgerFolder: folder,
      }),
      set('strategies', [{ plugin: 'ma-cross', market: 'BTCIRT' }]),
      set('data', { folder }),
      set('alerts', { channels: [{ kind: 'webhook', url, mostPerHour: 120 }], group: '1s', rules: off }),
    ],
  });
  if (!reading.ok) throw new Error(reading.problems.join('\n'));
  return reading.config;
}

/**
 * Measures the time from a journal line on the disk to the message at a server of this machine, through the
 * alerts thread of a run. Half of the lines come right after a message that something is over.
 */
export async function benchAlert(): Promise<BenchResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sarraf-alert-'));
  const phone = new Phone();
  const config = configOf(folder, await phone.listen());
  const alerts = new AlertsSidecar(config, {
    log: () => undefined,
    notify: (_, text) => console.error(text),
  });
  const mirror = MirrorStore.open({
    path: join(folder, 'mirror.sqlite'),
    retention: DEFAULT_RETENTION,
    nowMs: Date.now(),
    epoch: () => 'e001',
    durability: 'full',
  });
  try {
    alerts.begin();
    // Its first snapshot treats everything that is there as old.
    await pause(5_000);
    const writtenAtMs = Array.from({ length: EVENTS }, () => Number.NaN);
    const write = (event: number): void => {
      const json = JSON.stringify({ status: 'paused', reason: `event ${event}` });
      const entry = { kind: 'strategy', subject: `s${event}`, json } as const;
      mirror.apply([{ kind: 'journal', entry }], { atMs: Date.now(), isDurable: true });
      writtenAtMs[event] = performance.now();
    };
    const routeOf = async (event: number): Promise<number> => {
      const endMs = performance.now() + PATIENCE_MS;
      while (!phone.arrivedAtMs.has(event)) {
        if (performance.now() > endMs) throw new Error(`expected a message of event ${event}`);
        await pause(5);
      }
      return (phone.arrivedAtMs.get(event) ?? Number.NaN) - (writtenAtMs[event] ?? Number.NaN);
    };
    const plain: number[] = [];
    const afterOver: number[] = [];
    for (let event = 0; event < EVENTS; event += 1) {
      const isAfterOver = event >= EVENTS / 2;
      if (isAfterOver) await phone.over();
      await pause(isAfterOver ? AFTER_OVER_MS : APART_MS);
      write(event);
      (isAfterOver ? afterOver : plain).push(await routeOf(event));
    }
    return [
      ...wayFigures('alert: a line of the journal on its own to its message', plain, LONGEST_MS),
      ...wayFigures('alert: a line of the journal right after "over" to its message', afterOver, LONGEST_MS),
    ];
  } finally {
    await alerts.end();
    mirror.close();
    phone.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
