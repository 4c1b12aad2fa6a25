/** A machine that is stopped for a moment is late with all that is on its way then, and not again. */
const LATE_IN_A_ROW = 10;
const LATE_FOR_MS = 5_000;

/**
 * Requests of all budgets since one was sent that were admitted, and not sent as it took too long to get to
 * them: a machine that is too slow for one budget is so for all.
 */
export class Lateness {
  private run: { readonly sinceMs: number; readonly count: number } | null = null;
  private isTold = false;

  /** Answers for how long nothing leaves, once: as it becomes clear that this is no stop of a moment. */
  count(isLate: boolean, nowMs: number): number | null {
    if (!isLate) {
      this.run = null;
      this.isTold = false;
      return null;
    }
    const { sinceMs, count } = this.run ?? { sinceMs: nowMs, count: 0 };
    this.run = { sinceMs, count: count + 1 };
    const forMs = nowMs - sinceMs;
    if (this.isTold || count + 1 < LATE_IN_A_ROW || forMs < LATE_FOR_MS) return null;
    this.isTold = true;
    return forMs;
  }

  /** True if nothing leaves and that was reported. */
  get isLong(): boolean {
    return this.isTold;
  }
}
