import { INTERFACE_PROFILE } from '../../../src/venues/interface-profile.ts';
import { engineSuite } from './engine-suite.ts';
import { createMarketNames } from '../../../src/domain/market-symbol.ts';
import type { VenueProfile } from '../../../src/venues/port.ts';

/**
 * An exchange that differs from that of the interface in all that a profile describes: other words and codes,
 * several words for one thing, euros in place of rials, no pairs and no stops, no look-up by client order id,
 * identical orders accepted, short pages, random ids and lists that go by time. It refuses a request that
 * arrives 5 s after it was sent, so that one later reading of its orders proves an absence. It takes fees from
 * a third coin while the account has any.
 */
const OTHER_PROFILE: VenueProfile = {
  name: 'other',
  statuses: {
    accepted: ['PENDING_NEW'],
    working: ['OPEN', 'PARTIALLY_FILLED'],
    waiting: ['UNTRIGGERED'],
    filled: ['FILLED'],
    canceled: ['CANCELLED', 'EXPIRED'],
  },
  refusals: {
    noSuchOrder: '-2013',
    clientOrderIdInUse: '-4116',
    identicalOrder: null,
    dependOn: { price: [], band: [], rule: [], funds: [], elsewhere: [] },
  },
  priceBand: null,
  identicalOrdersMs: 0,
  clientOrderId: { longest: 28, pattern: /^[a-z0-9_-]+$/, canBeQueried: false },
  orderKinds: new Set(['limit', 'market']),
  ownLists: {
    orders: { by: 'time', scope: 'venue', openScope: 'venue', overlapMs: 2_000 },
    trades: {
      by: 'time',
      scope: 'venue',
      overlapMs: 2_000,
      usualReach: Number.POSITIVE_INFINITY,
      listedDays: 3,
    },
    transactions: { by: 'time', overlapMs: 2_000 },
  },
  absence: { refusedAfterMs: 5_000, readings: 1, needsTrades: false },
  pageSizes: { orders: 5, trades: 5, transactions: 5, candles: 5 },
  marketNames: createMarketNames([
    { currency: 'eur', name: 'euro', ending: 'EUR', decimals: 2 },
    { currency: 'usdt', name: 'tether', ending: 'USDT', decimals: 2 },
  ]),
  timeframes: new Set(['1m', '5m', '1h', '1d']),
  barAnchors: { '1d': { zone: 'America/New_York', offsetMs: 0 } },
  bookCacheMs: 0,
  budgets: {
    place: 'trading',
    'place-oco': 'trading',
    cancel: 'trading',
    'cancel-old': 'trading',
    order: 'account',
    orders: 'account',
    trades: 'account',
    wallets: 'account',
    transactions: 'account',
    book: 'market',
    books: 'market',
    stats: 'market',
    'public-trades': 'market',
    candles: 'market',
    options: 'market',
    pools: 'account',
    'margin-wallets': 'account',
    'delegation-limit': 'account',
    transfer: 'account',
  },
};

/** Reads the number of an id that names its market: `BTCUSDT:17`. */
const numberIn = (id: string): number => Number(id.slice(id.indexOf(':') + 1));

/**
 * An exchange that has own lists for each market, and counts the orders and trades of each: two markets have
 * the same numbers, and the adapter's ids name the market, too. Its list of open orders has those of all.
 */
const BY_MARKET_PROFILE: VenueProfile = {
  ...OTHER_PROFILE,
  clientOrderId: { ...OTHER_PROFILE.clientOrderId, canBeQueried: true },
  ownLists: {
    orders: { by: 'id', scope: 'market', openScope: 'venue', cursorOf: numberIn },
    trades: { by: 'id', scope: 'market', cursorOf: numberIn, usualReach: 1_000_000, listedDays: 3 },
    transactions: { by: 'id', cursorOf: Number },
  },
  absence: { refusedAfterMs: 5_000, readings: 2, needsTrades: true },
};

/** The same, where each market has its own list of open orders, and its lists go by time. */
const OPEN_BY_MARKET_PROFILE: VenueProfile = {
  ...BY_MARKET_PROFILE,
  ownLists: {
    ...OTHER_PROFILE.ownLists,
    orders: { by: 'time', scope: 'market', openScope: 'market', overlapMs: 2_000 },
    trades: { ...OTHER_PROFILE.ownLists.trades, scope: 'market' },
  },
};

engineSuite('the exchange of the interface', INTERFACE_PROFILE);
engineSuite('another exchange', OTHER_PROFILE, '100');
engineSuite('an exchange with lists of each market', BY_MARKET_PROFILE);
engineSuite('an exchange with lists of each market by time', OPEN_BY_MARKET_PROFILE);
