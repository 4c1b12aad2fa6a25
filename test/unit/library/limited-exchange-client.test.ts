import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SarrafError } from '../../../src/domain/errors.ts';
import { type HttpRequest, type Transport } from '../../../src/exchange/transport.ts';
import {
  type LimitedClientOptions,
  LimitedExchangeClient,
} from '../../../src/library/limited-exchange-client.ts';
import { InProcessVenue } from '../../../src/simulator-server/in-process-venue.ts';
import { timersOf } from '../../../src/virtual/virtual-executor.ts';
import { VirtualTime } from '../../../src/virtual/virtual-time.ts';
import { START_MS, createVenue } from '../simulator/wire/fixture.ts';
import { getEventListeners } from 'node:events';
import { type Server, createServer } from 'node:http';
import { type AddressInfo } from 'node:net';

const MINUTE_MS = 60_000;

/** Requests that the client uses: 98 % of the 15 that the interface allows, rounded down. */
const USED = 14;

/** Makes the simulator with its limits on, and clients of it, in virtual time. */
function world(replace?: (request: HttpRequest) => Promise<{ status: number; body: string } | null>) {
  const time = new VirtualTime(START_MS);
  const venue = createVenue();
  const inner = new InProcessVenue({
    adapter: venue.adapter,
    now: () => time.now(),
    sleep: (ms) => time.sleep(ms),
  });
  const transport: Transport = {
    async send(request) {
      const reply = (await replace?.(request)) ?? null;
      return reply === null ? inner.send(request) : { headers: {}, ...reply };
    },
    close: () => inner.close(),
  };
  const statuses = () => venue.adapter.log.values().map(({ status }) => status);
  const open = (options: Partial<LimitedClientOptions> = {}) =>
    new LimitedExchangeClient(
      { transport, credentials: { kind: 'token', token: 'ali-token' }, nowMs: () => time.now(), ...options },
      { nowMs: () => time.now(), timers: timersOf(time) },
    );
  return { time, venue, statuses, open };
}

const trades = (client: LimitedExchangeClient, signal?: AbortSignal) =>
  client.publicTrades({ symbol: 'BTCIRT' }, signal === undefined ? {} : { signal });

describe('the client of the library', () => {
  test('sends 16 calls in a row without going over a limit of 15', async () => {
    const { time, statuses, open } = world();
    const client = open();
    const ended: number[] = [];
    for (let call = 0; call < 16; call += 1)
      void trades(client).then(() => ended.push(time.now() - START_MS));
    await time.run(START_MS + 10 * MINUTE_MS);
    expect(statuses()).toEqual(Array.from({ length: 16 }, () => 200));
    expect(ended.slice(0, USED)).toEqual(Array.from({ length: USED }, () => 0));
    expect(ended[USED]).toBeGreaterThan(MINUTE_MS);
    expect(ended[15]).toBeLessThan(MINUTE_MS + 2_000);
  });

  test('is locked out without its limits, as the 16th call shows', async () => {
    const { open, statuses } = world();
    const client = open({ limits: 'none' });
    for (let call = 0; call < 15; call += 1) expect((await trades(client)).ok).toBe(true);
    await expect(trades(client)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(statuses().at(-1)).toBe(403);
  });

  test('keeps to limits of its own', async () => {
    const { time, statuses, open } = world();
    const client = open({ limits: { 'v2/trades': { limit: 10, windowMs: 60_000 } } });
    for (let call = 0; call < 15; call += 1) void trades(client);
    await time.run(START_MS + 50_000);
    expect(statuses()).toHaveLength(9);
    await time.run(START_MS + 2 * MINUTE_MS);
    expect(statuses()).toHaveLength(15);
  });

  test('leaves a call that has its own limiter to that', async () => {
    const { open, statuses } = world();
    let admitted = 0;
    const client = open({ admit: () => void (admitted += 1) });
    for (let call = 0; call < 15; call += 1) await trades(client);
    await expect(trades(client)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      details: { httpStatus: 403 },
    });
    expect([admitted, statuses().length]).toEqual([16, 16]);
  });

  test('gives up a wait that its signal ends, and the others go on', async () => {
    const { time, statuses, open } = world();
    const client = open();
    const controller = new AbortController();
    for (let call = 0; call < 15; call += 1) void trades(client);
    const given = trades(client, controller.signal).catch((error: unknown) => error);
    const other = trades(client);
    await time.run(START_MS + 1_000);
    controller.abort();
    expect(await given).toMatchObject({ code: 'ABORTED', outcome: 'none' });
    await time.run(START_MS + 2 * MINUTE_MS);
    expect((await other).ok).toBe(true);
    expect(statuses()).toHaveLength(16);
  });

  test('sends nothing for a signal that has ended before', async () => {
    const { statuses, open } = world();
    await expect(trades(open(), AbortSignal.abort())).rejects.toMatchObject({
      code: 'ABORTED',
      outcome: 'none',
    });
    expect(statuses()).toEqual([]);
  });

  test('says after its longest wait that nothing was sent, and when the next may go', async () => {
    const { time, statuses, open } = world();
    const client = open({ maxWaitMs: 5_000 });
    for (let call = 0; call < USED; call += 1) void trades(client);
    const late = trades(client).catch((error: unknown) => error);
    await time.run(START_MS + 6_000);
    const error = await late;
    expect(error).toBeInstanceOf(SarrafError);
    expect(error).toMatchObject({
      code: 'RATE_LIMITED',
      outcome: 'none',
      details: { sent: false, budget: 'v2/trades' },
    });
    expect((error as SarrafError).details['backOffMs']).toBeGreaterThan(50_000);
    expect(statuses()).toHaveLength(USED);
  });

  test('a lockout that the exchange names ends every further call of its budget at once', async () => {
    const { time, open } = world(async ({ path }) =>
      path.startsWith('/v2/trades')
        ? {
            status: 429,
            body: '{"status":"failed","code":"TooManyRequests","message":"x","backOff":3600,"limit":15}',
          }
        : null,
    );
    const client = open();
    await expect(trades(client)).rejects.toMatchObject({ details: { httpStatus: 429 } });
    await expect(trades(client)).rejects.toMatchObject({ details: { sent: false, backOffMs: 3_600_000 } });
    expect((await client.options()).ok).toBe(true);
    expect(time.now()).toBe(START_MS);
  });

  test('a refused token is not shown to the exchange a hundred times', async () => {
    const { statuses, open } = world();
    const client = open({ credentials: { kind: 'token', token: 'nobodys' } });
    for (let call = 0; call < 5; call += 1) await client.profile().catch(() => null);
    expect(statuses()).toEqual([401]);
    // The error names the token as its cause, and no limit.
    await expect(client.profile()).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
      message: expect.stringContaining('refused these credentials with 401'),
      details: { sent: false },
    });
    expect((await client.options()).ok).toBe(true);
  });

  test('a call that its credentials can not make counts nowhere and bars no other', async () => {
    const { statuses, open } = world();
    const client = open({ credentials: { kind: 'none' } });
    await expect(client.profile()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    expect((await trades(client)).ok).toBe(true);
    expect(statuses()).toEqual([200]);
  });

  test('ends the waits of its calls when it is closed', async () => {
    const { open } = world();
    const client = open();
    for (let call = 0; call < USED; call += 1) await trades(client);
    const late = trades(client).catch((error: unknown) => error);
    await client.close();
    expect(await late).toMatchObject({ code: 'CLOSED', outcome: 'none' });
  });

  test.each([
    ['limits', { limits: 'all' as 'none' }],
    ['limits by a name that is none', { limits: { nowhere: { limit: 1, windowMs: 1 } } }],
    ['a longest wait below nothing', { maxWaitMs: -1 }],
    ['a longest wait that is no number', { maxWaitMs: Number.NaN }],
  ])('refuses %s', (_, options) => {
    expect(() => world().open(options)).toThrow(expect.objectContaining({ code: 'INVALID_OPTIONS' }));
  });

  test('clients of one address and token share what they have used, others do not', async () => {
    const { time } = world();
    const clock = { nowMs: () => time.now(), timers: timersOf(time) };
    const sent: string[] = [];
    const open = (host: string, token: string) => {
      const client = new LimitedExchangeClient(
        { baseUrl: `https://${host}.example`, credentials: { kind: 'token', token }, maxWaitMs: 1_000 },
        clock,
      );
      Object.defineProperty(client, 'transport', {
        value: {
          send: async ({ path }: HttpRequest) => {
            sent.push(`${host} ${token} ${path}`);
            return { status: 200, headers: {}, body: '{"status":"ok","trades":[],"favoriteMarkets":[]}' };
          },
          close: async () => undefined,
        },
      });
      return client;
    };
    for (let call = 0; call < USED; call += 1) await trades(open('one', 'a'));
    const inTime = async (reply: Promise<unknown>): Promise<unknown> => {
      const end = reply.catch((error: unknown) => error);
      await time.run(time.now() + 2_000);
      return end;
    };
    for (const token of ['a', 'b'])
      expect(await inTime(trades(open('one', token)))).toMatchObject({ details: { sent: false } });
    expect((await trades(open('other', 'a'))).ok).toBe(true);
    for (let call = 0; call < 5; call += 1) await open('one', 'a').favoriteMarkets();
    expect(await inTime(open('one', 'a').favoriteMarkets())).toMatchObject({ details: { sent: false } });
    expect((await open('one', 'b').favoriteMarkets()).ok).toBe(true);
    expect(sent).toHaveLength(USED + 1 + 5 + 1);
  });
});

const CALLS = 200;
const BOOK = JSON.stringify({ status: 'ok', lastUpdate: 1, bids: [], asks: [] });

/** Makes a slow server: it never answers every seventh request, and answers every fifth with status 500. */
function createSlowServer(): Server {
  let count = 0;
  return createServer((request, response) => {
    const number = (count += 1);
    request.resume();
    if (number % 7 === 0) return;
    setTimeout(() => {
      response.statusCode = number % 5 === 0 ? 500 : 200;
      response.end(number % 5 === 0 ? '{}' : BOOK);
    }, 10);
  });
}

describe(`${CALLS} calls of one client with one signal at a slow exchange`, () => {
  let server: Server;
  let warnings: Error[];
  const keep = (warning: Error): void => void warnings.push(warning);

  beforeEach(async () => {
    warnings = [];
    process.on('warning', keep);
    server = createSlowServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    process.off('warning', keep);
    server.closeAllConnections();
    server.close();
  });

  test.each([
    ['with limits of its own', { 'v2/orderbook': { limit: 1_000, windowMs: 60_000 } }],
    ['without limits', 'none'],
  ] as const)('end in an answer or an error and leave no listener and no warning, %s', async (_, limits) => {
    const { port } = server.address() as AddressInfo;
    const retry = { attempts: 3, baseMs: 1, maxMs: 5 };
    const client = new LimitedExchangeClient({
      baseUrl: `http://127.0.0.1:${port}`,
      limits,
      maxWaitMs: 1_000,
      retry,
    });
    const { signal } = new AbortController();
    const outcomes = await Promise.all(
      Array.from({ length: CALLS }, () =>
        client.orderBook({ symbol: 'BTCIRT' }, { signal, timeoutMs: 100 }).then(
          () => 'answered',
          (error: unknown) => (error instanceof SarrafError ? error.code : String(error)),
        ),
      ),
    );
    await client.close();
    // A warning is emitted in a later turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    const known = new Set(['answered', 'TIMED_OUT', 'SERVER_ERROR', 'RATE_LIMITED', 'CONNECTION_LOST']);
    expect(outcomes.filter((outcome) => !known.has(outcome))).toEqual([]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(warnings).toEqual([]);
  });
});
