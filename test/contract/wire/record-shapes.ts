import type { Shape } from './shape-of.ts';

/** Records of the interface, field by field, typed by hand ("Resources and their fields"). */

export const ORDER_DETAILS = ['id', 'status', 'fee', 'created_at', 'averagePrice'];

/** A limit order without a client id. */
export const ORDER: { readonly [field: string]: Shape } = {
  id: 'integer',
  type: 'text',
  execution: 'text',
  tradeType: 'text',
  market: 'text',
  srcCurrency: 'text',
  dstCurrency: 'text',
  price: 'decimal',
  amount: 'decimal',
  totalPrice: 'decimal',
  totalOrderPrice: 'decimal',
  matchedAmount: 'decimal',
  unmatchedAmount: 'decimal',
  status: 'text',
  partial: 'boolean',
  fee: 'decimal',
  created_at: 'time',
  averagePrice: 'decimal',
  clientOrderId: 'null',
  pairId: 'null',
};

export const TRADE: Shape = {
  id: 'integer',
  orderId: 'integer',
  srcCurrency: 'text',
  dstCurrency: 'text',
  market: 'text',
  timestamp: 'time',
  type: 'text',
  price: 'decimal',
  amount: 'decimal',
  total: 'decimal',
  fee: 'decimal',
};

/** Shape of a wallet without a deposit address, with these networks. */
export const wallet = (networks: readonly string[]): Shape => ({
  id: 'integer',
  currency: 'text',
  balance: 'decimal',
  blockedBalance: 'decimal',
  activeBalance: 'decimal',
  rialBalance: 'integer',
  rialBalanceSell: 'integer',
  depositAddress: 'null',
  depositTag: 'null',
  depositInfo: Object.fromEntries(networks.map((network) => [network, { address: 'null', tag: 'null' }])),
});

export const TRANSACTION: Shape = {
  id: 'integer',
  currency: 'text',
  created_at: 'time',
  calculatedFee: 'decimal',
  amount: 'decimal',
  description: 'text',
};

export const WITHDRAWAL: { readonly [field: string]: Shape } = {
  id: 'text',
  createdAt: 'time',
  status: 'text',
  amount: 'decimal',
  fee: 'decimal',
  fulfilledAmount: 'decimal',
  bankAccountId: 'integer',
  bankAccountInfo: { id: 'integer', number: 'text', shaba: 'text', bank: 'text', owner: 'text' },
  isCancelable: 'boolean',
  records: [
    {
      amount: 'decimal',
      bankReferenceNumber: 'null',
      status: 'text',
      estimatedSettleAt: 'null',
      providerUpdatedAt: 'time',
      transferType: 'text',
    },
  ],
};

const booleans = (names: readonly string[]): Shape =>
  Object.fromEntries(names.map((name) => [name, 'boolean']));

const PENDING = ['email', 'phone', 'mobile', 'identity', 'selfie', 'bankAccount', 'bankCard'];

export const PROFILE: Shape = {
  status: 'text',
  profile: {
    firstName: 'text',
    lastName: 'text',
    nationalCode: 'text',
    email: 'text',
    username: 'text',
    phone: 'text',
    mobile: 'text',
    city: 'text',
    bankCards: [{ number: 'text', bank: 'text', owner: 'text', confirmed: 'boolean', status: 'text' }],
    bankAccounts: [
      {
        id: 'integer',
        number: 'text',
        shaba: 'text',
        bank: 'text',
        owner: 'text',
        confirmed: 'boolean',
        status: 'text',
      },
    ],
    verifications: booleans([...PENDING, 'address', 'city', 'nationalSerialNumber']),
    pendingVerifications: booleans(PENDING),
    options: {
      fee: 'decimal',
      feeUsdt: 'decimal',
      isManualFee: 'boolean',
      tfa: 'boolean',
      socialLoginEnabled: 'boolean',
    },
    withdrawEligible: 'boolean',
  },
  tradeStats: { monthTradesTotal: 'decimal', monthTradesCount: 'integer' },
};

const usage: Shape = { used: 'decimal', limit: 'decimal' };

export const LIMITATIONS: Shape = {
  status: 'text',
  limitations: {
    userLevel: 'text',
    features: booleans([
      'crypto_trade',
      'rial_trade',
      'coin_deposit',
      'rial_deposit',
      'coin_withdrawal',
      'rial_withdrawal',
    ]),
    limits: {
      withdrawRialDaily: usage,
      withdrawCoinDaily: usage,
      withdrawTotalDaily: usage,
      withdrawTotalMonthly: usage,
    },
  },
};
