import type { Cancel, Timeline } from './virtual-time.ts';

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
