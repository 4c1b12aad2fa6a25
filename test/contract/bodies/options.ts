import type { BodyCase } from './body-case.ts';

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

export const OPTIONS_BODIES: readonly BodyCase[] = [
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
