import { BTC_RLS, BTC_USDT, nulls, type BodyCase } from './body-case.ts';

/** Time of 2024-03-11T09:22:35Z, in seconds. */
const UPDATED_S = 1710148955;
const UPDATED_MS = 1710148955000;

const BOOK_TEXT = `"bids": [["12600000010", "0.5"], ["12600000020", "1.25"]], "asks": [["12599999990", "0.75"], ["12599999980", "2"]]`;

const book = {
  bids: [
    ['12599999990', '0.75'],
    ['12599999980', '2'],
  ],
  asks: [
    ['12600000010', '0.5'],
    ['12600000020', '1.25'],
  ],
  updatedAtMs: UPDATED_MS,
};

export const BOOK_BODIES: readonly BodyCase[] = [
  {
    endpoint: 'orderBook',
    form: 'sells that are called bids and buys that are called asks',
    request: { symbol: 'BTCIRT' },
    body: `{"status": "ok", "lastUpdate": ${UPDATED_S}, ${BOOK_TEXT}}`,
    value: book,
  },
  {
    endpoint: 'orderBook',
    form: 'an update time in milliseconds',
    request: { symbol: 'BTCIRT' },
    body: `{"status": "ok", "lastUpdate": 1710148955123, ${BOOK_TEXT}}`,
    value: { ...book, updatedAtMs: 1710148955123 },
  },
  {
    endpoint: 'orderBook',
    form: 'names that were turned the right way round one day',
    request: { symbol: 'BTCIRT' },
    body: `{"status": "ok", "lastUpdate": ${UPDATED_S}, "asks": [["12600000010", "0.5"], ["12600000020", "1.25"]],
      "bids": [["12599999990", "0.75"], ["12599999980", "2"]]}`,
    value: book,
  },
  {
    endpoint: 'orderBook',
    form: 'padded texts, bare numbers and an unknown field',
    request: { symbol: 'BTCIRT' },
    body: `{"status": "ok", "lastUpdate": "${UPDATED_S}", "lastTradePrice": "12600000000",
      "bids": [[12600000010.10, 0.1000000000000000055]], "asks": [["12599999990.0000000000", "0.7500000000"]]}`,
    value: {
      bids: [['12599999990', '0.75']],
      asks: [['12600000010.1', '0.1000000000000000055']],
      updatedAtMs: UPDATED_MS,
    },
  },
  {
    endpoint: 'orderBook',
    form: 'a side that is empty: what is called asks are buys',
    request: { symbol: 'BTCIRT' },
    body: `{"status": "ok", "lastUpdate": ${UPDATED_S}, "bids": [], "asks": [["12599999990", "0.75"]]}`,
    value: { bids: [['12599999990', '0.75']], asks: [], updatedAtMs: UPDATED_MS },
  },
  {
    endpoint: 'orderBookV3',
    form: 'bids that are buys and asks that are sells',
    request: { symbol: 'BTCIRT' },
    body: `{"status": "ok", "lastUpdate": 1710148955123, "lastTradePrice": "12600000000", "bids": [["12599999990", "0.75"], ["12599999980", "2"]],
      "asks": [["12600000010", "0.5"], ["12600000020", "1.25"]]}`,
    value: { ...book, updatedAtMs: 1710148955123, lastTradePrice: '12600000000' },
  },
  {
    endpoint: 'orderBookV3',
    form: 'a side that is empty, before the first trade: what is called bids are buys',
    request: { symbol: 'BTCIRT' },
    body: `{"status": "ok", "lastUpdate": ${UPDATED_S}, "lastTradePrice": "0", "bids": [["12599999990", "0.75"]], "asks": []}`,
    value: { bids: [['12599999990', '0.75']], asks: [], updatedAtMs: UPDATED_MS },
  },
  {
    endpoint: 'allOrderBooks',
    form: 'the books of all markets in one object',
    body: `{"status": "ok", "BTCIRT": {"lastUpdate": ${UPDATED_S}, ${BOOK_TEXT}},
      "USDTIRT": {"lastUpdate": 1710148955123, "bids": [["600010", "31.5"]], "asks": [["600000", "7"]]}}`,
    value: {
      BTCIRT: book,
      USDTIRT: { bids: [['600000', '7']], asks: [['600010', '31.5']], updatedAtMs: 1710148955123 },
    },
  },
  {
    endpoint: 'allOrderBooksV3',
    form: 'the books of all markets in one object, by their right names and with the last price',
    body: `{"status": "ok", "USDTIRT": {"lastUpdate": 1710148955123, "lastTradePrice": "600000",
      "bids": [["600000", "7"]], "asks": [["600010", "31.5"]]}}`,
    value: {
      USDTIRT: {
        bids: [['600000', '7']],
        asks: [['600010', '31.5']],
        updatedAtMs: 1710148955123,
        lastTradePrice: '600000',
      },
    },
  },
  {
    endpoint: 'depth',
    form: 'buys and sells by their right names and a time in text',
    request: { symbol: 'BTCIRT' },
    body: `{"status": "ok", "lastUpdate": "${UPDATED_S}", "bids": [["12590000000", "3.5"]], "asks": [["12610000000", "4"]],
      "lastTradePrice": "12600000000"}`,
    value: {
      book: { bids: [['12590000000', '3.5']], asks: [['12610000000', '4']], updatedAtMs: UPDATED_MS },
      lastTradePrice: '12600000000',
    },
  },
  {
    endpoint: 'depth',
    form: 'one side only: what is called bids are buys',
    request: { symbol: 'BTCIRT' },
    body: `{"status": "ok", "lastUpdate": "${UPDATED_S}", "bids": [["12590000000", "3.5"]], "asks": [], "lastTradePrice": "0E-10"}`,
    value: {
      book: { bids: [['12590000000', '3.5']], asks: [], updatedAtMs: UPDATED_MS },
      lastTradePrice: '0',
    },
  },
];

export const TAPE_BODIES: readonly BodyCase[] = [
  {
    endpoint: 'publicTrades',
    form: 'the specified form, times in milliseconds or seconds',
    request: { symbol: 'BTCIRT' },
    body: `{"status": "ok", "trades": [
      {"time": 1710148955123, "price": "12600000000", "volume": "0.000001", "type": "buy"},
      {"time": ${UPDATED_S}, "price": 12599999990.50, "volume": "0.1000000000", "type": "sell", "id": 5}]}`,
    value: [
      { timeMs: 1710148955123, price: '12600000000', amount: '0.000001', side: 'buy' },
      { timeMs: UPDATED_MS, price: '12599999990.5', amount: '0.1', side: 'sell' },
    ],
  },
];

const closedStats = {
  isClosed: true,
  ...nulls(
    'closedReason',
    'bestSell',
    'bestBuy',
    'baseVolume',
    'quoteVolume',
    'latest',
    'mark',
    'dayLow',
    'dayHigh',
    'dayOpen',
    'dayClose',
    'dayChange',
  ),
};

const openStats = {
  market: BTC_RLS,
  isClosed: false,
  closedReason: null,
  bestSell: '12600000010',
  bestBuy: '12599999990',
  baseVolume: '13.250001',
  quoteVolume: '166950012600',
  latest: '12600000000',
  mark: '12600000005',
  dayLow: '12400000000',
  dayHigh: '12700000000',
  dayOpen: '12500000000',
  dayClose: '12600000000',
  dayChange: '0.8',
};

const OPEN_STATS_TEXT = `"isClosed": false, "bestSell": "12600000010", "bestBuy": "12599999990", "volumeSrc": "13.250001",
  "volumeDst": "166950012600", "latest": "12600000000", "dayLow": "12400000000", "dayHigh": "12700000000",
  "dayOpen": "12500000000", "dayClose": "12600000000"`;

export const DATE_BODIES: readonly BodyCase[] = [
  {
    endpoint: 'publicTrades',
    form: 'the trades whose time can be read',
    request: { symbol: 'BTCIRT' },
    body: `{"status": "ok", "trades": [
      {"time": 1710148955123, "price": "12600000000", "volume": "0.000001", "type": "buy"},
      {"time": "soon", "price": "12600000010", "volume": "0.000002", "type": "buy"},
      {"time": ${UPDATED_S}, "price": "12599999990", "volume": "0.1", "type": "sell"}]}`,
    value: [
      { timeMs: 1710148955123, price: '12600000000', amount: '0.000001', side: 'buy' },
      { timeMs: UPDATED_MS, price: '12599999990', amount: '0.1', side: 'sell' },
    ],
  },
  {
    endpoint: 'orderBook',
    form: 'an update time that can not be read as null',
    request: { symbol: 'BTCIRT' },
    body: `{"status": "ok", "lastUpdate": "never", ${BOOK_TEXT}}`,
    value: { ...book, updatedAtMs: null },
  },
  {
    endpoint: 'history',
    form: 'the candles whose time can be read',
    request: { symbol: 'BTCIRT', resolution: '60', to: UPDATED_S, from: 1710140000 },
    body: `{"s": "ok", "t": [1710144000, null, "1710147600"], "o": [1, 2, 3], "h": [1, 2, 3], "l": [1, 2, 3], "c": [1, 2, 3], "v": [1, 2, 3]}`,
    value: [
      { openTimeMs: 1710144000000, open: '1', high: '1', low: '1', close: '1', volume: '1' },
      { openTimeMs: 1710147600000, open: '3', high: '3', low: '3', close: '3', volume: '3' },
    ],
  },
];

export const STATS_BODIES: readonly BodyCase[] = [
  {
    endpoint: 'marketStats',
    form: 'the specified form',
    request: { srcCurrency: 'btc', dstCurrency: 'rls' },
    body: `{"status": "ok", "stats": {"btc-rls": {${OPEN_STATS_TEXT}, "mark": "12600000005", "dayChange": "0.80"}}}`,
    value: [openStats],
  },
  {
    endpoint: 'marketStats',
    form: 'several markets, one without a mark and one closed',
    request: { srcCurrency: 'btc,eth', dstCurrency: 'rls,usdt' },
    body: `{"status": "ok", "stats": {"btc-rls": {${OPEN_STATS_TEXT}, "dayChange": "-0.8"},
      "btc-usdt": {"isClosed": true, "isClosedReason": "maintenance"}}, "global": {"binance": {}}}`,
    value: [
      { ...openStats, mark: null, dayChange: '-0.8' },
      { ...closedStats, market: BTC_USDT, closedReason: 'maintenance' },
    ],
  },
  {
    endpoint: 'marketStats',
    form: 'a closed market that says nothing else, not even why',
    request: { srcCurrency: 'btc', dstCurrency: 'usdt' },
    body: '{"status": "ok", "stats": {"btc-usdt": {"isClosed": true}}}',
    value: [{ ...closedStats, market: BTC_USDT }],
  },
];

export const HISTORY_BODIES: readonly BodyCase[] = [
  {
    endpoint: 'history',
    form: 'the specified form with long floats kept to the last digit',
    request: { symbol: 'BTCIRT', resolution: '60', to: UPDATED_S, from: 1710140000 },
    body: `{"s": "ok", "t": [1710144000, 1710147600], "o": [12500000000.0, 12600000000], "h": [12700000000.25, 12650000000],
      "l": [12400000000, 12590000000], "c": [12600000000.10, 12600000000], "v": [1.2999999999999998224, 0.000001]}`,
    value: [
      {
        openTimeMs: 1710144000000,
        open: '12500000000',
        high: '12700000000.25',
        low: '12400000000',
        close: '12600000000.1',
        volume: '1.2999999999999998224',
      },
      {
        openTimeMs: 1710147600000,
        open: '12600000000',
        high: '12650000000',
        low: '12590000000',
        close: '12600000000',
        volume: '0.000001',
      },
    ],
  },
  {
    endpoint: 'history',
    form: 'no data as no candles',
    request: { symbol: 'BTCIRT', resolution: 'D', to: UPDATED_S },
    body: '{"s": "no_data"}',
    value: [],
  },
  {
    endpoint: 'history',
    form: 'an error with its own words',
    request: { symbol: 'BTCIRT', resolution: 'D', to: UPDATED_S },
    body: '{"s": "error", "errmsg": "Invalid resolution!"}',
    refused: { code: 'HistoryError', message: 'Invalid resolution!' },
  },
];

export const GLOBAL_STATS_BODIES: readonly BodyCase[] = [
  {
    endpoint: 'globalStats',
    form: 'prices by currency, then provider',
    body: `{"status": "ok", "btc": {"binance": {"price": "71234.50"}, "kraken": {"price": "71230.1"}}, "eth": {"binance": {"price": "3950.00"}}}`,
    value: { btc: { binance: '71234.5', kraken: '71230.1' }, eth: { binance: '3950' } },
  },
  {
    endpoint: 'globalStats',
    form: 'bare numbers by provider, then currency',
    body: `{"status": "ok", "markets": {"binance": {"btc": 71234.50, "eth": 3950.1000000000000000055}, "kraken": {"btc": 71230.1}}}`,
    value: { btc: { binance: '71234.5', kraken: '71230.1' }, eth: { binance: '3950.1000000000000000055' } },
  },
  {
    endpoint: 'globalStats',
    form: "both forms in one reply, of which the interface's own counts where they differ",
    body: `{"status": "ok", "btc": {"binance": {"price": "71234.50"}}, "markets": {"binance": {"btc": 1, "eth": 3950.1}, "kraken": {"btc": 71230.1}},
      "ltc": {"kraken": {"price": "80"}}}`,
    value: {
      btc: { binance: '71234.5', kraken: '71230.1' },
      eth: { binance: '3950.1' },
      ltc: { kraken: '80' },
    },
  },
];
