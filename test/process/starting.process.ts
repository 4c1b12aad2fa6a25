import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createBotHome, createEmptyLedger, createTestFolder } from './bot-home.ts';
import { MirrorReader } from '../../src/mirror/mirror-reader.ts';
import { BotProcess } from './bot-process.ts';
import { OwnExchange } from './own-exchange.ts';

/** A server that accepts every connection and never answers. */
let server: Server;
const sockets = new Set<Socket>();
let files: ReturnType<typeof createTestFolder>;
let bot: BotProcess | null = null;

beforeEach(async () => {
  files = createTestFolder();
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(async () => {
  if (bot?.isRunning === true) await bot.kill();
  for (const socket of sockets) socket.destroy();
  server.close();
  files.remove();
});

test('health is served while the exchange has not answered anything: it lives and is not ready, and says why', async () => {
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const exchange = { baseUrl: `http://127.0.0.1:${port}`, limits: {} };
  const ledgerFolder = files.folder;
  createEmptyLedger(exchange, ledgerFolder);
  bot = new BotProcess(
    createBotHome({ folder: files.folder, exchange, ledgerFolder, instance: 'waits', seed: 1 }),
  );
  const base = await bot.firstHealthAddress();
  const lives = await fetch(`${base}/healthz`);
  expect(lives.status).toBe(200);
  const ready = await fetch(`${base}/readyz`);
  expect(ready.status).toBe(503);
  expect(await ready.json()).toEqual({
    ok: false,
    reasons: ['no answer from the exchange yet, so nothing is traded'],
    locks: [],
  });
  const metrics = await (await fetch(`${base}/metrics`)).text();
  expect(metrics).toContain('sarraf_ready 0');
  expect(metrics).toMatch(/^sarraf_budget_slots\{budget="orders\/add",subject="\w+"\} \d+$/m);
});

test('a live bot refuses to start without a strategy, unless that is optional: then it says so', async (context) => {
  const own = await OwnExchange.open({ seed: 1 });
  try {
    const home = own.home({ instance: 'misses', seed: 1 });
    const settings = JSON.parse(readFileSync(home.configPath, 'utf8')) as { strategies: object[] };
    const writeWith = (optional: boolean): void => {
      const misses = { plugin: 'ma-cross', name: 'misses', market: 'BTCIRT', params: { fasst: 1 }, optional };
      const strategies = [...settings.strategies, misses];
      writeFileSync(home.configPath, JSON.stringify({ ...settings, strategies, dashboard: { port: null } }));
    };
    writeWith(false);
    const refused = await own.start(home).finished;
    expect(refused.code).toBe(2);
    expect(refused.error).toMatch(/every strategy to be able to run, misses can not\n.*params\.fasst/);
    writeWith(true);
    const running = own.start(home);
    const line = await running.line(({ level, msg }) => level === 'error' && msg.startsWith('misses '));
    expect(line.msg).toMatch(/^misses does not run: .*params\.fasst/);
    expect((await running.end()).code).toBe(0);
    const reader = new MirrorReader(home.mirrorPath);
    try {
      expect(reader.summary().strategies).toContainEqual(
        expect.objectContaining({
          name: 'misses',
          status: 'stopped',
          reason: expect.stringContaining('params.fasst'),
        }),
      );
    } finally {
      reader.close();
    }
  } finally {
    await own.close(context);
  }
});
