import { expect, test } from 'vitest';
import { sessionHandlers } from '../../../../src/simulator-server/wire/handlers/user.ts';
import { ALI, ask, createExchange, START_MS, type CallOptions } from '../users/fixture.ts';

const HOUR_MS = 3_600_000;
const RIGHT = { username: 'ali', password: 'secret', captcha: 'api' };

function logIn(
  exchange: ReturnType<typeof createExchange>,
  input: Record<string, unknown>,
  options: CallOptions = {},
) {
  return ask(exchange, sessionHandlers.login, { ...options, input, userId: null });
}

function isAlive(exchange: ReturnType<typeof createExchange>, token: unknown, timeMs: number): boolean {
  return exchange.services.credentials.callerOfToken(String(token), timeMs) !== null;
}

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
