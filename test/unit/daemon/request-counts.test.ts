import type { Budget } from '../../../src/domain/rate-limit.ts';
import { expect, test } from 'vitest';
import { RequestCounts } from '../../../src/daemon/request-counts.ts';
import { ENDPOINTS } from '../../../src/exchange/endpoints.ts';
import { ExchangeClient } from '../../../src/exchange/client.ts';
import { budgetTable } from '../../../src/exchange/client-options.ts';
import type { VenueCall } from '../../../src/venues/port.ts';
import { createVenueCaller } from '../../../src/venues/venue-caller.ts';

const LISTS = ENDPOINTS.ordersList.budget;
const ORDERS: VenueCall = { kind: 'orders', status: 'open', market: null, from: null };
const BOOK: VenueCall = { kind: 'book', market: 'BTCIRT' };
const caller = createVenueCaller(new ExchangeClient({ baseUrl: 'http://127.0.0.1:9' }));

function countsOf(options: {
  readonly budgets?: readonly Budget[];
  readonly most?: Readonly<Record<string, number>>;
}) {
  return new RequestCounts({
    budgets: new Map((options.budgets ?? [...budgetTable({}, 0).values()]).map((one) => [one.name, one])),
    most: () => new Map(Object.entries(options.most ?? {})),
  });
}

test('counts requests that were sent, however they ended, and not those that never left', () => {
  const counts = countsOf({});
  for (const outcome of ['value', 'value', 'refused', 'failed', 'unsent'])
    counts.add(ORDERS, outcome, caller);
  counts.add({ kind: 'wallets' }, 'unsent', caller);
  expect(counts.total).toBe(4);
  expect([LISTS.name, 'no budget'].map((name) => counts.sentAgainst(name))).toEqual([4, 0]);
  expect(counts.usage().map(({ endpoint, requests }) => [endpoint, requests])).toEqual([['ordersList', 4]]);
  expect(counts.outcomes()).toEqual([
    { endpoint: 'ordersList', outcome: 'value', count: 2 },
    { endpoint: 'ordersList', outcome: 'refused', count: 1 },
    { endpoint: 'ordersList', outcome: 'failed', count: 1 },
    { endpoint: 'ordersList', outcome: 'unsent', count: 1 },
    { endpoint: 'wallets', outcome: 'unsent', count: 1 },
  ]);
});

test('holds an endpoint against the limit of its budget, and reports the most that the budget had occupied', () => {
  const counts = countsOf({ most: { [LISTS.name]: 17 } });
  counts.add(ORDERS, 'value', caller);
  expect(counts.usage()).toEqual([
    { endpoint: 'ordersList', requests: 1, most: 17, limit: 30, windowMs: 60_000 },
  ]);
});

test('takes the limit that the bot was given in place of the declared one', () => {
  const counts = countsOf({ budgets: [{ ...LISTS, limit: 7, windowMs: 30_000 }] });
  counts.add(ORDERS, 'value', caller);
  expect(counts.usage()).toMatchObject([{ most: 0, limit: 7, windowMs: 30_000 }]);
});

test('counts two endpoints of one budget separately', () => {
  const counts = countsOf({ most: { [ENDPOINTS.orderBook.budget.name]: 9 } });
  counts.add(BOOK, 'value', caller);
  counts.add({ kind: 'books' }, 'value', caller);
  counts.add({ kind: 'books' }, 'value', caller);
  expect(counts.usage()).toMatchObject([
    { endpoint: 'orderBook', requests: 1, most: 9 },
    { endpoint: 'allOrderBooks', requests: 2, most: 9 },
  ]);
});
