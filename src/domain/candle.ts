import type { DecimalText } from './decimal-text.ts';

/** One bar. `openTimeMs` is the start of the bar, UTC; low <= open, close <= high. */
export interface Candle {
  readonly openTimeMs: number;
  readonly open: DecimalText;
  readonly high: DecimalText;
  readonly low: DecimalText;
  readonly close: DecimalText;
  /** In the source currency. */
  readonly volume: DecimalText;
}

/** The resolutions of the history endpoint, in its own words: minutes, then days. */
export const RESOLUTIONS = ['1', '5', '15', '30', '60', '180', '240', '360', '720', 'D', '2D', '3D'] as const;

export type Resolution = (typeof RESOLUTIONS)[number];

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Length of a bar in milliseconds. */
export function resolutionMs(resolution: Resolution): number {
  if (resolution === 'D') return DAY_MS;
  if (resolution === '2D') return 2 * DAY_MS;
  if (resolution === '3D') return 3 * DAY_MS;
  return Number(resolution) * MINUTE_MS;
}

/** Start of the bar that holds `timeMs`: bars are counted from 1970-01-01T00:00Z. */
export function barStartMs(timeMs: number, resolution: Resolution): number {
  const length = resolutionMs(resolution);
  return Math.floor(timeMs / length) * length;
}
