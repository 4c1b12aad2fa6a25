import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { parseUnits } from '../../../../src/domain/money.ts';
import type { GatewayState } from '../../../../src/simulator/gateway.ts';
import { gatewayHandlers } from '../../../../src/simulator-server/wire/handlers/wallets.ts';
import { readStateJson, stateJson } from '../../../../src/simulator-server/exchange-state.ts';
import { payAction, payPage } from '../../../../src/simulator-server/wire/wire-adapter.ts';
import { ask, createExchange, START_MS } from '../users/fixture.ts';

const MERCHANTS = [
  { api: 'shop-key', apiSecret: 'shop-secret', callbackOrigin: 'https://shop.example', username: 'ali' },
  { api: 'closed-key', apiSecret: 'x', callbackOrigin: 'https://shop.example', restricted: true },
  { api: 'other-key', apiSecret: 'y', callbackOrigin: 'https://other.example' },
];
const SEND = { api: 'shop-key', amount: 500_000, callbackURL: 'https://shop.example/back?order=5' };
type Exchange = ReturnType<typeof createExchange>;

const createShop = (): Exchange => createExchange({ gateway: { merchants: MERCHANTS } });

function send(exchange: Exchange, change: Record<string, unknown> = {}) {
  return ask(exchange, gatewayHandlers.gatewaySend, { input: { ...SEND, ...change }, userId: null });
}

const tokenOf = (exchange: Exchange, change: Record<string, unknown> = {}): string =>
  String(send(exchange, change).body['token']);

function act(exchange: Exchange, token: string, input: Record<string, unknown>, timeMs = START_MS) {
  return ask(exchange, payAction, { input, path: { token }, userId: null, timeMs });
}

function verify(exchange: Exchange, input: Record<string, unknown>) {
  return ask(exchange, gatewayHandlers.gatewayVerify, { input: { api: 'shop-key', ...input }, userId: null });
}

const codeIn = (gatewayCode: 'text' | 'number' | 'trailing-minus'): unknown =>
  ask(createShop(), gatewayHandlers.gatewaySend, { forms: { gatewayCode } }).body['code'];

test('makes a token for an invoice', () => {
  const { status, body } = send(createShop());
  expect(status).toBe(200);
  expect(body).toEqual({ status: 'success', token: expect.stringMatching(/^[0-9a-f]{32}$/) as unknown });
});

test.each([
  ['-1', 'API parameter is required', { api: undefined }],
  ['-2', 'API not found', { api: 'nobody-key' }],
  ['-3', 'API is restricted', { api: 'closed-key' }],
  ['-4', 'API is invalid', { api: 'no key!' }],
  ['-5', 'Amount parameter is required', { amount: undefined }],
  ['-6', 'Amount must be integer', { amount: '10000.5' }],
  ['-6', 'Amount must be integer', { amount: 'ten' }],
  ['-7', 'Amount min value is 10000 rls', { amount: 9999 }],
  ['-7', 'Amount min value is 10000 rls', { amount: -20_000 }],
  ['-8', 'callbackURL parameter is required', { callbackURL: undefined }],
  ['-9', 'callbackURL CORPS error', { callbackURL: 'https://evil.example/back' }],
  ['-9', 'callbackURL CORPS error', { callbackURL: 'https://shop.example.evil.example/' }],
  ['-10', 'callbackURL format is invalid', { callbackURL: 'shop.example/back' }],
  ['-10', 'callbackURL format is invalid', { callbackURL: 'https://shop.example/\u{1F600}' }],
  ['-11', 'Description must be less than 255 character', { description: 'x'.repeat(256) }],
  ['-41', 'Invalid currency', { currencies: 'btc,doge' }],
])('refuses an invoice with %s (%s): %o', (code, message, change) => {
  expect(send(createShop(), change)).toMatchObject({
    status: 200,
    body: { status: 'failed', code, message },
  });
});

test('takes an amount of exactly 10000 and a description of exactly 255 characters', () => {
  expect(send(createShop(), { amount: '10000', description: 'x'.repeat(255) }).body['status']).toBe(
    'success',
  );
});

test('writes codes in the form asked for', () => {
  expect([codeIn('text'), codeIn('number'), codeIn('trailing-minus')]).toEqual(['-1', -1, '1-']);
});

test('sends the payer who pays back with status 1, and verifies once with the hash', () => {
  const exchange = createShop();
  const token = tokenOf(exchange, { factorNumber: 'F1', mobile: '0912', description: 'Shoes' });
  const { answer } = act(exchange, token, { action: 'pay', currency: 'btc' });
  expect(answer.status).toBe(302);
  expect(answer.headers?.['location']).toBe(`https://shop.example/back?order=5&status=1&token=${token}`);
  const before = exchange.accounts.find(7, 'rls')?.total ?? 0n;
  const { body, raw } = verify(exchange, { token });
  expect(body).toEqual({
    status: 'success',
    amount: 500_000,
    cryptoAmount: 0.00001,
    txHash: createHash('md5').update(`${token}500000shop-secret`).digest('hex'),
    factorNumber: 'F1',
    mobile: '0912',
    description: 'Shoes',
  });
  expect(raw).toContain('"cryptoAmount":0.00001,');
  expect(exchange.accounts.find(7, 'rls')?.total).toBe(before + parseUnits('500000'));
  expect(exchange.accounts.imbalanceOf('rls')).toBe(0n);
  expect(verify(exchange, { token }).body).toMatchObject({ code: '-32', message: 'Verified before' });
  expect(exchange.accounts.find(7, 'rls')?.total).toBe(before + parseUnits('500000'));
});

test('pays in a currency without a market at the configured rate, rounded up', () => {
  const exchange = createShop();
  const token = tokenOf(exchange);
  act(exchange, token, { action: 'pay', currency: 'ltc' });
  expect(verify(exchange, { token }).raw).toContain('"cryptoAmount":0.00833334,');
});

test('refuses a verification without a token, with a malformed, an unknown and another merchant’s one', () => {
  const exchange = createShop();
  const token = tokenOf(exchange);
  act(exchange, token, { action: 'pay' });
  expect(verify(exchange, {}).body).toMatchObject({ code: '-23', message: 'Token is required' });
  expect(verify(exchange, { token: 'short' }).body).toMatchObject({ code: '-21', message: 'Invalid token' });
  expect(verify(exchange, { token: '0'.repeat(32) }).body).toMatchObject({
    code: '-22',
    message: 'Token not found',
  });
  expect(verify(exchange, { token, api: 'other-key' }).body).toMatchObject({ code: '-22' });
  expect(verify(exchange, { token, api: undefined }).body).toMatchObject({ code: '-1' });
  expect(verify(exchange, { token }).body['status']).toBe('success');
});

test('refuses to verify what is not paid: waiting, canceled or too late', () => {
  const exchange = createShop();
  const waiting = tokenOf(exchange);
  expect(verify(exchange, { token: waiting }).body).toMatchObject({ code: '-31', message: 'Unverified' });
  const { answer } = act(exchange, waiting, { action: 'cancel' });
  expect(answer.headers?.['location']).toBe(`https://shop.example/back?order=5&status=0&token=${waiting}`);
  expect(verify(exchange, { token: waiting }).body).toMatchObject({ code: '-31' });
  const late = tokenOf(exchange);
  expect(act(exchange, late, { action: 'pay' }, START_MS + 1_800_001).status).toBe(410);
  expect(verify(exchange, { token: late }).body).toMatchObject({ code: '-31' });
});

test('keeps a fragment of the callback behind the query', () => {
  const exchange = createShop();
  const token = tokenOf(exchange, { callbackURL: 'https://shop.example/back#part' });
  const { answer } = act(exchange, token, { action: 'cancel' });
  expect(answer.headers?.['location']).toBe(`https://shop.example/back?status=0&token=${token}#part`);
});

test('refuses to pay twice, in a currency not offered, or by an unknown action', () => {
  const exchange = createShop();
  const token = tokenOf(exchange, { currencies: 'btc' });
  expect(act(exchange, token, { action: 'pay', currency: 'ltc' }).status).toBe(410);
  expect(act(exchange, token, { action: 'steal' }).status).toBe(400);
  expect(act(exchange, token, { action: 'pay' }).status).toBe(302);
  expect(act(exchange, token, { action: 'cancel' }).status).toBe(410);
  expect(act(exchange, '0'.repeat(32), { action: 'pay' }).status).toBe(404);
});

test('shows a page with the amount owed and two buttons, and shows what the shop wrote as text only', () => {
  const exchange = createShop();
  const token = tokenOf(exchange, { description: '<script>alert(1)</script>', factorNumber: '"7"' });
  const { answer } = ask(exchange, payPage, { path: { token }, userId: null });
  expect(answer.status).toBe(200);
  expect(answer.headers?.['content-type']).toMatch(/^text\/html/);
  const html = String(answer.body);
  expect(html).toContain('Pay 500,000 rial');
  expect(html).toContain('0.00001 BTC');
  expect(html).toContain('value="pay"');
  expect(html).toContain('value="cancel"');
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(html).not.toContain('<script>');
  expect(html).not.toContain('Test network');
});

test('says on the page that it is the test network, and that a payment is closed or unknown', () => {
  const exchange = createExchange({ gateway: { merchants: MERCHANTS, testNetwork: true } });
  const token = tokenOf(exchange);
  const show = (of: string) => ask(exchange, payPage, { path: { token: of }, userId: null });
  expect(String(show(token).answer.body)).toContain('Test network');
  act(exchange, token, { action: 'cancel' });
  expect(show(token).status).toBe(410);
  expect(show('nothing').status).toBe(404);
});

test('keeps payments over a snapshot', () => {
  const exchange = createShop();
  const token = tokenOf(exchange);
  act(exchange, token, { action: 'pay' });
  const { gateway } = exchange.services;
  const restored = createShop();
  restored.services.gateway.restore(readStateJson(stateJson(gateway.snapshot())) as GatewayState);
  expect(verify(restored, { token }).body['status']).toBe('success');
});
