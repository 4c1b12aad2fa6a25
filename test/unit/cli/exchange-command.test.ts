import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sarrafHere } from '../../support/sarraf-here.ts';

const MAIN = join(import.meta.dirname, '../../../bin/sarraf.js');
const EXAMPLE = join(import.meta.dirname, '../../../config/exchange.yaml');

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

/** Runs the command; `onLine` sees each line of standard output, and may stop the process. */
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
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      error += chunk;
    });
    child.on('close', (code) => resolve({ code, out, error }));
  });
}

/** Runs an exchange until `use` has used it, then ends it. */
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

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cli-'));
});
afterEach(() => {
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true });
});

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
    let replies: readonly Record<string, unknown>[];
    let book: unknown;
    let adminStatus: number;
    let first: Ended;
    let second: Ended;

    // Two lives of one exchange.
    beforeAll(async () => {
      const kept = mkdtempSync(join(tmpdir(), 'cli-state-'));
      const state = ['--state', join(kept, 'exchange.json')];
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
      rmSync(kept, { recursive: true });
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

describe('what goes wrong', () => {
  test('in a configuration comes whole, with lines, and ends with 2', async () => {
    const file = join(folder, 'bad.yaml');
    writeFileSync(file, 'markets: []\nlenience: perhaps\nflo: {}\n');
    const { code, error, out } = await sarrafHere(['exchange', '--config', file]);
    expect([code, out]).toEqual([2, '']);
    expect(error.trim().split('\n')).toEqual([
      expect.stringMatching(/bad\.yaml:1:10: markets: /) as unknown,
      expect.stringMatching(/bad\.yaml:2:11: lenience: /) as unknown,
      expect.stringMatching(/bad\.yaml:3:1: flo: unknown key, did you mean flow\?/) as unknown,
    ]);
  });

  test.each([
    [['exchange', '--config', 'no-such.yaml'], /no-such\.yaml:1:1: expected a file/],
    [['exchange', '--port', '70000'], /expected a whole number from 0 to 65535/],
    [['exchange', '--prot', '1'], /--port/],
    [['exchnage'], /exchange/],
  ])('%j ends with 2 and one line that helps', async (parameters, message) => {
    const { code, error } = await sarrafHere(parameters);
    expect(code).toBe(2);
    expect(error).toMatch(message);
  });

  test('a port in use is one line and 1', async () => {
    const holder = createServer();
    const port = await new Promise<number>((resolve) => {
      holder.listen(0, '127.0.0.1', () => resolve((holder.address() as { port: number }).port));
    });
    const { code, error } = await sarrafHere(['exchange', '--port', String(port)]);
    await new Promise((resolve) => holder.close(resolve));
    expect(code).toBe(1);
    expect(error).toBe(`127.0.0.1:${port} is in use: expected a free port, --port 0 takes one\n`);
  });

  test('a state file that is damaged is one line and 1, and stays as it is', async () => {
    const file = join(folder, 'exchange.json');
    writeFileSync(file, '{"format":');
    const { code, error, out } = await sarrafHere(['exchange', '--port', '0', '--state', file]);
    expect([code, out, error.trim().split('\n').length]).toEqual([1, '', 1]);
    expect(error).toContain('exchange.json');
    expect(readFileSync(file, 'utf8')).toBe('{"format":');
  });

  test('a folder that is not there or not ours to write in is one line and 1', async () => {
    const file = join(folder, 'none', 'exchange.json');
    const { code, error } = await sarrafHere(['exchange', '--port', '0', '--state', file]);
    expect([code, error.trim().split('\n').length]).toEqual([1, 1]);
    expect(error).toMatch(/can not be written/);
    expect(existsSync(file)).toBe(false);
  });

  test('help has an example and ends with 0', async () => {
    const { code, out } = await sarrafHere(['exchange', '--help']);
    expect(code).toBe(0);
    expect(out).toContain('sarraf exchange --port 8900 --config config/exchange.yaml');
  });
});
