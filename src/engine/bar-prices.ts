import type { Units } from '../domain/money.ts';

/**
 * Price of a market without a book: the close of its last bar. The engine reads it only when needed: a
 * backtest has millions of bars, and most of their prices are never read.
 */
export interface BarPrices {
  /** End of the last bar, in ms since 1970; minus infinity before the first. */
  readonly closedMs: number;
  /** End of the next bar, in ms since 1970. */
  readonly nextClosedMs: number;
  /** Close of the last bar; null before the first. */
  readonly close: Units | null;
}
