import { describe, expect, test } from 'vitest';
import { ALI, ask, BUY, createVenue, place, START_MS, stateOf } from './fixture.ts';

const ADD = '/market/orders/add';

describe('an accepted order', () => {
  test('comes back whole', () => {
    const { raw } = ask(createVenue(), ADD, { body: { ...BUY, clientOrderId: 'first-1' } });
    expect(raw).toBe(
      '{"status":"ok","order":{"id":1,"type":"buy","execution":"Limit","tradeType":"Spot","market":"BTC-RLS",' +
        '"srcCurrency":"Bitcoin","dstCurrency":"﷼","price":"45000000000","amount":"0.001","totalPrice":"0",' +
        '"totalOrderPrice":"45000000","matchedAmount":"0","unmatchedAmount":"0.001","status":"Active","partial":false,' +
        '"fee":"0","created_at":"2025-04-10T12:00:00.000+00:00","averagePrice":"0","clientOrderId":"first-1","pairId":null}}',
    );
  });

  test('shows its fills, its fee in what it receives and its average price', () => {
    const venue = createVenue();
    place(venue, { ...BUY, type: 'sell', amount: '0.001', price: '50000000000' }, { token: 'sara-token' });
    place(venue, { ...BUY, type: 'sell', amount: '0.001', price: '50000000100' }, { token: 'sara-token' });
    const bought = place(venue, { ...BUY, amount: '0.003', price: '50000000100' });
    expect(bought).toMatchObject({
      status: 'Active',
      partial: true,
      matchedAmount: '0.002',
      unmatchedAmount: '0.001',
      totalPrice: '100000000.1',
      totalOrderPrice: '150000000.3',
      averagePrice: '50000000050',
      fee: '0.000005',
    });
  });

  test('of each kind is in the state the interface names', () => {
    const venue = createVenue();
    place(venue, { ...BUY, type: 'sell', price: '50000000000' }, { token: 'sara-token' });
    const kinds = [
      { ...BUY },
      { ...BUY, execution: 'market', price: undefined },
      { ...BUY, execution: 'stop_limit', price: '51000000000', stopPrice: '50500000000' },
      { ...BUY, execution: 'stop_market', price: undefined, stopPrice: '50500000000' },
    ].map((order) => place(venue, order));
    expect(kinds.map(({ execution, status, price, param1 }) => [execution, status, price, param1])).toEqual([
      ['Limit', 'Active', '45000000000', undefined],
      ['Market', 'Done', 'market', undefined],
      ['StopLimit', 'Inactive', '51000000000', '50500000000'],
      ['StopMarket', 'Inactive', 'market', '50500000000'],
    ]);
  });

  test('of an OCO is two orders that name each other, the limit first', () => {
    const { body } = ask(createVenue(), ADD, {
      body: {
        ...BUY,
        mode: 'oco',
        stopPrice: '51000000000',
        stopLimitPrice: '51500000000',
        clientOrderId: 'oco',
      },
    });
    expect(body['orders']).toMatchObject([
      { id: 1, execution: 'Limit', status: 'Active', clientOrderId: 'oco', pairId: 2 },
      {
        id: 2,
        execution: 'StopLimit',
        status: 'Inactive',
        clientOrderId: null,
        pairId: 1,
        price: '51500000000',
        param1: '51000000000',
      },
    ]);
    expect(body).not.toHaveProperty('order');
  });

  test.each([
    ['0.0010019', '50000000005', '0.001001', '50000000000'],
    ['0.0010019', '50000000015', '0.001001', '50000000020'],
    ['0.0010019', '50000000005.00000000001', '0.001001', '50000000010'],
    ['1e-3', '4.5e10', '0.001', '45000000000'],
  ])('of amount %s at %s is rounded to %s at %s', (amount, price, placedAmount, placedPrice) => {
    expect(place(createVenue(), { ...BUY, amount, price })).toMatchObject({
      amount: placedAmount,
      price: placedPrice,
    });
  });

  test('may be in words of any case and name pro in words', () => {
    const venue = createVenue();
    place(venue, BUY);
    expect(place(venue, { ...BUY, type: 'Buy', srcCurrency: 'BTC', pro: 'yes' }).status).toBe('Active');
  });
});

describe('a refused order', () => {
  const refusals: readonly (readonly [string, Record<string, unknown>])[] = [
    ['InvalidOrderPrice', { price: undefined }],
    ['InvalidOrderPrice', { price: 'cheap' }],
    ['InvalidOrderPrice', { price: '0' }],
    ['InvalidOrderPrice', { price: '-10' }],
    ['InvalidOrderPrice', { price: '1e30' }],
    ['InvalidOrderPrice', { execution: 'stop_limit', price: '51000000000' }],
    ['InvalidOrderPrice', { execution: 'stop_market', price: undefined }],
    ['InvalidOrderPrice', { mode: 'oco', stopPrice: '51000000000' }],
    ['BadPrice', { price: '34999999990' }],
    ['BadPrice', { execution: 'stop_limit', price: '50000000000', stopPrice: '51000000000' }],
    ['PriceConditionFailed', { mode: 'oco', stopPrice: '49000000000', stopLimitPrice: '51500000000' }],
    ['PriceConditionFailed', { execution: 'stop_limit', price: '49000000000', stopPrice: '49000000000' }],
    ['OverValueOrder', { amount: '3' }],
    ['OverValueOrder', { type: 'sell', amount: '2.000001', price: '50000000000' }],
    ['OverValueOrder', { amount: '9'.repeat(30) }],
    ['SmallOrder', { amount: '0.00006', price: '50000000000' }],
    ['InvalidMarketPair', { srcCurrency: 'nope' }],
    ['InvalidMarketPair', { dstCurrency: 'btc' }],
    ['ParseError', { type: undefined }],
    ['ParseError', { type: 'hold' }],
    ['ParseError', { execution: 'iceberg' }],
    ['ParseError', { mode: 'bracket' }],
    ['ParseError', { mode: 'oco', execution: 'market' }],
    ['ParseError', { amount: undefined }],
    ['ParseError', { amount: 'much' }],
    ['ParseError', { amount: '-1' }],
    ['SmallOrder', { amount: '0.0000001' }],
    ['ParseError', { amount: {} }],
    ['ParseError', { pro: 'perhaps' }],
    ['ParseError', { clientOrderId: 'a'.repeat(33) }],
    ['ParseError', { clientOrderId: 'under_score' }],
    ['ParseError', { srcCurrency: undefined }],
  ];

  test.each(refusals)('is %s for %j and changes nothing', (code, change) => {
    const venue = createVenue();
    const before = stateOf(venue);
    const { status, body } = ask(venue, ADD, { body: { ...BUY, ...change } });
    expect(body).toMatchObject({ status: 'failed', code, message: expect.any(String) as unknown });
    expect(status).toBe(code === 'ParseError' ? 400 : 200);
    expect(stateOf(venue)).toBe(before);
  });

  test('is a duplicate for ten seconds, and accepted after', () => {
    const venue = createVenue();
    place(venue, BUY);
    const again = (timeMs: number) =>
      ask(venue, ADD, { body: { ...BUY, clientOrderId: 'again' }, timeMs }).body;
    expect(again(START_MS + 9_999)).toMatchObject({ code: 'DuplicateOrder', clientOrderId: 'again' });
    expect(again(START_MS + 10_000)['status']).toBe('ok');
  });

  test('has the client id of another open order, or a closed market, or a user who may not trade', () => {
    const venue = createVenue();
    const code = (change: Record<string, unknown>) =>
      ask(venue, ADD, { body: { ...BUY, ...change } }).body['code'];
    place(venue, { ...BUY, clientOrderId: 'same' });
    expect(code({ clientOrderId: 'same', amount: '0.002' })).toBe('DuplicateClientOrderId');
    venue.exchange.trading.trader(ALI).mayTrade = false;
    expect(code({})).toBe('TradingUnavailable');
    const market = venue.exchange.marketOf('btc', 'rls');
    if (market !== undefined) market.isClosed = true;
    expect(code({})).toBe('MarketClosed');
  });

  test('names its code in the field error where the deployment does', () => {
    const { body } = ask(createVenue({ forms: { failureField: 'error' } }), ADD, {
      body: { ...BUY, price: 'x' },
    });
    expect(body).toMatchObject({ status: 'failed', error: 'InvalidOrderPrice' });
    expect(body).not.toHaveProperty('code');
  });
});

test('an empty clientOrderId counts as left out', () => {
  expect(place(createVenue(), { ...BUY, clientOrderId: '' })['clientOrderId']).toBeNull();
});
