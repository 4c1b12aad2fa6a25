/** For so long a commit counts as recent, and for up to twice that. */
const GENERATION_MS = 300_000;

/**
 * Time for which the loop of this process was held up by its own commits, each of which is on disk when it
 * returns. The process did not stand still in that time.
 */
export class CommitTimes {
  private readonly nowMs: () => number;
  private total = 0;
  private current = 0;
  private previous = 0;
  private begunMs: number;

  /** `nowMs`: monotonic; parts of a millisecond count. */
  constructor(nowMs: () => number) {
    this.nowMs = nowMs;
    this.begunMs = nowMs();
  }

  /** Commits, and takes down how long that took. */
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

  /** All of them together, since the process began. */
  get totalMs(): number {
    return this.total;
  }

  /** The longest of the last minutes. */
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
