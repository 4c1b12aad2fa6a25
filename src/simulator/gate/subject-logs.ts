export type SubjectLogsState = Readonly<Record<string, readonly number[]>>;

/** Callers counted at once for one limit. Beyond, idle ones are forgotten, then the tenth that came first. */
const SUBJECTS_KEPT = 20_000;

/** One limit, counted for each caller apart. */
export class SubjectLogs {
  readonly limit: number;
  readonly windowMs: number;
  private readonly logs = new Map<string, SlidingLog>();

  constructor(limit: number, windowMs: number) {
    this.limit = limit;
    this.windowMs = windowMs;
  }

  /** `limit`: a lower one than its own. */
  tryAdd(subject: string, timeMs: number, limit = this.limit): boolean {
    return (this.logs.get(subject) ?? this.begin(subject, timeMs)).tryAdd(timeMs, limit);
  }

  waitMs(subject: string, timeMs: number, limit = this.limit): number {
    return this.logs.get(subject)?.waitMs(timeMs, limit) ?? 0;
  }

  forget(subject: string): void {
    this.logs.delete(subject);
  }

  snapshot(): SubjectLogsState {
    return Object.fromEntries([...this.logs].map(([subject, log]) => [subject, log.entries()]));
  }

  restore(state: SubjectLogsState): void {
    this.logs.clear();
    for (const [subject, times] of Object.entries(state)) {
      const log = new SlidingLog(this.limit, this.windowMs);
      for (const timeMs of times) log.tryAdd(timeMs);
      this.logs.set(subject, log);
    }
  }

  private begin(subject: string, timeMs: number): SlidingLog {
    if (this.logs.size >= SUBJECTS_KEPT) this.makeRoom(timeMs);
    const log = new SlidingLog(this.limit, this.windowMs);
    this.logs.set(subject, log);
    return log;
  }

  private makeRoom(timeMs: number): void {
    for (const [subject, log] of this.logs) if (log.isIdle(timeMs)) this.logs.delete(subject);
    for (const subject of this.logs.keys()) {
      if (this.logs.size < SUBJECTS_KEPT * 0.9) return;
      this.logs.delete(subject);
    }
  }
}

/** Room that a log begins with; it doubles up to its limit, so an idle caller costs little. */
const FIRST_CAPACITY = 16;

/**
 * The times of the newest admitted requests, in a ring of at most `limit` entries: exact for every window,
 * constant work a request. A request exactly `windowMs` after another no longer shares a window with it.
 */
export class SlidingLog {
  private times: Float64Array;
  private head = 0;
  private count = 0;
  private readonly limit: number;
  private readonly windowMs: number;

  constructor(limit: number, windowMs: number) {
    this.limit = limit;
    this.windowMs = windowMs;
    this.times = new Float64Array(Math.min(limit, FIRST_CAPACITY));
  }

  /**
   * Writes the request down and says true, or says false when the window is full: by a lower limit than its
   * own, where one is given.
   */
  tryAdd(timeMs: number, limit = this.limit): boolean {
    if (limit < this.limit && this.waitMs(timeMs, limit) > 0) return false;
    if (this.count === this.limit) {
      if (this.limit === 0 || timeMs - this.oldestMs() < this.windowMs) return false;
      this.dropOldest();
    }
    if (this.count === this.times.length) this.makeRoom(timeMs);
    this.times[(this.head + this.count) % this.times.length] = timeMs;
    this.count += 1;
    return true;
  }

  /** Returns the time until a request would be admitted; 0 if one would be now. */
  waitMs(timeMs: number, limit = this.limit): number {
    if (this.count < limit) return 0;
    if (limit === 0) return this.windowMs;
    // A window later than the first of the last so many there is room for one more.
    const firstMs = this.times[(this.head + this.count - limit) % this.times.length] ?? 0;
    return Math.max(0, firstMs + this.windowMs - timeMs);
  }

  /** True if no entry matters any more. */
  isIdle(timeMs: number): boolean {
    if (this.count === 0) return true;
    const newestMs = this.times[(this.head + this.count - 1) % this.times.length] ?? 0;
    return timeMs - newestMs >= this.windowMs;
  }

  /** Oldest first. */
  entries(): number[] {
    return Array.from(
      { length: this.count },
      (_, index) => this.times[(this.head + index) % this.times.length] ?? 0,
    );
  }

  private oldestMs(): number {
    return this.times[this.head] ?? 0;
  }

  private dropOldest(): void {
    this.head = (this.head + 1) % this.times.length;
    this.count -= 1;
  }

  private makeRoom(timeMs: number): void {
    while (this.count > 0 && timeMs - this.oldestMs() >= this.windowMs) this.dropOldest();
    if (this.count < this.times.length) return;
    const entries = this.entries();
    this.times = new Float64Array(Math.min(this.limit, this.times.length * 2));
    this.times.set(entries);
    this.head = 0;
  }
}
