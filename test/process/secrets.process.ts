import { createPrivateKey, createPublicKey } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEmptyLedger } from './bot-home.ts';
import { OwnExchange } from './own-exchange.ts';
import { startSarraf } from '../support/sarraf-process.ts';
import type { BotProcess } from './bot-process.ts';
import { PASSWORD, TOKEN } from './served-exchange.ts';

const SEED = Buffer.alloc(32, 0xa7).fill('seed-of-a-key').toString('base64url');
const PUBLIC_KEY =
  createPublicKey(
    createPrivateKey({
      format: 'der',
      type: 'pkcs8',
      // The DER bytes before the seed of an Ed25519 key (RFC 8410).
      key: Buffer.from(
        `302e020100300506032b657004220420${Buffer.from(SEED, 'base64url').toString('hex')}`,
        'hex',
      ),
    }),
  ).export({ format: 'jwk' }).x ?? '';
const TOTP_SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DP';
const LOGIN_TOKEN = 'token-of-a-log-in/41+7';
const DEVICE = 'device-of-a-log-in-99';
const TYPED_PASSWORD = 'typed "pass" word/81';

/** One in this many replies to private calls is a refusal that repeats the credential. */
const ECHOES_EACH = 3;
const LEAST_ECHOES = 8;
const MOST_WAITS = 400;

let own: OwnExchange;
const proxies: Server[] = [];

beforeEach(async () => {
  own = await OwnExchange.open({ seed: 11 });
});

afterEach(async (context) => {
  for (const proxy of proxies) {
    proxy.closeAllConnections();
    proxy.close();
  }
  await own.close(context);
});

/** The forms in which somebody may write a secret. */
function written(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const header = Buffer.from(`Authorization: Token ${secret}`);
  const hex = bytes.toString('hex');
  return [
    secret,
    encodeURIComponent(secret),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    hex,
    hex.toUpperCase(),
    header.toString('base64'),
  ];
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

interface Echoes {
  /** Base URLs of the proxy, one for each bot, so that each has its own ledger. */
  readonly baseUrls: readonly string[];
  /** Counts the refusals that repeated a secret of the key with this name. */
  readonly count: (name: string) => number;
}

/**
 * A proxy before the exchange that repeats credentials in messages, codes, paths and headers: for each third
 * call with the token, and for all calls with credentials that the exchange does not know.
 */
async function openProxy(): Promise<Echoes> {
  const counts = new Map<string, number>();
  let logIns = 0;
  const note = (name: string): number => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count;
  };
  /** The secrets to repeat for a request, and their owner; null if it goes on to the exchange. */
  const repeated = (
    { headers }: IncomingMessage,
    body: string,
  ): readonly [string, readonly string[]] | null => {
    const { authorization, 'x-totp': oneTime } = headers;
    if (typeof oneTime === 'string') return (logIns += 1) === 1 ? null : ['login', [PASSWORD, oneTime]];
    // The first call with the token is answered and later ones are refused: the bot logs in again, and that
    // is refused as well.
    if (authorization?.includes(LOGIN_TOKEN) === true)
      return note('calls of the log-in') === 1 ? null : ['login', [LOGIN_TOKEN, DEVICE]];
    if (body.includes(JSON.stringify(TYPED_PASSWORD))) return ['typed', [TYPED_PASSWORD]];
    if (authorization?.includes(TOKEN) === true)
      return note('calls') % ECHOES_EACH === 0 ? ['token', [TOKEN]] : null;
    return Object.keys(headers).some((name) => name.endsWith('-signature'))
      ? ['key', [SEED, PUBLIC_KEY]]
      : null;
  };
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    void (async () => {
      const body = await bodyOf(request);
      const echo = repeated(request, body.toString());
      if (echo !== null) {
        const [name, secrets] = echo;
        const count = note(name);
        const secret = secrets[count % secrets.length] ?? '';
        const text = written(secret)[count % written(secret).length] ?? secret;
        response.writeHead(name === 'login' ? 401 : 400, {
          'content-type': 'application/json',
          'x-path': `/x/${encodeURIComponent(secret)}`,
          [`x-${secret.replaceAll(/[^\w-]/g, '')}`]: 'named',
        });
        response.end(
          JSON.stringify({
            status: 'failed',
            code: secret,
            message: `not ${text}`,
            detail: secrets.join(' '),
            path: `/x/${text}`,
          }),
        );
        return;
      }
      if (request.headers['x-totp'] !== undefined) {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ status: 'ok', key: LOGIN_TOKEN, device: DEVICE }));
        return;
      }
      const { host: _, authorization = '', ...others } = request.headers as Record<string, string>;
      const headers = authorization === '' ? others : { ...others, authorization: `Token ${TOKEN}` };
      const reply = await fetch(`${own.exchange.baseUrl}${request.url}`, {
        method: request.method ?? 'GET',
        headers,
        ...(body.length === 0 ? {} : { body }),
      });
      response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? '' });
      response.end(Buffer.from(await reply.arrayBuffer()));
    })().catch(() => response.destroy());
  };
  const baseUrls = [1, 2, 3].map(async () => {
    const proxy = createServer(serve);
    proxies.push(proxy);
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  });
  return { baseUrls: await Promise.all(baseUrls), count: (name) => counts.get(name) ?? 0 };
}

/** Returns all that a bot says of itself when asked, and all that it printed. */
async function textsOf(bot: BotProcess, isHeard: () => boolean): Promise<readonly string[]> {
  const address = await bot.firstHealthAddress();
  for (let wait = 0; !isHeard() && wait < MOST_WAITS && bot.isRunning; wait += 1) await pause(200);
  const pages = ['/metrics', '/readyz', '/healthz'].map(async (path) => {
    try {
      return await (await fetch(`${address}${path}`)).text();
    } catch {
      return '';
    }
  });
  const said = await Promise.all(pages);
  const { out, error } = await bot.end();
  return [...said, out, error];
}

test('nothing that is printed or written has a credential which the exchange repeats', async () => {
  const { baseUrls, count } = await openProxy();
  const accounts = [
    ['echo', TOKEN, { token: TOKEN }],
    ['keyed', PUBLIC_KEY, { key: PUBLIC_KEY, privateKey: SEED }],
    ['logged', 'bot', { username: 'bot', password: PASSWORD, totpSecret: TOTP_SECRET }],
  ] as const;
  const homes = accounts.map(([instance, identity, credentials], index) => {
    const exchange = { baseUrl: baseUrls[index] ?? '', limits: own.exchange.limits };
    createEmptyLedger(exchange, own.ledgerFolder, identity);
    return own.home({ instance, seed: 11, exchange, credentials });
  });
  const [token, key, login] = homes.map((each) => own.start(each)) as [BotProcess, BotProcess, BotProcess];
  const bots = await Promise.all([
    textsOf(token, () => count('token') >= LEAST_ECHOES),
    textsOf(key, () => count('key') >= 1),
    textsOf(login, () => count('login') >= 2),
  ]);
  const passwordFile = join(own.folder, 'password');
  writeFileSync(passwordFile, TYPED_PASSWORD, { mode: 0o600 });
  const where = ['--config', homes[1]?.configPath ?? ''];
  const commands = [
    ['api', 'profile', ...where],
    ['api', 'profile', ...where, '--json'],
    ['order', 'place', 'BTCUSDT', 'buy', '0.001', '--price', '60000', '--yes', ...where],
    [
      'login',
      '--ledger-folder',
      own.ledgerFolder,
      '--url',
      baseUrls[0] ?? '',
      '--username',
      'x',
      '--password-file',
      passwordFile,
      '--token-file',
      join(own.folder, 't'),
    ],
  ];
  const printed: string[] = [];
  for (const args of commands) {
    const { out, error } = await startSarraf(args).finished;
    printed.push(out, error);
  }
  expect(count('token')).toBeGreaterThanOrEqual(LEAST_ECHOES);
  expect(count('key')).toBeGreaterThanOrEqual(2);
  expect(count('login')).toBeGreaterThanOrEqual(2);
  expect(count('typed')).toBe(1);
  const given = new Set([passwordFile, ...homes.map(({ configPath }) => configPath)]);
  const files = readdirSync(own.folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(own.folder, name))
    .filter((path) => !given.has(path) && !/\.(?:device|token)$/.test(path) && statSync(path).isFile());
  expect(files.length).toBeGreaterThan(10);
  const texts = [...bots.flat(), ...printed, ...files.map((path) => readFileSync(path, 'latin1'))];
  expect(texts.filter((text) => text.includes('[secret]')).length).toBeGreaterThan(2);
  for (const secret of [
    TOKEN,
    SEED,
    PUBLIC_KEY,
    PASSWORD,
    TOTP_SECRET,
    LOGIN_TOKEN,
    DEVICE,
    TYPED_PASSWORD,
  ]) {
    for (const form of written(secret)) {
      for (const text of texts) expect(text.includes(form.slice(-14, -2)), `${form} in ${text}`).toBe(false);
    }
  }
});
