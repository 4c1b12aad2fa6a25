import { expect, test } from 'vitest';
import { ENDPOINTS } from '../../src/exchange/endpoints.ts';

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
