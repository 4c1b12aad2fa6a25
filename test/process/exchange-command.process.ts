import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { folderOfAllTests, folderOfEachTest } from '../support/temporary-folder.ts';

const MAIN = join(import.meta.dirname, '../../bin/sarraf.js');
const EXAMPLE = join(import.meta.dirname, '../../config/exchange.yaml');

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

/** Runs the command; `onLine` gets each line of standard output, and may stop the process. */
function sarraf(
  parameters: readonly string[],
  onLine: (line: string, stop: (signal: NodeJS.Signals) => void) => void = () => undefined,
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [MAIN, ...parameters], { stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    let error = '';
    let rest = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk;
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) onLine(line, (signal) => child.kill(signal));
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (error += chunk));
    child.on('close', (code) => resolve({ code, out, error }));
  });
}

/** Runs an exchange while `use` runs, then ends it. */
function withExchange(
  parameters: readonly string[],
  use: (address: string, adminToken: string) => Promise<void>,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<Ended> {
  let used: Promise<void> = Promise.resolve();
  const ended = sarraf(['exchange', '--port', '0', '--json', ...parameters], (line, stop) => {
    const { event, address, adminToken } = JSON.parse(line) as Record<string, string>;
    if (event !== 'listening') return;
    used = use(address ?? '', adminToken ?? '').finally(() => stop(signal));
  });
  return ended.then(async (end) => {
    await used;
    return end;
  });
}

const folder = folderOfEachTest();

const BUY = {
  type: 'buy',
  srcCurrency: 'btc',
  dstCurrency: 'rls',
  amount: '0.001',
  price: '50000000000',
  pro: true,
};
const send = (address: string, path: string, body?: unknown) =>
  fetch(`${address}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: 'Token trader-token', 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  }).then((reply) => reply.json() as Promise<Record<string, unknown>>);

describe('sarraf exchange', () => {
  test('serves the example configuration and ends with SIGTERM and 0', async () => {
    const end = await withExchange(['--config', EXAMPLE, '--seed', '5'], async (address) => {
      expect(await send(address, '/market/orders/add', BUY)).toMatchObject({ status: 'ok' });
    });
    expect(end).toMatchObject({ code: 0, error: '' });
    expect(end.out).toContain('"event":"stopped"');
  });

  describe('with a state file', () => {
    const state = ['--state', join(folderOfAllTests(), 'exchange.json')];
    let replies: readonly Record<string, unknown>[];
    let book: unknown;
    let adminStatus: number;
    let first: Ended;
    let second: Ended;

    // Two lives of one exchange, one after the other.
    beforeAll(async () => {
      let before: Record<string, unknown> = {};
      first = await withExchange(
        state,
        async (address, adminToken) => {
          await send(address, '/market/orders/add', { ...BUY, clientOrderId: 'kept' });
          before = await send(address, '/v2/wallets');
          book = await send(address, '/v2/orderbook/BTCIRT');
          const headers = { authorization: `Bearer ${adminToken}` };
          adminStatus = (await fetch(`${address}/_sim/users`, { headers })).status;
        },
        'SIGINT',
      );
      second = await withExchange(state, async (address) => {
        const order = await send(address, '/market/orders/status', { clientOrderId: 'kept' });
        replies = [before, await send(address, '/v2/wallets'), order];
      });
    });

    test('keeps users, orders and balances in it', () => {
      const [before, after, order] = replies;
      expect(order).toMatchObject({ status: 'ok' });
      expect(before).toMatchObject({ status: 'ok' });
      expect(after).toEqual(before);
      expect(second).toMatchObject({ code: 0, error: '' });
    });

    test('ends with SIGINT and 0', () => {
      expect(first).toMatchObject({ code: 0, error: '' });
      expect(first.out).toContain('"event":"stopped"');
    });

    test('has synthetic traders, and prints the administrator token of the run, which opens the door', () => {
      expect(book).toMatchObject({ bids: { length: 24 } });
      expect(adminStatus).toBe(200);
    });
  });

  test('has no synthetic traders where the configuration wants none', async () => {
    const file = join(folder, 'quiet.yaml');
    writeFileSync(file, 'flow: { kind: none }\n');
    await withExchange(['--config', file], async (address) => {
      expect(await send(address, '/v2/orderbook/BTCIRT')).toMatchObject({ bids: [] });
    });
  });
});
