import { BTC_RLS, nulls, type BodyCase } from './body-case.ts';
import { CREATED_MS, LIMIT_ORDER_TEXT, limitOrder } from './limit-order.ts';

const nothingButTheNeeded = nulls(
  'id',
  'execution',
  'tradeKind',
  'market',
  'baseName',
  'quoteName',
  'stopPrice',
  'unmatchedAmount',
  'total',
  'orderTotal',
  'fee',
  'averagePrice',
  'status',
  'partial',
  'createdAtMs',
  'clientOrderId',
  'pairId',
);

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
  {
    endpoint: 'ordersList',
    form: 'a time that can not be read as null, and the other orders',
    request: { details: 2 },
    body: `{"status": "ok", "orders": [${LIMIT_ORDER_TEXT.replace('2024-03-11T09:22:35.123456+00:00', 'not a date')}, ${LIMIT_ORDER_TEXT}]}`,
    value: { items: [{ ...limitOrder, createdAtMs: null }, limitOrder], hasNext: null },
  },
  {
    endpoint: 'ordersList',
    form: 'a code and a message beside the status ok',
    request: { details: 2 },
    body: `{"status": "ok", "code": "Notice", "message": "This address will move", "orders": [${LIMIT_ORDER_TEXT}], "hasNext": true}`,
    value: { items: [limitOrder], hasNext: true },
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
  baseName: 'Bitcoin',
  quoteName: '\ufdfc',
  timeMs: CREATED_MS,
  side: 'sell',
  price: '12600000000',
  amount: '0.000865',
  total: '10899000',
  fee: '27257.7096',
};

const withoutNames = { baseName: null, quoteName: null };

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
      items: [
        {
          ...trade,
          ...withoutNames,
          orderId: null,
          price: '12600000000.1',
          total: '10899000.0000000865',
          fee: '0',
        },
      ],
      hasNext: null,
    },
  },
  {
    endpoint: 'tradesList',
    form: 'a time that can not be read as null, and the other trades',
    request: {},
    body: `{"status": "ok", "trades": [
      {"id": 90210, "orderId": 5684123456, "market": "BTC-RLS", "timestamp": "2024-03-11T09:22:35.123456+00:00", "type": "sell",
       "price": "12600000000", "amount": "0.000865", "total": "10899000", "fee": "27257.7096"},
      {"id": 90211, "orderId": 5684123456, "market": "BTC-RLS", "timestamp": "yesterday", "type": "sell", "price": "12600000000",
       "amount": "0.000865", "total": "10899000", "fee": "27257.7096"},
      {"id": 90212, "orderId": 5684123456, "market": "BTC-RLS", "timestamp": {"unix": 1}, "type": "sell", "price": "12600000000",
       "amount": "0.000865", "total": "10899000", "fee": "27257.7096"}], "hasNext": false}`,
    value: {
      items: [
        { ...trade, ...withoutNames },
        { ...trade, ...withoutNames, id: 90211, timeMs: null },
        { ...trade, ...withoutNames, id: 90212, timeMs: null },
      ],
      hasNext: false,
    },
  },
];
