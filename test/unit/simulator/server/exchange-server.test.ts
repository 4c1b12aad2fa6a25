import { connect, type Socket } from 'node:net';
import { createPrivateKey, sign } from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { FaultRule } from '../../../../src/simulator-server/fault-plan.ts';
import { ALI, BUY, START_MS } from '../wire/fixture.ts';
import { serve, type Served } from './fixture.ts';
import { WorldClock } from '../../../../src/simulator-server/simulation.ts';

let served: Served;
afterEach(() => served.close());

/** Sends a request as it is written, and returns everything that comes back. */
function rawReply(
  address: string,
  sent: { readonly head: readonly string[]; readonly body: string },
): Promise<string> {
  const { port } = new URL(address);
  return new Promise((resolve, reject) => {
    let reply = '';
    const head = [...sent.head, 'Host: localhost', 'Connection: close'].join('\r\n');
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(`${head}\r\n\r\n${sent.body}`));
    socket
      .on('data', (bytes: Buffer) => {
        reply += bytes.toString('utf8');
      })
      .on('error', reject)
      .on('close', () => resolve(reply));
  });
}

/** Opens a socket to the server, sends what `act` does, and waits until the socket is closed. */
function closedAfter(act: (socket: Socket) => void): Promise<void> {
  const { port } = new URL(served.address);
  return new Promise((resolve) => {
    const socket = connect(Number(port), '127.0.0.1', () => act(socket));
    socket
      .on('error', () => undefined)
      .on('close', () => resolve())
      .resume();
  });
}

/** Private key of a user, made of a seed whose bytes are 7. */
const key = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 7)]),
  format: 'der',
  type: 'pkcs8',
});
/** Public part of that key. */
const publicKey = '6kpsY-KcUgq-9VB7Ey7F-ZVHdq6-vnuSQh7qaRRG0iw=';

describe('over HTTP', () => {
  test('an order is placed and answered with the bytes of the wire door', async () => {
    served = await serve();
    const { status, headers, body } = await served.ask('/market/orders/add', { body: BUY });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(body).toMatchObject({
      status: 'ok',
      order: { id: 1, created_at: '2025-04-10T12:00:00.000+00:00' },
    });
  });

  test('a key signs the bytes as they were sent', async () => {
    const user = { username: 'ali', keys: [{ publicKey, permissions: ['READ' as const] }] };
    served = await serve({ users: [user] });
    const path = '/market/orders/list?status=all&details=2';
    const timestamp = String(START_MS / 1000);
    const signed = (method: string, text: string) =>
      sign(null, Buffer.from(`${timestamp}${method}${path}${text}`), key).toString('base64url');
    const headers = { 'Service-Key': publicKey, 'Service-Timestamp': timestamp };
    const good = { ...headers, 'Service-Signature': signed('GET', '') };
    expect((await served.ask(path, { token: null, headers: good })).status).toBe(200);
    const padded = { ...headers, 'Service-Signature': `${signed('GET', '')}==` };
    expect((await served.ask(path, { token: null, headers: padded })).status).toBe(200);
    const spaced = { ...headers, 'Service-Signature': signed('POST', '{ "type" : "buy" }') };
    const sent = async (body: string) =>
      (await served.ask(path, { token: null, headers: spaced, body })).status;
    expect(await sent('{ "type" : "buy" }')).toBe(200);
    expect(await sent('{"type":"buy"}')).toBe(401);
  });

  test('the body of a GET is part of what its key signs, and has no fields', async () => {
    served = await serve({
      users: [{ username: 'ali', keys: [{ publicKey, permissions: ['READ' as const] }] }],
    });
    const path = '/market/orders/list?status=all';
    const timestamp = String(START_MS / 1000);
    const body = '{"status":"active"}';
    const listed = (signedBody: string): Promise<string> =>
      rawReply(served.address, {
        head: [
          `GET ${path} HTTP/1.1`,
          `Service-Key: ${publicKey}`,
          `Service-Timestamp: ${timestamp}`,
          `Service-Signature: ${sign(null, Buffer.from(`${timestamp}GET${path}${signedBody}`), key).toString('base64url')}`,
          'Content-Type: application/json',
          `Content-Length: ${body.length}`,
        ],
        body,
      });
    expect(await listed(body)).toMatch(/^HTTP\/1\.1 200 .*"orders":\[\]/s);
    expect(await listed('')).toMatch(/^HTTP\/1\.1 401 /);
  });

  test.each([
    ['no type', []],
    ['JSON', ['Content-Type: application/json']],
    ['a form', ['Content-Type: application/x-www-form-urlencoded']],
    ['a multipart form', ['Content-Type: multipart/form-data']],
    ['a type that is none', ['Content-Type: json']],
    ['an empty type', ['Content-Type: ']],
    ['XML', ['Content-Type: application/xml; charset=utf-8']],
  ])('an empty POST with %s is taken', async (_, lines) => {
    served = await serve();
    const head = ['POST /market/global-stats HTTP/1.1', ...lines];
    expect(await rawReply(served.address, { head: [...head, 'Content-Length: 0'], body: '' })).toMatch(
      /^HTTP\/1\.1 200 /,
    );
    const chunked = { head: [...head, 'Transfer-Encoding: chunked'], body: '0\r\n\r\n' };
    expect(await rawReply(served.address, chunked)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test.each(['QUERY', 'PROPFIND', 'PUT', 'PATCH'])(
    'the method %s gets 405 and the methods that the address takes',
    async (method) => {
      served = await serve();
      const reply = await rawReply(served.address, { head: [`${method} /users/profile HTTP/1.1`], body: '' });
      expect(reply).toMatch(/^HTTP\/1\.1 405 .*allow: GET, POST\r\n.*"MethodNotAllowed"/is);
    },
  );

  test('a multipart body is a form', async () => {
    served = await serve();
    const form = new FormData();
    for (const [name, value] of Object.entries(BUY)) form.set(name, value);
    const response = await fetch(`${served.address}/market/orders/add`, {
      method: 'POST',
      headers: { authorization: 'Token ali-token' },
      body: form,
    });
    expect(await response.json()).toMatchObject({
      status: 'ok',
      order: { type: BUY.type, amount: BUY.amount },
    });
  });

  test.each([
    ['nothing at all', ''],
    ['half a header', 'POST /market/orders/add HTTP/1.1\r\nHos'],
    ['half a body', 'POST /market/orders/add HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"type":'],
  ])('a socket that sends %s and then no more is closed', async (_, text) => {
    served = await serve({}, null, { requestWithinMs: 200 });
    await closedAfter((socket) => socket.write(text));
    expect(served.venue.exchange.trading.trader(ALI).orders.length).toBe(0);
    expect((await served.ask('/v2/options')).status).toBe(200);
  });

  test('a DELETE has a body, and a form is a body', async () => {
    served = await serve();
    await served.ask('/users/markets/favorite', { body: { market: 'BTCIRT,USDTIRT' } });
    const { body } = await served.ask('/users/markets/favorite', {
      method: 'DELETE',
      body: 'market=BTCIRT',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(body['favoriteMarkets']).toEqual(['USDTIRT']);
  });

  test('the requester is the other end of the socket, whatever a header says', async () => {
    served = await serve();
    await served.ask('/v2/options', { headers: { 'x-forwarded-for': '8.8.8.8' } });
    expect(served.venue.adapter.log.values()).toMatchObject([{ ip: '127.0.0.1' }]);
  });

  test('a body that is too large is refused and changes nothing', async () => {
    served = await serve();
    const { status, body } = await served.ask('/market/orders/add', { body: 'x'.repeat(300_000) });
    expect([status, body['code']]).toEqual([413, 'ParseError']);
    expect(served.venue.exchange.trading.trader(ALI).orders.length).toBe(0);
  });

  test('an address that can not be read is 400 or 404 with JSON', async () => {
    served = await serve();
    for (const path of ['/%zz', '/v2/orderbook/%zz', '//', '/nowhere']) {
      const { status, text } = await served.ask(path);
      expect([400, 404]).toContain(status);
      expect(() => JSON.parse(text) as unknown).not.toThrow();
    }
  });

  test('bytes that are no HTTP do not end the server', async () => {
    served = await serve();
    await closedAfter((socket) => socket.end('\u0000nonsense\r\n\r\n'));
    expect((await served.ask('/v2/options')).status).toBe(200);
  });

  test('the OpenAPI page and the pay page are served', async () => {
    served = await serve();
    const { body } = await served.ask('/openapi.json', { token: null });
    expect(body['openapi']).toBe('3.1.0');
    expect(Object.keys(body['paths'] as object)).toContain('/market/orders/add');
    expect(await served.ask('/app/paygate/none', { token: null })).toMatchObject({ status: 404 });
  });
});

const withFault = async (rule: FaultRule): Promise<void> => {
  served = await serve({ faults: { rules: [{ ...rule, endpoints: ['addOrder'] }] as never } });
};
const add = () => served.ask('/market/orders/add', { body: BUY });
const orders = () => served.venue.exchange.trading.trader(ALI).orders.length;

describe('a fault', () => {
  test.each([
    ['server-error', 500, 0],
    ['bad-gateway', 502, 1],
    ['forbidden', 403, 0],
    ['unauthorized', 401, 0],
    ['too-many-requests', 429, 0],
    ['truncated', 200, 1],
    ['no-result', 200, 1],
  ] as const)('%s is a %i and leaves %i orders', async (kind, status, expected) => {
    await withFault({ kind });
    expect((await add()).status).toBe(status);
    expect(orders()).toBe(expected);
  });

  test('truncated is no JSON, too many requests carries Retry-After', async () => {
    await withFault({ kind: 'truncated' });
    const { text } = await add();
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
    await served.close();
    await withFault({ kind: 'too-many-requests', backOff: 33 });
    expect((await add()).headers.get('retry-after')).toBe('33');
  });

  test('reset ends the connection after the order was placed', async () => {
    await withFault({ kind: 'reset' });
    await expect(add()).rejects.toThrow();
    expect(orders()).toBe(1);
  });

  test.each([
    ['lost', 0],
    ['reply-lost', 1],
  ] as const)('%s is never answered and leaves %i orders', async (kind, expected) => {
    await withFault({ kind });
    const arrived = vi.spyOn(served.venue.faulty, 'receive');
    const controller = new AbortController();
    const asked = served.ask('/market/orders/add', { body: BUY, signal: controller.signal });
    asked.catch(() => undefined);
    await expect.poll(() => arrived.mock.calls.length).toBe(1);
    controller.abort();
    await expect(asked).rejects.toThrow();
    expect(orders()).toBe(expected);
  });

  test.each(['delay', 'late'] as const)('%s is answered, later', async (kind) => {
    await withFault({ kind, delayMs: 30 });
    expect((await add()).status).toBe(200);
    expect(orders()).toBe(1);
  });
});

test('a skewed clock shows in the replies and in their Date', async () => {
  served = await serve({ faults: { clockSkewMs: 3_600_000 } });
  const { headers, body } = await served.ask('/v2/orderbook/BTCIRT');
  expect(body['lastUpdate']).toBe(START_MS / 1000 + 3_600);
  expect(headers.get('date')).toBe('Thu, 10 Apr 2025 13:00:00 GMT');
});

function clockAt(startMs: number): { readonly clock: WorldClock; readonly wall: { nowMs: number } } {
  const wall = { nowMs: startMs };
  return { clock: new WorldClock(() => wall.nowMs), wall };
}

test('follows the wall and never goes back', () => {
  const { clock, wall } = clockAt(1_000);
  const seen = [1_000, 1_500, 1_200, 1_600].map((nowMs) => {
    wall.nowMs = nowMs;
    return clock.nowMs();
  });
  expect(seen).toEqual([1_000, 1_500, 1_500, 1_600]);
});

test('stands still while it is frozen, can be moved on, and goes on from there', () => {
  const { clock, wall } = clockAt(1_000);
  clock.freeze();
  wall.nowMs = 5_000;
  expect(clock.nowMs()).toBe(1_000);
  clock.advance(250);
  expect(clock.nowMs()).toBe(1_250);
  clock.unfreeze();
  wall.nowMs = 5_100;
  expect(clock.nowMs()).toBe(1_350);
});

test('is moved on while it runs', () => {
  const { clock, wall } = clockAt(1_000);
  clock.advance(10_000);
  wall.nowMs = 1_001;
  expect(clock.nowMs()).toBe(11_001);
});

test('does not begin before a stored time, nor go back when a skew ends', () => {
  const { clock } = clockAt(1_000);
  clock.startAt(3_000);
  expect(clock.nowMs()).toBe(3_000);
  clock.skewMs = 9_000;
  expect(clock.nowMs()).toBe(12_000);
  clock.skewMs = 0;
  expect(clock.nowMs()).toBe(12_000);
});

test('goes on from a stored time that is far ahead of the wall, rather than standing still until the wall is there', () => {
  const { clock, wall } = clockAt(1_000);
  clock.skewMs = 500;
  clock.startAt(86_400_000);
  wall.nowMs = 1_250;
  expect(clock.nowMs()).toBe(86_400_250);
});
