/**
 * Where in the queue at its price an order of ours begins: behind all that the book shows there, before it,
 * or behind a part of it.
 */
export type QueuePlace =
  | { readonly kind: 'back' }
  | { readonly kind: 'front' }
  | { readonly kind: 'share'; readonly millionths: number };

/**
 * What decides a fill where a market is followed by its books and trades, live on paper or from a recording.
 */
export interface LiquidityModel {
  readonly queue: QueuePlace;
  /**
   * How much of our order fills when the market goes through its price: all of it, or as much as was traded
   * or offered beyond it.
   */
  readonly through: 'whole' | 'volume';
  /**
   * How long what we took from a level is missing: until a new book shows another amount there, or until the
   * next book.
   */
  readonly liquidity: 'until-change' | 'next-book';
}

export const DEFAULT_LIQUIDITY: LiquidityModel = {
  queue: { kind: 'back' },
  through: 'whole',
  liquidity: 'until-change',
};

/** What a followed exchange shows of us besides. */
export interface FollowedRules extends LiquidityModel {
  /** Whether a polled book and the public tape show what is ours: on paper nobody else sees it. */
  readonly own: 'shown' | 'hidden';
  /** How far our own trades list lags behind. */
  readonly tradesLagMs: number;
}
