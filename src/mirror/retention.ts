import { SarrafError } from '../domain/errors.ts';

/**
 * Number of rows of each kind that a mirror stores. Rows still needed, such as an open order, are stored
 * besides.
 */
export interface RetentionLimits {
  readonly journalRows: number;
  /**
   * Of one market and timeframe, as bars of time: a gap counts as if it were filled. As many values of each
   * plot.
   */
  readonly candlesPerSeries: number;
  readonly publicTradesPerMarket: number;
  /** Each with its replies. */
  readonly finalOrders: number;
  /** Trades, and as many lines of each wallet's history. */
  readonly fills: number;
  readonly intents: number;
}

/** About 500 MB with 30 markets and every limit reached, of which the replies to 50,000 orders are 80 MB. */
export const DEFAULT_RETENTION: RetentionLimits = {
  journalRows: 200_000,
  candlesPerSeries: 5_000,
  publicTradesPerMarket: 5_000,
  finalOrders: 50_000,
  fills: 100_000,
  intents: 50_000,
};

/** The least that a restart can do with, and the most that a start can check within seconds. */
export const RETENTION_BOUNDS: Readonly<
  Record<keyof RetentionLimits, readonly [least: number, most: number]>
> = {
  journalRows: [1_000, 5_000_000],
  candlesPerSeries: [100, 1_000_000],
  publicTradesPerMarket: [100, 1_000_000],
  finalOrders: [1_000, 1_000_000],
  fills: [2_000, 2_000_000],
  intents: [1_000, 1_000_000],
};

/** Throws `INVALID_OPTIONS` for a limit out of bounds. */
export function checkRetention(limits: RetentionLimits): void {
  for (const [name, [least, most]] of Object.entries(RETENTION_BOUNDS)) {
    const value = limits[name as keyof RetentionLimits];
    if (Number.isSafeInteger(value) && value >= least && value <= most) continue;
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected a whole number from ${least} to ${most} for retention.${name}, was ${String(value)}`,
    );
  }
}
