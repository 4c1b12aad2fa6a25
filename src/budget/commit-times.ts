/** Time for which a commit counts as recent: at least this long, and at most twice as long. */
const GENERATION_MS = 300_000;

/**
 * Measures how long the event loop was held up by the process's own commits, which are on disk when they
 * return. The process did not stand still in that time.
 */
export class CommitTimes {
  private readonly nowMs: () => number;
  private total = 0;
  private current = 0;
  private previous = 0;
  private begunMs: number;

  /** `nowMs`: a monotonic clock; fractions of a millisecond count. */
  constructor(nowMs: () => number) {
    this.nowMs = nowMs;
    this.begunMs = nowMs();
  }

  /** Runs a commit, and records how long it took. */
  time<T>(commit: () => T): T {
    const begunMs = this.nowMs();
    try {
      return commit();
    } finally {
      this.add(this.nowMs() - begunMs);
    }
  }

  add(ms: number): void {
    this.age();
    this.total += ms;
    this.current = Math.max(this.current, ms);
  }

  /** Total time of all commits since the process began. */
  get totalMs(): number {
    return this.total;
  }

  /** Time of the longest commit in the last minutes. */
  get longestMs(): number {
    this.age();
    return Math.max(this.current, this.previous);
  }

  private age(): void {
    const generations = Math.floor((this.nowMs() - this.begunMs) / GENERATION_MS);
    if (generations === 0) return;
    this.previous = generations === 1 ? this.current : 0;
    this.current = 0;
    this.begunMs += generations * GENERATION_MS;
  }
}
