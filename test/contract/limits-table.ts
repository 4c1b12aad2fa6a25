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

type Numbers = readonly [limit: number, windowMs: number, per: LimitRow['per']];

function stated(endpoint: string | readonly string[], request: string, numbers: Numbers): LimitRow {
  const endpoints = typeof endpoint === 'string' ? [endpoint] : endpoint;
  const [method, path] = request.split(' ') as [LimitRow['method'], string];
  const [limit, windowMs, per] = numbers;
  return { endpoints, method, path, limit, windowMs, per, assumed: false };
}

function assumed(
  endpoint: string | readonly string[],
  request: string,
  per: LimitRow['per'],
  limit = 30,
): LimitRow {
  return { ...stated(endpoint, request, [limit, MINUTE, per]), assumed: true };
}

export const LIMITS: readonly LimitRow[] = [
  stated('addOrder', 'POST /market/orders/add', [300, 10 * MINUTE, 'token']),
  stated('orderStatus', 'POST /market/orders/status', [300, MINUTE, 'token']),
  stated('ordersList', 'GET /market/orders/list', [30, MINUTE, 'token']),
  stated('updateOrderStatus', 'POST /market/orders/update-status', [90, MINUTE, 'token']),
  stated('cancelOldOrders', 'POST /market/orders/cancel-old', [30, MINUTE, 'token']),
  stated('tradesList', 'GET /market/trades/list', [30, MINUTE, 'token']),
  stated(['orderBook', 'allOrderBooks'], 'GET /v2/orderbook/{symbol}', [60, MINUTE, 'ip']),
  stated('depth', 'GET /v2/depth/{symbol}', [60, MINUTE, 'ip']),
  stated('publicTrades', 'GET /v2/trades/{symbol}', [15, MINUTE, 'ip']),
  // The interface has 100; the newest public documentation has 20.
  stated('marketStats', 'GET /market/stats', [20, MINUTE, 'ip']),
  stated('globalStats', 'POST /market/global-stats', [100, 10 * MINUTE, 'ip']),
  stated('generateAddress', 'POST /users/wallets/generate-address', [30, 60 * MINUTE, 'token']),
  stated('addCard', 'POST /users/cards-add', [30, 30 * MINUTE, 'token']),
  stated('addAccount', 'POST /users/accounts-add', [30, 30 * MINUTE, 'token']),
  stated('walletsList', 'GET /users/wallets/list', [20, 2 * MINUTE, 'token']),
  stated('wallets', 'GET /v2/wallets', [12, MINUTE, 'token']),
  stated('walletBalance', 'POST /users/wallets/balance', [60, 2 * MINUTE, 'token']),
  stated('walletTransactions', 'GET /users/wallets/transactions/list', [60, 2 * MINUTE, 'token']),
  stated('deposits', 'GET /users/wallets/deposits/list', [60, 2 * MINUTE, 'token']),
  stated('favoriteMarkets', 'GET /users/markets/favorite', [6, MINUTE, 'token']),
  stated('addFavoriteMarkets', 'POST /users/markets/favorite', [12, MINUTE, 'token']),
  stated('removeFavoriteMarkets', 'DELETE /users/markets/favorite', [12, MINUTE, 'token']),
  stated('marginMarkets', 'GET /margin/markets/list', [30, MINUTE, 'ip']),
  stated('liquidityPools', 'GET /liquidity-pools/list', [12, MINUTE, 'token']),
  stated('transfer', 'POST /wallets/transfer', [10, MINUTE, 'token']),
  // The limit of the second version.
  assumed(['orderBookV3', 'allOrderBooksV3'], 'GET /v3/orderbook/{symbol}', 'ip', 60),
  assumed('history', 'GET /market/udf/history', 'ip'),
  assumed('options', 'GET /v2/options', 'ip'),
  // Only the newest public documentation has these two.
  stated('login', 'POST /auth/login/', [30, 10 * MINUTE, 'ip']),
  stated('delegationLimit', 'GET /margin/delegation-limit', [12, MINUTE, 'token']),
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
