import { describe, expect, test } from 'vitest';
import { sendCall } from '../../support/send-call.ts';
import { createVenueCaller } from '../../../src/venues/venue-caller.ts';
import type { ClientOptions } from '../../../src/exchange/client-options.ts';
import { ExchangeClient } from '../../../src/exchange/client.ts';
import type { MarketSymbol } from '../../../src/domain/market-symbol.ts';
import { InProcessVenue } from '../../../src/simulator-server/in-process-venue.ts';
import { RawVenue } from './raw-venue.ts';

const BOOK = { kind: 'book', market: 'BTCIRT' as MarketSymbol } as const;

const clientOf = (venue: RawVenue, options: Partial<ClientOptions> = {}): ExchangeClient => {
  const transport = new InProcessVenue({ adapter: venue.adapter, now: () => venue.nowMs });
  return new ExchangeClient({ transport, ...options });
};

test('the third version of the book has the sides of the second by their right names', () => {
  const venue = new RawVenue();
  venue.fillBook();
  const buys = [
    ['12599999990', '0.75'],
    ['12599999980', '2'],
  ];
  const sells = [
    ['12600000010', '0.5'],
    ['12600000020', '1.25'],
  ];
  const lastUpdate = 1710148955;
  const inV2 = { lastUpdate, bids: sells, asks: buys };
  expect(venue.send('GET /v2/orderbook/BTCIRT').json).toEqual({ status: 'ok', ...inV2 });
  const inV3 = { lastUpdate, lastTradePrice: '12600000000', bids: buys, asks: sells };
  expect(venue.send('GET /v3/orderbook/BTCIRT').json).toEqual({ status: 'ok', ...inV3 });
  expect(venue.send('GET /v3/orderbook/all').json).toMatchObject({ status: 'ok', BTCIRT: inV3 });
  expect(venue.send('GET /v3/orderbook/NOPEIRT').status).toBe(404);
});

describe.each(['v2', 'v3'] as const)('a client of version %s', (orderBook) => {
  test('asks that version, under its budget, and gets the same book', async () => {
    const venue = new RawVenue();
    venue.fillBook();
    const admitted: string[] = [];
    const client = clientOf(venue, { orderBook, admit: ({ budget }) => void admitted.push(budget.name) });
    expect(await client.orderBook({ symbol: 'BTCIRT' })).toMatchObject({
      ok: true,
      value: {
        bids: [
          ['12599999990', '0.75'],
          ['12599999980', '2'],
        ],
        asks: [['12600000010', '0.5'], {}],
      },
    });
    expect(venue.adapter.log.values().at(-1)).toMatchObject({ path: `/${orderBook}/orderbook/BTCIRT` });
    expect(admitted).toEqual([`${orderBook}/orderbook`]);
    expect((await client.allOrderBooks()).ok).toBe(true);
    expect(admitted.at(-1)).toBe(`${orderBook}/orderbook`);
  });

  test('has the books of the bot counted where they are asked for', async () => {
    const venue = new RawVenue();
    const caller = createVenueCaller(clientOf(venue, { orderBook }));
    await sendCall(caller, BOOK);
    expect(venue.adapter.log.values().at(-1)).toMatchObject({
      endpoint: caller.endpointOf(BOOK),
      budget: caller.budgetOf(BOOK),
    });
    expect(caller.budgetOf(BOOK)).toBe(`${orderBook}/orderbook`);
    expect(caller.budgetOf({ kind: 'books' })).toBe(`${orderBook}/orderbook`);
  });
});

test('a client of the second version can ask the third by its name', async () => {
  const venue = new RawVenue();
  const client = clientOf(venue);
  expect((await client.orderBookV3({ symbol: 'BTCIRT' })).ok).toBe(true);
  expect(venue.adapter.log.values().at(-1)).toMatchObject({
    path: '/v3/orderbook/BTCIRT',
    budget: 'v3/orderbook',
  });
});

const choosing = (orderBooks: 'v2-and-v3' | 'v3') => {
  const venue = new RawVenue({ forms: { orderBooks } });
  venue.fillBook();
  const found: string[] = [];
  const client = clientOf(venue, { orderBook: 'auto', onOrderBookV3: () => found.push('v3') });
  const paths = (): readonly string[] =>
    venue.adapter.log.values().flatMap(({ path }) => (path.includes('orderbook') ? [path] : []));
  return { client, found, paths };
};

describe('a client that may choose', () => {
  test('asks the third version after a 404 of the second, stays with it, and says so once', async () => {
    const { client, found, paths } = choosing('v3');
    expect(await client.orderBook({ symbol: 'BTCIRT' })).toMatchObject({ ok: false, code: 'NotFound' });
    expect((await client.orderBook({ symbol: 'BTCIRT' })).ok).toBe(true);
    expect((await client.orderBook({ symbol: 'USDTIRT' })).ok).toBe(true);
    expect((await client.allOrderBooks()).ok).toBe(true);
    expect(found).toEqual(['v3']);
    expect(paths()).toEqual([
      '/v2/orderbook/BTCIRT',
      '/v3/orderbook/BTCIRT',
      '/v3/orderbook/USDTIRT',
      '/v3/orderbook/all',
    ]);
  });

  test('stays with the second version where only a market is unknown', async () => {
    const { client, found, paths } = choosing('v2-and-v3');
    for (let turn = 0; turn < 3; turn += 1) {
      expect((await client.orderBook({ symbol: 'NOPEIRT' })).ok).toBe(false);
      expect((await client.orderBook({ symbol: 'BTCIRT' })).ok).toBe(true);
    }
    expect(found).toEqual([]);
    expect(paths().filter((path) => path.endsWith('BTCIRT'))).toEqual([
      '/v2/orderbook/BTCIRT',
      '/v2/orderbook/BTCIRT',
      '/v2/orderbook/BTCIRT',
    ]);
  });

  test('sends a call that waited where its budget was taken', async () => {
    const { client, paths } = choosing('v3');
    const caller = createVenueCaller(client);
    const waiting = { ...BOOK };
    expect(caller.budgetOf(waiting)).toBe('v2/orderbook');
    await sendCall(caller, { ...BOOK });
    await sendCall(caller, { ...BOOK });
    await sendCall(caller, waiting);
    expect(paths()).toEqual(['/v2/orderbook/BTCIRT', '/v3/orderbook/BTCIRT', '/v2/orderbook/BTCIRT']);
  });
});

test('another version is refused', () => {
  const options = { baseUrl: 'http://127.0.0.1:1', orderBook: 'v4' as 'v3' };
  expect(() => new ExchangeClient(options)).toThrow('expected auto or v2 or v3 for orderBook, was "v4"');
});
