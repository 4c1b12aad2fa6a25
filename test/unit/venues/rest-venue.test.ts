import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import tiny from '../../../config/venues/tiny.ts';
import { parseUnits } from '../../../src/domain/money.ts';
import { SarrafError } from '../../../src/domain/errors.ts';
import { Secret } from '../../../src/configuration/secret-file.ts';
import type { HttpResponse } from '../../../src/exchange/transport.ts';
import { loadVenue } from '../../../src/venues/load-venue.ts';
import type { VenueCall } from '../../../src/venues/port.ts';
import { defineVenue } from '../../../src/venues/rest-venue.ts';
import type { ConnectOptions } from '../../../src/venues/venue-definition.ts';
import type { VenueEnd } from '../../../src/venues/venue-caller.ts';
import { FakeTransport, inTurn, json } from '../exchange/fake-transport.ts';
import { folderOfThisTest } from '../../support/temporary-folder.ts';

const TOKEN = { kind: 'token', token: new Secret('our-token') } as const;

function connect(transport: FakeTransport, over: Partial<ConnectOptions> = {}, venue = tiny) {
  return venue.connect({
    transport,
    credentials: TOKEN,
    settings: {
      name: 'service',
      orderBook: 'v2',
      limits: {},
      headroom: 0,
      ledgerFolder: null,
      baseUrl: 'http://tiny',
    },
    wallMs: () => 0,
    limiterMs: () => 0,
    limiter: () => {
      throw new Error('it is not needed');
    },
    onSecret: () => undefined,
    onProblem: () => undefined,
    ...over,
  });
}

/** Makes one call, with one reply or error of the network. */
async function end(call: VenueCall, reply: HttpResponse | Error): Promise<VenueEnd> {
  const { caller } = connect(inTurn(reply));
  return new Promise((onEnd, onError) => {
    caller.send(call, new AbortController().signal, { onEnd, onError });
  });
}

const PLACE: VenueCall = {
  kind: 'place',
  order: {
    clientOrderId: 'bot-a-1',
    base: 'btc',
    quote: 'usdt',
    side: 'buy',
    execution: 'limit',
    amount: parseUnits('0.25'),
    price: parseUnits('65000.01'),
    stopPrice: null,
    pro: false,
  },
};
const BOOK: VenueCall = { kind: 'book', market: 'BTCUSDT' };
const ROW = {
  id: 7,
  name: 'bot-a-1',
  market: 'BTCUSDT',
  side: 'buy',
  kind: 'limit',
  amount: '0.25',
  done: '0.1',
  value: '6500.001',
  fee: '0.0001',
  price: '65000.01',
  stop: null,
  state: 'resting',
  at: 1_767_614_400_000,
};

/** Declaration of a venue; only its parts that are checked matter. */
const call = {
  limit: 'markets',
  request: () => ({ method: 'GET', path: '/' }) as const,
  read: () => ({}) as never,
};
const DECLARED = {
  name: 'other',
  credentials: ['token'],
  limits: { markets: { limit: 1, windowMs: 1, per: 'ip' } },
  profile: tiny.profileFor({ orderBook: 'v2', credentials: null }),
  calls: {
    options: call,
    book: call,
    place: call,
    cancel: call,
    order: call,
    orders: call,
    trades: call,
    wallets: call,
    transactions: call,
  },
  authenticate: (request) => request,
  refusal: () => null,
} satisfies Parameters<typeof defineVenue>[0];

const orders = (status: 'open' | 'all'): VenueCall => ({
  kind: 'orders',
  status,
  market: null,
  from: null,
});

describe('a venue that is declared', () => {
  it('signs calls of the account, and no others', async () => {
    const transport = inTurn(json({ at: null, bids: [], asks: [] }), json(ROW));
    const { caller } = connect(transport);
    for (const call of [BOOK, PLACE])
      await new Promise((onEnd, onError) => {
        caller.send(call, new AbortController().signal, { onEnd, onError });
      });
    expect(transport.sent.map(({ headers }) => headers['x-token'])).toEqual([undefined, 'our-token']);
    expect([BOOK, PLACE].map((call) => [caller.credentialOf(call), caller.budgetOf(call)])).toEqual([
      ['none', 'markets'],
      ['with', 'trading'],
    ]);
  });

  it('reads a value to the last digit, with the bytes of the reply for people', async () => {
    const { answer, reply } = await end(PLACE, json(ROW));
    expect(answer).toMatchObject({
      outcome: 'value',
      value: {
        id: 'BTCUSDT-7',
        amount: parseUnits('0.25'),
        matchedAmount: parseUnits('0.1'),
        status: 'resting',
      },
    });
    expect(reply).toMatchObject({ endpoint: 'place', httpStatus: 200 });
  });

  it('says of each unclear end of an order that it may have happened, and of a read that it did nothing', async () => {
    const bad: readonly (HttpResponse | Error)[] = [
      json('<html>bad gateway</html>', 502),
      json({ error: 'in-trouble', text: 'inside' }, 503),
      json('no JSON at all'),
      json({ ...ROW, amount: 'many' }),
      json({ proxy: 'says no' }, 400),
      new SarrafError('TIMED_OUT', 'no reply'),
    ];
    for (const reply of bad) {
      expect((await end(PLACE, reply)).answer).toMatchObject({ outcome: 'failed', effect: 'unknown' });
      expect((await end(BOOK, reply)).answer).toMatchObject({ outcome: 'failed', effect: 'none' });
    }
  });

  it('tells refusals, limits and credentials apart', async () => {
    const refusal = await end(PLACE, json({ error: 'name-in-use', text: 'twice' }, 400));
    expect(refusal).toMatchObject({
      answer: { outcome: 'refused', code: 'name-in-use', effect: 'none' },
      error: null,
    });
    const limited = await end(PLACE, json({ error: 'too-many', text: 'slow' }, 429, { 'retry-after': '9' }));
    expect(limited.error).toMatchObject({
      code: 'RATE_LIMITED',
      details: { budget: 'trading', backOffMs: 9_000 },
    });
    const unauthorized = await end(PLACE, json({ error: 'bad-token', text: 'no' }, 401));
    expect(unauthorized.error).toMatchObject({ code: 'UNAUTHORIZED' });
  });

  it('leaves out a row that cannot be read, and names it', async () => {
    const call: VenueCall = { kind: 'orders', status: 'open', market: 'BTCUSDT', from: null };
    const { answer } = await end(call, json({ rows: [ROW, { ...ROW, side: 'up' }], more: false }));
    expect(answer).toMatchObject({
      outcome: 'value',
      value: { items: [{ id: 'BTCUSDT-7' }] },
      unread: [{ subject: 'order' }],
    });
  });

  it('sends nothing for a call that it does not have, and its plan says so', async () => {
    const transport = new FakeTransport(() => new Error('nothing may be sent'));
    const { caller } = connect(transport);
    const none = await new Promise<VenueEnd>((onEnd, onError) => {
      caller.send({ kind: 'cancel-old' }, new AbortController().signal, { onEnd, onError });
    });
    expect(none.answer).toMatchObject({ outcome: 'failed', effect: 'none' });
    expect(transport.sent).toEqual([]);
    const { unserved } = tiny.profileFor({ orderBook: 'v2', credentials: null });
    expect(unserved?.get('stats')).toBe('the venue tiny has no call for it');
  });

  it('takes the limits of the configuration, by its own names', () => {
    const limits = { account: { limit: 10, windowMs: 1_000 } };
    expect(tiny.budgetsFor({ limits, headroom: 0 }).get('account')).toMatchObject(limits.account);
    expect(() => tiny.budgetsFor({ limits: { lost: limits.account }, headroom: 0 })).toThrow(
      'expected one of markets, account, trading for limits, was "lost"',
    );
  });

  it('charges each limit of a call with its units, and hands on what the exchange has counted', async () => {
    const weighted = defineVenue({
      ...DECLARED,
      limits: {
        markets: { limit: 100, windowMs: 1_000, per: 'ip' },
        orders: { limit: 5, windowMs: 1_000, per: 'token' },
      },
      calls: {
        ...DECLARED.calls,
        place: { ...DECLARED.calls.place, limit: 'orders', also: { markets: 2 } },
        orders: {
          ...DECLARED.calls.orders,
          weight: { most: 20, of: ({ status }) => (status === 'open' ? 6 : 99) },
        },
      },
      usage: ({ headers }, { kind }) => ({
        markets: { used: Number(headers['x-used']), isCounted: kind !== 'place' },
        unknown: { used: 5 },
      }),
      refusal: ({ status }) =>
        status === 429 ? { kind: 'limited', message: 'banned', retryAfterMs: 9, limit: 'markets' } : null,
    });
    const profile = weighted.profileFor({ orderBook: 'v2', credentials: null });
    expect(profile.charges).toMatchObject({
      book: [{ budget: 'markets', weight: 1 }],
      orders: [{ budget: 'markets', weight: 20 }],
      place: [
        { budget: 'orders', weight: 1 },
        { budget: 'markets', weight: 2 },
      ],
    });
    const budgets = weighted.budgetsFor({ limits: {}, headroom: 0 });
    expect([...budgets.values()].map(({ isWeighted }) => isWeighted)).toEqual([true, undefined]);
    const replies = [json({}, 200, { 'x-used': '12' }), json({}, 200, { 'x-used': 'many' }), json({}, 429)];
    const { caller } = connect(inTurn(...replies), {}, weighted);
    expect([BOOK, PLACE, orders('open'), orders('all')].map((call) => caller.chargesOf?.(call))).toEqual([
      { weight: 1 },
      { weight: 1, also: [{ budget: 'markets', weight: 2 }] },
      { weight: 6 },
      { weight: 20 },
    ]);
    const ends: VenueEnd[] = [];
    for (const call of [PLACE, BOOK, PLACE])
      ends.push(
        await new Promise((onEnd, onError) => {
          caller.send(call, new AbortController().signal, { onEnd, onError });
        }),
      );
    expect(ends.map(({ usage, error }) => [usage, error?.details['limited']])).toEqual([
      [[{ budget: 'markets', used: 12, isCounted: false }], undefined],
      [[{ budget: 'markets', used: null, isCounted: true }], undefined],
      [undefined, 'markets'],
    ]);
  });

  it.each([
    [{ name: 'Tiny' }, 'expected a name of lower-case letters, digits and hyphens'],
    [{ calls: {} }, 'found none for place, cancel, order, orders, trades, wallets, book, options'],
    [{ limits: {} }, 'calls.options: expected one of the limits , was markets'],
    [
      { calls: { ...DECLARED.calls, book: { ...DECLARED.calls.book, weight: 0 } } },
      'calls.book: expected a whole positive number of units, was 0',
    ],
    [
      { calls: { ...DECLARED.calls, book: { ...DECLARED.calls.book, also: { orders: 1 } } } },
      'calls.book: expected one of the limits markets, was orders',
    ],
    [
      { limits: { markets: { limit: 0, windowMs: 1_000, per: 'ip' as const } } },
      'limits.markets: expected whole positive numbers, was 0 in 1000 ms',
    ],
  ])('is refused where it contradicts itself: %o', (over, message) => {
    expect(() => defineVenue({ ...DECLARED, ...over })).toThrow(message);
  });
});

const load = async (name: string, folder = folderOfThisTest()) => loadVenue({ name, folder });

describe('a venue that a configuration names', () => {
  it('is one that comes with sarraf, or the default export of a file', async () => {
    expect(await load('service')).toMatchObject({ name: 'service' });
    expect(await load('./config/venues/tiny.ts', process.cwd())).toMatchObject({ name: 'tiny' });
  });

  it.each([
    [
      'no-such-venue',
      'expected service, binance-spot, the path of a file such as ./my-venue.ts, or an installed package',
    ],
    ['./no-such-file.ts', 'found none of this name'],
  ])('%s is refused with what there is', async (name, message) => {
    await expect(load(name)).rejects.toThrow(message);
  });

  it.each([
    ['export default { name: "x" };', 'expected a default export made by defineVenue of sarraf/venue'],
    ['throw new Error("not today");', 'the file ends with not today'],
    [
      'export default { name: "service", profileFor() {}, budgetsFor() {}, connect() {} };',
      'expected a name of its own, found service',
    ],
  ])('is refused where its file is wrong: %s', async (text, message) => {
    const folder = folderOfThisTest();
    writeFileSync(join(folder, 'wrong.mjs'), text);
    await expect(load('./wrong.mjs', folder)).rejects.toThrow(message);
  });
});
