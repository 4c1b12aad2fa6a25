import { expect, test } from 'vitest';
import type { GateRequest } from '../../../../src/simulator/gate.ts';
import { ALI, createExchange, START_MS, ask, type CallOptions } from '../users/fixture.ts';
import { sessionHandlers } from '../../../../src/simulator-server/wire/handlers/user.ts';

const BUDGET = { name: 'orders/list', limit: 3, windowMs: 60_000, per: 'token' as const, assumed: false };

function request(change: Partial<GateRequest>): GateRequest {
  return {
    headers: {},
    ip: '10.0.0.1',
    method: 'GET',
    pathWithQuery: '/market/orders/list?details=2',
    body: '',
    access: 'READ',
    budget: BUDGET,
    timeMs: START_MS,
    ...change,
  };
}

const TOKEN = { authorization: 'Token ali-token' };

function keyHeaders(
  change: { readonly skewMs?: number; readonly message?: string; readonly prefix?: string } = {},
) {
  const timestamp = String(Math.floor((START_MS + (change.skewMs ?? 0)) / 1000));
  const message = change.message ?? `${timestamp}GET/market/orders/list?details=2`;
  const prefix = change.prefix ?? 'service';
  return {
    [`${prefix}-key`]: 'ali-key',
    [`${prefix}-signature`]: `signed:ali-key:${message}`,
    [`${prefix}-timestamp`]: timestamp,
  };
}

test('lets a token in and names its user', () => {
  const { gate } = createExchange().services;
  expect(gate.check(request({ headers: TOKEN }))).toEqual({
    ok: true,
    caller: { userId: 7, credentialId: 'panel:ali:1', scheme: 'token' },
  });
});

test('answers 401 with detail to a missing, a malformed and an unknown token', () => {
  const { gate } = createExchange().services;
  for (const headers of [{}, { authorization: 'ali-token' }, { authorization: 'Token other' }]) {
    const decision = gate.check(request({ headers }));
    expect(decision).toMatchObject({
      ok: false,
      status: 401,
      body: { detail: expect.any(String) as unknown },
    });
  }
});

test('lets a key in whose signature covers time, method, path with query and body', () => {
  const { gate } = createExchange().services;
  expect(gate.check(request({ headers: keyHeaders() }))).toMatchObject({
    ok: true,
    caller: { scheme: 'key', userId: 7 },
  });
  const timestamp = START_MS / 1000;
  const message = `${timestamp}POST/market/orders/add{"a":1}`;
  const order = {
    method: 'POST',
    pathWithQuery: '/market/orders/add',
    body: '{"a":1}',
    access: 'TRADE' as const,
  };
  expect(gate.check(request({ ...order, headers: keyHeaders({ message }) })).ok).toBe(true);
  expect(gate.check(request({ ...order, body: '{"a":2}', headers: keyHeaders({ message }) }))).toMatchObject({
    status: 401,
  });
});

test('knows a public key with its padding and without', () => {
  const { gate } = createExchange({
    users: [{ ...ALI, keys: [{ publicKey: 'padded=', permissions: ['READ'] }] }],
  }).services;
  const timestamp = String(START_MS / 1000);
  const signature = `signed:padded=:${timestamp}GET/market/orders/list?details=2`;
  for (const key of ['padded=', 'padded']) {
    const headers = { 'service-key': key, 'service-signature': signature, 'service-timestamp': timestamp };
    expect(gate.check(request({ headers }))).toMatchObject({
      ok: true,
      caller: { credentialId: 'key:padded' },
    });
  }
});

test('reads the key headers under the name of the service', () => {
  const { gate } = createExchange({ serviceName: 'Bazaar' }).services;
  expect(gate.check(request({ headers: keyHeaders({ prefix: 'bazaar' }) })).ok).toBe(true);
  expect(gate.check(request({ headers: keyHeaders() })).ok).toBe(false);
});

test('takes a timestamp within 30 seconds on either side and none beyond', () => {
  const { gate } = createExchange().services;
  const budget = { ...BUDGET, limit: 100 };
  const isIn = (skewMs: number) => gate.check(request({ budget, headers: keyHeaders({ skewMs }) })).ok;
  expect([isIn(-31_000), isIn(-30_000), isIn(30_000), isIn(31_000)]).toEqual([false, true, true, false]);
});

test('distinguishes a missing permission from a limit', () => {
  const { gate } = createExchange().services;
  const withdraw = gate.check(request({ access: 'WITHDRAW', headers: keyHeaders() }));
  expect(withdraw).toMatchObject({ kind: 'permission', status: 403, body: { code: 'PermissionDenied' } });
  expect(withdraw).not.toHaveProperty('body.backOff');
  expect(gate.check(request({ access: 'token', headers: keyHeaders() }))).toMatchObject({
    kind: 'permission',
  });
});

test('answers 403 with the limit and the wait when a budget is exceeded, and counts each credential apart', () => {
  const { gate } = createExchange().services;
  for (let count = 0; count < 3; count += 1) expect(gate.check(request({ headers: TOKEN })).ok).toBe(true);
  expect(gate.check(request({ headers: TOKEN }))).toMatchObject({
    kind: 'lockout',
    status: 403,
    body: { status: 'failed', code: 'RateLimitExceeded', limit: 3, backOff: 3600 },
    headers: { 'retry-after': '3600' },
  });
  expect(gate.check(request({ headers: keyHeaders() })).ok).toBe(true);
});

test('answers 429 with backOff and limit by setting', () => {
  const { gate } = createExchange({ limits: { exceeded: 'back-off' } }).services;
  for (let count = 0; count < 3; count += 1) gate.check(request({ headers: TOKEN }));
  expect(gate.check(request({ headers: TOKEN, timeMs: START_MS + 48_000 }))).toMatchObject({
    status: 429,
    body: { status: 'failed', code: 'TooManyRequests', backOff: 12, limit: 3 },
  });
});

test('counts public calls and calls with budgets per IP by IP', () => {
  const { gate } = createExchange().services;
  const open = { access: 'none' as const, budget: { ...BUDGET, per: 'ip' as const, assumed: false } };
  for (let count = 0; count < 3; count += 1)
    expect(gate.check(request(open))).toEqual({ ok: true, caller: null });
  expect(gate.check(request(open)).ok).toBe(false);
  expect(gate.check(request({ ...open, ip: '10.0.0.2' })).ok).toBe(true);
  expect(gate.check(request({ ...open, access: 'READ', headers: TOKEN })).ok).toBe(false);
});

test('takes an optional token where one comes, and refuses a bad one', () => {
  const { gate } = createExchange().services;
  const access = 'optional-token';
  expect(gate.check(request({ access }))).toEqual({ ok: true, caller: null });
  expect(gate.check(request({ access, headers: TOKEN }))).toMatchObject({ ok: true, caller: { userId: 7 } });
  expect(gate.check(request({ access, headers: { authorization: 'Token no' } }))).toMatchObject({
    status: 401,
  });
});

test('blocks an IP after more than 100 bad tokens, also for its good ones', () => {
  const { gate } = createExchange().services;
  const bad = request({ headers: { authorization: 'Token no' } });
  for (let count = 0; count < 101; count += 1) expect(gate.check(bad)).toMatchObject({ status: 401 });
  expect(gate.check(bad)).toMatchObject({ kind: 'ip-block', status: 403 });
  expect(gate.check(request({ headers: TOKEN }))).toMatchObject({ kind: 'ip-block', status: 403 });
  expect(gate.check(request({ headers: TOKEN, ip: '10.0.0.2' })).ok).toBe(true);
});

test('lets configured tokens expire only where the configuration says so', () => {
  const users = [{ ...ALI, tokens: ['for-ever', { token: 'for-an-hour', validForMs: 3_600_000 }] }];
  const { gate } = createExchange({ users }).services;
  const isIn = (token: string, timeMs: number) =>
    gate.check(request({ headers: { authorization: `Token ${token}` }, timeMs })).ok;
  expect(isIn('for-an-hour', START_MS + 3_599_999)).toBe(true);
  expect(isIn('for-an-hour', START_MS + 3_600_000)).toBe(false);
  expect(isIn('for-ever', START_MS + 1e12)).toBe(true);
});

const HOUR_MS = 3_600_000;
const RIGHT = { username: 'ali', password: 'secret', captcha: 'api' };

function logIn(
  exchange: ReturnType<typeof createExchange>,
  input: Record<string, unknown>,
  options: CallOptions = {},
) {
  return ask(exchange, sessionHandlers.login, { ...options, input, userId: null });
}

const isAlive = (exchange: ReturnType<typeof createExchange>, token: unknown, timeMs: number): boolean =>
  exchange.services.credentials.callerOfToken(String(token), timeMs) !== null;

test('answers with status, key and device', () => {
  const { status, body } = logIn(createExchange(), RIGHT);
  expect(status).toBe(200);
  expect(body).toEqual({
    status: 'success',
    key: expect.stringMatching(/^[0-9a-f]{40}$/) as unknown,
    device: expect.stringMatching(/^[0-9a-f]{32}$/) as unknown,
  });
});

test('makes a token for 4 hours, and for 30 days when it is to be remembered', () => {
  const exchange = createExchange();
  const { key: short } = logIn(exchange, RIGHT).body;
  const { key: long } = logIn(exchange, { ...RIGHT, remember: 'yes' }).body;
  expect([
    isAlive(exchange, short, START_MS + 4 * HOUR_MS - 1),
    isAlive(exchange, short, START_MS + 4 * HOUR_MS),
  ]).toEqual([true, false]);
  expect([
    isAlive(exchange, long, START_MS + 720 * HOUR_MS - 1),
    isAlive(exchange, long, START_MS + 720 * HOUR_MS),
  ]).toEqual([true, false]);
});

test.each([
  ['ParseError', { username: 'ali', captcha: 'api' }, {}],
  ['InvalidCaptcha', { username: 'ali', password: 'secret' }, {}],
  ['InvalidUserAgent', RIGHT, { userAgent: 'curl/8' }],
  ['InvalidUserAgent', RIGHT, { userAgent: 'TraderBot/' }],
  ['InvalidCredentials', { ...RIGHT, password: 'wrong' }, {}],
  ['InvalidCredentials', { ...RIGHT, username: 'nobody' }, {}],
])('answers 400 with non_field_errors and the code %s', (code, input, options) => {
  const { status, body } = logIn(createExchange(), input, options);
  expect(status).toBe(400);
  expect(body).toEqual({ non_field_errors: [expect.any(String) as unknown], code });
});

test.each([
  [{ secret: 'abc' }, 'code-of-abc'],
  [{ fixedCode: '123456' }, '123456'],
])('asks for a one-time password where the account has one: %o', (totp, code) => {
  const exchange = createExchange({ users: [{ ...ALI, totp }] });
  expect(logIn(exchange, RIGHT).body['code']).toBe('MissingOTP');
  expect(logIn(exchange, RIGHT, { headers: { 'x-totp': '000000' } }).body['code']).toBe('InvalidOTP');
  expect(logIn(exchange, RIGHT, { headers: { 'x-totp': code } }).status).toBe(200);
});

test('closes withdrawals for an hour at an unknown device, and not at a known one', () => {
  const exchange = createExchange();
  const ali = exchange.services.users.get(7);
  const { device } = logIn(exchange, RIGHT).body;
  expect(ali.withdrawalsRestrictedUntilMs).toBe(START_MS + HOUR_MS);
  const again = logIn(exchange, { ...RIGHT, device }, { timeMs: START_MS + 2 * HOUR_MS });
  expect(again.body['device']).toBe(device);
  expect(ali.withdrawalsRestrictedUntilMs).toBe(START_MS + HOUR_MS);
  logIn(exchange, { ...RIGHT, device: 'made up' }, { timeMs: START_MS + 3 * HOUR_MS });
  expect(ali.withdrawalsRestrictedUntilMs).toBe(START_MS + 4 * HOUR_MS);
});

test('writes every attempt on a known name down, the newest hundred at least', () => {
  const exchange = createExchange();
  logIn(exchange, { ...RIGHT, password: 'wrong' });
  logIn(exchange, RIGHT);
  const { attempts } = exchange.services.users.get(7);
  expect(attempts.values().map(({ status }) => status)).toEqual(['Failed', 'Successful']);
  for (let count = 0; count < 500; count += 1) logIn(exchange, { ...RIGHT, password: 'wrong' });
  expect(attempts.length).toBeGreaterThanOrEqual(100);
  expect(attempts.length).toBeLessThan(200);
});
