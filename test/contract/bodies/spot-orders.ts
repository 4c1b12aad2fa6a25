import { BTC_RLS, BTC_USDT, SHIB_USDT, type BodyCase } from './body-case.ts';

/** "2024-03-11T09:22:35.123+00:00". */
const CREATED_MS = Date.UTC(2024, 2, 11, 9, 22, 35, 123);

const ADD = { type: 'buy', srcCurrency: 'btc', dstCurrency: 'rls', amount: '0.000001', price: '12600000000' };

const limitOrder = {
  id: 5684123456,
  side: 'buy',
  execution: 'limit',
  tradeKind: 'Spot',
  market: BTC_RLS,
  price: '12600000000',
  stopPrice: null,
  amount: '0.000001',
  matchedAmount: '0',
  unmatchedAmount: '0.000001',
  total: '0',
  orderTotal: '12600',
  fee: '0',
  averagePrice: '0',
  status: 'Active',
  partial: false,
  createdAtMs: CREATED_MS,
  clientOrderId: 'alpha-ma-1-17',
  pairId: null,
};

const nothingButTheNeeded = {
  id: null,
  execution: null,
  tradeKind: null,
  market: null,
  stopPrice: null,
  unmatchedAmount: null,
  total: null,
  orderTotal: null,
  fee: null,
  averagePrice: null,
  status: null,
  partial: null,
  createdAtMs: null,
  clientOrderId: null,
  pairId: null,
};

const LIMIT_ORDER_TEXT = `{
  "id": 5684123456, "type": "buy", "execution": "Limit", "tradeType": "Spot", "market": "BTC-RLS",
  "srcCurrency": "Bitcoin", "dstCurrency": "\\ufdfc", "price": "12600000000", "amount": "0.000001",
  "totalPrice": "0", "totalOrderPrice": "12600", "matchedAmount": "0", "unmatchedAmount": "0.000001",
  "status": "Active", "partial": false, "fee": "0", "created_at": "2024-03-11T09:22:35.123456+00:00",
  "averagePrice": "0", "clientOrderId": "alpha-ma-1-17", "pairId": null
}`;

const OCO_TEXT = `{"status": "ok", "orders": [
  {"id": 71, "type": "sell", "execution": "Limit", "tradeType": "Spot", "market": "BTC-USDT", "srcCurrency": "Bitcoin",
   "dstCurrency": "Tether", "price": "71500.55", "amount": "0.01", "totalPrice": "0", "totalOrderPrice": "715.0055",
   "matchedAmount": "0", "unmatchedAmount": "0.01", "status": "Active", "partial": false, "fee": "0",
   "created_at": "2024-03-11T12:52:35.123+03:30", "averagePrice": "0", "clientOrderId": "oco-1", "pairId": 72},
  {"id": 72, "type": "sell", "execution": "StopLimit", "tradeType": "Spot", "market": "BTC-USDT", "srcCurrency": "Bitcoin",
   "dstCurrency": "Tether", "price": "64900", "param1": "65000.5", "amount": "0.01", "totalPrice": "0",
   "totalOrderPrice": "649", "matchedAmount": "0", "unmatchedAmount": "0.01", "status": "Inactive", "partial": false,
   "fee": "0", "created_at": "2024-03-11T12:52:35.123+03:30", "averagePrice": "0", "clientOrderId": null, "pairId": 71}
]}`;

const ocoLeg = { ...limitOrder, side: 'sell', market: BTC_USDT, amount: '0.01', unmatchedAmount: '0.01' };
const ocoOrders = [
  { ...ocoLeg, id: 71, price: '71500.55', orderTotal: '715.0055', clientOrderId: 'oco-1', pairId: 72 },
  {
    ...ocoLeg,
    id: 72,
    execution: 'stop_limit',
    price: '64900',
    stopPrice: '65000.5',
    orderTotal: '649',
    status: 'Inactive',
    clientOrderId: null,
    pairId: 71,
  },
];

export const ADD_ORDER_BODIES: readonly BodyCase[] = [
  {
    endpoint: 'addOrder',
    form: 'the specified form',
    request: ADD,
    body: `{"status": "ok", "order": ${LIMIT_ORDER_TEXT}}`,
    value: { order: limitOrder, pair: null },
  },
  {
    endpoint: 'addOrder',
    form: 'both orders of an OCO, the limit first',
    request: {
      ...ADD,
      type: 'sell',
      dstCurrency: 'usdt',
      mode: 'oco',
      amount: '0.01',
      price: '71500.55',
      stopPrice: '65000.5',
      stopLimitPrice: '64900',
    },
    body: OCO_TEXT,
    value: { order: ocoOrders[0], pair: ocoOrders[1] },
  },
  {
    endpoint: 'addOrder',
    form: 'zeros with an exponent and decimals padded to ten places',
    request: ADD,
    body: `{"status": "ok", "order": {
      "id": 5684123456, "type": "buy", "execution": "Limit", "tradeType": "Spot", "market": "BTC-RLS",
      "srcCurrency": "Bitcoin", "dstCurrency": "\\ufdfc", "price": "12600000000.0000000000", "amount": "0.0000010000",
      "totalPrice": "0E-10", "totalOrderPrice": "12600.0000000000", "matchedAmount": "0E-10",
      "unmatchedAmount": "0.0000010000", "status": "Active", "partial": false, "fee": "0E-10",
      "created_at": "2024-03-11T09:22:35.123456+00:00", "averagePrice": "0E-10", "clientOrderId": "alpha-ma-1-17",
      "pairId": null, "user": "founder@example.test", "isMyOrder": true}}`,
    value: { order: limitOrder, pair: null },
  },
  {
    endpoint: 'addOrder',
    form: 'bare numbers to the last digit',
    request: ADD,
    body: `{"status": "ok", "order": {
      "id": 5684123456, "type": "buy", "execution": "Limit", "tradeType": "Spot", "market": "BTC-RLS",
      "price": 12600000000.10, "amount": 0.1000000000000000055, "totalPrice": 1e3, "totalOrderPrice": 123456789012345678.0123456789,
      "matchedAmount": 0.1, "unmatchedAmount": 0.0000000000000000055, "status": "Active", "partial": true, "fee": 0.00025,
      "created_at": "2024-03-11T09:22:35.123456+00:00", "averagePrice": 12600000000.10, "clientOrderId": null, "pairId": null}}`,
    value: {
      order: {
        ...limitOrder,
        price: '12600000000.1',
        amount: '0.1000000000000000055',
        total: '1000',
        orderTotal: '123456789012345678.0123456789',
        matchedAmount: '0.1',
        unmatchedAmount: '0.0000000000000000055',
        partial: true,
        fee: '0.00025',
        averagePrice: '12600000000.1',
        clientOrderId: null,
      },
      pair: null,
    },
  },
  {
    endpoint: 'addOrder',
    form: 'a market order, whose price is a word',
    request: { ...ADD, execution: 'market', price: undefined },
    body: `{"status": "ok", "order": {"id": 9, "type": "sell", "execution": "Market", "tradeType": "Spot", "market": "BTC-RLS",
      "price": "market", "amount": "0.002", "totalPrice": "25199999.98", "totalOrderPrice": "25200000", "matchedAmount": "0.002",
      "unmatchedAmount": "0", "status": "Done", "partial": false, "fee": "62999.99995", "created_at": "2024-03-11T09:22:35.123Z",
      "averagePrice": "12599999990", "clientOrderId": null, "pairId": null}}`,
    value: {
      order: {
        ...limitOrder,
        id: 9,
        side: 'sell',
        execution: 'market',
        price: null,
        amount: '0.002',
        total: '25199999.98',
        orderTotal: '25200000',
        matchedAmount: '0.002',
        unmatchedAmount: '0',
        status: 'Done',
        fee: '62999.99995',
        averagePrice: '12599999990',
        clientOrderId: null,
      },
      pair: null,
    },
  },
  {
    endpoint: 'addOrder',
    form: 'a refusal that echoes the client order id',
    request: { ...ADD, clientOrderId: 'alpha-ma-1-17' },
    body: '{"status": "failed", "code": "DuplicateOrder", "message": "An identical order was sent", "clientOrderId": "alpha-ma-1-17"}',
    refused: { code: 'DuplicateOrder', clientOrderId: 'alpha-ma-1-17', message: 'An identical order was sent' },
  },
  {
    endpoint: 'addOrder',
    form: 'a refusal whose code is in the field error and whose message is not English',
    request: ADD,
    body: '{"status": "failed", "error": "SmallOrder", "message": "مبلغ سفارش کم است"}',
    refused: { code: 'SmallOrder', message: 'مبلغ سفارش کم است' },
  },
];

export const ORDER_STATUS_BODIES: readonly BodyCase[] = [
  {
    endpoint: 'orderStatus',
    form: 'the specified form',
    request: { id: 5684123456 },
    body: `{"status": "ok", "order": ${LIMIT_ORDER_TEXT}}`,
    value: limitOrder,
  },
  {
    endpoint: 'orderStatus',
    form: 'a status word that no document knows',
    request: { id: 5684123456 },
    body: `{"status": "ok", "order": ${LIMIT_ORDER_TEXT.replace('"Active"', '"Vaporised"')}}`,
    value: { ...limitOrder, status: 'Vaporised' },
  },
  {
    endpoint: 'orderStatus',
    form: 'an order without execution, market and average price',
    request: { clientOrderId: 'alpha-ma-1-17' },
    body: `{"status": "ok", "order": {"id": 44, "type": "sell", "tradeType": "Spot", "srcCurrency": "Shiba Inu", "dstCurrency": "Tether",
      "price": "0.00002731", "amount": "123456789.12", "totalPrice": "0", "totalOrderPrice": "3371.6049108672",
      "matchedAmount": "0", "unmatchedAmount": "123456789.12", "status": "New", "partial": false, "fee": "0",
      "created_at": "2024-03-11T09:22:35.123+00:00", "clientOrderId": "alpha-ma-1-17"}}`,
    value: {
      ...limitOrder,
      id: 44,
      side: 'sell',
      execution: null,
      market: null,
      price: '0.00002731',
      amount: '123456789.12',
      unmatchedAmount: '123456789.12',
      orderTotal: '3371.6049108672',
      averagePrice: null,
      status: 'New',
    },
  },
  {
    endpoint: 'orderStatus',
    form: 'ids that arrive as text, and a stop order',
    request: { id: 45 },
    body: `{"status": "ok", "order": {"id": "45", "type": "buy", "execution": "StopMarket", "tradeType": "Spot", "market": "SHIB-USDT",
      "srcCurrency": "Shiba Inu", "dstCurrency": "Tether", "price": "market", "param1": "0.00000001", "amount": "1",
      "totalPrice": "0", "totalOrderPrice": "0.00000001", "matchedAmount": "0", "unmatchedAmount": "1", "status": "Inactive",
      "partial": false, "fee": "0", "created_at": "2024-03-11T09:22:35.123+00:00", "averagePrice": "0", "clientOrderId": null,
      "pairId": null}}`,
    value: {
      ...limitOrder,
      id: 45,
      execution: 'stop_market',
      market: SHIB_USDT,
      price: null,
      stopPrice: '0.00000001',
      amount: '1',
      orderTotal: '0.00000001',
      unmatchedAmount: '1',
      status: 'Inactive',
      clientOrderId: null,
    },
  },
  {
    endpoint: 'orderStatus',
    form: 'the refusal of a look-up that is not offered',
    request: { clientOrderId: 'alpha-ma-1-17' },
    body: '{"status": "failed", "code": "FeatureUnavailable", "message": "Not for you"}',
    refused: { code: 'FeatureUnavailable' },
  },
];

export const ORDERS_LIST_BODIES: readonly BodyCase[] = [
  {
    endpoint: 'ordersList',
    form: 'the specified form with details=2',
    request: { details: 2, status: 'all' },
    body: `{"status": "ok", "orders": [${LIMIT_ORDER_TEXT}], "hasNext": true}`,
    value: { items: [limitOrder], hasNext: true },
  },
  {
    endpoint: 'ordersList',
    form: 'details=1, where five fields are left out',
    request: {},
    body: `{"status": "ok", "orders": [{"type": "sell", "execution": "Limit", "tradeType": "Spot", "market": "BTC-RLS",
      "srcCurrency": "Bitcoin", "dstCurrency": "\\ufdfc", "price": "12600000000", "amount": "0.000001", "totalPrice": "0",
      "totalOrderPrice": "12600", "matchedAmount": "0", "unmatchedAmount": "0.000001", "partial": false,
      "clientOrderId": null, "pairId": null}], "hasNext": false}`,
    value: {
      items: [
        {
          ...limitOrder,
          id: null,
          side: 'sell',
          fee: null,
          averagePrice: null,
          status: null,
          createdAtMs: null,
          clientOrderId: null,
        },
      ],
      hasNext: false,
    },
  },
  {
    endpoint: 'ordersList',
    form: 'an empty list without hasNext',
    request: {},
    body: '{"status": "ok", "orders": []}',
    value: { items: [], hasNext: null },
  },
  {
    endpoint: 'ordersList',
    form: 'a record with nothing but what no order is without',
    request: {},
    body: '{"status": "ok", "orders": [{"type": "buy", "price": 1, "amount": "2.50", "matchedAmount": "0E-10", "isMyOrder": true}], "hasNext": false}',
    value: {
      items: [{ ...nothingButTheNeeded, side: 'buy', price: '1', amount: '2.5', matchedAmount: '0' }],
      hasNext: false,
    },
  },
];

export const UPDATE_ORDER_BODIES: readonly BodyCase[] = [
  {
    endpoint: 'updateOrderStatus',
    form: 'an applied cancel',
    request: { order: 5684123456, status: 'canceled' },
    body: `{"status": "ok", "updatedStatus": "Canceled", "order": ${LIMIT_ORDER_TEXT.replace('"Active"', '"Canceled"')}}`,
    value: { updatedStatus: 'Canceled', order: { ...limitOrder, status: 'Canceled' } },
  },
  {
    endpoint: 'updateOrderStatus',
    form: 'a cancel that came too late',
    request: { order: 5684123456, status: 'canceled' },
    body: `{"status": "failed", "updatedStatus": "Done", "order": ${LIMIT_ORDER_TEXT.replace('"Active"', '"Done"')}}`,
    refused: { code: 'NotApplied', updatedStatus: 'Done', order: { ...limitOrder, status: 'Done' } },
  },
  {
    endpoint: 'updateOrderStatus',
    form: 'a cancel that came too late, without the order',
    request: { clientOrderId: 'alpha-ma-1-17', status: 'canceled' },
    body: '{"status": "failed", "updatedStatus": "Done"}',
    refused: { code: 'NotApplied', updatedStatus: 'Done', order: null },
  },
  {
    endpoint: 'updateOrderStatus',
    form: 'another failure',
    request: { order: 1, status: 'canceled' },
    body: '{"status": "failed", "code": "NullIdAndClientOrderId", "message": "Both are missing"}',
    refused: { code: 'NullIdAndClientOrderId' },
  },
];

export const CANCEL_OLD_BODIES: readonly BodyCase[] = [
  {
    endpoint: 'cancelOldOrders',
    form: 'the specified form',
    request: { hours: 2.5 },
    body: '{"status": "ok"}',
    value: null,
  },
  {
    endpoint: 'cancelOldOrders',
    form: 'a failure named by error',
    request: {},
    body: '{"status": "failed", "error": "ParseError", "message": "hours is no number"}',
    refused: { code: 'ParseError' },
  },
];

const trade = {
  id: 90210,
  orderId: 5684123456,
  market: BTC_RLS,
  timeMs: CREATED_MS,
  side: 'sell',
  price: '12600000000',
  amount: '0.000865',
  total: '10899000',
  fee: '27257.7096',
};

export const TRADES_LIST_BODIES: readonly BodyCase[] = [
  {
    endpoint: 'tradesList',
    form: 'the specified form',
    request: { srcCurrency: 'btc', dstCurrency: 'rls' },
    body: `{"status": "ok", "trades": [{"id": 90210, "orderId": 5684123456, "srcCurrency": "Bitcoin", "dstCurrency": "\\ufdfc",
      "market": "BTC-RLS", "timestamp": "2024-03-11T09:22:35.123456+00:00", "type": "sell", "price": "12600000000",
      "amount": "0.000865", "total": "10899000", "fee": "27257.7096"}], "hasNext": false}`,
    value: { items: [trade], hasNext: false },
  },
  {
    endpoint: 'tradesList',
    form: 'padded and bare decimals, no order, no hasNext and an offset without a colon',
    request: {},
    body: `{"status": "ok", "trades": [{"id": 90210, "orderId": null, "market": "BTC-RLS", "timestamp": "2024-03-11T12:52:35.123+0330",
      "type": "sell", "price": 12600000000.10, "amount": "0.0008650000", "total": 10899000.0000000865, "fee": "0E-10", "extra": [1]}]}`,
    value: {
      items: [{ ...trade, orderId: null, price: '12600000000.1', total: '10899000.0000000865', fee: '0' }],
      hasNext: null,
    },
  },
];
