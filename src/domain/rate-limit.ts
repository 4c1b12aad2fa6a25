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

/**
 * Purposes of a request, the most urgent first: canceling an order, finding out what became of one, placing
 * the exit of a position, placing any other order, the state of our account, market data, and history that
 * nobody waits for.
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

/** 0 is the most urgent. */
export function urgencyOf(requestClass: RequestClass): number {
  return REQUEST_CLASSES.indexOf(requestClass);
}

/**
 * True if a class may use the reserve of a budget: orders must be canceled or found even when everything else
 * is used up.
 */
export function mayUseReserve(requestClass: RequestClass): boolean {
  return requestClass === 'cancel' || requestClass === 'resolve';
}
