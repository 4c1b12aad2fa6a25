import type { Budget, LimitOverrides } from '../domain/rate-limit.ts';
import { SarrafError, invalidOptions } from '../domain/errors.ts';
import { type EndpointName, ENDPOINTS, type OrderBookVersion } from './endpoints.ts';
import type { LoginCredentials } from './session.ts';
import type { ApiKey } from './authenticator.ts';
import type { HttpResponse, Transport } from './transport.ts';

/** Credentials: none, an existing token, a user who logs in, or an API key. */
export type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'login'; readonly login: LoginCredentials }
  | { readonly kind: 'key'; readonly key: ApiKey };

/** A request that is about to be sent, with the facts that a limiter needs. */
export interface OutgoingRequest {
  readonly endpoint: EndpointName;
  readonly budget: Budget;
  /** Number of the try; 1 for the first. */
  readonly attempt: number;
}

export interface ClientOptions {
  /** The exchange's address, `https://host`. Set either this or `transport`. */
  readonly baseUrl?: string;
  /** Another transport to the exchange, such as a simulator in this process. */
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
  /** Time-outs in ms that replace the declared ones. */
  readonly timeoutsMs?: Readonly<Partial<Record<EndpointName, number>>>;
  /** Limits that replace those of the interface's table, by budget name. */
  readonly limits?: LimitOverrides;
  /** The share of each limit that is left unused; 0.02 by default. */
  readonly headroom?: number;
  readonly userAgent?: string;
  /** Retries of calls that only read; none by default. */
  readonly retry?: RetryPolicy;
  /** Called before every request, log-ins and retries too: a rate limiter waits, or throws, here. */
  readonly admit?: (request: OutgoingRequest) => void | Promise<void>;
  /** Called with the end of each request: its status and the wait it asks for, or the error. */
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
  /** The endpoint for which the call was admitted; default: what `endpointOf` returns now. */
  readonly endpoint?: EndpointName;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly retry?: RetryPolicy;
  /** Time for which a limiter's admission is valid while the process stands still; default 250 ms. */
  readonly admittedForMs?: number;
  /** One-time password for the log-in of an account that requires one. */
  readonly oneTimePassword?: string;
  /** True if an unreadable row of a list is left out. Otherwise the whole call fails. */
  readonly eachRow?: boolean;
  /** Called with each reply before it is read, so also with one that cannot be read. */
  readonly onReply?: (reply: HttpResponse) => void;
}

/** Number of tries of a failed read, and the pauses between them. */
export interface RetryPolicy {
  /** Number of calls, including the first: 1 means no retry. At most 10. */
  readonly attempts: number;
  /** Upper bound of the first pause in ms; it doubles with each further one. */
  readonly baseMs: number;
  /** Upper bound of every pause in ms. */
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
    throw invalidOptions(
      `expected 1 to ${MOST_ATTEMPTS} attempts and 0 <= baseMs <= maxMs for retry, was ${JSON.stringify(policy)}`,
    );
  }
  return policy;
}

/** Error codes that are never retried: a limiter waits out limits, and an aborted call is not wanted. */
const NEVER_AGAIN: ReadonlySet<string> = new Set(['RATE_LIMITED', 'ABORTED', 'TOO_MANY_CALLS']);

const mayRetry = (error: unknown): boolean =>
  error instanceof SarrafError && error.retry === 'safe' && !NEVER_AGAIN.has(error.code);

/** Makes a call until it succeeds, fails, or has no attempts left. Pauses are random ("full jitter"). */
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

/** Share of each limit left unused: for a proxy that repeats, or a window counted differently. */
export const DEFAULT_HEADROOM = 0.02;

/** Returns the requests of a limit that may be used: rounded down, and at least one. */
function usableOf(limit: number, headroom: number): number {
  // 98 % of 50 is 49, but floating point gives a little less.
  return Math.max(1, Math.floor(limit * (1 - headroom) + 1e-9));
}

/** The limits of the interface, by name. */
const LIMITS: ReadonlyMap<string, Budget> = new Map(
  Object.values(ENDPOINTS).map(({ budget }) => [budget.name, budget]),
);

/** Returns every budget of the interface by its name, as `limitsLess` does. */
export const budgetTable = (overrides: LimitOverrides = {}, headroom = DEFAULT_HEADROOM) =>
  limitsLess(LIMITS, overrides, headroom);

/**
 * Returns every budget of an exchange by its name, with the given limits, less the headroom: a share of each
 * limit from 0 to below 1. With a headroom of 0 the limits are those of the exchange.
 * @throws SarrafError `INVALID_OPTIONS` for a name that is none of them, or a limit that is not positive.
 */
export function limitsLess(
  stated: ReadonlyMap<string, Budget>,
  overrides: LimitOverrides,
  headroom: number,
): ReadonlyMap<string, Budget> {
  const table = new Map(stated);
  for (const [name, { limit, windowMs }] of Object.entries(overrides)) {
    const declared = table.get(name);
    if (declared === undefined)
      throw invalidOptions(`expected one of ${[...table.keys()].join(', ')} for limits, was "${name}"`);
    if (!Number.isInteger(limit) || limit < 1 || !Number.isInteger(windowMs) || windowMs < 1)
      throw invalidOptions(
        `expected whole positive numbers for limits.${name}, was ${limit} in ${windowMs} ms`,
      );
    table.set(name, { ...declared, limit, windowMs, assumed: false });
  }
  if (!(headroom >= 0 && headroom < 1))
    throw invalidOptions(`expected a headroom from 0 to below 1, was ${headroom}`);
  for (const budget of table.values())
    table.set(budget.name, { ...budget, limit: usableOf(budget.limit, headroom), statedLimit: budget.limit });
  return table;
}
