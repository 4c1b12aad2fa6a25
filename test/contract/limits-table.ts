/**
 * Limits of the interface, typed by hand once more ("Rate limits"). Rows of one `budget` are counted
 * together. For `assumed` rows, about which every document is silent, the limit is 30 per minute.
 */
export interface LimitRow {
  /** Methods of the client that are counted together. */
  readonly endpoints: readonly string[];
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly assumed: boolean;
  /** Key by which requests are counted: token or key for private calls, IP address for public ones. */
  readonly per: 'ip' | 'token';
}

const SECONDS = 1000;
const MINUTE = 60 * SECONDS;

const stated = (
  endpoints: readonly string[],
  request: string,
  numbers: { readonly limit: number; readonly windowMs: number; readonly per: 'ip' | 'token' },
): LimitRow => {
  const [method, path] = request.split(' ') as [LimitRow['method'], string];
  return { endpoints, method, path, ...numbers, assumed: false };
};

const assumed = (
  endpoints: string | readonly string[],
  request: string,
  per: 'ip' | 'token',
  limit = 30,
): LimitRow => ({
  ...stated(typeof endpoints === 'string' ? [endpoints] : endpoints, request, {
    limit,
    windowMs: MINUTE,
    per,
  }),
  assumed: true,
});

export const LIMITS: readonly LimitRow[] = [
  stated(['addOrder'], 'POST /market/orders/add', { limit: 300, windowMs: 10 * MINUTE, per: 'token' }),
  stated(['orderStatus'], 'POST /market/orders/status', { limit: 300, windowMs: MINUTE, per: 'token' }),
  stated(['ordersList'], 'GET /market/orders/list', { limit: 30, windowMs: MINUTE, per: 'token' }),
  stated(['updateOrderStatus'], 'POST /market/orders/update-status', {
    limit: 90,
    windowMs: MINUTE,
    per: 'token',
  }),
  stated(['cancelOldOrders'], 'POST /market/orders/cancel-old', {
    limit: 30,
    windowMs: MINUTE,
    per: 'token',
  }),
  stated(['tradesList'], 'GET /market/trades/list', { limit: 30, windowMs: MINUTE, per: 'token' }),
  stated(['orderBook', 'allOrderBooks'], 'GET /v2/orderbook/{symbol}', {
    limit: 60,
    windowMs: MINUTE,
    per: 'ip',
  }),
  stated(['depth'], 'GET /v2/depth/{symbol}', { limit: 60, windowMs: MINUTE, per: 'ip' }),
  stated(['publicTrades'], 'GET /v2/trades/{symbol}', { limit: 15, windowMs: MINUTE, per: 'ip' }),
  // The interface has 100; the newest public documentation has 20.
  stated(['marketStats'], 'GET /market/stats', { limit: 20, windowMs: MINUTE, per: 'ip' }),
  stated(['globalStats'], 'POST /market/global-stats', { limit: 100, windowMs: 10 * MINUTE, per: 'ip' }),
  stated(['generateAddress'], 'POST /users/wallets/generate-address', {
    limit: 30,
    windowMs: 60 * MINUTE,
    per: 'token',
  }),
  stated(['addCard'], 'POST /users/cards-add', { limit: 30, windowMs: 30 * MINUTE, per: 'token' }),
  stated(['addAccount'], 'POST /users/accounts-add', { limit: 30, windowMs: 30 * MINUTE, per: 'token' }),
  stated(['walletsList'], 'GET /users/wallets/list', { limit: 20, windowMs: 2 * MINUTE, per: 'token' }),
  stated(['wallets'], 'GET /v2/wallets', { limit: 12, windowMs: MINUTE, per: 'token' }),
  stated(['walletBalance'], 'POST /users/wallets/balance', { limit: 60, windowMs: 2 * MINUTE, per: 'token' }),
  stated(['walletTransactions'], 'GET /users/wallets/transactions/list', {
    limit: 60,
    windowMs: 2 * MINUTE,
    per: 'token',
  }),
  stated(['deposits'], 'GET /users/wallets/deposits/list', { limit: 60, windowMs: 2 * MINUTE, per: 'token' }),
  stated(['favoriteMarkets'], 'GET /users/markets/favorite', { limit: 6, windowMs: MINUTE, per: 'token' }),
  stated(['addFavoriteMarkets'], 'POST /users/markets/favorite', {
    limit: 12,
    windowMs: MINUTE,
    per: 'token',
  }),
  stated(['removeFavoriteMarkets'], 'DELETE /users/markets/favorite', {
    limit: 12,
    windowMs: MINUTE,
    per: 'token',
  }),
  stated(['marginMarkets'], 'GET /margin/markets/list', { limit: 30, windowMs: MINUTE, per: 'ip' }),
  stated(['liquidityPools'], 'GET /liquidity-pools/list', { limit: 12, windowMs: MINUTE, per: 'token' }),
  stated(['transfer'], 'POST /wallets/transfer', { limit: 10, windowMs: MINUTE, per: 'token' }),
  // The limit of the second version.
  assumed(['orderBookV3', 'allOrderBooksV3'], 'GET /v3/orderbook/{symbol}', 'ip', 60),
  assumed('history', 'GET /market/udf/history', 'ip'),
  assumed('options', 'GET /v2/options', 'ip'),
  // Only the newest public documentation has these two.
  stated(['login'], 'POST /auth/login/', { limit: 30, windowMs: 10 * MINUTE, per: 'ip' }),
  stated(['delegationLimit'], 'GET /margin/delegation-limit', { limit: 12, windowMs: MINUTE, per: 'token' }),
  assumed('profile', 'GET /users/profile', 'token'),
  assumed('loginAttempts', 'GET /users/login-attempts', 'token'),
  assumed('referralCode', 'GET /users/get-referral-code', 'token'),
  assumed('limitations', 'GET /users/limitations', 'token'),
  assumed('withdrawals', 'GET /users/wallets/withdraws/list', 'token'),
  assumed('createWithdrawal', 'POST /cobank/withdraw', 'token'),
  assumed('withdrawal', 'GET /cobank/withdraw/{id}', 'token'),
  assumed('cancelWithdrawal', 'POST /cobank/withdraw/{id}/cancel', 'token'),
  assumed('gatewaySend', 'POST /pg/send/', 'ip'),
  assumed('gatewayVerify', 'POST /pg/verify/', 'ip'),
];
