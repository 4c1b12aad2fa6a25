import { createServer, type Server } from 'node:http';
import { createServer as createSocketServer, type AddressInfo, type Server as SocketServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { SarrafError } from '../../../src/domain/errors.ts';
import { ExchangeClient } from '../../../src/exchange/client.ts';
import { UndiciTransport } from '../../../src/exchange/undici-transport.ts';

const order = { type: 'buy', srcCurrency: 'btc', dstCurrency: 'rls', amount: '0.1', price: '1' } as const;
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function listen(server: Server | SocketServer): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  closing.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const answering = (status: number, body: string, type = 'application/json'): Promise<string> =>
  listen(
    createServer((_request, response) => {
      response.writeHead(status, { 'content-type': type }).end(body);
    }),
  );

function clientOf(baseUrl: string, timeoutMs = 5000): ExchangeClient {
  const client = new ExchangeClient({
    baseUrl,
    credentials: { kind: 'token', token: 'abc' },
    timeoutsMs: { addOrder: timeoutMs, orderBook: timeoutMs },
  });
  closing.push(() => client.close());
  return client;
}

/** Blocks this process for 400 ms, as a process that is stopped. */
function standStill(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
}

async function failure(work: Promise<unknown>): Promise<SarrafError> {
  const error: unknown = await work.then(
    (value) => new Error(`expected a failure, was ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (error instanceof SarrafError) return error;
  throw error;
}

/** Returns an address on which nothing listens: its port was free a moment ago. */
async function freePort(): Promise<string> {
  const server = createSocketServer();
  const url = await listen(server);
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return url;
}

describe('placing an order over HTTP', () => {
  it('knows that nothing happened when the connection is refused', async () => {
    const error = await failure(clientOf(await freePort()).addOrder(order));
    expect(error).toMatchObject({ code: 'CONNECTION_REFUSED', outcome: 'none', retry: 'safe' });
  });

  it('knows that nothing happened when the host has no address', async () => {
    const error = await failure(clientOf('http://no-such-host.invalid').addOrder(order));
    expect(error).toMatchObject({ outcome: 'none', retry: 'safe' });
    expect(['HOST_NOT_FOUND', 'CONNECTION_FAILED']).toContain(error.code);
  });

  it('leaves the order unknown when the connection is reset', async () => {
    const url = await listen(
      createSocketServer((socket) => {
        socket.on('error', () => {});
        socket.once('data', () => socket.resetAndDestroy());
      }),
    );
    const error = await failure(clientOf(url).addOrder(order));
    expect(error).toMatchObject({ code: 'CONNECTION_LOST', outcome: 'unknown', retry: 'never' });
  });

  it('leaves the order unknown when the reply does not come in time', async () => {
    const url = await listen(createServer(() => {}));
    const error = await failure(clientOf(url, 500).addOrder(order));
    expect(error).toMatchObject({ code: 'TIMED_OUT', outcome: 'unknown', retry: 'never' });
  });

  it('leaves the order unknown when the caller gives up on a reply under way', async () => {
    const abort = new AbortController();
    const url = await listen(createServer(() => abort.abort()));
    const error = await failure(clientOf(url).addOrder(order, { signal: abort.signal }));
    expect(error).toMatchObject({ code: 'ABORTED', outcome: 'unknown' });
  });

  it('sends nothing when the caller had given up before', async () => {
    let requests = 0;
    const url = await listen(
      createServer((_request, response) => {
        requests += 1;
        response.end('{}');
      }),
    );
    const error = await failure(clientOf(url).addOrder(order, { signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ code: 'ABORTED', outcome: 'none' });
    expect(requests).toBe(0);
  });

  it.each<[string, number, string, string]>([
    ['a proxy answers with a page', 502, '<html>Bad gateway</html>', 'SERVER_ERROR'],
    ['the server fails with JSON', 500, '{"status":"failed"}', 'SERVER_ERROR'],
    ['a page comes with status 200', 200, '<!doctype html><p>hello', 'HTML_REPLY'],
    ['the JSON is cut off', 200, '{"status":"ok","order":{"id":2', 'TRUNCATED_REPLY'],
    ['the body is empty', 200, '', 'EMPTY_REPLY'],
    ['the order is missing', 200, '{"status":"ok"}', 'UNEXPECTED_REPLY'],
    ['a list comes for an object', 200, '[]', 'UNEXPECTED_REPLY'],
    ['a redirect comes', 302, '{}', 'UNEXPECTED_REPLY'],
  ])('leaves the order unknown when %s', async (_what, status, body, code) => {
    const error = await failure(clientOf(await answering(status, body)).addOrder(order));
    expect(error).toMatchObject({ code, outcome: 'unknown', retry: 'never' });
    expect(error.details).toMatchObject({ httpStatus: status });
  });

  it('leaves the order unknown when the body ends before its announced length', async () => {
    const url = await listen(
      createSocketServer((socket) => {
        socket.on('error', () => {});
        socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"status":"ok"'));
      }),
    );
    expect(await failure(clientOf(url).addOrder(order))).toMatchObject({
      code: 'CONNECTION_LOST',
      outcome: 'unknown',
    });
  });
});

it('reading over HTTP may be asked again after an unclear answer, since nothing changed', async () => {
  const error = await failure(clientOf(await answering(200, '')).orderBook({ symbol: 'BTCIRT' }));
  expect(error).toMatchObject({ code: 'EMPTY_REPLY', outcome: 'none', retry: 'safe' });
  const url = await listen(createServer(() => {}));
  const late = await failure(clientOf(url, 500).orderBook({ symbol: 'BTCIRT' }));
  expect(late).toMatchObject({ code: 'TIMED_OUT', outcome: 'none', retry: 'safe' });
});

describe('UndiciTransport', () => {
  const get = { method: 'GET', path: '/', headers: {}, body: null, timeoutMs: 5000 } as const;

  it('ends a reply that is larger than its bound', async () => {
    const transport = new UndiciTransport({
      baseUrl: await answering(200, 'x'.repeat(5000)),
      maxReplyBytes: 1000,
    });
    closing.push(() => transport.close());
    expect(await failure(transport.send(get))).toMatchObject({ code: 'REPLY_TOO_LARGE' });
  });

  it('sends one request at a time on a socket, and none that timed out while it waited for one', async () => {
    let requests = 0;
    const arrived = Promise.withResolvers<void>();
    const url = await listen(
      createServer(() => {
        requests += 1;
        arrived.resolve();
      }),
    );
    const transport = new UndiciTransport({ baseUrl: url, connections: 1 });
    closing.push(() => transport.close());
    const abort = new AbortController();
    const first = failure(transport.send({ ...get, timeoutMs: 60_000, signal: abort.signal }));
    await arrived.promise;
    expect(await failure(transport.send({ ...get, timeoutMs: 20 }))).toMatchObject({
      code: 'TIMED_OUT',
      outcome: 'none',
    });
    abort.abort();
    expect(await first).toMatchObject({ code: 'ABORTED', outcome: 'unknown' });
    expect(requests).toBe(1);
  });

  it('holds up no call behind others that get no reply', async () => {
    const silent = new Set<string>();
    const allArrived = Promise.withResolvers<void>();
    const url = await listen(
      createServer((request, response) => {
        const path = request.url ?? '';
        if (path === '/answered') response.end('{}');
        else if (silent.add(path).size === 20) allArrived.resolve();
      }),
    );
    const transport = new UndiciTransport({ baseUrl: url });
    const unanswered = Array.from({ length: 20 }, (_, index) =>
      failure(transport.send({ ...get, path: `/silent/${index}`, timeoutMs: 60_000 })),
    );
    await allArrived.promise;
    expect((await transport.send({ ...get, path: '/answered' })).status).toBe(200);
    await transport.close();
    for (const error of await Promise.all(unanswered)) expect(error).toMatchObject({ code: 'CLOSED' });
  });

  it('sends nothing that a limit admitted when the process stood still while it waited for its connection', async () => {
    let seen = 0;
    const url = await listen(
      createServer((_request, response) => {
        seen += 1;
        response.end('{}');
      }),
    );
    let commitMs = 0;
    const transport = new UndiciTransport({ baseUrl: url, commitMs: () => commitMs });
    closing.push(() => transport.close());
    const admitted = { ...get, timeoutMs: 5_000, admittedForMs: 250 };
    const sending = failure(transport.send(admitted));
    standStill();
    expect(await sending).toMatchObject({ outcome: 'none', details: { stoodStill: true } });
    expect(seen).toBe(0);
    // Without a limit nothing becomes stale, a cancel may be late, and our own commits are no standstill.
    const others = [transport.send(get), transport.send({ ...admitted, admittedForMs: 30_000 })];
    standStill();
    await Promise.all(others);
    const beside = transport.send(admitted);
    standStill();
    commitMs += 400;
    expect((await beside).status).toBe(200);
    expect(seen).toBe(3);
  });

  it('refuses one call more than its bound', async () => {
    const url = await listen(createServer(() => {}));
    const transport = new UndiciTransport({ baseUrl: url, maxPending: 1 });
    closing.push(() => transport.close());
    const first = failure(transport.send({ ...get, timeoutMs: 100 }));
    expect(await failure(transport.send(get))).toMatchObject({ code: 'TOO_MANY_CALLS', outcome: 'none' });
    await first;
  });

  it('ends calls under way when it is closed, and takes no more', async () => {
    const transport = new UndiciTransport({ baseUrl: await listen(createServer(() => transport.close())) });
    expect(await failure(transport.send(get))).toMatchObject({ code: 'CLOSED', outcome: 'unknown' });
    expect(await failure(transport.send(get))).toMatchObject({ code: 'CLOSED', outcome: 'none' });
  });

  it.each(['ftp://host', 'host', 'https://host/api'])('refuses %s as an address', (baseUrl) => {
    expect(() => new UndiciTransport({ baseUrl })).toThrow('for baseUrl, was');
  });
});
