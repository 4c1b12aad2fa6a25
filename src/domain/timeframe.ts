import { DAY_MS, HOUR_MS, MINUTE_MS } from './durations.ts';

const LENGTHS_MS = {
  '1m': MINUTE_MS,
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '30m': 30 * MINUTE_MS,
  '1h': HOUR_MS,
  '3h': 3 * HOUR_MS,
  '4h': 4 * HOUR_MS,
  '6h': 6 * HOUR_MS,
  '12h': 12 * HOUR_MS,
  '1d': DAY_MS,
  '2d': 2 * DAY_MS,
  '3d': 3 * DAY_MS,
} as const;

/** The length of a candle, such as `15m`. */
export type Timeframe = keyof typeof LENGTHS_MS;

/** Every timeframe, shortest first. */
export const TIMEFRAMES = Object.freeze(Object.keys(LENGTHS_MS)) as readonly [Timeframe, ...Timeframe[]];

/**
 * The usual length of a candle in milliseconds. Where one begins and ends is for `bar-grid.ts` to say: a
 * day can have 23 or 25 hours.
 */
export function timeframeMs(timeframe: Timeframe): number {
  return LENGTHS_MS[timeframe];
}
