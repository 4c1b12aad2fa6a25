import { retainNewest } from '../../domain/retain-newest.ts';
import { ApiError } from '../api-error.ts';

/** Wrong tokens that cost nothing: a person may paste the wrong one. */
const FREE_TRIES = 5;

/** The wait after the next one, which doubles with each. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 300_000;

/** Without a wrong one for so long, an address begins anew. */
const FORGOTTEN_AFTER_MS = 900_000;

/** Addresses that are remembered; beyond it the oldest goes. */
const MOST_ADDRESSES = 1_000;

interface Tries {
  count: number;
  lastMs: number;
}

/**
 * Limits how often an address may try a token. It slows guesses, which 256 bits make hopeless anyway, and
 * prevents them from filling a log. Sessions and their cookies are not checked: nobody can lock a page out by
 * guessing.
 */
export class SignInPace {
  private readonly byAddress = new Map<string, Tries>();

  /** Returns the time an address must wait before it may try; 0 for none. */
  waitMs(address: string, nowMs: number): number {
    const tries = this.triesOf(address, nowMs);
    if (tries === undefined) return 0;
    const beyond = tries.count - FREE_TRIES;
    if (beyond <= 0) return 0;
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (beyond - 1));
    return Math.min(waitMs, Math.max(0, tries.lastMs + waitMs - nowMs));
  }

  /** It has tried a wrong one. */
  wrong(address: string, nowMs: number): void {
    const count = (this.triesOf(address, nowMs)?.count ?? 0) + 1;
    this.byAddress.delete(address);
    this.byAddress.set(address, { count, lastMs: nowMs });
    retainNewest(this.byAddress, MOST_ADDRESSES);
  }

  /** Counts a wrong token, unless the address has to wait. Returns the error to answer. */
  refuse(address: string, nowMs: number, message: string): ApiError {
    const waitMs = this.waitMs(address, nowMs);
    if (waitMs > 0)
      return new ApiError(
        'too-many-tries',
        `expected no further try for ${Math.ceil(waitMs / 1_000)} s after so many wrong tokens`,
        { retryAfterMs: waitMs },
      );
    this.wrong(address, nowMs);
    return new ApiError('wrong-token', message);
  }

  /** It has tried a right one. */
  right(address: string): void {
    this.byAddress.delete(address);
  }

  /** Those that are not forgotten. A last one in the future is of before the clock was set back. */
  private triesOf(address: string, nowMs: number): Tries | undefined {
    const tries = this.byAddress.get(address);
    return tries !== undefined && Math.abs(nowMs - tries.lastMs) < FORGOTTEN_AFTER_MS ? tries : undefined;
  }
}
