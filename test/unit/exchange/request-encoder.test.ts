import { describe, expect, it } from 'vitest';
import { SarrafError } from '../../../src/domain/errors.ts';
import type { EndpointName, EndpointRequest } from '../../../src/exchange/endpoints.ts';
import { encodeRequest } from '../../../src/exchange/request-encoder.ts';
import { scenarios } from '../../support/scenarios.ts';

const order = {
  type: 'buy',
  srcCurrency: 'btc',
  dstCurrency: 'rls',
  amount: '0.1',
  price: '12600000000',
} as const;

/** Encodes a request that TypeScript would refuse, as a caller in JavaScript may make it. */
const encodeAnything = (name: EndpointName, request: unknown) =>
  encodeRequest(name, request as EndpointRequest<never>);

const messageOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof SarrafError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'nothing thrown';
};

describe('encodeRequest', () => {
  it('sends decimals as canonical texts, whatever they were written as', () => {
    const { body } = encodeRequest('addOrder', { ...order, amount: 1e-7, price: '8500000.00' });
    expect(JSON.parse(body ?? '')).toEqual({ ...order, amount: '0.0000001', price: '8500000' });
  });

  it('puts path parameters into the path and the rest into the query', () => {
    expect(encodeRequest('orderBook', { symbol: 'btcirt' })).toEqual({
      method: 'GET',
      path: '/v2/orderbook/BTCIRT',
      body: null,
    });
    expect(encodeRequest('ordersList', { status: 'all', details: 2, fromId: 5 }).path).toBe(
      '/market/orders/list?status=all&details=2&fromId=5',
    );
    expect(encodeRequest('cancelWithdrawal', { id: 'CW12' })).toEqual({
      method: 'POST',
      path: '/cobank/withdraw/CW12/cancel',
      body: null,
    });
  });

  it('writes words for flags as booleans', () => {
    expect(JSON.parse(encodeRequest('addOrder', { ...order, pro: 'yes' }).body ?? '')).toMatchObject({
      pro: true,
    });
  });

  scenarios<[EndpointName, unknown]>((expected, [name, request]) => {
    const message = messageOf(() => encodeAnything(name, request));
    expect(message).toContain('INVALID_REQUEST');
    expect(message).toContain(expected);
  }, 'refuses %s and says where')`
    a negative amount ${['addOrder', { ...order, amount: '-1' }]}
      expected a positive decimal for addOrder.amount, was "-1"
    text for a price ${['addOrder', { ...order, price: 'much' }]}
      expected a positive decimal for addOrder.price, was "much"
    an infinite amount ${['addOrder', { ...order, amount: Number.POSITIVE_INFINITY }]}
      expected a positive decimal for addOrder.amount
    an unknown field ${['addOrder', { ...order, prise: '1' }]}: unknown field addOrder.prise
    a missing field ${['addOrder', { ...order, type: undefined }]}
      expected "buy" or "sell" for addOrder.type, was missing
    another quote currency ${['addOrder', { ...order, dstCurrency: 'eur' }]}
      expected rls or usdt for addOrder.dstCurrency, was "eur"
    a long client id ${['addOrder', { ...order, clientOrderId: 'a'.repeat(33) }]}: for addOrder.clientOrderId
    a client id with a space ${['addOrder', { ...order, clientOrderId: 'a b' }]}
      for addOrder.clientOrderId, was "a b"
    a limit order without price ${['addOrder', { ...order, price: undefined }]}
      with execution limit for addOrder.price, was missing
    a stop order without stop price ${['addOrder', { ...order, execution: 'stop_market' }]}
      with execution stop_market for addOrder.stopPrice
    half an OCO ${['addOrder', { ...order, mode: 'oco', stopPrice: '1' }]}
      with mode oco for addOrder.stopLimitPrice, was missing
    an OCO of market orders
      ${['addOrder', { ...order, mode: 'oco', execution: 'market', stopPrice: 1, stopLimitPrice: 1 }]}
      expected limit with mode oco
    no id at all ${['orderStatus', {}]}: expected an order id or a clientOrderId for orderStatus.id
    an id of zero ${['orderStatus', { id: 0 }]}: expected an integer from 1 for orderStatus.id, was 0
    page beside fromId ${['ordersList', { fromId: 1, page: 1 }]}: expected no page beside fromId
    an old status value ${['ordersList', { status: 'active' }]}: for ordersList.status, was "active"
    half a market ${['tradesList', { srcCurrency: 'btc' }]}: for tradesList.dstCurrency, was missing
    page 101 of the trades ${['tradesList', { page: 101 }]}
      expected an integer from 1 to 100 for tradesList.page, was 101
    one wallet twice ${['transfer', { currency: 'rls', amount: 1, src: 'spot', dst: 'spot' }]}
      another wallet kind than src
    neither currency nor wallet ${['generateAddress', {}]}: expected a currency, or the id of a wallet
    a small invoice ${['gatewaySend', { api: 'x', amount: 9999, callbackURL: 'https://a' }]}
      an integer from 10000 for gatewaySend.amount
    a path in a symbol ${['orderBook', { symbol: '../x' }]}
      expected a market symbol such as "BTCIRT" for orderBook.symbol
    no object ${['addOrder', 'buy']}: expected object for addOrder, was something else
  `;

  it('names every wrong field at once, in the message and as paths', () => {
    try {
      encodeAnything('addOrder', { ...order, amount: 'x', side: 'buy', type: 'hold' });
      expect.unreachable();
    } catch (error) {
      expect((error as SarrafError).details['paths']).toEqual(
        expect.arrayContaining(['addOrder.amount', 'addOrder.side', 'addOrder.type']),
      );
    }
  });

  it('does not show a password or a merchant key', () => {
    const login = messageOf(() => encodeAnything('login', { username: 'u', password: 12345 }));
    expect(login).toContain('for login.password, was hidden');
    expect(login).not.toContain('12345');
  });

  it.each<[string, object]>([
    ['limit', {}],
    ['market without price', { execution: 'market', price: undefined }],
    ['market with price', { execution: 'market' }],
    ['stop-limit', { execution: 'stop_limit', stopPrice: '12500000000' }],
    ['stop-market', { execution: 'stop_market', price: undefined, stopPrice: '12500000000' }],
    ['OCO', { mode: 'oco', stopPrice: '12700000000', stopLimitPrice: '12710000000' }],
  ])('takes a %s order', (_kind, fields) => {
    expect(encodeAnything('addOrder', { ...order, ...fields }).path).toBe('/market/orders/add');
  });
});
