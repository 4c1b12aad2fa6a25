/** A rate limit by its name: at most `limit` requests in any window of `windowMs`, over all that name it. */
export interface RateLimit {
  readonly name: string;
  readonly limit: number;
  /** Limit of the exchange itself, where `limit` is lower by a headroom; the same if omitted. */
  readonly statedLimit?: number;
  readonly windowMs: number;
  /**
   * True if cancels and resolutions use this budget, so that a part is reserved for them. Neither class
   * places an order: where orders are placed, a reserve would be waste.
   */
  readonly hasReserve?: boolean;
  /** Requests of a window for cancels and resolutions alone; left out, `reserveOf` says how many. */
  readonly reserve?: number;
}

/** A rate limit of the exchange, and how it is counted. */
export interface Budget extends RateLimit {
  /** Calls without credentials are counted per IP, the others per token or key. */
  readonly per: 'ip' | 'token';
  /** True where the interface states no limit and one is assumed. */
  readonly assumed: boolean;
}

/** Other numbers for some limits, by their names. */
export type LimitOverrides = Readonly<Record<string, Pick<RateLimit, 'limit' | 'windowMs'>>>;
