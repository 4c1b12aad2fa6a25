import { BUY } from './world.ts';

/** A harmless request for an endpoint, as raw method, path and body, which has only to reach it. */
export interface SampleRequest {
  readonly request: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

const CALLBACK = 'https://shop.example.test/back';

export const SAMPLE_REQUESTS: Readonly<Record<string, SampleRequest>> = {
  addOrder: { request: 'POST /market/orders/add', body: { ...BUY, pro: true } },
  orderStatus: { request: 'POST /market/orders/status', body: { id: 1 } },
  ordersList: { request: 'GET /market/orders/list' },
  updateOrderStatus: { request: 'POST /market/orders/update-status', body: { order: 1, status: 'canceled' } },
  cancelOldOrders: { request: 'POST /market/orders/cancel-old', body: {} },
  tradesList: { request: 'GET /market/trades/list' },
  orderBook: { request: 'GET /v2/orderbook/BTCIRT' },
  orderBookV3: { request: 'GET /v3/orderbook/BTCIRT' },
  allOrderBooksV3: { request: 'GET /v3/orderbook/all' },
  allOrderBooks: { request: 'GET /v2/orderbook/all' },
  depth: { request: 'GET /v2/depth/BTCIRT' },
  publicTrades: { request: 'GET /v2/trades/BTCIRT' },
  marketStats: { request: 'GET /market/stats?srcCurrency=btc&dstCurrency=rls' },
  history: { request: 'GET /market/udf/history?symbol=BTCIRT&resolution=60&from=1710140000&to=1710150000' },
  globalStats: { request: 'POST /market/global-stats' },
  options: { request: 'GET /v2/options' },
  marginMarkets: { request: 'GET /margin/markets/list' },
  login: { request: 'POST /auth/login/', body: { username: 'alice', password: 'wrong', captcha: 'api' } },
  profile: { request: 'GET /users/profile' },
  loginAttempts: { request: 'GET /users/login-attempts' },
  referralCode: { request: 'GET /users/get-referral-code' },
  limitations: { request: 'GET /users/limitations' },
  generateAddress: { request: 'POST /users/wallets/generate-address', body: { currency: 'btc' } },
  addCard: { request: 'POST /users/cards-add', body: { number: '6219861000000002', bank: 'Saman' } },
  addAccount: {
    request: 'POST /users/accounts-add',
    body: { number: '987', shaba: 'IR820540102680020817909002', bank: 'Parsian' },
  },
  favoriteMarkets: { request: 'GET /users/markets/favorite' },
  addFavoriteMarkets: { request: 'POST /users/markets/favorite', body: { market: 'BTCIRT' } },
  removeFavoriteMarkets: { request: 'DELETE /users/markets/favorite', body: { market: 'BTCIRT' } },
  walletsList: { request: 'GET /users/wallets/list' },
  wallets: { request: 'GET /v2/wallets' },
  walletBalance: { request: 'POST /users/wallets/balance', body: { currency: 'btc' } },
  walletTransactions: { request: 'GET /users/wallets/transactions/list?wallet=1' },
  deposits: { request: 'GET /users/wallets/deposits/list' },
  withdrawals: { request: 'GET /users/wallets/withdraws/list' },
  liquidityPools: { request: 'GET /liquidity-pools/list' },
  transfer: {
    request: 'POST /wallets/transfer',
    body: { currency: 'rls', amount: '1', src: 'spot', dst: 'margin' },
  },
  delegationLimit: { request: 'GET /margin/delegation-limit?currency=btc' },
  createWithdrawal: {
    request: 'POST /cobank/withdraw',
    body: { destinationBankAccountId: 1, amount: '5000000' },
  },
  withdrawal: { request: 'GET /cobank/withdraw/CW1' },
  cancelWithdrawal: { request: 'POST /cobank/withdraw/CW1/cancel' },
  gatewaySend: {
    request: 'POST /pg/send/',
    body: { api: 'merchant-1', amount: 250_000, callbackURL: CALLBACK },
  },
  gatewayVerify: { request: 'POST /pg/verify/', body: { api: 'merchant-1', token: 'x' } },
};
