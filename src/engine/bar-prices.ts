import type { Units } from '../domain/money.ts';

/**
 * Price of a market without a book: the close of its last bar. A backtest runs through millions of bars and
 * most prices are never read, so the engine reads the price when it needs it.
 */
export interface BarPrices {
  /** End of the last bar, in ms since 1970; minus infinity before the first. */
  readonly closedMs: number;
  /** End of the bar after the last one. */
  readonly nextClosedMs: number;
  /** The last bar's close; null before the first. */
  readonly close: Units | null;
}
