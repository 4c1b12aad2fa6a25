import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEmailTransport } from '../../../src/alerts/channels/email-transport.ts';
import { httpPost, openDispatcher, problemOf } from '../../../src/alerts/channels/channel.ts';
import { ExchangeClient } from '../../../src/exchange/client.ts';
import { redisFailure } from '../../../src/redis/redis-server.ts';
import { makeCertificate, type Certificate } from '../../support/certificate.ts';
import { folderOfAllTests } from '../../support/temporary-folder.ts';

/** Certificates of servers, by name; this process trusts those in the list below. */
let certificates: Readonly<Record<string, Certificate>>;
const trusted = getCACertificates('default');
const folder = folderOfAllTests();
const made = (name: string, more: object = {}): Certificate => makeCertificate(folder, { name, ...more });

beforeAll(() => {
  const mine = {
    good: made('good'),
    expired: made('expired', { valid: ['20200101000000Z', '20210101000000Z'] }),
    early: made('early', { valid: ['20800101000000Z', '20810101000000Z'] }),
    other: made('other', { host: 'DNS:other.example' }),
  };
  certificates = { ...mine, self: made('self'), unknown: made('unknown', { authority: made('authority') }) };
  setDefaultCACertificates([...trusted, ...Object.values(mine).map(({ cert }) => cert)]);
});
afterAll(() => {
  setDefaultCACertificates(trusted);
});

const OLD = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;

type Case = readonly [what: string, certificate: string | null, words: string, options: ServerOptions];
const CASES: readonly Case[] = [
  ['a certificate of last year', 'expired', 'a certificate that has expired', {}],
  ['a certificate of next century', 'early', 'a certificate that is not valid yet', {}],
  ['a certificate that nobody else signed', 'self', 'a certificate that the server signed itself', {}],
  ['a certificate of an unknown authority', 'unknown', 'an authority that this machine does not know', {}],
  ['a certificate for another host', 'other', 'a certificate for another host name', {}],
  ['no TLS', null, 'a port that speaks no TLS', {}],
  ['an old TLS', 'good', 'no version of TLS that both sides speak', OLD],
];

async function serving(server: Server): Promise<Disposable & { readonly port: number }> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, [Symbol.dispose]: () => void server.close() };
}

const serverOf = (certificate: string | null, options: ServerOptions = {}): Server =>
  certificate === null
    ? createServer((_, reply) => reply.end('{}'))
    : createSecureServer({ ...certificates[certificate], ...options }, (_, reply) => reply.end('{}'));

async function failureOf(work: Promise<unknown>): Promise<Error> {
  const error: unknown = await work.then(
    (value) => `expected a failure, was ${JSON.stringify(value)}`,
    (reason: unknown) => reason,
  );
  if (error instanceof Error) return error;
  throw new TypeError(String(error));
}

async function exchangeFailure(baseUrl: string): Promise<Error> {
  const client = new ExchangeClient({ baseUrl });
  const error = await failureOf(client.marketStats());
  await client.close();
  return error;
}

/** Returns the errors of a channel, an e-mail and a Redis that connect to a port. */
async function saidOf(port: number): Promise<readonly string[]> {
  const dispatcher = openDispatcher(null);
  const post = { url: `https://127.0.0.1:${port}/`, headers: {}, body: '', dispatcher };
  const posted = await failureOf(httpPost({ ...post, signal: new AbortController().signal }));
  await dispatcher.close();
  const email = createEmailTransport({
    host: '127.0.0.1',
    port,
    isSecure: true,
    user: null,
    password: null,
    from: 'a@b.example',
    to: ['a@b.example'],
  });
  const message = {
    id: 'm',
    severity: 'info',
    title: 't',
    lines: [],
    footer: '',
    picture: null,
    buttons: [],
    atMs: 0,
  } as const;
  const sent = await email.deliver(message, new AbortController().signal);
  await email.close();
  const redis = new Redis(port, '127.0.0.1', { tls: {}, lazyConnect: true, retryStrategy: () => null });
  const broken = once(redis, 'error');
  await failureOf(redis.connect());
  const [error] = await broken;
  redis.disconnect();
  return [
    problemOf(posted),
    sent.kind === 'delivered' ? sent.kind : sent.problem,
    redisFailure(error).reason,
  ];
}

test.each(CASES)(
  '%s is said in the same words by all that connect',
  async (_, certificate, words, options) => {
    using server = await serving(serverOf(certificate, options));
    const error = await exchangeFailure(`https://127.0.0.1:${server.port}`);
    expect(error).toMatchObject({ code: 'CONNECTION_FAILED', outcome: 'none' });
    expect(error.message).toContain(words);
    for (const said of await saidOf(server.port)) expect(said).toContain(words);
  },
);

test('a server whose certificate is right is connected to', async () => {
  using server = await serving(serverOf('good'));
  expect((await exchangeFailure(`https://127.0.0.1:${server.port}`)).message).not.toMatch(/TLS|certificate/);
});

test('plain HTTP at a port of TLS says which address to use', async () => {
  using server = await serving(serverOf('good'));
  expect((await exchangeFailure(`http://127.0.0.1:${server.port}`)).message).toContain(
    'where a server speaks TLS, its address begins with https://',
  );
});
