import { createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createBotHome, createEmptyLedger, createTestFolder } from './bot-home.ts';
import { BotProcess } from './bot-process.ts';

/** An exchange that takes every connection and never answers. */
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
