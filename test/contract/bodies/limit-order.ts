import { BTC_RLS } from './body-case.ts';

/** Time of "2024-03-11T09:22:35.123+00:00". */
export const CREATED_MS = Date.UTC(2024, 2, 11, 9, 22, 35, 123);

/** The resting order that a caller gets. */
export const limitOrder = {
  id: 5684123456,
  side: 'buy',
  execution: 'limit',
  tradeKind: 'Spot',
  market: BTC_RLS,
  baseName: 'Bitcoin',
  quoteName: '\ufdfc',
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

/** The resting order above, as the interface writes it. */
export const LIMIT_ORDER_TEXT = `{
  "id": 5684123456, "type": "buy", "execution": "Limit", "tradeType": "Spot", "market": "BTC-RLS",
  "srcCurrency": "Bitcoin", "dstCurrency": "\\ufdfc", "price": "12600000000", "amount": "0.000001",
  "totalPrice": "0", "totalOrderPrice": "12600", "matchedAmount": "0", "unmatchedAmount": "0.000001",
  "status": "Active", "partial": false, "fee": "0", "created_at": "2024-03-11T09:22:35.123456+00:00",
  "averagePrice": "0", "clientOrderId": "alpha-ma-1-17", "pairId": null
}`;
