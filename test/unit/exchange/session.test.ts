import { describe, expect, it } from 'vitest';
import { ExchangeClient } from '../../../src/exchange/client.ts';
import type { LoginCredentials } from '../../../src/exchange/session.ts';
import { FakeTransport, json } from './fake-transport.ts';
import { createPrivateKey, createPublicKey, sign as signWithNode, verify } from 'node:crypto';
import * as fc from 'fast-check';
import { createSigner, signedMessage, toUrlSafeBase64 } from '../../../src/exchange/authenticator.ts';

const HOUR_MS = 3_600_000;

function setUp(options: {
  readonly login?: Partial<LoginCredentials>;
  readonly answer?: (path: string, token: string | undefined) => ReturnType<typeof json> | undefined;
}) {
  let nowMs = 0;
  let logIns = 0;
  const transport = new FakeTransport(({ path, headers }) => {
    const answer = options.answer?.(path, headers['authorization']);
    if (answer !== undefined) return answer;
    if (path !== '/auth/login/') return json({ status: 'ok', balance: '1' });
    logIns += 1;
    return json({ status: 'success', key: `token-${logIns}`, device: 'phone' });
  });
  const client = new ExchangeClient({
    transport,
    nowMs: () => nowMs,
    credentials: { kind: 'login', login: { username: 'u', password: 'p', ...options.login } },
  });
  const tokens = () => transport.sent.map((sent) => sent.headers['authorization'] ?? 'none');
  const advance = (byMs: number): void => {
    nowMs += byMs;
  };
  return { client, transport, tokens, advance, balance: () => client.walletBalance({ currency: 'rls' }) };
}

describe('a session with log-in', () => {
  it('logs in at the first call that needs a token, and keeps the token', async () => {
    const { balance, client, transport, tokens } = setUp({});
    await client.call('globalStats', {}).catch(() => null);
    await balance();
    await balance();
    expect(transport.sent.map((sent) => sent.path)).toEqual([
      '/market/global-stats',
      '/auth/login/',
      '/users/wallets/balance',
      '/users/wallets/balance',
    ]);
    expect(tokens()).toEqual(['none', 'none', 'Token token-1', 'Token token-1']);
    expect(JSON.parse(transport.sent[1]?.body ?? '')).toEqual({
      username: 'u',
      password: 'p',
      captcha: 'api',
    });
    expect(transport.sent[1]?.headers['user-agent']).toMatch(/^TraderBot\/sarraf-\d/);
  });

  it('logs in once for calls that come together', async () => {
    const { balance, tokens } = setUp({});
    await Promise.all([balance(), balance(), balance()]);
    expect(tokens().filter((token) => token === 'none')).toHaveLength(1);
  });

  it('renews the token before its four hours are over', async () => {
    const { balance, advance, tokens } = setUp({});
    await balance();
    advance(3.5 * HOUR_MS);
    await balance();
    advance(0.2 * HOUR_MS);
    await balance();
    expect(tokens()).toEqual(['none', 'Token token-1', 'Token token-1', 'none', 'Token token-2']);
  });

  it('keeps a remembered token for weeks', async () => {
    const { balance, advance, tokens, transport } = setUp({ login: { remember: true } });
    await balance();
    advance(26 * 24 * HOUR_MS);
    await balance();
    expect(tokens()).toEqual(['none', 'Token token-1', 'Token token-1']);
    expect(JSON.parse(transport.sent[0]?.body ?? '')).toMatchObject({ remember: 'yes' });
  });

  it('sends the one-time password, and the device of the log-in before', async () => {
    const devices: string[] = [];
    const { balance, advance, transport } = setUp({
      login: { oneTimePassword: async () => '123456', onDevice: (device) => devices.push(device) },
    });
    await balance();
    advance(4 * HOUR_MS);
    await balance();
    const [first, second] = transport.sent.filter((sent) => sent.path === '/auth/login/');
    expect(first?.headers['X-TOTP']).toBe('123456');
    expect(JSON.parse(first?.body ?? '')).not.toHaveProperty('device');
    expect(JSON.parse(second?.body ?? '')).toMatchObject({ device: 'phone' });
    expect(devices).toEqual(['phone']);
  });

  it('logs in anew after a token that had worked is refused', async () => {
    let refused = '';
    const { balance, tokens } = setUp({
      answer: (_path, token) => (token === refused ? json({ detail: 'expired' }, 401) : undefined),
    });
    await balance();
    refused = 'Token token-1';
    await expect(balance()).rejects.toMatchObject({ code: 'UNAUTHORIZED', outcome: 'none' });
    await expect(balance()).resolves.toMatchObject({ ok: true });
    expect(tokens()).toEqual(['none', 'Token token-1', 'Token token-1', 'none', 'Token token-2']);
  });

  it('sends nothing for ten minutes after a fresh token is refused', async () => {
    const { balance, advance, transport } = setUp({
      answer: (path) => (path === '/auth/login/' ? undefined : json({ detail: 'bad' }, 401)),
    });
    await expect(balance()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    await expect(balance()).rejects.toThrow('expected no log-in');
    expect(transport.sent).toHaveLength(2);
    advance(600_000);
    await expect(balance()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    expect(transport.sent).toHaveLength(4);
  });

  it('does not repeat a refused log-in', async () => {
    const { balance, transport } = setUp({
      answer: () => json({ non_field_errors: ['wrong name or password'] }, 400),
    });
    await expect(balance()).rejects.toThrow('LoginFailed: wrong name or password');
    await expect(balance()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    expect(transport.sent).toHaveLength(1);
  });
});

/** DER bytes before a bare seed; PKCS #8 adds no others to an Ed25519 key. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

function keyFromSeed(seed: Uint8Array) {
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const publicKey = createPublicKey(privateKey);
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  return {
    privateKey,
    publicKey,
    key: { privateKey: toUrlSafeBase64(seed), publicKey: toUrlSafeBase64(raw) },
  };
}

describe('createSigner', () => {
  it('signs as node:crypto does, for any seed and request', () => {
    const request = fc.record({
      timestamp: fc.nat().map(String),
      method: fc.constantFrom('GET', 'POST', 'DELETE'),
      path: fc.string().map((text) => `/${text}`),
      body: fc.option(fc.string({ unit: 'grapheme' })),
    });
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), request, (seed, parts) => {
        const { privateKey, publicKey, key } = keyFromSeed(seed);
        const message = Buffer.from(signedMessage(parts), 'utf8');
        const signature = createSigner(key)(parts);
        expect(signature).toBe(toUrlSafeBase64(signWithNode(null, message, privateKey)));
        expect(verify(null, message, publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('signs timestamp, method, path with query and body, one after another', () => {
    const parts = {
      timestamp: '1700000000',
      method: 'POST',
      path: '/market/orders/add?a=1',
      body: '{"x":1}',
    };
    expect(signedMessage(parts)).toBe('1700000000POST/market/orders/add?a=1{"x":1}');
    expect(signedMessage({ ...parts, body: null })).toBe('1700000000POST/market/orders/add?a=1');
  });

  it('keeps the padding of a signature', () => {
    const { key } = keyFromSeed(new Uint8Array(32).fill(9));
    const signature = createSigner(key)({ timestamp: '1', method: 'GET', path: '/', body: null });
    expect(signature).toMatch(/^[A-Za-z0-9_-]{86}==$/);
  });

  it('takes keys without their padding', () => {
    const { key } = keyFromSeed(new Uint8Array(32).fill(9));
    const bare = { privateKey: key.privateKey.replace('=', ''), publicKey: key.publicKey.replace('=', '') };
    const parts = { timestamp: '1', method: 'GET', path: '/', body: null };
    expect(createSigner(bare)(parts)).toBe(createSigner(key)(parts));
  });

  it('refuses a key of another length without showing it', () => {
    const { key } = keyFromSeed(new Uint8Array(32).fill(9));
    const short = { ...key, privateKey: 'c2VjcmV0' };
    expect(() => createSigner(short)).toThrow(
      'expected URL-safe Base64 of 32 bytes for the private key, was 6 bytes',
    );
  });

  it('refuses two parts that are not of one key', () => {
    const one = keyFromSeed(new Uint8Array(32).fill(1)).key;
    const other = keyFromSeed(new Uint8Array(32).fill(2)).key;
    expect(() => createSigner({ ...one, publicKey: other.publicKey })).toThrow('belongs to the private key');
  });
});
