/**
 * Every code table of the interface and what deployments add, typed by hand ("Errors"), with what a caller
 * may conclude: whether the same call may be made again as it stands, and what became of it.
 */
export interface CodeRow {
  readonly endpoint: string;
  readonly request: Readonly<Record<string, unknown>>;
  readonly codes: readonly string[];
}

const ORDER = {
  type: 'sell',
  srcCurrency: 'btc',
  dstCurrency: 'rls',
  amount: '0.000001',
  price: '12600000000',
};

export const CODE_TABLES: readonly CodeRow[] = [
  {
    endpoint: 'addOrder',
    request: ORDER,
    codes: [
      'InvalidOrderPrice',
      'BadPrice',
      'PriceConditionFailed',
      'OverValueOrder',
      'SmallOrder',
      'DuplicateOrder',
      'InvalidMarketPair',
      'MarketClosed',
      'TradingUnavailable',
      'FeatureUnavailable',
      'DuplicateClientOrderId',
      'ParseError',
      'UnexpectedMarketPrice',
      'TradeLimitation',
    ],
  },
  { endpoint: 'orderStatus', request: { id: 5 }, codes: ['NullIdAndClientOrderId', 'FeatureUnavailable'] },
  {
    endpoint: 'updateOrderStatus',
    request: { order: 5, status: 'canceled' },
    codes: ['NullIdAndClientOrderId', 'FeatureUnavailable'],
  },
  {
    endpoint: 'transfer',
    request: { currency: 'usdt', amount: '7.5', src: 'spot', dst: 'margin' },
    codes: ['ParseError', 'InvalidAmount', 'SameDestination', 'WalletNotFound', 'InsufficientBalance'],
  },
  {
    endpoint: 'createWithdrawal',
    request: { destinationBankAccountId: 4710, amount: '5000000' },
    codes: [
      'FeatureUnavailable',
      'ParseError',
      'BankAccountNotFound',
      'WithdrawUnavailable',
      'WithdrawAmountLimitation',
      'InsufficientBalance',
      'AmountTooLow',
      'AmountTooHigh',
      'WithdrawLimitReached',
    ],
  },
  {
    endpoint: 'cancelWithdrawal',
    request: { id: 'CW430542' },
    codes: ['WithdrawRequestNotFound', 'CancellationFailed', 'NotCancellable'],
  },
  {
    endpoint: 'gatewaySend',
    request: { api: 'merchant-1', amount: 250000, callbackURL: 'https://shop.example.test/back' },
    codes: ['-1', '-2', '-3', '-4', '-5', '-6', '-7', '-8', '-9', '-10', '-11', '-41'],
  },
  {
    endpoint: 'gatewayVerify',
    request: { api: 'merchant-1', token: 'tok-4711' },
    codes: ['-21', '-22', '-23', '-31', '-32'],
  },
];

/** Nothing stands in the way of the very same call a little later. All other codes need another call. */
export const MAY_BE_REPEATED: ReadonlySet<string> = new Set([
  'MarketClosed',
  'UnexpectedMarketPrice',
  'WithdrawUnavailable',
]);

/** The one code that says that it was done, by an earlier call. */
export const DONE_BEFORE = '-32';
