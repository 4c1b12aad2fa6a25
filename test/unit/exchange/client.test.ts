import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SarrafError } from '../../../src/domain/errors.ts';
import { ExchangeClient } from '../../../src/exchange/client.ts';
import type { ClientOptions, OutgoingRequest } from '../../../src/exchange/client-options.ts';
import { ENDPOINTS, type EndpointName } from '../../../src/exchange/endpoints.ts';
import { FakeTransport, inTurn, json } from './fake-transport.ts';

const order = { type: 'buy', srcCurrency: 'btc', dstCurrency: 'rls', amount: '0.1', price: '1' } as const;
const wireOrder = { id: 7, type: 'buy', amount: '0.1', matchedAmount: '0', status: 'Done' };

const clientOver = (
  transport: FakeTransport,
  options: Omit<ClientOptions, 'transport'> = {},
): ExchangeClient =>
  new ExchangeClient({ transport, credentials: { kind: 'token', token: 'abc' }, ...options });

describe('ExchangeClient', () => {
  it('has a method for every endpoint', () => {
    const client = clientOver(inTurn(json({})));
    for (const name of Object.keys(ENDPOINTS)) expect(client[name as EndpointName]).toBeTypeOf('function');
  });

  it('declares each endpoint under its own name', () => {
    expect(Object.values(ENDPOINTS).map((endpoint) => endpoint.name)).toEqual(Object.keys(ENDPOINTS));
  });

  it('names the package version as the user agent', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
    const transport = inTurn(json({ status: 'ok', balance: '1' }));
    await clientOver(transport).walletBalance({ currency: 'rls' });
    expect(transport.sent[0]?.headers['user-agent']).toBe(`TraderBot/sarraf-${version}`);
  });

  it('sends nothing when a request breaks a rule', async () => {
    const transport = inTurn(json({}));
    await expect(clientOver(transport).addOrder({ ...order, amount: '0' })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    });
    expect(transport.sent).toHaveLength(0);
  });

  it('sends no private call without credentials, and no token call with a key', async () => {
    const transport = inTurn(json({}));
    const key = {
      privateKey: 'BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=',
      publicKey: '6kpsY-KcUgq-9VB7Ey7F-ZVHdq6-vnuSQh7qaRRG0iw=',
    };
    await expect(
      clientOver(transport, { credentials: { kind: 'none' } }).addOrder(order),
    ).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    });
    await expect(
      clientOver(transport, { credentials: { kind: 'key', key } }).loginAttempts(),
    ).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    });
    expect(transport.sent).toHaveLength(0);
  });

  it('signs with headers that carry the name of the service', async () => {
    const transport = inTurn(json({ status: 'ok', order: wireOrder }));
    const key = {
      privateKey: 'BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=',
      publicKey: '6kpsY-KcUgq-9VB7Ey7F-ZVHdq6-vnuSQh7qaRRG0iw=',
    };
    await clientOver(transport, {
      credentials: { kind: 'key', key },
      serviceName: 'house',
      nowMs: () => 1_700_000_000_999,
    }).addOrder(order);
    expect(transport.sent[0]?.headers).toMatchObject({
      'House-Key': key.publicKey,
      'House-Timestamp': '1700000000',
    });
    expect(transport.sent[0]?.headers['House-Signature']).toHaveLength(88);
    expect(transport.sent[0]?.headers).not.toHaveProperty('authorization');
  });

  it('hands over the state of an order that could not be cancelled', async () => {
    const transport = inTurn(
      json({ status: 'failed', updatedStatus: 'Done', order: wireOrder }),
      json({ status: 'failed', updatedStatus: 'Done' }),
    );
    const client = clientOver(transport);
    const request = { order: 7, status: 'canceled' } as const;
    expect(await client.updateOrderStatus(request)).toMatchObject({
      ok: false,
      code: 'NotApplied',
      updatedStatus: 'Done',
      order: { id: 7 },
    });
    expect(await client.updateOrderStatus(request)).toMatchObject({ code: 'NotApplied', order: null });
  });

  it('returns an unknown order as a refusal', async () => {
    const transport = inTurn(json({ error: 'NotFound', message: 'No Order matches the given query.' }, 404));
    expect(await clientOver(transport).orderStatus({ id: 1 })).toMatchObject({
      ok: false,
      code: 'NotFound',
      httpStatus: 404,
      outcome: 'none',
    });
  });

  it.each<[string, ReturnType<typeof json>, number | null]>([
    ['403 with details', json({ detail: 'limit exceeded' }, 403), null],
    ['403 without a word', json('', 403), null],
    [
      '403 that speaks of a limit and a permission',
      json({ message: 'no permission: too many requests' }, 403),
      null,
    ],
    [
      '429',
      json({ status: 'failed', code: 'TooManyRequests', message: 'm', backOff: 12, limit: 60 }, 429),
      12_000,
    ],
    ['429 with both waits', json({ backOff: 12 }, 429, { 'retry-after': '30' }), 30_000],
    [
      '403 with a date to wait for',
      json({}, 403, {
        date: 'Tue, 28 Jul 2026 08:00:00 GMT',
        'retry-after': 'Tue, 28 Jul 2026 09:00:00 GMT',
      }),
      3_600_000,
    ],
    ['the code in a 200', json({ status: 'failed', code: 'TooManyRequests', message: 'm' }), null],
  ])('takes %s for a rate limit', async (_what, reply, backOffMs) => {
    const error: unknown = await clientOver(inTurn(reply))
      .addOrder(order)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'RATE_LIMITED',
      outcome: 'none',
      details: { budget: 'orders/add', backOffMs },
    });
  });

  it.each<[string, Readonly<Record<string, string>>, string, boolean]>([
    ['JSON that was cut off', { 'content-type': 'application/json; charset=utf-8' }, '{"status":"fai', true],
    ["a proxy's page", { 'content-type': 'text/html' }, '<html>', false],
    ["a proxy's page that is said to be JSON", { 'content-type': 'application/json' }, '<html>', false],
    ['what is not said to be JSON', {}, '{"status":"fai', false],
  ])(
    'marks for a limit reply with %s whether the exchange named its wait',
    async (_what, headers, body, isOwn) => {
      const reply = { status: 429, headers: { ...headers, 'retry-after': '3600' }, body };
      await expect(clientOver(inTurn(reply)).addOrder(order)).rejects.toMatchObject({
        code: 'RATE_LIMITED',
        outcome: 'unknown',
        details: { backOffMs: 3_600_000, limit: null, isOwn },
      });
    },
  );

  it('distinguishes a permission from a limit by the message of a 403', async () => {
    const transport = inTurn(json({ detail: 'You do not have permission to perform this action.' }, 403));
    await expect(clientOver(transport).addOrder(order)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      retry: 'never',
      outcome: 'none',
    });
  });

  it('returns a documented code as a refusal even with status 403', async () => {
    const transport = inTurn(json({ status: 'failed', code: 'TradingUnavailable', message: 'm' }, 403));
    expect(await clientOver(transport).addOrder(order)).toMatchObject({
      ok: false,
      code: 'TradingUnavailable',
    });
  });

  it('asks for admission before each request, with the limit in force', async () => {
    const asked: OutgoingRequest[] = [];
    const transport = inTurn(json({ status: 'ok', balance: '1' }));
    const client = clientOver(transport, {
      limits: { 'users/wallets/balance': { limit: 5, windowMs: 1000 } },
      admit: (request) => {
        asked.push(request);
        if (asked.length > 1) throw new SarrafError('CLOSED', 'not admitted');
      },
    });
    await client.walletBalance({ currency: 'rls' });
    await expect(client.walletBalance({ currency: 'rls' })).rejects.toThrow('not admitted');
    expect(asked[0]).toMatchObject({
      endpoint: 'walletBalance',
      attempt: 1,
      budget: { limit: 4, windowMs: 1000 },
    });
    expect(transport.sent).toHaveLength(1);
  });

  it('refuses a limit for a budget that does not exist', () => {
    expect(() => clientOver(inTurn(json({})), { limits: { nothing: { limit: 1, windowMs: 1 } } })).toThrow(
      'was "nothing"',
    );
  });

  it('uses the time-out of the call, then of the options, then of the declaration', async () => {
    const transport = inTurn(json({ status: 'ok', balance: '1' }));
    const client = clientOver(transport, { timeoutsMs: { walletBalance: 2 } });
    await client.walletBalance({ currency: 'rls' }, { timeoutMs: 1 });
    await client.walletBalance({ currency: 'rls' });
    await clientOver(transport).walletBalance({ currency: 'rls' });
    expect(transport.sent.map((sent) => sent.timeoutMs)).toEqual([1, 2, ENDPOINTS.walletBalance.timeoutMs]);
  });
});

describe('retries', () => {
  const retry = { attempts: 4, baseMs: 100, maxMs: 250 };
  const lost = new SarrafError('CONNECTION_LOST', 'lost');

  it('repeats a read with pauses that double up to their bound, and then gives up', async () => {
    const pauses: number[] = [];
    const transport = inTurn(lost);
    const client = clientOver(transport, {
      retry,
      random: () => 0.5,
      sleep: async (pauseMs) => void pauses.push(pauseMs),
    });
    await expect(client.walletBalance({ currency: 'rls' })).rejects.toMatchObject({
      code: 'CONNECTION_LOST',
    });
    expect(transport.sent).toHaveLength(4);
    expect(pauses).toEqual([50, 100, 125]);
  });

  it('ends with the first answer', async () => {
    const transport = inTurn(lost, json('', 502), json({ status: 'ok', balance: '3.50' }));
    const client = clientOver(transport, { retry, sleep: async () => {} });
    expect(await client.walletBalance({ currency: 'rls' })).toEqual({ ok: true, value: '3.5' });
    expect(transport.sent).toHaveLength(3);
  });

  it.each<[string, Error | ReturnType<typeof json>]>([
    ['a rate limit', json({ backOff: 1 }, 429)],
    ['refused credentials', json({ detail: 'bad' }, 401)],
    ['a refusal', json({ status: 'failed', code: 'MarketClosed', message: 'm' })],
  ])('does not repeat a read after %s', async (_what, answer) => {
    const transport = inTurn(answer);
    const client = clientOver(transport, { retry, sleep: async () => {} });
    await client.walletBalance({ currency: 'rls' }).catch(() => null);
    expect(transport.sent).toHaveLength(1);
  });

  it('never repeats a write, not even one that surely did not arrive', async () => {
    const transport = inTurn(new SarrafError('CONNECTION_REFUSED', 'refused'));
    const client = clientOver(transport, { retry, sleep: async () => {} });
    await expect(client.addOrder(order, { retry })).rejects.toMatchObject({ code: 'CONNECTION_REFUSED' });
    expect(transport.sent).toHaveLength(1);
  });

  it('refuses a policy without a bound', () => {
    expect(() =>
      clientOver(inTurn(json({})), { retry: { attempts: Infinity, baseMs: 1, maxMs: 1 } }),
    ).toThrow('expected 1 to 10 attempts');
  });
});
