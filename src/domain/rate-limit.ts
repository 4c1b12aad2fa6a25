/**
 * A named rate limit: at most `limit` requests in any window of `windowMs` for all that use the name. Where
 * requests have weights, `limit` and `reserve` count units.
 */
export interface RateLimit {
  readonly name: string;
  readonly limit: number;
  /** Limit that the exchange states, where `limit` is lower by a headroom; the same if omitted. */
  readonly statedLimit?: number;
  readonly windowMs: number;
  /**
   * True if cancels and lookups of unknown orders use this budget, so that a part is reserved for them. False
   * where orders are placed: a reserve would be unused there.
   */
  readonly hasReserve?: boolean;
  /** True if requests take different numbers of its units; left out if each takes one. */
  readonly isWeighted?: boolean;
  /** Requests of a window that only cancels and lookups may use; if omitted, see `reserveOf`. */
  readonly reserve?: number;
}

/** A rate limit of the exchange, and how it is counted. */
export interface Budget extends RateLimit {
  /** Scope of the count: calls without credentials are counted per IP, others per token or key. */
  readonly per: 'ip' | 'token';
  /** True if the interface states no limit and this one is assumed. */
  readonly assumed: boolean;
}

/** Units of a limit that one request takes. */
export interface Charge {
  readonly budget: string;
  /** A whole number of at least 1. */
  readonly weight: number;
}

/** Other limits that replace the defaults, by name. */
export type LimitOverrides = Readonly<Record<string, Pick<RateLimit, 'limit' | 'windowMs'>>>;

/**
 * Purposes of a request, the most urgent first: canceling an order, looking up an order in doubt, placing the
 * exit of a position, placing any other order, the state of our account, market data, and history that nobody
 * waits for.
 */
export const REQUEST_CLASSES = [
  'cancel',
  'resolve',
  'exit',
  'place',
  'account',
  'market',
  'backfill',
] as const;

export type RequestClass = (typeof REQUEST_CLASSES)[number];

/** Returns the rank of a purpose; 0 is the most urgent. */
export const urgencyOf = (requestClass: RequestClass): number => REQUEST_CLASSES.indexOf(requestClass);

/**
 * True if requests of this purpose may use the reserve of a budget: orders must be canceled or looked up even
 * when everything else is used up.
 */
export const mayUseReserve = (requestClass: RequestClass): boolean =>
  requestClass === 'cancel' || requestClass === 'resolve';
