import { describe, expect, test } from 'vitest';
import { OPENING_MS, QUIET, SpotCaller } from './spot-caller.ts';

const [BTC, BNB] = QUIET.markets ?? [];
const [USER, OTHER] = QUIET.users ?? [];
const T = { symbol: 'BTCUSDT' };
const withMarket = (rules: object): SpotCaller =>
  new SpotCaller({ ...QUIET, markets: [{ ...BTC, ...rules } as never, BNB as never] });

describe('a filter', () => {
  test.each([
    [{}, 'BUY LIMIT 1 @ 0.001', 'PRICE_FILTER'],
    [{}, 'BUY LIMIT 1 @ 90.005', 'PRICE_FILTER'],
    [{ minPrice: '0', maxPrice: '0' }, 'BUY LIMIT 1 @ 90.01', null],
    [{ tickSize: '0.25', minPrice: '0.1' }, 'BUY LIMIT 1 @ 90.5', null],
    [{}, 'SELL STOP_LOSS 1 stopPrice=90.001', 'PRICE_FILTER'],
    [{}, 'BUY LIMIT 1 @ 500', null],
    [{}, 'BUY LIMIT 1 @ 500.01', 'PERCENT_PRICE_BY_SIDE'],
    [{ bidMultiplierDown: '0.5' }, 'BUY LIMIT 1 @ 49.99', 'PERCENT_PRICE_BY_SIDE'],
    [{ askMultiplierUp: '1.2' }, 'SELL LIMIT 1 @ 120', null],
    [{ askMultiplierUp: '1.2' }, 'SELL LIMIT 1 @ 120.01', 'PERCENT_PRICE_BY_SIDE'],
    [{ minQty: '0.5' }, 'BUY LIMIT 0.4 @ 90', 'LOT_SIZE'],
    [{ maxQty: '2' }, 'BUY LIMIT 2.1 @ 90', 'LOT_SIZE'],
    [{}, 'BUY LIMIT 1.000001 @ 90', 'LOT_SIZE'],
    [{}, 'BUY LIMIT 1 @ 90 icebergQty=0.000001', 'LOT_SIZE'],
    [{ icebergParts: 3 }, 'BUY LIMIT 1 @ 90 icebergQty=0.34', null],
    [{ icebergParts: 3 }, 'BUY LIMIT 1 @ 90 icebergQty=0.33', 'ICEBERG_PARTS'],
    [{ marketMaxQty: '0.5' }, 'BUY MARKET 0.6', 'MARKET_LOT_SIZE'],
    [{ marketMaxQty: '0.5' }, 'BUY MARKET  quoteOrderQty=60', 'MARKET_LOT_SIZE'],
    [{ marketStepSize: '0.1' }, 'BUY MARKET 0.25', 'MARKET_LOT_SIZE'],
    [{}, 'BUY LIMIT 0.05 @ 99.99', 'NOTIONAL'],
    [{}, 'BUY LIMIT 0.05 @ 100', null],
    [{ maxNotional: '200' }, 'BUY LIMIT 2.5 @ 90', 'NOTIONAL'],
    [{}, 'BUY MARKET 0.04', 'NOTIONAL'],
    [{ applyMinToMarket: false }, 'BUY MARKET 0.04', null],
    [{ applyMaxToMarket: true, maxNotional: '99' }, 'BUY MARKET 1', 'NOTIONAL'],
    [{}, 'BUY MARKET  quoteOrderQty=4.99', 'NOTIONAL'],
    [{}, 'SELL STOP_LOSS 1 trailingDelta=9', 'TRAILING_DELTA'],
    [{}, 'SELL STOP_LOSS 1 trailingDelta=2000', null],
  ])('%j lets %s fail by %s', (rules, text, filter) => {
    const caller = withMarket(rules);
    for (const each of ['sell 5 @ 101', 'buy 5 @ 99']) caller.outside(each);
    const { body } = caller.order(text);
    if (filter === null) expect(body.orderId).toBeGreaterThan(0);
    else expect(body).toEqual({ code: -1013, msg: `Filter failure: ${filter}` });
  });

  test.each([
    [{ maxNumOrders: 2 }, 'BUY LIMIT 1 @ 90', 'MAX_NUM_ORDERS'],
    [{ maxNumAlgoOrders: 2 }, 'SELL STOP_LOSS 1 stopPrice=90', 'MAX_NUM_ALGO_ORDERS'],
    [{ maxNumIcebergOrders: 2 }, 'BUY LIMIT 1 @ 90 icebergQty=0.5', 'MAX_NUM_ICEBERG_ORDERS'],
    [{ maxPosition: '12.5' }, 'BUY LIMIT 1 @ 90', 'MAX_POSITION'],
  ])('%j takes two of %s, and not a third', (rules, text, filter) => {
    const caller = withMarket(rules);
    expect([caller.order(text).status, caller.order(text).status]).toEqual([200, 200]);
    expect(caller.order(text).body).toEqual({ code: -2010, msg: `Filter failure: ${filter}` });
    expect(caller.order(text, { key: 'two' }).status).toBe(200);
  });

  test('is shown to the account, and with the market', () => {
    const caller = withMarket({});
    const shown = caller.signed('GET', 'myFilters', T).body;
    expect(shown.symbolFilters).toEqual(caller.open('exchangeInfo', T).body.symbols[0].filters);
    expect(shown.symbolFilters[0]).toEqual({
      filterType: 'PRICE_FILTER',
      minPrice: '0.01000000',
      maxPrice: '1000000.00000000',
      tickSize: '0.01000000',
    });
  });
});

describe('a commission', () => {
  const rates = { maker: '0.0000001', taker: '0.0000002', seller: '0.0000004' };

  test('adds the rates of the published example', () => {
    const caller = new SpotCaller({
      ...QUIET,
      markets: [{ ...BTC, startPrice: '35000' } as never],
      users: [{ ...USER, standardCommission: rates } as never],
    });
    caller.outside('buy 1 @ 35000');
    const [fill] = caller.order('SELL MARKET 0.49975').body.fills;
    expect(fill).toMatchObject({ commission: '0.01049475', commissionAsset: 'USDT' });
  });

  test.each([
    ['half-up', '0.00000003'],
    ['half-even', '0.00000002'],
  ] as const)('is rounded %s', (commissionRounding, commission) => {
    const user = { ...USER, standardCommission: { maker: '0', taker: '0.00000005' } } as never;
    const caller = new SpotCaller({ ...QUIET, users: [user], choices: { commissionRounding } });
    caller.outside('sell 0.5 @ 100');
    expect(caller.order('BUY MARKET 0.5').body.fills[0].commission).toBe(commission);
  });

  test.each([
    ['reduced', '0.00012500'],
    ['multiplied', '0.00004167'],
  ] as const)('is paid in the discount asset while there is enough: %s', (discountMeaning, commission) => {
    const user = { ...USER, balances: { USDT: '1000', BNB: '0.00013' }, discount: true } as never;
    const caller = new SpotCaller({ ...QUIET, users: [user], choices: { discountMeaning } });
    caller.outside('sell 1 @ 100');
    caller.outside('sell 5 @ 101');
    const { fills } = caller.order('BUY MARKET 5').body;
    expect(fills).toMatchObject([
      { commission, commissionAsset: 'BNB' },
      { commission: '0.00400000', commissionAsset: 'BTC' },
    ]);
  });

  test('of every kind is shown, and added up for an order', () => {
    const user = {
      ...USER,
      taxCommission: { maker: '0.1', taker: '0.2' },
      standardCommission: rates,
    } as never;
    const caller = new SpotCaller({ ...QUIET, users: [user] });
    expect(caller.signed('GET', 'account/commission', T).body).toMatchObject({
      standardCommission: {
        maker: '0.00000010',
        taker: '0.00000020',
        buyer: '0.00000000',
        seller: '0.00000040',
      },
      taxCommission: { maker: '0.10000000', taker: '0.20000000' },
      discount: { enabledForAccount: false, discountAsset: 'BNB', discount: '0.25000000' },
    });
    const params = { ...T, side: 'SELL', type: 'LIMIT', timeInForce: 'GTC', quantity: 1, price: 120 };
    const tested = caller.signed('POST', 'order/test', { ...params, computeCommissionRates: true });
    expect(tested.body.standardCommissionForOrder).toEqual({ maker: '0.00000050', taker: '0.00000060' });
    expect(tested.headers['x-mbx-used-weight-1m']).toBe('40');
    expect(caller.signed('GET', 'openOrders').body).toEqual([]);
  });
});

describe('a cancel', () => {
  test('names itself, keeps the id of the order, and works once', () => {
    const caller = new SpotCaller();
    const { orderId } = caller.order('BUY LIMIT 1 @ 90 newClientOrderId=mine').body;
    const reply = caller.signed('DELETE', 'order', {
      ...T,
      origClientOrderId: 'mine',
      newClientOrderId: 'end',
    });
    expect(reply.body).toMatchObject({
      orderId,
      origClientOrderId: 'mine',
      clientOrderId: 'end',
      status: 'CANCELED',
    });
    expect(reply.body).not.toHaveProperty('workingTime');
    expect(caller.query(orderId)).toMatchObject({ clientOrderId: 'mine', status: 'CANCELED' });
    expect(caller.signed('DELETE', 'order', { ...T, orderId }).body).toEqual({
      code: -2011,
      msg: 'Unknown order sent.',
    });
    expect(caller.order('BUY LIMIT 1 @ 90 newClientOrderId=mine').status).toBe(200);
  });

  test.each([
    [{}, -1102],
    [{ orderId: 77 }, -2011],
    [{ orderId: 1, origClientOrderId: 'b' }, -2011],
    [{ orderId: 1, cancelRestrictions: 'ONLY_PARTIALLY_FILLED' }, -2011],
    [{ orderId: 1, cancelRestrictions: 'ONLY_OLD' }, -1145],
    [{ orderId: 1, newClientOrderId: 'b' }, -2010],
    [{ orderId: 1, symbol: 'BNBUSDT' }, -2011],
  ])('with %j is refused with %d', (params, code) => {
    const caller = new SpotCaller();
    caller.order('BUY LIMIT 1 @ 90 newClientOrderId=a');
    caller.order('BUY LIMIT 1 @ 90 newClientOrderId=b');
    expect(caller.signed('DELETE', 'order', { ...T, ...params }).body.code).toBe(code);
    expect(caller.signed('GET', 'openOrders', T).body).toHaveLength(2);
  });

  test('of everything shows lists as one, and fails with nothing to cancel', () => {
    const caller = new SpotCaller();
    caller.order('BUY LIMIT 1 @ 90');
    caller.signed('POST', 'orderList/oco', OCO);
    const { body } = caller.signed('DELETE', 'openOrders', T);
    expect(body.map((each: object) => Object.keys(each).includes('orderReports'))).toEqual([false, true]);
    expect(body[1].orderReports.map(({ status }: { status: string }) => status)).toEqual([
      'CANCELED',
      'CANCELED',
    ]);
    expect(caller.signed('DELETE', 'openOrders', T).body.code).toBe(-2011);
  });
});

const OCO = {
  ...T,
  side: 'SELL',
  quantity: 2,
  aboveType: 'LIMIT_MAKER',
  abovePrice: 110,
  belowType: 'STOP_LOSS_LIMIT',
  belowStopPrice: 90,
  belowPrice: 85,
  belowTimeInForce: 'GTC',
};

const placed = () => {
  const caller = new SpotCaller();
  const { body } = caller.signed('POST', 'orderList/oco', { ...OCO, newOrderRespType: 'RESULT' });
  const [stop, limit] = body.orders.map(({ orderId }: { orderId: number }) => orderId) as [number, number];
  const words = () =>
    [stop, limit].map((id) => {
      const { status, expiryReason } = caller.query(id);
      return `${status} ${expiryReason ?? ''}`.trim();
    });
  const list = () =>
    caller.signed('GET', 'orderList', { orderListId: body.orderListId }).body.listOrderStatus;
  return { caller, body, words, list, limit };
};

describe('an OCO', () => {
  test('holds its amount once, and shows both orders', () => {
    const { caller, body } = placed();
    expect(caller.money()['BTC']).toBe('8+2');
    expect(body).toMatchObject({
      contingencyType: 'OCO',
      listStatusType: 'EXEC_STARTED',
      listOrderStatus: 'EXECUTING',
    });
    expect(
      body.orderReports.map((row: Record<string, unknown>) => [
        row['type'],
        row['status'],
        row['workingTime'],
      ]),
    ).toEqual([
      ['STOP_LOSS_LIMIT', 'NEW', -1],
      ['LIMIT_MAKER', 'NEW', OPENING_MS],
    ]);
  });

  test('loses its stop when the limit order is touched', () => {
    const { caller, words, list } = placed();
    caller.outside('buy 0.5');
    expect([words(), list()]).toEqual([['EXPIRED OCO_TRIGGER', 'PARTIALLY_FILLED'], 'EXECUTING']);
    caller.outside('buy 1.5');
    expect([words(), list(), caller.money()['BTC']]).toEqual([
      ['EXPIRED OCO_TRIGGER', 'FILLED'],
      'ALL_DONE',
      '8',
    ]);
  });

  test('loses its limit order when the stop triggers', () => {
    const { caller, words, list } = placed();
    caller.outside('buy 5 @ 90');
    caller.outside('sell 1');
    expect([words(), list()]).toEqual([['FILLED', 'EXPIRED OCO_TRIGGER'], 'ALL_DONE']);
  });

  test('is canceled with either of its orders, or by its own id', () => {
    const { caller, words, limit } = placed();
    expect(caller.signed('DELETE', 'order', { ...T, orderId: limit }).body).toMatchObject({
      orderId: limit,
      status: 'CANCELED',
    });
    expect([words(), caller.money()['BTC']]).toEqual([['CANCELED', 'CANCELED'], '10']);
    const { orderListId } = caller.signed('POST', 'orderList/oco', OCO).body;
    expect(caller.signed('GET', 'openOrderList').body).toHaveLength(1);
    expect(caller.signed('DELETE', 'orderList', { ...T, orderListId }).body.orderReports).toHaveLength(2);
    expect(caller.signed('GET', 'openOrderList').body).toEqual([]);
    expect(
      caller.signed('GET', 'allOrderList').body.map((list: { orderListId: number }) => list.orderListId),
    ).toEqual([2, 1]);
  });

  test('may be shown by the cancel of one of its orders', () => {
    const caller = new SpotCaller({ ...QUIET, choices: { cancelOfListed: 'list' } });
    const { orderId } = caller.signed('POST', 'orderList/oco', OCO).body.orders[0];
    const { body } = caller.signed('DELETE', 'order', { ...T, orderId });
    expect([body.listOrderStatus, body.orderReports.length]).toEqual(['ALL_DONE', 2]);
  });

  test.each([
    [{ abovePrice: 99 }, -2010],
    [{ belowStopPrice: 101 }, -2010],
    [{ belowType: 'LIMIT_MAKER' }, -1168],
    [{ belowType: 'TAKE_PROFIT' }, -1199],
    [{ aboveType: 'STOP_LOSS' }, -1197],
    [{ side: 'BUY' }, -1196],
    [{ aboveType: 'MARKET' }, -1158],
    [{ belowTimeInForce: undefined }, -1102],
    [{ quantity: 11 }, -2010],
  ])('with %j is refused with %d', (change, code) => {
    const params = Object.fromEntries(
      Object.entries({ ...OCO, ...change }).filter(([, value]) => value !== undefined),
    );
    const caller = new SpotCaller();
    expect(caller.signed('POST', 'orderList/oco', params as never).body.code).toBe(code);
    expect(caller.signed('GET', 'allOrders', T).body).toEqual([]);
  });

  test('has an older form', () => {
    const caller = new SpotCaller();
    const params = { ...T, side: 'BUY', quantity: 2, price: 90, stopPrice: 110, stopLimitPrice: 115 };
    expect(caller.signed('POST', 'order/oco', params).body.msg).toContain("'stopLimitTimeInForce'");
    const { body } = caller.signed('POST', 'order/oco', {
      ...params,
      stopLimitTimeInForce: 'GTC',
      newOrderRespType: 'FULL',
    });
    expect(body.orderReports.map(({ type }: { type: string }) => type)).toEqual([
      'STOP_LOSS_LIMIT',
      'LIMIT_MAKER',
    ]);
    expect(caller.money()['USDT']).toBe('1770+230');
  });
});

describe('an OTO', () => {
  const OTO = {
    ...T,
    workingType: 'LIMIT',
    workingSide: 'BUY',
    workingPrice: 95,
    workingQuantity: 1,
    workingTimeInForce: 'GTC',
    pendingSide: 'SELL',
    pendingQuantity: 1,
  };

  test('places its pending order when the working one is filled, and not before', () => {
    const caller = new SpotCaller();
    const { body } = caller.signed('POST', 'orderList/oto', {
      ...OTO,
      pendingType: 'LIMIT',
      pendingPrice: 120,
      pendingTimeInForce: 'GTC',
      newOrderRespType: 'RESULT',
    });
    const [working, pending] = body.orders.map(({ orderId }: { orderId: number }) => orderId) as [
      number,
      number,
    ];
    expect(body.orderReports.map(({ status }: { status: string }) => status)).toEqual(['NEW', 'PENDING_NEW']);
    caller.outside('sell 0.4 @ 95');
    expect([caller.query(working).status, caller.query(pending).status]).toEqual([
      'PARTIALLY_FILLED',
      'PENDING_NEW',
    ]);
    caller.outside('sell 0.6 @ 95');
    expect([caller.query(working).status, caller.query(pending).status]).toEqual(['FILLED', 'NEW']);
    expect(caller.money()['BTC']).toBe('9.999+1');
  });

  test('ends with its working order', () => {
    const caller = new SpotCaller();
    const { body } = caller.signed('POST', 'orderList/otoco', {
      ...OTO,
      pendingAboveType: 'LIMIT_MAKER',
      pendingAbovePrice: 120,
      pendingBelowType: 'STOP_LOSS',
      pendingBelowStopPrice: 80,
    });
    expect(body).toMatchObject({ contingencyType: 'OTO', orders: [{}, {}, {}] });
    caller.signed('DELETE', 'order', { ...T, orderId: body.orders[0].orderId });
    expect(caller.signed('GET', 'allOrders', T).body.map(({ status }: { status: string }) => status)).toEqual(
      Array(3).fill('CANCELED'),
    );
  });

  test('that fills at once shows its pending orders as pending, and then they are an OCO', () => {
    const caller = new SpotCaller();
    caller.outside('sell 1 @ 95');
    const { body } = caller.signed('POST', 'orderList/otoco', {
      ...OTO,
      pendingAboveType: 'LIMIT_MAKER',
      pendingAbovePrice: 120,
      pendingBelowType: 'STOP_LOSS',
      pendingBelowStopPrice: 80,
      newOrderRespType: 'FULL',
    });
    expect(body.orderReports.map(({ status }: { status: string }) => status)).toEqual([
      'FILLED',
      'PENDING_NEW',
      'PENDING_NEW',
    ]);
    expect(
      caller.signed('GET', 'openOrders', T).body.map(({ status }: { status: string }) => status),
    ).toEqual(['NEW', 'NEW']);
    caller.outside('buy 1');
    expect(caller.signed('GET', 'openOrders', T).body).toEqual([]);
  });
});

describe('a replacement', () => {
  const NEW = { ...T, side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', quantity: 1, price: 91 };

  test.each([
    ['STOP_ON_FAILURE', true, true, 200, undefined, 'SUCCESS SUCCESS'],
    ['STOP_ON_FAILURE', false, true, 400, -2022, 'FAILURE NOT_ATTEMPTED'],
    ['STOP_ON_FAILURE', true, false, 409, -2021, 'SUCCESS FAILURE'],
    ['ALLOW_FAILURE', false, false, 400, -2022, 'FAILURE FAILURE'],
    ['ALLOW_FAILURE', false, true, 409, -2021, 'FAILURE SUCCESS'],
    ['ALLOW_FAILURE', true, false, 409, -2021, 'SUCCESS FAILURE'],
  ])(
    '%s with a cancel that is possible (%s) and an order that is (%s) is %d',
    (mode, canCancel, canPlace, status, code, results) => {
      const caller = new SpotCaller();
      const { orderId } = caller.order('BUY LIMIT 1 @ 90').body;
      const reply = caller.signed('POST', 'order/cancelReplace', {
        ...NEW,
        ...(canPlace ? {} : { quantity: 100 }),
        cancelReplaceMode: mode,
        cancelOrderId: canCancel ? orderId : 99,
      });
      const data = reply.body.data ?? reply.body;
      expect([reply.status, reply.body.code, `${data.cancelResult} ${data.newOrderResult}`]).toEqual([
        status,
        code,
        results,
      ]);
      expect(caller.signed('GET', 'openOrders', T).body).toHaveLength(
        Number(!canCancel) + Number(results.endsWith('SUCCESS')),
      );
      const [count] = caller.signed('GET', 'rateLimit/order').body;
      expect(count.count).toBe(results.endsWith('FAILURE') ? 1 : 2);
    },
  );

  test.each([
    ['STOP_ON_FAILURE', 'DO_NOTHING', 429, -1015],
    ['STOP_ON_FAILURE', 'CANCEL_ONLY', 429, -2021],
    ['ALLOW_FAILURE', 'CANCEL_ONLY', 409, -2021],
  ])('beyond the order count: %s, %s', (mode, orderRateLimitExceededMode, status, code) => {
    const caller = new SpotCaller({ ...QUIET, limits: { orders: [{ limit: 1 }] } });
    const { orderId } = caller.order('BUY LIMIT 1 @ 90').body;
    const reply = caller.signed('POST', 'order/cancelReplace', {
      ...NEW,
      cancelReplaceMode: mode,
      cancelOrderId: orderId,
      orderRateLimitExceededMode,
    });
    expect([reply.status, reply.body.code]).toEqual([status, code]);
    expect(caller.query(orderId).status).toBe(code === -1015 ? 'NEW' : 'CANCELED');
  });

  test('may use the money of the order that it replaces', () => {
    const caller = new SpotCaller();
    const { orderId } = caller.order('BUY LIMIT 20 @ 100').body;
    const change = { ...NEW, quantity: 20, cancelReplaceMode: 'STOP_ON_FAILURE', cancelOrderId: orderId };
    expect(caller.signed('POST', 'order/cancelReplace', change).status).toBe(200);
  });
});

test('an amend keeps the place of an order, and frees its money', () => {
  const caller = new SpotCaller();
  const { orderId } = caller.order('SELL LIMIT 3 @ 110 newClientOrderId=old').body;
  caller.order('SELL LIMIT 1 @ 110', { key: 'two' });
  const amend = (newQty: number, more = {}) =>
    caller.signed('PUT', 'order/amend/keepPriority', { ...T, orderId, newQty, ...more }).body;
  expect([amend(4).code, amend(3).code, amend(0.000001).code]).toEqual([-2038, -2038, -1013]);
  expect(amend(2, { newClientOrderId: 'new' })).toMatchObject({
    executionId: 1,
    amendedOrder: {
      orderId,
      origClientOrderId: 'old',
      clientOrderId: 'new',
      qty: '2.00000000',
      status: 'NEW',
    },
  });
  expect(caller.money()['BTC']).toBe('8+2');
  caller.outside('buy 2');
  expect(caller.query(orderId)).toMatchObject({ status: 'FILLED', clientOrderId: 'new' });
  expect(caller.signed('GET', 'order', { ...T, origClientOrderId: 'new' }).body.orderId).toBe(orderId);
  expect(caller.signed('GET', 'order/amendments', { ...T, orderId }).body).toMatchObject([
    { origClientOrderId: 'old', newClientOrderId: 'new', origQty: '3.00000000', newQty: '2.00000000' },
  ]);
});

const filled = () => {
  const caller = new SpotCaller();
  for (const price of [90, 91, 92, 93]) {
    caller.order(`BUY LIMIT 1 @ ${price}`);
    caller.outside('sell 1');
    caller.nowMs += 1_000;
  }
  return caller;
};

test('a stop that was amended holds no more than its rest when it triggers', () => {
  const caller = new SpotCaller();
  const { orderId } = caller.order('BUY STOP_LOSS_LIMIT 2 @ 110 stopPrice=105').body;
  caller.signed('PUT', 'order/amend/keepPriority', { ...T, orderId, newQty: 1 });
  caller.outside('sell 1 @ 106');
  caller.outside('sell 1 @ 120');
  caller.outside('buy 1');
  expect([caller.query(orderId).isWorking, caller.money()['USDT']]).toEqual([true, '1890+110']);
});

describe('own lists', () => {
  test.each([
    [{}, [1, 3, 5, 7]],
    [{ limit: 2 }, [5, 7]],
    [{ orderId: 3, limit: 2 }, [3, 5]],
    [{ startTime: OPENING_MS + 1_000, limit: 2 }, [3, 5]],
    [{ endTime: OPENING_MS + 2_000, limit: 2 }, [3, 5]],
    [{ startTime: OPENING_MS + 1_000, endTime: OPENING_MS + 1_000 }, [3]],
    [{ startTime: (OPENING_MS + 1_000) * 1_000, limit: 1 }, [3]],
  ])('of orders by %j', (params, ids) => {
    const { body } = filled().signed('GET', 'allOrders', { ...T, ...params });
    expect(body.map(({ orderId }: { orderId: number }) => orderId)).toEqual(ids);
  });

  test.each([
    [{}, [1, 2, 3, 4]],
    [{ limit: 2 }, [3, 4]],
    [{ fromId: 2, limit: 2 }, [2, 3]],
    [{ orderId: 5 }, [3]],
    [{ orderId: 5, fromId: 4 }, []],
    [{ startTime: OPENING_MS + 1_000, limit: 2 }, [2, 3]],
    [{ endTime: OPENING_MS + 1_000 }, [1, 2]],
  ])('of trades by %j', (params, ids) => {
    const { body } = filled().signed('GET', 'myTrades', { ...T, ...params });
    expect(body.map(({ id }: { id: number }) => id)).toEqual(ids);
  });

  test.each([
    ['myTrades', { fromId: 1, startTime: 1 }, -1128],
    ['myTrades', { orderId: 1, startTime: 1 }, -1128],
    ['myTrades', { startTime: OPENING_MS - 86_400_001, endTime: OPENING_MS }, -1127],
    ['allOrders', { orderId: 1, endTime: 1 }, -1128],
    ['allOrders', { startTime: 0, endTime: OPENING_MS }, -1127],
    ['order', { orderId: 99 }, -2013],
    ['order', {}, -1102],
    ['myPreventedMatches', {}, -1102],
  ])('%s with %j is refused with %d', (path, params, code) => {
    expect(filled().signed('GET', path, { ...T, ...params }).body.code).toBe(code);
  });

  test('an order is found by both of its ids together, or refused', () => {
    const caller = new SpotCaller();
    caller.order('BUY LIMIT 1 @ 90 newClientOrderId=a');
    caller.order('BUY LIMIT 1 @ 91 newClientOrderId=b');
    const ask = (name: object) => caller.signed('GET', 'order', { ...T, ...name }).body;
    expect([
      ask({ orderId: 1, origClientOrderId: 'a' }).price,
      ask({ orderId: 1, origClientOrderId: 'b' }).code,
    ]).toEqual(['90.00000000', -2039]);
    expect(caller.signed('GET', 'order', { ...T, orderId: 1 }, { key: 'two' }).body.code).toBe(-2013);
  });

  test('a client id belongs to one open order, of a symbol or of the account', () => {
    for (const [clientIdScope, status] of [
      ['symbol', 200],
      ['account', 400],
    ] as const) {
      const caller = new SpotCaller({ ...QUIET, choices: { clientIdScope } });
      caller.order('BUY LIMIT 1 @ 90 newClientOrderId=a');
      expect(caller.order('BUY LIMIT 1 @ 90 newClientOrderId=a').body.msg).toBe('Duplicate order sent.');
      expect(caller.order('BUY LIMIT 1 @ 500 symbol=BNBUSDT newClientOrderId=a').status).toBe(status);
      caller.outside('sell 1');
      expect(caller.order('BUY LIMIT 1 @ 91 newClientOrderId=a').status).toBe(200);
    }
  });
});

test('a wipe forgets orders, trades and balances, and keys stay', () => {
  const caller = new SpotCaller({ ...QUIET, wipeAfterMs: 1_000 });
  caller.order('BUY LIMIT 1 @ 90');
  caller.outside('sell 1');
  const { orderId } = caller.order('BUY LIMIT 1 @ 90').body;
  caller.nowMs += 1_000;
  expect(caller.query(orderId).code).toBe(-2013);
  expect(caller.money()).toEqual({ USDT: '2000', BTC: '10' });
  expect(caller.signed('GET', 'myTrades', T).body).toEqual([]);
  expect(caller.order('BUY LIMIT 1 @ 90').body.orderId).toBeLessThan(orderId);
});

test('of many orders the oldest closed ones are dropped, and an id is found as long as one has it', () => {
  const caller = new SpotCaller({ ...QUIET, rowsRetained: 100, limits: { orders: [{ limit: 1_000 }] } });
  const first = caller.order('BUY LIMIT 1 @ 90 newClientOrderId=again').body.orderId;
  const ioc = { side: 'BUY', type: 'LIMIT', timeInForce: 'IOC', quantity: 1, price: 90 };
  const old = caller.signed('POST', 'order', { ...T, ...ioc, newClientOrderId: 'old' }).body.orderId;
  for (let index = 0; index < 100; index += 1) caller.signed('POST', 'order', { ...T, ...ioc });
  expect([caller.query(first).status, caller.query(old).code]).toEqual(['NEW', -2013]);
  expect(caller.signed('GET', 'order', { ...T, origClientOrderId: 'again' }).body.orderId).toBe(first);
  expect(caller.signed('GET', 'order', { ...T, origClientOrderId: 'old' }).body.code).toBe(-2013);
  expect(caller.signed('GET', 'allOrders', { ...T, orderId: 1, limit: 1 }).body[0].orderId).toBe(first);
});

test('a market that does not trade takes no orders, but cancels', () => {
  const caller = new SpotCaller();
  const { orderId } = caller.order('BUY LIMIT 1 @ 90').body;
  const market = caller.core.markets.get('BTCUSDT');
  if (market !== undefined) market.status = 'CANCEL_ONLY';
  expect(caller.order('BUY LIMIT 1 @ 90').body).toEqual({ code: -1013, msg: 'Market is closed.' });
  expect(caller.signed('DELETE', 'order', { ...T, orderId }).status).toBe(200);
});

const faulty = (faults: readonly object[]): SpotCaller =>
  new SpotCaller({ ...QUIET, users: [USER, OTHER] as never, faults: faults as never });
const struck = (
  caller: SpotCaller,
  method: string,
  path: string,
  act: () => ReturnType<SpotCaller['send']>,
) => {
  const faults = caller.core.strike({ method, path: `/api/v3/${path}` });
  caller.faults = faults;
  const reply = act();
  caller.faults = undefined;
  return reply;
};

const kinds = (seed: number) => {
  const caller = new SpotCaller({ ...QUIET, faults: [{ kind: 'busy', share: 0.3 }] }, seed);
  return Array.from(
    { length: 200 },
    () => caller.core.strike({ method: 'GET', path: '/api/v3/time' }).before !== null,
  );
};

describe('a fault', () => {
  test.each([
    ['timeout-after', 504, -1007, 1],
    ['unexpected-after', 500, -1006, 1],
    ['gateway-after', 502, undefined, 1],
    ['timeout-before', 504, -1007, 0],
    ['busy', 503, -1008, 0],
    ['gateway-before', 502, undefined, 0],
    ['firewall', 403, undefined, 0],
  ])('%s answers %d with %s, and leaves %d orders', (kind, status, code, orders) => {
    const caller = faulty([{ kind, methods: ['POST'], path: 'order', times: 1 }]);
    const reply = struck(caller, 'POST', 'order', () => caller.order('BUY LIMIT 1 @ 90'));
    expect([reply.status, reply.body.code]).toEqual([status, code]);
    expect(caller.signed('GET', 'openOrders', T).body).toHaveLength(orders);
    expect(struck(caller, 'POST', 'order', () => caller.order('BUY LIMIT 1 @ 91')).status).toBe(200);
  });

  test('lets reads be behind', () => {
    const caller = faulty([{ kind: 'stale', methods: ['GET'], ms: 500 }]);
    const { orderId } = caller.order('BUY LIMIT 1 @ 90').body;
    const seen = (path: string, params = {}) =>
      struck(caller, 'GET', path, () => caller.signed('GET', path, { ...T, ...params })).body;
    expect([seen('order', { orderId }).code, seen('openOrders')]).toEqual([-2013, []]);
    caller.nowMs += 500;
    expect(seen('openOrders')).toHaveLength(1);
    caller.outside('sell 1');
    expect([seen('order', { orderId }).status, seen('myTrades')]).toEqual(['NEW', []]);
    caller.nowMs += 500;
    expect([seen('order', { orderId }).status, seen('myTrades').length]).toEqual(['FILLED', 1]);
  });

  test('comes by its share, and by the seed alone', () => {
    expect(kinds(3)).toEqual(kinds(3));
    expect(kinds(3)).not.toEqual(kinds(4));
    expect(kinds(3).filter(Boolean).length).toBeGreaterThan(40);
  });
});
