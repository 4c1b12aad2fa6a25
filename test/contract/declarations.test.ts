import { describe, expect, test } from 'vitest';
import { ENDPOINTS } from '../../src/exchange/endpoints.ts';
import type { Endpoint } from '../../src/exchange/request-types.ts';
import { LIMITS } from './limits-table.ts';

const declared = new Map<string, Endpoint>(
  Object.entries(ENDPOINTS as unknown as Readonly<Record<string, Endpoint>>),
);

describe('limits of the declarations', () => {
  test.each(LIMITS.map((row) => [`${row.method} ${row.path}`, row] as const))('%s', (_, row) => {
    const [first, ...others] = row.endpoints.map((name) => declared.get(name));
    expect(first).toMatchObject({ method: row.method, path: row.path });
    expect(first?.budget).toMatchObject({
      limit: row.limit,
      windowMs: row.windowMs,
      assumed: row.assumed,
      per: row.per,
    });
    for (const other of others) expect(other?.budget).toEqual(first?.budget);
  });

  test('every endpoint is in the table once, and the table has no other', () => {
    expect(LIMITS.flatMap((row) => row.endpoints).toSorted()).toEqual([...declared.keys()].toSorted());
  });

  test('endpoints share a budget only where the table says so', () => {
    const byBudget = Map.groupBy(declared.values(), (endpoint) => endpoint.budget.name);
    const shared = [...byBudget.values()].filter((endpoints) => endpoints.length > 1);
    expect(shared.map((endpoints) => endpoints.map(({ name }) => name).toSorted())).toEqual([
      ['allOrderBooks', 'orderBook'],
      ['allOrderBooksV3', 'orderBookV3'],
    ]);
  });
});

/**
 * Permissions that each call needs, typed by hand from the interface ("Key permission"); for the calls that
 * it leaves open, from deployments.
 */
const ACCESS: Readonly<Record<string, readonly string[]>> = {
  none: [
    'orderBook',
    'orderBookV3',
    'allOrderBooks',
    'allOrderBooksV3',
    'depth',
    'publicTrades',
    'marketStats',
    'history',
    'globalStats',
    'options',
    'login',
  ],
  'optional-token': ['marginMarkets'],
  merchant: ['gatewaySend', 'gatewayVerify'],
  READ: [
    'profile',
    'limitations',
    'orderStatus',
    'ordersList',
    'tradesList',
    'walletsList',
    'wallets',
    'walletBalance',
    'walletTransactions',
    'deposits',
    'delegationLimit',
    'withdrawal',
    'withdrawals',
  ],
  TRADE: ['addOrder', 'updateOrderStatus', 'cancelOldOrders'],
  WITHDRAW: ['createWithdrawal', 'cancelWithdrawal'],
  token: [
    'loginAttempts',
    'referralCode',
    'generateAddress',
    'addCard',
    'addAccount',
    'favoriteMarkets',
    'addFavoriteMarkets',
    'removeFavoriteMarkets',
    'liquidityPools',
    'transfer',
  ],
};

test.each(Object.entries(ACCESS))('access %s belongs to exactly these calls', (access, names) => {
  const declared = Object.values(ENDPOINTS).filter((endpoint) => endpoint.access === access);
  expect(declared.map(({ name }) => name as string).toSorted()).toEqual(names.toSorted());
});

test('only reads may be asked again by the client itself', () => {
  const changing = Object.values(ENDPOINTS).filter((endpoint) => !endpoint.idempotent);
  expect(changing.map(({ name }) => name as string).toSorted()).toEqual(
    [
      'addAccount',
      'addCard',
      'addFavoriteMarkets',
      'addOrder',
      'cancelOldOrders',
      'cancelWithdrawal',
      'createWithdrawal',
      'gatewaySend',
      'gatewayVerify',
      'generateAddress',
      'login',
      'removeFavoriteMarkets',
      'transfer',
      'updateOrderStatus',
    ].toSorted(),
  );
});
