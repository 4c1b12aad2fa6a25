import type { Cancel, Timeline } from './virtual-time.ts';

/**
 * Time as one process sees it. While the process stands still nothing of it happens; what fell due meanwhile
 * happens late, in its order, when it goes on. Once it is dead, nothing of it ever happens again: what waits
 * is forgotten, promises included.
 */
export class ProcessTime implements Timeline {
  private readonly outer: Timeline;
  private stillUntilMs = Number.NEGATIVE_INFINITY;
  private busyUntilMs = Number.NEGATIVE_INFINITY;
  private dead = false;

  constructor(outer: Timeline) {
    this.outer = outer;
  }

  get isDead(): boolean {
    return this.dead;
  }

  now(): number {
    return this.outer.now();
  }

  at(atMs: number, work: () => void): Cancel {
    let cancel = this.outer.at(atMs, () => {
      if (this.dead) return;
      if (this.isStill) cancel = this.at(this.stillUntilMs, work);
      else work();
    });
    return () => cancel();
  }

  async sleep(durationMs: number): Promise<void> {
    return new Promise((wake) => {
      this.at(this.now() + Math.max(0, durationMs), wake);
    });
  }

  /** Returns the clock as read during its work, including the time that the work has used. */
  clockMs(): number {
    return Math.max(this.now(), this.busyUntilMs);
  }

  /** Works for so long without a turn, as with a commit: what falls due meanwhile happens late. */
  spend(durationMs: number): void {
    this.busyUntilMs = this.clockMs() + durationMs;
    this.stillUntilMs = Math.max(this.stillUntilMs, this.busyUntilMs);
  }

  /** Stops the process, as a signal or a sleeping machine does. */
  stop(durationMs: number): void {
    this.stillUntilMs = Math.max(this.stillUntilMs, this.now() + durationMs);
  }

  /** Ends it without a word. */
  kill(): void {
    this.dead = true;
  }

  /** For what comes in from outside: goes on once the process does, or never. */
  async awake(): Promise<void> {
    if (this.dead) {
      await new Promise<never>(() => {
        // Nobody is there any more.
      });
    }
    // It may be stopped again meanwhile, so its state is read in a loop.
    while (this.isStill) await this.sleep(this.stillUntilMs - this.now());
  }

  private get isStill(): boolean {
    return this.now() < this.stillUntilMs;
  }
}

/**
 * Another timeline, with a clock that is ahead of it by `offsetMs`: what a process reads whose wall clock is
 * off.
 */
export class OffsetTime implements Timeline {
  private readonly inner: Timeline;
  private readonly offsetMs: number;

  constructor(inner: Timeline, offsetMs: number) {
    this.inner = inner;
    this.offsetMs = offsetMs;
  }

  now(): number {
    return this.inner.now() + this.offsetMs;
  }

  at(atMs: number, work: () => void): Cancel {
    return this.inner.at(atMs - this.offsetMs, work);
  }

  async sleep(durationMs: number): Promise<void> {
    return this.inner.sleep(durationMs);
  }
}
