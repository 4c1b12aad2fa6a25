import type { RateLimit } from '../../domain/rate-limit.ts';
import type { LoggedRequest, RequestLog } from '../../simulator-server/request-log.ts';
import { violationsOf, type Violation } from './violation.ts';

const HTTP_FORBIDDEN = 403;
const HTTP_TOO_MANY = 429;

/**
 * Holds the exchange's own log of requests against the limits: in no window of the exchange's clock, both its
 * ends included, are there more requests of a budget than its limit, and none was refused for a limit. All
 * requests of the run come from one address and one account, so each budget is one row of times. To be called
 * often enough that the log drops nothing unread.
 */
export class BudgetChecker {
  private readonly log: RequestLog;
  private readonly limits: ReadonlyMap<string, Pick<RateLimit, 'limit' | 'windowMs'>>;
  /** The last times of each budget: as many as its limit. */
  private readonly times = new Map<string, number[]>();
  private readonly found: string[] = [];
  private lastNumber = 0;
  private readonly lowered: ReadonlySet<string>;

  /** `lowered`: budgets whose limit the exchange lowers at times, which a 429 has to name. */
  constructor(
    log: RequestLog,
    limits: ReadonlyMap<string, Pick<RateLimit, 'limit' | 'windowMs'>>,
    lowered: ReadonlySet<string> = new Set(),
  ) {
    this.log = log;
    this.limits = limits;
    this.lowered = lowered;
  }

  /** Looks at what came since the last look. */
  look(): void {
    for (const request of this.log.values()) {
      if (request.number <= this.lastNumber) continue;
      if (request.number > this.lastNumber + 1) {
        this.found.push(
          `expected every request in the log, numbers ${this.lastNumber + 1} to ${request.number} were forgotten`,
        );
      }
      this.lastNumber = request.number;
      this.take(request);
    }
  }

  violations(): readonly Violation[] {
    this.look();
    return violationsOf('budgets', this.found);
  }

  private take({ budget, timeMs, status, path, number }: LoggedRequest): void {
    if (budget === null) return;
    const isTold = status === HTTP_TOO_MANY && this.lowered.has(budget);
    if (!isTold && (status === HTTP_FORBIDDEN || status === HTTP_TOO_MANY)) {
      this.found.push(
        `expected no refusal by a limit, request ${number} to ${path} got ${status} at ${timeMs}`,
      );
    }
    const limit = this.limits.get(budget);
    if (limit === undefined) {
      this.found.push(`expected a known budget, request ${number} to ${path} is counted in "${budget}"`);
      return;
    }
    const times = this.times.get(budget) ?? [];
    this.times.set(budget, times);
    times.push(timeMs);
    if (times.length <= limit.limit) return;
    const first = times.shift() ?? 0;
    if (timeMs - first > limit.windowMs) return;
    this.found.push(
      `expected at most ${limit.limit} requests of ${budget} in ${limit.windowMs} ms, there were ${limit.limit + 1} from ${first} to ${timeMs}`,
    );
  }
}
