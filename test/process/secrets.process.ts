import { createServer, type IncomingMessage, type Server } from 'node:http';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEmptyLedger } from './bot-home.ts';
import { OwnExchange } from './own-exchange.ts';
import { TOKEN } from './served-exchange.ts';

/** Every so many replies to private calls are refusals that repeat the credential. */
const ECHOES_EACH = 3;
const LEAST_ECHOES = 8;
const MOST_WAITS = 400;

let own: OwnExchange;
let proxy: Server;

beforeEach(async () => {
  own = await OwnExchange.open({ seed: 11 });
});

afterEach(async (context) => {
  proxy.closeAllConnections();
  proxy.close();
  await own.close(context);
});

/** The token as somebody may write it. */
function written(): readonly string[] {
  const bytes = Buffer.from(TOKEN);
  const header = Buffer.from(`Authorization: Token ${TOKEN}`);
  return [
    TOKEN,
    encodeURIComponent(TOKEN),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    header.toString('base64'),
  ];
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Something before the exchange that repeats the credential in messages, codes and paths. */
async function openProxy(): Promise<{ readonly baseUrl: string; readonly echoes: () => number }> {
  let calls = 0;
  let echoes = 0;
  proxy = createServer((request, response) => {
    void (async () => {
      const body = await bodyOf(request);
      if (request.headers.authorization !== undefined && (calls += 1) % ECHOES_EACH === 0) {
        echoes += 1;
        const text = written()[echoes % written().length] ?? TOKEN;
        response.writeHead(400, { 'content-type': 'application/json', 'x-path': `/x/${encodeURIComponent(TOKEN)}` });
        response.end(
          JSON.stringify({ status: 'failed', code: TOKEN, message: `not ${text}`, detail: text, path: `/x/${text}` }),
        );
        return;
      }
      const { host: _, ...headers } = request.headers as Record<string, string>;
      const reply = await fetch(`${own.exchange.baseUrl}${request.url}`, {
        method: request.method ?? 'GET',
        headers,
        ...(body.length === 0 ? {} : { body }),
      });
      response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? '' });
      response.end(Buffer.from(await reply.arrayBuffer()));
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return { baseUrl: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, echoes: () => echoes };
}

test('nothing that is printed or written has a credential which the exchange repeats', async () => {
  const { baseUrl, echoes } = await openProxy();
  const through = { baseUrl, limits: own.exchange.limits };
  createEmptyLedger(through, own.ledgerFolder);
  const home = own.home({ instance: 'echo', seed: 11, exchange: through });
  const bot = own.start(home);
  await bot.healthAddress();
  for (let wait = 0; echoes() < LEAST_ECHOES && wait < MOST_WAITS; wait += 1) await pause(500);
  const { out, error } = await bot.end();
  expect(echoes()).toBeGreaterThanOrEqual(LEAST_ECHOES);
  const files = readdirSync(own.folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(own.folder, name))
    .filter((path) => path !== home.configPath && statSync(path).isFile());
  expect(files.length).toBeGreaterThan(3);
  const texts = [out, error, ...files.map((path) => readFileSync(path, 'latin1'))];
  expect(texts.some((text) => text.includes('[secret]'))).toBe(true);
  for (const form of written()) {
    for (const text of texts) expect(text.includes(form.slice(-14, -2))).toBe(false);
  }
});
