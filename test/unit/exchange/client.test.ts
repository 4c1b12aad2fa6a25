import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SarrafError } from '../../../src/domain/errors.ts';
import { ExchangeClient } from '../../../src/exchange/client.ts';
import type { ClientOptions, OutgoingRequest } from '../../../src/exchange/client-options.ts';
import { ENDPOINTS, type EndpointName } from '../../../src/exchange/endpoints.ts';
import { FakeTransport, inTurn, json } from './fake-transport.ts';
import { decodeReply } from '../../../src/exchange/reply-decoder.ts';
import {
  backOffOf,
  isDocumentedRefusal,
  normaliseCode,
  refusalTraits,
} from '../../../src/exchange/refusals.ts';
import { parseJson } from '../../../src/domain/stored-json.ts';
import { createHash } from 'node:crypto';

/** Codes copied by hand from the interface's tables, not from the source. */
const DOCUMENTED = `
  InvalidOrderPrice BadPrice PriceConditionFailed OverValueOrder SmallOrder DuplicateOrder
  InvalidMarketPair MarketClosed TradingUnavailable FeatureUnavailable DuplicateClientOrderId NullIdAndClientOrderId
  UnexpectedMarketPrice TradeLimitation ParseError InvalidAmount SameDestination WalletNotFound
  InsufficientBalance -1 -2 -3 -4 -5
  -6 -7 -8 -9 -10 -11
  -21 -22 -23 -31 -32 -41
  BankAccountNotFound WithdrawUnavailable WithdrawAmountLimitation AmountTooLow AmountTooHigh WithdrawLimitReached
  WithdrawRequestNotFound CancellationFailed NotCancellable
`
  .trim()
  .split(/\s+/);

const outcome = (code: string, endpoint: keyof typeof ENDPOINTS): string =>
  refusalTraits(code, { endpoint: ENDPOINTS[endpoint] }).outcome;

describe('refusals', () => {
  it.each(DOCUMENTED)('knows the documented code %s', (code) => {
    expect(isDocumentedRefusal(code)).toBe(true);
  });

  it('does not take a name of Object for a code', () => {
    expect(isDocumentedRefusal('constructor')).toBe(false);
    expect(refusalTraits('toString', { endpoint: ENDPOINTS.addOrder })).toEqual({
      retry: 'never',
      outcome: 'unknown',
    });
  });

  it('lets a closed market be tried again and a verified payment count as applied', () => {
    expect(refusalTraits('MarketClosed', { endpoint: ENDPOINTS.addOrder })).toEqual({
      retry: 'safe',
      outcome: 'none',
    });
    expect(refusalTraits('-32', { endpoint: ENDPOINTS.gatewayVerify }).outcome).toBe('applied');
  });

  it('leaves the outcome of a write unknown where the code is not one of that very call, and that of a read is none', () => {
    expect(outcome('OverValueOrder', 'addOrder')).toBe('none');
    expect(outcome('ParseError', 'addOrder')).toBe('none');
    for (const code of [
      'Strange',
      'Failed',
      'BadRequest',
      'NotFound',
      'AmountTooLow',
      'NullIdAndClientOrderId',
      '-5',
    ]) {
      expect(outcome(code, 'addOrder'), code).toBe('unknown');
    }
    expect(outcome('AmountTooLow', 'createWithdrawal')).toBe('none');
    expect(outcome('OverValueOrder', 'createWithdrawal')).toBe('unknown');
    expect(outcome('BadRequest', 'createWithdrawal')).toBe('unknown');
    expect(outcome('NotFound', 'updateOrderStatus')).toBe('none');
    expect(outcome('OverValueOrder', 'updateOrderStatus')).toBe('unknown');
    expect(outcome('Strange', 'ordersList')).toBe('none');
  });

  it('reads a gateway code with its minus at the end', () => {
    expect(normaliseCode('32-')).toBe('-32');
    expect(normaliseCode('-32')).toBe('-32');
    expect(normaliseCode('ParseError')).toBe('ParseError');
  });
});

const merchant = { api: 'shop', apiSecret: 'very-secret' };

const setUp = (...replies: readonly ReturnType<typeof json>[]) => {
  const transport = inTurn(...replies);
  const client = new ExchangeClient({ transport, siteUrl: 'https://site.example' });
  return { gateway: client.gateway(merchant), transport };
};

const verified = (txHash: string) =>
  json({ status: 'success', amount: 250_000, cryptoAmount: 0.0123, txHash });

describe('PaymentGateway', () => {
  it('sends the key of the merchant and never the secret', async () => {
    const { gateway, transport } = setUp(json({ status: 'success', token: 't1' }));
    const sent = await gateway.send({ amount: 250_000, callbackURL: 'https://shop.example/back' });
    expect(sent).toEqual({ ok: true, value: { token: 't1' } });
    expect(JSON.parse(transport.sent[0]?.body ?? '')).toMatchObject({ api: 'shop', amount: 250_000 });
    expect(JSON.stringify(transport.sent)).not.toContain('very-secret');
  });

  it('accepts a payment whose hash fits token, amount and secret', async () => {
    const hash = createHash('md5').update('t1250000very-secret').digest('hex');
    const { gateway } = setUp(verified(hash), verified(hash.toUpperCase()));
    expect(await gateway.verify('t1')).toMatchObject({
      ok: true,
      value: { amount: '250000', cryptoAmount: '0.0123' },
    });
    expect(await gateway.verify('t1')).toMatchObject({ ok: true });
  });

  it('refuses a payment whose hash does not fit', async () => {
    const { gateway } = setUp(
      verified(createHash('md5').update('t2250000very-secret').digest('hex')),
      verified('short'),
    );
    expect(await gateway.verify('t1')).toMatchObject({ ok: false, code: 'HashMismatch', outcome: 'unknown' });
    expect(await gateway.verify('t1')).toMatchObject({ ok: false, code: 'HashMismatch' });
  });

  it.each(['-32', -32, '32-'])('reads the failure code %j', async (code) => {
    const { gateway } = setUp(json({ status: 'failed', code, message: 'Verified before' }));
    expect(await gateway.verify('t1')).toMatchObject({ ok: false, code: '-32', outcome: 'applied' });
  });

  it('knows the payment page and reads the return of the payer', () => {
    const { gateway } = setUp(json({}));
    expect(gateway.payPageUrl('a/b')).toBe('https://site.example/app/paygate/a%2Fb');
    expect(gateway.parseCallback('https://shop.example/back?status=1&token=t1')).toEqual({
      token: 't1',
      claimsSuccess: true,
    });
    expect(gateway.parseCallback('/back?status=0&token=t1')).toEqual({ token: 't1', claimsSuccess: false });
    expect(gateway.parseCallback('/back?status=1')).toBeNull();
  });
});

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

const DEPTH = 100_000;
const NESTED = '['.repeat(DEPTH) + ']'.repeat(DEPTH);

/** Decodes a body as the reply to a call; returns the error or the refusal. */
function endOf(name: EndpointName, body: unknown, status = 200): SarrafError | { readonly outcome: string } {
  try {
    const result = decodeReply(name, json(body, status));
    if (result.ok) throw new TypeError('expected no value of this reply');
    return result;
  } catch (error) {
    if (error instanceof SarrafError) return error;
    throw error;
  }
}

const ORDER = { id: 7, type: 'buy', amount: '1', matchedAmount: '0', market: 'BTC-USDT', status: 'Active' };

describe('a reply that can not be read', () => {
  it.each<[string, unknown]>([
    ['a message that is an object', { status: 'failed', message: { toString: 'no', text: 'x' } }],
    ['a message that is nested deeply', `{"status":"failed","message":${NESTED}}`],
    ['a code that is nested deeply', `{"status":"failed","code":${NESTED}}`],
    ['a message of objects', { status: 'failed', message: [{ a: 1 }, { toString: null }] }],
    ['an order that is nested deeply', `{"status":"ok","order":${NESTED}}`],
    ['an order that is a list', { status: 'ok', order: [] }],
    ['an amount that is an object', { status: 'ok', order: { ...ORDER, amount: {} } }],
    ['an amount that is a boolean', { status: 'ok', order: { ...ORDER, amount: true } }],
    ['a matched amount that is null', { status: 'ok', order: { ...ORDER, matchedAmount: null } }],
    [
      'an amount with an exponent beyond all bounds',
      { status: 'ok', order: { ...ORDER, amount: '1e999999' } },
    ],
    ['an id beyond all integers', { status: 'ok', order: { ...ORDER, id: 1e300 } }],
  ])('is the error of its request, and leaves a placement unknown: %s', (_, body) => {
    expect(endOf('addOrder', body).outcome).toBe('unknown');
  });

  it.each([
    ['orderBook', 'a price level that is null', { status: 'ok', bids: [[null, '1']], asks: [] }],
    ['orderBook', 'an amount that is null', { status: 'ok', bids: [['1', null]], asks: [] }],
    ['orderBook', 'a price of nothing', { status: 'ok', bids: [['0', '1']], asks: [] }],
    ['orderBook', 'an amount below nothing', { status: 'ok', bids: [['1', '-1']], asks: [] }],
    ['orderBook', 'a level that is an object', { status: 'ok', bids: [{ 0: '1', 1: '2' }], asks: [] }],
    ['orderBook', 'a price that is an object', { status: 'ok', bids: [[{}, '1']], asks: [] }],
    ['orderBook', 'sides that are nested deeply', `{"status":"ok","bids":${NESTED},"asks":[]}`],
    ['ordersList', 'a list that is an object', { status: 'ok', orders: { 0: ORDER } }],
    ['ordersList', 'an order that is null', { status: 'ok', orders: [null] }],
    ['tradesList', 'a trade without an id', { status: 'ok', trades: [{ orderId: 1 }] }],
    ['wallets', 'a wallet that is a boolean', { status: 'ok', wallets: { BTC: true } }],
    ['history', 'columns that are booleans', { s: 'ok', t: [true], o: [1], h: [1], l: [1], c: [1], v: [1] }],
  ] as const)('of %s is to be asked for again: %s', (name, _, body) => {
    expect(endOf(name, body)).toMatchObject({ code: 'UNEXPECTED_REPLY', outcome: 'none', retry: 'safe' });
  });

  it('asks for no wait that can be read', () => {
    expect(backOffOf(json(`{"status":"failed","message":${NESTED},"backOff":${NESTED}}`, 400))).toBeNull();
  });
});

describe('a row of a list that can not be read', () => {
  const order = { id: 7, type: 'buy', market: 'BTC-USDT', amount: '1', matchedAmount: '0', price: '98' };
  const trade = { id: 3, type: 'buy', price: '98', amount: '1', total: '98', fee: '0' };
  const line = { id: 9, amount: '1' };
  const wallet = { id: 1, balance: '1', blocked: '0' };
  const steps = { BTCIRT: {}, BTCUSDT: '0.01' };

  it.each([
    ['ordersList', 'orders.1', { orders: [order, { ...order, id: 8, amount: null }] }],
    ['tradesList', 'trades.0', { trades: [{ ...trade, price: {} }, trade] }],
    ['walletTransactions', 'transactions.1', { transactions: [line, { id: 10, amount: 'x' }] }],
    ['wallets', 'wallets.BTC', { wallets: { BTC: { ...wallet, balance: [] }, RLS: wallet } }],
    ['marketStats', 'stats.btc-usdt', { stats: { 'btc-usdt': { latest: {} }, 'btc-rls': { latest: '1' } } }],
    ['options', 'amountPrecisions.BTCIRT', { 'service.amountPrecisions': steps }],
  ] as const)('of %s costs itself where that is asked for, and else the call: %s', (name, place, body) => {
    const response = { status: 200, headers: {}, body: JSON.stringify({ status: 'ok', ...body }) };
    expect(() => decodeReply(name, response)).toThrow(SarrafError);
    const result = decodeReply(name, response, { eachRow: true });
    if (!result.ok) throw new Error(result.message);
    expect(result.unread?.map((row) => `${row.list}.${row.place}`)).toEqual([place]);
    const { value } = result;
    if (Array.isArray(value)) expect(value).toHaveLength(1);
    else if ('items' in value) expect(value.items).toHaveLength(1);
    else expect(value).toMatchObject({ amountSteps: { BTCUSDT: '0.01' } });
  });

  it.each([
    ['where none is left, since the form is another one', { orders: [{ ...order, amount: null }] }],
    ['where something beside it is wrong', { orders: [order, { ...order, amount: null }], hasNext: {} }],
  ])('is the error of the call %s', (_, body) => {
    const response = { status: 200, headers: {}, body: JSON.stringify({ status: 'ok', ...body }) };
    expect(() => decodeReply('ordersList', response, { eachRow: true })).toThrow(SarrafError);
  });
});

describe('parseJson', () => {
  it.each([
    ['{"a":0.10}', { a: '0.10' }],
    ['{"a":12345678901234567890}', { a: '12345678901234567890' }],
    ['[1e5, 0E-10, -2.5]', ['1e5', '0E-10', '-2.5']],
    ['{"a": 9007199254740993}', { a: '9007199254740993' }],
    ['0.1', '0.1'],
    ['[-0, 1.0]', ['-0', '1.0']],
  ])('gives the source text of numbers that a float may change: %s', (text, expected) => {
    expect(parseJson(text)).toEqual(expected);
  });

  it.each([
    ['{"id":25,"big":9007199254740991,"no":-3}', { id: 25, big: Number.MAX_SAFE_INTEGER, no: -3 }],
    [
      '{"text":"a:1.5","list":["0.10"],"flag":true,"none":null}',
      { text: 'a:1.5', list: ['0.10'], flag: true, none: null },
    ],
  ])('leaves safe integers and everything that is no number as they are: %s', (text, expected) => {
    expect(parseJson(text)).toEqual(expected);
  });

  it('refuses what is no JSON', () => {
    expect(() => parseJson('{"a":1.5')).toThrow(SyntaxError);
  });
});
