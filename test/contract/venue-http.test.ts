import { expect, test } from 'vitest';
import { venueSuite } from './venue-suite.ts';
import { openOverHttp } from './venue/over-http.ts';
import { clientOf, valueOf } from './venue/venue.ts';
import { ALICE_TOKEN, BUY } from './world.ts';

venueSuite('the simulator over HTTP', () => openOverHttp());

venueSuite('a deployment over HTTP with bare numbers and another name', () =>
  openOverHttp({ forms: { decimals: 'number', gatewayCode: 'trailing-minus', serviceName: 'elsewhere' } }),
);

test('over HTTP a limit reply names its wait, and only the address of the socket counts', async () => {
  const venue = await openOverHttp({ limits: { enabled: true } });
  const anyone = clientOf(venue, 'nobody');
  for (let count = 0; count < 15; count += 1) await valueOf(anyone.publicTrades({ symbol: 'BTCIRT' }));
  await expect(anyone.publicTrades({ symbol: 'BTCIRT' })).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    details: { backOffMs: 3_600_000, limit: 15 },
  });
  const elsewhere = await fetch(`${venue.baseUrl}/v2/trades/BTCIRT`, {
    headers: { 'x-forwarded-for': '203.0.113.9' },
  });
  expect(elsewhere.status).toBe(403);
  expect(elsewhere.headers.get('retry-after')).toBe('3600');
  await venue.close();
});

test('over HTTP bytes are UTF-8 JSON with their length, whatever type a body claims', async () => {
  const venue = await openOverHttp();
  const body = JSON.stringify({ ...BUY, pro: true });
  for (const type of ['application/json', 'application/json; charset=utf-8', 'text/plain']) {
    const reply = await fetch(`${venue.baseUrl}/market/orders/add`, {
      method: 'POST',
      headers: { authorization: `Token ${ALICE_TOKEN}`, 'content-type': type },
      body,
    });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
    const bytes = await reply.arrayBuffer();
    expect(reply.headers.get('content-length')).toBe(String(bytes.byteLength));
    expect(JSON.parse(new TextDecoder().decode(bytes))).toMatchObject({
      status: 'ok',
      order: { dstCurrency: '﷼' },
    });
  }
  await venue.close();
});

test('over HTTP an unreadable address or body is answered in JSON and ends nothing', async () => {
  const venue = await openOverHttp();
  const headers = { authorization: `Token ${ALICE_TOKEN}`, 'content-type': 'application/json' };
  const cut = await fetch(`${venue.baseUrl}/market/orders/add`, {
    method: 'POST',
    headers,
    body: '{"type": "buy"',
  });
  expect(cut.status).toBe(400);
  expect(await cut.json()).toMatchObject({ status: 'failed', code: 'ParseError' });
  const nowhere = await fetch(`${venue.baseUrl}/v2/orderbook/%E0%A4%A`);
  expect([400, 404]).toContain(nowhere.status);
  await nowhere.text();
  const large = await fetch(`${venue.baseUrl}/market/orders/add`, {
    method: 'POST',
    headers,
    body: 'x'.repeat(2 ** 20),
  });
  expect([400, 413]).toContain(large.status);
  await large.text();
  expect((await fetch(`${venue.baseUrl}/users/profile`, { headers })).status).toBe(200);
  await venue.close();
});

test('over HTTP the description of the interface names every path', async () => {
  const venue = await openOverHttp();
  const document = (await (await fetch(`${venue.baseUrl}/openapi.json`)).json()) as {
    readonly openapi: string;
    readonly paths: Readonly<Record<string, object>>;
  };
  expect(document.openapi).toMatch(/^3\.1/);
  expect(document.paths['/market/orders/add']).toHaveProperty('post');
  expect(document.paths['/users/markets/favorite']).toMatchObject({ get: {}, post: {}, delete: {} });
  await venue.close();
});
