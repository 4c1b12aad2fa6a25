import { HOUR_MS, MINUTE_MS } from '../../domain/durations.ts';

interface BudgetOverride {
  readonly limit?: number | undefined;
  readonly windowMs?: number | undefined;
}

/** Enforcement of the exchange's limits. Source: interface, "Rate limits" and "HTTP status codes". */
export interface LimitSettings {
  /** False lets everything through, uncounted. */
  readonly enabled: boolean;
  /**
   * By budget name. `none` counts nothing; so does a limit above `LARGEST_COUNTED_LIMIT`, for which a log
   * would eat the memory.
   */
  readonly overrides: Readonly<Record<string, BudgetOverride | 'none'>>;
  /** 403 with a lockout, or 429 with `backOff`. */
  readonly exceeded: 'lockout' | 'back-off';
  /** Scope of a lockout: the budget that was exceeded, or every call of that caller. */
  readonly lockoutScope: 'budget' | 'caller';
  readonly firstLockoutMs: number;
  readonly longestLockoutMs: number;
  /**
   * A lockout that begins this long after the end of the last one is a first one again; before, it lasts
   * twice the last.
   */
  readonly forgiveAfterMs: number;
  /**
   * More than `limit` requests with bad credentials from one IP within `windowMs` block the IP for `blockMs`.
   */
  readonly badTokens: { readonly limit: number; readonly windowMs: number; readonly blockMs: number };
  /**
   * More than `refusals` refused requests within `windowMs` block the token on every call for `blockMs`; null
   * leaves it out.
   */
  readonly continuedAbuse: {
    readonly refusals: number;
    readonly windowMs: number;
    readonly blockMs: number;
  } | null;
}

export const LARGEST_COUNTED_LIMIT = 1_000_000;

export const DEFAULT_LIMITS: LimitSettings = {
  enabled: true,
  overrides: {},
  exceeded: 'lockout',
  lockoutScope: 'budget',
  firstLockoutMs: HOUR_MS,
  longestLockoutMs: 24 * HOUR_MS,
  forgiveAfterMs: 24 * HOUR_MS,
  badTokens: { limit: 100, windowMs: 30 * MINUTE_MS, blockMs: HOUR_MS },
  continuedAbuse: null,
};

/** The deployment's two minutes, for those who turn the block on. */
export const TWO_MINUTE_BLOCK: NonNullable<LimitSettings['continuedAbuse']> = {
  refusals: 10,
  windowMs: MINUTE_MS,
  blockMs: 2 * MINUTE_MS,
};
