import type { BodyCase } from './body-case.ts';

const TRANSFER = { currency: 'rls', amount: '100000', src: 'spot', dst: 'margin' };

const wallet = {
  currency: 'rls',
  blocked: '0',
  rialBalance: '900000',
  rialBalanceSell: '900000',
  depositAddress: null,
  depositTag: null,
  depositInfo: {},
};

export const MARGIN_BODIES: readonly BodyCase[] = [
  {
    endpoint: 'marginMarkets',
    form: 'the specified form, bare numbers too',
    body: `{"status": "ok", "markets": {"BTCIRT": {"srcCurrency": "btc", "dstCurrency": "rls", "positionFeeRate": "0.0010",
      "maxLeverage": "5.00", "sellEnabled": true, "buyEnabled": false},
      "SHIBUSDT": {"srcCurrency": "shib", "dstCurrency": "usdt", "positionFeeRate": 0.0005, "maxLeverage": 2.5,
      "sellEnabled": true, "buyEnabled": true, "new": 1}}}`,
    value: {
      BTCIRT: {
        srcCurrency: 'btc',
        dstCurrency: 'rls',
        positionFeeRate: '0.001',
        maxLeverage: '5',
        sellEnabled: true,
        buyEnabled: false,
      },
      SHIBUSDT: {
        srcCurrency: 'shib',
        dstCurrency: 'usdt',
        positionFeeRate: '0.0005',
        maxLeverage: '2.5',
        sellEnabled: true,
        buyEnabled: true,
      },
    },
  },
  {
    endpoint: 'liquidityPools',
    form: 'the specified form',
    body: `{"status": "ok", "pools": {"btc": {"capacity": "43.5", "filledCapacity": "18.5000000000", "availableBalance": "0E-10"},
      "rls": {"capacity": "12600000000000", "filledCapacity": "1"}}}`,
    value: {
      btc: { capacity: '43.5', filledCapacity: '18.5', availableBalance: '0' },
      rls: { capacity: '12600000000000', filledCapacity: '1', availableBalance: null },
    },
  },
  {
    endpoint: 'transfer',
    form: 'the specified form',
    request: TRANSFER,
    body: `{"status": "ok",
      "srcWallet": {"id": 1, "currency": "rls", "balance": "900000", "blockedBalance": "0", "activeBalance": "900000",
        "rialBalance": 900000, "rialBalanceSell": 900000, "depositAddress": null, "depositTag": null, "depositInfo": {}},
      "dstWallet": {"id": 2, "currency": "rls", "balance": "100000.0000000000", "blockedBalance": "0E-10",
        "activeBalance": "100000", "rialBalance": 900000, "rialBalanceSell": 900000, "depositAddress": null,
        "depositTag": null, "depositInfo": {}}}`,
    value: {
      srcWallet: { ...wallet, id: 1, balance: '900000', active: '900000' },
      dstWallet: { ...wallet, id: 2, balance: '100000', active: '100000' },
    },
  },
  ...['ParseError', 'InvalidAmount', 'SameDestination', 'WalletNotFound', 'InsufficientBalance'].map(
    (code): BodyCase => ({
      endpoint: 'transfer',
      form: `the refusal ${code}`,
      request: TRANSFER,
      body: `{"status": "failed", "code": "${code}", "message": "No"}`,
      refused: { code, message: 'No' },
    }),
  ),
  {
    endpoint: 'delegationLimit',
    form: 'the specified form',
    request: { currency: 'btc' },
    body: '{"status": "ok", "limit": "3.2000000000"}',
    value: '3.2',
  },
];
