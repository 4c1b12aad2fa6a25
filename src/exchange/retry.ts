import { SarrafError } from '../domain/errors.ts';

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
