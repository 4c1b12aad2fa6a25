import { createMarketNames } from '../domain/market-symbol.ts';
import { TEHRAN_MIDNIGHT, type BarAnchors, TIMEFRAMES, type Timeframe } from '../domain/candle.ts';

/** Quote currencies: rial (not toman) and tether; `USDTIRT` connects them. Source: "Spot trading". */
const QUOTES = [
  { currency: 'rls', name: 'rial', ending: 'IRT', decimals: 0 },
  { currency: 'usdt', name: 'tether', ending: 'USDT', decimals: 2 },
] as const;

/** A currency in which markets are priced. */
export type QuoteCurrency = (typeof QUOTES)[number]['currency'];

export const MARKET_NAMES = createMarketNames(QUOTES);

export const { parseMarket, marketOfCurrencies, decimalsOf } = MARKET_NAMES;

/** Names of timeframes at the history endpoint: in minutes, then in days. */
const RESOLUTION_OF = {
  '1m': '1',
  '5m': '5',
  '15m': '15',
  '30m': '30',
  '1h': '60',
  '3h': '180',
  '4h': '240',
  '6h': '360',
  '12h': '720',
  '1d': 'D',
  '2d': '2D',
  '3d': '3D',
} as const satisfies Record<Timeframe, string>;

/** Second name of the endpoint for `D`. */
const ALSO_DAY = '1D';

/** Timeframe in the form of the history endpoint. */
type Resolution = (typeof RESOLUTION_OF)[Timeframe] | typeof ALSO_DAY;

/** All resolutions, shortest first; the second name for a day is last. */
export const RESOLUTIONS: readonly Resolution[] = [
  ...TIMEFRAMES.map((timeframe) => RESOLUTION_OF[timeframe]),
  ALSO_DAY,
];

/**
 * Anchors of the history's bars, as far as outside sources give them; the specification does not. The public
 * documentation shows days that begin at midnight in Tehran, and bars of 4 h were seen to; for 1 h, 3 h, 6 h,
 * 12 h, 2 and 3 days it is unknown `[?]`. Shorter ones are equal in both zones.
 */
export const HISTORY_ANCHORS: BarAnchors = Object.freeze({ '4h': TEHRAN_MIDNIGHT, '1d': TEHRAN_MIDNIGHT });

/** Returns the history endpoint's name of a timeframe. */
export const resolutionOf = (timeframe: Timeframe): Resolution => RESOLUTION_OF[timeframe];

export const timeframeOf = (resolution: Resolution): Timeframe =>
  TIMEFRAMES.find((timeframe) => RESOLUTION_OF[timeframe] === resolution) ?? '1d';
