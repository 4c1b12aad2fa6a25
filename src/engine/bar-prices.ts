import type { ClosedCandle } from '../strategy/strategy-event.ts';

/**
 * What a market without a book is worth: the close of its last bar. A backtest goes through millions of bars,
 * and the price of most is never looked at, so the engine looks instead of being told.
 */
export interface BarPrices {
  /** When the last bar was over, in ms since 1970; minus infinity before the first. */
  readonly closedMs: number;
  /** When the one after it is over. */
  readonly nextClosedMs: number;
  /** The last bar; null before the first. */
  readonly closed: ClosedCandle | null;
}
