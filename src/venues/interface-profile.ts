import { parseUnits } from '../domain/money.ts';
import { TIMEFRAMES } from '../domain/candle.ts';
import { ENDPOINTS } from '../exchange/endpoints.ts';
import { HISTORY_ANCHORS, MARKET_NAMES } from '../exchange/market-names.ts';
import { CALL_KINDS, type VenueCallKind, type VenueProfile } from './port.ts';
import { ENDPOINT_OF, PAGE_SIZES } from './venue-request.ts';

/**
 * Profile of the exchange in the interface specification, for all venues here. Sources: "Spot trading"
 * (status words, rules 4 and 5 on client order ids and identical orders), "Limits".
 */
export const INTERFACE_PROFILE: VenueProfile = {
  name: 'service',
  statuses: {
    accepted: ['New'],
    working: ['Active'],
    waiting: ['Inactive'],
    filled: ['Done'],
    canceled: ['Canceled'],
  },
  refusals: {
    noSuchOrder: 'NotFound',
    clientOrderIdInUse: 'DuplicateClientOrderId',
    identicalOrder: 'DuplicateOrder',
    dependOn: {
      price: ['PriceConditionFailed', 'UnexpectedMarketPrice'],
      band: ['BadPrice'],
      rule: ['SmallOrder', 'InvalidOrderPrice'],
      funds: ['OverValueOrder', 'InsufficientBalance'],
      elsewhere: [
        'MarketClosed',
        'TradingUnavailable',
        'FeatureUnavailable',
        'TradeLimitation',
        'InvalidMarketPair',
      ],
    },
  },
  // "Normal order price band" in the interface's table of fixed numbers.
  priceBand: parseUnits('0.3'),
  // The interface's ten seconds, with a margin for its clock and the latency.
  identicalOrdersMs: 10_500,
  clientOrderId: { longest: 32, pattern: /^[A-Za-z0-9-]+$/, canBeQueried: true },
  orderKinds: new Set(['limit', 'market', 'stop_limit', 'stop_market', 'oco']),
  ownLists: {
    orders: { by: 'id', scope: 'venue', openScope: 'venue', cursorOf: Number },
    // Trade ids are shared by all users. "Limits" says 180 days; some deployments list only three, so no code
    // may rely on more.
    trades: { by: 'id', scope: 'venue', cursorOf: Number, usualReach: 1_000_000, listedDays: 3 },
    transactions: { by: 'id', cursorOf: Number },
  },
  // A client order id is free again once its order has closed, so an unknown id proves nothing.
  absence: { refusedAfterMs: null, readings: 2, needsTrades: true },
  pageSizes: PAGE_SIZES,
  marketNames: MARKET_NAMES,
  timeframes: new Set(TIMEFRAMES),
  barAnchors: HISTORY_ANCHORS,
  bookCacheMs: 1_000,
  budgets: Object.fromEntries(
    CALL_KINDS.map((kind) => [kind, ENDPOINTS[ENDPOINT_OF[kind]].budget.name]),
  ) as VenueProfile['budgets'],
};

const ALL: readonly VenueCallKind[] = ['pools', 'margin-wallets', 'delegation-limit', 'transfer'];

/** Margin calls that need a token, and accept no key ("Margin"). */
const TOKEN_ONLY: readonly VenueCallKind[] = ['pools', 'transfer'];

const unserved = (kinds: readonly VenueCallKind[], why: string): NonNullable<VenueProfile['unserved']> =>
  new Map(kinds.map((kind) => [kind, why]));

/** Reason margin calls are impossible on recorded data. */
export const NO_MARGIN_RECORDED = unserved(ALL, 'recorded books and trades hold nothing of margin');

/** Reason margin calls are impossible in paper trading. */
export const NO_MARGIN_ON_PAPER = unserved(
  ALL,
  'paper trading has no account at the exchange, and so no margin: run it with mode live or embedded',
);

/** Returns the profile of an exchange in this process with the market data of another. */
export function profileOnPaper(followed: VenueProfile): VenueProfile {
  const { name, budgets, timeframes, barAnchors, bookCacheMs, marketNames, pageSizes, others } = followed;
  const ofMarkets = { name, budgets, timeframes, barAnchors, bookCacheMs, marketNames };
  const pages = { ...INTERFACE_PROFILE.pageSizes, candles: pageSizes.candles };
  return {
    ...INTERFACE_PROFILE,
    ...ofMarkets,
    pageSizes: pages,
    unserved: NO_MARGIN_ON_PAPER,
    ...(others === undefined ? {} : { others }),
  };
}

/** Margin calls that a key cannot make. */
export const NO_MARGIN_BY_KEY = unserved(
  TOKEN_ONLY,
  'the exchange answers it to a token, and not to an API key: give a token, or username and password',
);
