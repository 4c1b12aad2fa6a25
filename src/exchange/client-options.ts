import type { Budget, LimitOverrides } from '../domain/rate-limit.ts';
import { SarrafError } from '../domain/errors.ts';
import { type EndpointName, ENDPOINTS, type OrderBookVersion } from './endpoints.ts';
import type { LoginCredentials } from './session.ts';
import type { ApiKey } from './authenticator.ts';
import type { HttpResponse, Transport } from './transport.ts';

/** The credentials: none, an existing token, a user who logs in, or an API key. */
export type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'login'; readonly login: LoginCredentials }
  | { readonly kind: 'key'; readonly key: ApiKey };

/** A request that is about to be sent: what a limiter needs to let it pass. */
export interface OutgoingRequest {
  readonly endpoint: EndpointName;
  readonly budget: Budget;
  /** 1 for the first. */
  readonly attempt: number;
}

export interface ClientOptions {
  /** The exchange's address, `https://host`. Either this or `transport`. */
  readonly baseUrl?: string;
  /** Another way to the exchange, such as a simulator in this process. */
  readonly transport?: Transport;
  /** The web site's address, for payment pages. */
  readonly siteUrl?: string;
  /** The service's own name: the key headers begin with it. `service` by default. */
  readonly serviceName?: string;
  readonly credentials?: Credentials;
  /**
   * Form that `orderBook` and `allOrderBooks` request: `v2`, that of the interface; `v3` of deployments that
   * have it; by default `auto`, which requests `v3` after a 404 of `v2`.
   */
  readonly orderBook?: OrderBookVersion;
  /** Called once when `auto` has found that the exchange has the third version in place of the second. */
  readonly onOrderBookV3?: () => void;
  /** Unix time in milliseconds; the machine's clock by default. */
  readonly nowMs?: () => number;
  /** A number in [0, 1), for the jitter of retries. */
  readonly random?: () => number;
  readonly sleep?: (pauseMs: number) => Promise<void>;
  /** Time-outs that differ from the declared ones. */
  readonly timeoutsMs?: Readonly<Partial<Record<EndpointName, number>>>;
  /** Limits that differ from the interface's table, by budget name. */
  readonly limits?: LimitOverrides;
  /** The share of each limit that is left unused; 0.02 by default. */
  readonly headroom?: number;
  readonly userAgent?: string;
  /** For calls that only read; none by default. */
  readonly retry?: RetryPolicy;
  /**
   * Called and awaited before every request that leaves, log-ins and retries included: the place of a rate
   * limiter. When it throws, nothing is sent.
   */
  readonly admit?: (request: OutgoingRequest) => void | Promise<void>;
  /**
   * Called with the end of each request: its status and how long a limit reply asks to wait, or the error
   * that came in place of an answer.
   */
  readonly onSettled?: (
    request: OutgoingRequest,
    end: {
      readonly status: number | null;
      readonly backOffMs: number | null;
      readonly error: SarrafError | null;
    },
  ) => void;
}

export interface CallOptions {
  /** The endpoint that the call was admitted for; by default the one that `endpointOf` says now. */
  readonly endpoint?: EndpointName;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly retry?: RetryPolicy;
  /** For how long the admission of a limiter holds while the process stands still; 250 ms without it. */
  readonly admittedForMs?: number;
  /** For the log-in call of an account that asks for one. */
  readonly oneTimePassword?: string;
  /**
   * True if an unreadable row of a list costs that row alone. Otherwise it is the error of the whole call, so
   * that nobody mistakes the rest for all rows.
   */
  readonly eachRow?: boolean;
  /** Called with each reply as it came, before it is read: so also with one that can not be read. */
  readonly onReply?: (reply: HttpResponse) => void;
}

/** Number of tries of a failed read, and the pauses between them. */
export interface RetryPolicy {
  /** Calls in all, the first included: 1 is no retry. At most 10. */
  readonly attempts: number;
  /** Bound of the first pause; it doubles with each further one. */
  readonly baseMs: number;
  /** Bound of every pause. */
  readonly maxMs: number;
}

export const NO_RETRY: RetryPolicy = { attempts: 1, baseMs: 0, maxMs: 0 };

const MOST_ATTEMPTS = 10;

export function checkRetryPolicy(policy: RetryPolicy): RetryPolicy {
  const { attempts, baseMs, maxMs } = policy;
  if (
    !Number.isInteger(attempts) ||
    attempts < 1 ||
    attempts > MOST_ATTEMPTS ||
    !(baseMs >= 0) ||
    !(maxMs >= baseMs)
  ) {
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected 1 to ${MOST_ATTEMPTS} attempts and 0 <= baseMs <= maxMs for retry, was ${JSON.stringify(policy)}`,
    );
  }
  return policy;
}

/**
 * The limiter waits out a limit, which is never retried; and a caller that gave up wants no other attempt.
 */
const NEVER_AGAIN: ReadonlySet<string> = new Set(['RATE_LIMITED', 'ABORTED', 'TOO_MANY_CALLS']);

function mayRetry(error: unknown): boolean {
  return error instanceof SarrafError && error.retry === 'safe' && !NEVER_AGAIN.has(error.code);
}

/**
 * Makes a call until it succeeds, fails for good or the attempts are used up; pauses are drawn evenly below
 * their bound ("full jitter").
 */
export async function withRetries<Value>(
  call: (attempt: number) => Promise<Value>,
  options: {
    readonly policy: RetryPolicy;
    readonly random: () => number;
    readonly sleep: (pauseMs: number) => Promise<void>;
  },
): Promise<Value> {
  const { policy, random, sleep } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call(attempt);
    } catch (error) {
      if (attempt >= policy.attempts || !mayRetry(error)) throw error;
      await sleep(random() * Math.min(policy.maxMs, policy.baseMs * 2 ** (attempt - 1)));
    }
  }
}

/**
 * The part of each limit that is left unused: a proxy that repeats a request, or a window that is counted
 * otherwise, must cause no lockout.
 */
export const DEFAULT_HEADROOM = 0.02;

/** Requests of a limit that may be used: rounded down, and never below one. */
function usableOf(limit: number, headroom: number): number {
  // 98 % of 50 is 49, but floating point gives a little less.
  return Math.max(1, Math.floor(limit * (1 - headroom) + 1e-9));
}

/**
 * Every budget by its name, with the limits that differ put in, less the headroom: a share of each limit from
 * 0 to below 1. With a headroom of 0 the limits are those of the exchange.
 * @throws SarrafError `INVALID_OPTIONS` for a name that no endpoint uses, or a limit that is not positive.
 */
export function budgetTable(
  overrides: LimitOverrides = {},
  headroom = DEFAULT_HEADROOM,
): ReadonlyMap<string, Budget> {
  const table = new Map<string, Budget>();
  for (const { budget } of Object.values(ENDPOINTS)) table.set(budget.name, budget);
  for (const [name, { limit, windowMs }] of Object.entries(overrides)) {
    const declared = table.get(name);
    if (declared === undefined) {
      throw new SarrafError(
        'INVALID_OPTIONS',
        `expected one of ${[...table.keys()].join(', ')} for limits, was "${name}"`,
      );
    }
    if (!Number.isInteger(limit) || limit < 1 || !Number.isInteger(windowMs) || windowMs < 1) {
      throw new SarrafError(
        'INVALID_OPTIONS',
        `expected whole positive numbers for limits.${name}, was ${limit} in ${windowMs} ms`,
      );
    }
    table.set(name, { ...declared, limit, windowMs, assumed: false });
  }
  if (!(headroom >= 0 && headroom < 1)) {
    throw new SarrafError('INVALID_OPTIONS', `expected a headroom from 0 to below 1, was ${headroom}`);
  }
  for (const budget of table.values()) {
    table.set(budget.name, { ...budget, limit: usableOf(budget.limit, headroom), statedLimit: budget.limit });
  }
  return table;
}
