import type { Cancel, Timeline } from './virtual-time.ts';

/**
 * Time as one process sees it. While the process is stopped nothing in it runs; work that becomes due runs
 * late, in order, when it goes on. After its death nothing in it ever runs: waiting work is dropped, promises
 * included.
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

  /** Returns the clock as the process reads it, including the time that its work has used. */
  clockMs(): number {
    return Math.max(this.now(), this.busyUntilMs);
  }

  /** Uses up time without yielding, as a commit does: work that becomes due meanwhile runs late. */
  spend(durationMs: number): void {
    this.busyUntilMs = this.clockMs() + durationMs;
    this.stillUntilMs = Math.max(this.stillUntilMs, this.busyUntilMs);
  }

  /** Stops the process, as a signal or a sleeping machine does. */
  stop(durationMs: number): void {
    this.stillUntilMs = Math.max(this.stillUntilMs, this.now() + durationMs);
  }

  /** Ends the process without notice. */
  kill(): void {
    this.dead = true;
  }

  /** Resolves once the process runs, or never if it is dead. Events from outside wait for it. */
  async awake(): Promise<void> {
    if (this.dead) {
      await new Promise<never>(() => {
        // The process is dead.
      });
    }
    // The process may be stopped again meanwhile, so its state is read in a loop.
    while (this.isStill) await this.sleep(this.stillUntilMs - this.now());
  }

  private get isStill(): boolean {
    return this.now() < this.stillUntilMs;
  }
}

/** A timeline with a clock that is ahead by `offsetMs`, for a process whose wall clock is wrong. */
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
