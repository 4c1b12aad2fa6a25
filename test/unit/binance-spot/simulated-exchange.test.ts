import { connect } from 'node:net';
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createSimulatedSpot,
  SimulatedSpotServer,
  spotExchangeSettings,
} from '../../../src/binance-spot/simulated-exchange.ts';
import { QUIET } from './spot-caller.ts';

const mistakes: unknown[] = [];
const settings = spotExchangeSettings.parse({
  ...QUIET,
  faults: [
    { kind: 'late-reply', path: 'time', ms: 80 },
    { kind: 'late-request', path: 'ping', ms: 80 },
  ],
});
const core = createSimulatedSpot({ settings });
const server = new SimulatedSpotServer({ core, onMistake: (error) => mistakes.push(error) });
let address = '';
beforeAll(async () => {
  address = await server.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await server.close();
  expect(mistakes).toEqual([]);
});

const signed = (text: string): string => {
  const payload = `${text}${text === '' ? '' : '&'}timestamp=${Date.now()}`;
  return `${payload}&signature=${createHmac('sha256', 'first').update(payload).digest('hex')}`;
};

const send = async (path: string, init: RequestInit = {}) => {
  const reply = await fetch(`${address}/api/v3/${path}`, {
    ...init,
    headers: { 'x-mbx-apikey': 'one', ...(init.headers as Record<string, string>) },
  });
  return { status: reply.status, headers: reply.headers, text: await reply.text() };
};

test('a form body and an empty body of JSON are both taken', async () => {
  const order = 'symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=90';
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const json = { 'content-type': 'application/json;charset=utf-8' };
  expect((await send('order', { method: 'POST', body: signed(order), headers: form })).status).toBe(200);
  expect((await send(`order?${signed(order)}`, { method: 'POST', body: '', headers: json })).status).toBe(
    200,
  );
  expect((await send(`order?${signed(order)}`, { method: 'POST' })).status).toBe(200);
  expect(
    (await send('openOrders', { method: 'DELETE', body: signed('symbol=BTCUSDT'), headers: form })).status,
  ).toBe(200);
});

test('headers come with every reply, and long bodies are packed', async () => {
  const info = await send('exchangeInfo');
  expect(info.headers.get('content-type')).toBe('application/json;charset=UTF-8');
  expect(info.headers.get('content-encoding')).toBe('gzip');
  expect(Number(info.headers.get('x-mbx-used-weight-1m'))).toBeGreaterThanOrEqual(20);
  const unknown = await send('nothing');
  expect([unknown.status, JSON.parse(unknown.text).code]).toEqual([404, -1099]);
  expect(unknown.headers.get('x-mbx-used-weight')).not.toBeNull();
  const page = await send('nothing', { headers: { accept: 'text/html,*/*' } });
  expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html']);
});

test('what is too large, or no HTTP, is refused', async () => {
  const large = await send('order', { method: 'POST', body: 'a='.padEnd(1_000_000, 'b') });
  expect([large.status, JSON.parse(large.text).code]).toEqual([413, -1100]);
  const longest = await send(`depth?symbol=${'A'.repeat(12_000)}`);
  expect([longest.status, JSON.parse(longest.text).code]).toEqual([400, -1100]);
  for (const text of [
    'GET /api/v3/%zz HTTP/1.1\r\nHost: x\r\n\r\n',
    'PATCH /api/v3/order HTTP/1.1\r\nHost: x\r\n\r\n',
    'hello\r\n\r\n',
  ]) {
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(Number(new URL(address).port), '127.0.0.1', () => socket.end(text));
      let seen = '';
      socket.on('data', (bytes) => (seen += bytes.toString()));
      socket.on('close', () => resolve(seen));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
  }
  expect((await send('ticker/price')).status).toBe(200);
});

test('late faults delay the reply, or the request', async () => {
  for (const path of ['time', 'ping']) {
    const before = performance.now();
    expect((await send(path)).status).toBe(200);
    expect(performance.now() - before).toBeGreaterThan(75);
  }
});
