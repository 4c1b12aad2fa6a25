/**
 * Initial queue place of an own order at its price: behind all that the book shows there, before it, or
 * behind a part of it.
 */
export type QueuePlace =
  | { readonly kind: 'back' }
  | { readonly kind: 'front' }
  | { readonly kind: 'share'; readonly millionths: number };

/** Fill rules for a market followed by its books and trades, live on paper or from a recording. */
export interface LiquidityModel {
  readonly queue: QueuePlace;
  /**
   * Amount of an own order that fills when the market goes through its price: all of it, or as much as was
   * traded or offered beyond it.
   */
  readonly through: 'whole' | 'volume';
  /**
   * Time for which the amount we took from a level is missing: until a new book shows another amount there,
   * or until the next book.
   */
  readonly liquidity: 'until-change' | 'next-book';
}

export const DEFAULT_LIQUIDITY: LiquidityModel = {
  queue: { kind: 'back' },
  through: 'whole',
  liquidity: 'until-change',
};

/** Fill rules, and the visibility of our orders and trades. */
export interface FollowedRules extends LiquidityModel {
  /** `shown` if a polled book and the public tape include what is ours: on paper nobody else sees it. */
  readonly own: 'shown' | 'hidden';
  /** Lag of our own trades list. */
  readonly tradesLagMs: number;
}
