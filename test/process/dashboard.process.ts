import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DashboardHere } from '../support/dashboard-here.ts';
import { startSarraf, type SarrafProcess } from '../support/sarraf-process.ts';
import { createTestFolder } from './bot-home.ts';

/** Time-out for a busy machine; what a test waits for mostly comes within a second. */
const PATIENT = { timeout: 120_000, interval: 100 };

const files: ReturnType<typeof createTestFolder>[] = [];
const started: SarrafProcess[] = [];
let folder: string;

beforeEach(() => {
  const made = createTestFolder();
  files.push(made);
  ({ folder } = made);
});

afterEach(async () => {
  for (const { child, finished } of started.splice(0)) {
    child.kill('SIGKILL');
    await finished;
  }
  for (const { remove } of files.splice(0)) remove();
});

function start(...args: readonly string[]): SarrafProcess {
  const process = startSarraf([...args, '--data', folder, '--json']);
  started.push(process);
  return process;
}

async function addressOf(process: SarrafProcess): Promise<string> {
  const line = await process.line((text) => text.includes('"address":"http'));
  return (JSON.parse(line) as { readonly address: string }).address;
}

type Json = Readonly<Record<string, unknown>>;

async function ask(address: string, path: string, body?: Json): Promise<Json> {
  const token = readFileSync(join(folder, 'dashboard-token'), 'utf8').trim();
  const reply = await fetch(`${address}/api/v1${path}`, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  return (await reply.json()) as Json;
}

const stateAt = async (address: string): Promise<unknown> =>
  ((await ask(address, '/overview'))['bot'] as Json)['state'];

const run = (): SarrafProcess => start('run', '--set', 'dashboard.port=0', '--speed', '1');

test('an action reaches the bot, and the page of another process reads on when the bot is killed', async () => {
  const bot = run();
  const inBot = await addressOf(bot);
  const beside = await addressOf(start('dashboard', '--port', '0'));
  expect(await stateAt(inBot)).toBe('running');
  expect(await stateAt(beside)).toBe('running');

  const postedMs = Date.now();
  const { id } = await ask(beside, '/actions/halt', { key: 'halt-1', reason: 'a test' });
  await expect.poll(async () => (await ask(inBot, `/actions/${Number(id)}`))['state'], PATIENT).toBe('done');
  const { takenAtMs } = await ask(inBot, `/actions/${Number(id)}`);
  console.log(`An action reached the bot ${Number(takenAtMs) - postedMs} ms after it was sent.`);
  expect(await ask(inBot, '/actions/halt', { key: 'halt-1', reason: 'a test' })).toMatchObject({ id });
  await expect.poll(async () => stateAt(beside), PATIENT).toBe('halted');
  await ask(beside, '/actions/resume', { key: 'resume-1' });
  await expect.poll(async () => stateAt(beside), PATIENT).toBe('running');

  bot.child.kill('SIGKILL');
  await bot.finished;
  await expect.poll(async () => stateAt(beside), PATIENT).toBe('ended');
  const { silentSinceMs } = (await ask(beside, '/overview'))['bot'] as Json;
  // The heartbeat is renewed once a second, on a busy machine later.
  expect(silentSinceMs).toBeGreaterThan(postedMs - 10_000);
  expect(await ask(beside, '/orders')).toHaveProperty('items');
  expect(await ask(beside, '/actions/cancel', { key: 'no', isAll: true })).toMatchObject({
    error: { code: 'no-bot' },
  });

  const again = run();
  await addressOf(again);
  await expect.poll(async () => stateAt(beside), PATIENT).toBe('running');
});

test('a port that is named and taken ends the run, and one that is not named does not', async () => {
  const first = start('dashboard', '--port', '0');
  const { port } = new URL(await addressOf(first));
  const { code, error } = await start('run', '--set', `dashboard.port=${port}`).finished;
  expect({ code, error }).toMatchObject({ code: 2, error: expect.stringContaining('dashboard.port') });
});

/** Opens `count` streams; returns the status of each. */
async function openStreams(
  here: DashboardHere,
  count: number,
  sockets: Socket[],
): Promise<readonly number[]> {
  const one = async (): Promise<number> =>
    new Promise((resolve) => {
      const asked = request(`${here.address}/api/v1/events`, { headers: here.bearer(), agent: false });
      asked.on('socket', (socket) => sockets.push(socket));
      asked.on('error', () => resolve(0));
      asked.on('response', (response) => resolve(response.resume().statusCode ?? 0));
      asked.end();
    });
  return Promise.all(Array.from({ length: count }, one));
}

test('a thousand idle streams and slow requests leave room for those who ask', async () => {
  const here = await new DashboardHere(folder).listen();
  const sockets: Socket[] = [];
  const { hostname, port } = new URL(here.address);
  try {
    const statuses = await openStreams(here, 1_000, sockets);
    expect(statuses.filter((status) => status === 200)).toHaveLength(200);
    expect(statuses.filter((status) => status === 503)).toHaveLength(800);
    expect((await here.api('/session')).status).toBe(200);

    // Each client sends one byte now and then, and never completes its request.
    const slow = Array.from({ length: 100 }, () => connect({ host: hostname, port: Number(port) }));
    sockets.push(...slow);
    const ended = slow.map(
      async (socket) =>
        new Promise<void>((resolve) => {
          socket.on('error', () => undefined).once('close', () => resolve());
          socket.write('GET /api/v1/overview HTTP/1.1\r\nhost: 127');
          const timer = setInterval(() => socket.write('.'), 500);
          socket.once('close', () => clearInterval(timer));
        }),
    );
    expect((await here.api('/session')).status).toBe(200);
    await Promise.all(ended);
    expect((await here.api('/session')).status).toBe(200);
    expect(here.errors).toEqual([]);
  } finally {
    for (const socket of sockets) socket.destroy();
    await here.close();
  }
});
