import type { BodyCase } from './body-case.ts';
import { GATEWAY_BODIES } from './gateway.ts';
import {
  BOOK_BODIES,
  DATE_BODIES,
  GLOBAL_STATS_BODIES,
  HISTORY_BODIES,
  STATS_BODIES,
  TAPE_BODIES,
} from './market-data.ts';
import {
  CANCEL_OLD_BODIES,
  ORDERS_LIST_BODIES,
  TRADES_LIST_BODIES,
  UPDATE_ORDER_BODIES,
} from './spot-lists.ts';
import { ADD_ORDER_BODIES, ORDER_STATUS_BODIES } from './spot-orders.ts';
import { PROFILE_BODIES, USER_BODIES } from './user.ts';
import { DEPOSIT_BODIES, WALLET_BODIES } from './wallets.ts';
import { WITHDRAWAL_BODIES } from './withdrawals.ts';

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

const MARGIN_BODIES: readonly BodyCase[] = [
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

const value = {
  minOrders: { rls: '3000000', usdt: '11' },
  amountSteps: { BTCIRT: '0.000001', SHIBUSDT: '1' },
  priceSteps: { BTCIRT: '10', SHIBUSDT: '0.00000001' },
  activeCurrencies: ['rls', 'usdt', 'btc', 'shib'],
  features: { fcmEnabled: true },
  coins: [{ coin: 'btc', withdrawFee: '0.000_3', max: '4_000.0' }],
};

const SERVICE_TEXT = `{
  "minOrders": {"rls": "3000000", "usdt": "11", "2": "3000000", "13": "11"},
  "amountPrecisions": {"BTCIRT": "0.000001", "SHIBUSDT": "1"},
  "pricePrecisions": {"BTCIRT": "10", "SHIBUSDT": "1E-8"},
  "activeCurrencies": ["rls", "usdt", "btc", "shib"], "testingCurrencies": []}`;

const REST_TEXT = `"features": {"fcmEnabled": true}, "coins": [{"coin": "btc", "withdrawFee": "0.000_3", "max": "4_000.0"}]`;

const OPTIONS_BODIES: readonly BodyCase[] = [
  {
    endpoint: 'options',
    form: 'keys that begin with the service name',
    body: `{"status": "ok", ${REST_TEXT}, "service.minOrders": {"rls": "3000000", "usdt": "11", "2": "3000000"},
      "service.amountPrecisions": {"BTCIRT": "0.000001", "SHIBUSDT": "1"},
      "service.pricePrecisions": {"BTCIRT": "10", "SHIBUSDT": "0.00000001"},
      "service.activeCurrencies": ["rls", "usdt", "btc", "shib"]}`,
    value,
  },
  {
    endpoint: 'options',
    form: 'an object under the service name, with numeric ids that repeat',
    body: `{"status": "ok", ${REST_TEXT}, "service": ${SERVICE_TEXT}}`,
    value,
  },
  {
    endpoint: 'options',
    form: 'the name of another service',
    body: `{"status": "ok", ${REST_TEXT}, "elsewhere": ${SERVICE_TEXT}}`,
    value,
  },
  {
    endpoint: 'options',
    form: 'nothing but the minimum values, as bare numbers with an underscore in a text',
    body: '{"service.minOrders": {"rls": "3_000_000.0", "usdt": 11.50}}',
    value: {
      minOrders: { rls: '3000000', usdt: '11.5' },
      amountSteps: {},
      priceSteps: {},
      activeCurrencies: [],
      features: {},
      coins: [],
    },
  },
  {
    endpoint: 'options',
    form: 'steps without any minimum values',
    body: `{"status": "ok", ${REST_TEXT}, "service.amountPrecisions": {"BTCIRT": "0.000001", "SHIBUSDT": "1"},
      "service.pricePrecisions": {"BTCIRT": "10", "SHIBUSDT": "0.00000001"},
      "service.activeCurrencies": ["rls", "usdt", "btc", "shib"]}`,
    value: { ...value, minOrders: {} },
  },
  {
    endpoint: 'options',
    form: 'an object under the service name without any minimum values',
    body: `{"status": "ok", ${REST_TEXT}, "elsewhere": {"amountPrecisions": {"BTCIRT": "0.000001", "SHIBUSDT": "1"},
      "pricePrecisions": {"BTCIRT": "10", "SHIBUSDT": "0.00000001"}, "activeCurrencies": ["rls", "usdt", "btc", "shib"]}}`,
    value: { ...value, minOrders: {} },
  },
];

/** Replies of every endpoint, in every form. */
export const ALL_BODIES: readonly BodyCase[] = [
  ...BOOK_BODIES,
  ...TAPE_BODIES,
  ...DATE_BODIES,
  ...STATS_BODIES,
  ...HISTORY_BODIES,
  ...GLOBAL_STATS_BODIES,
  ...OPTIONS_BODIES,
  ...USER_BODIES,
  ...PROFILE_BODIES,
  ...WALLET_BODIES,
  ...DEPOSIT_BODIES,
  ...ADD_ORDER_BODIES,
  ...ORDER_STATUS_BODIES,
  ...ORDERS_LIST_BODIES,
  ...UPDATE_ORDER_BODIES,
  ...CANCEL_OLD_BODIES,
  ...TRADES_LIST_BODIES,
  ...MARGIN_BODIES,
  ...WITHDRAWAL_BODIES,
  ...GATEWAY_BODIES,
];
