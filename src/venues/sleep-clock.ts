import { uptime } from 'node:os';

/** Least gain of the wall clock on the monotonic one that counts as sleep; less is an adjustment. */
const LEAST_MS = 1000;

/**
 * Measures the time that the machine has slept since this was made: a laptop that was closed, a virtual
 * machine that was suspended. The monotonic clock stands still meanwhile (`CLOCK_MONOTONIC` of POSIX), and so
 * do all timers, while prices and candles go on. The clock of the time since boot with sleep
 * (`CLOCK_BOOTTIME`) distinguishes a sleep from a wall clock that somebody has set.
 */
export class SleepClock {
  private readonly leastAheadMs = bootAheadMs();
  private wallAheadMs = wallAheadMs();
  private totalMs = 0;
  private readonly onSleep: (sleptMs: number) => void;

  /** `onSleep` is told of each sleep, soon after it was noticed. */
  constructor(onSleep: (sleptMs: number) => void = () => undefined) {
    this.onSleep = onSleep;
  }

  /** In whole ms; never less than before. */
  sleptMs(): number {
    const wallMs = wallAheadMs();
    // The time since boot is read from a file, which is too dear for every look at a clock.
    if (wallMs - this.wallAheadMs > LEAST_MS) {
      const sleptMs = Math.floor(bootAheadMs() - this.leastAheadMs);
      const moreMs = sleptMs - this.totalMs;
      if (moreMs > LEAST_MS) {
        this.totalMs = sleptMs;
        // Not at once: whoever looks at a clock is in the middle of something.
        queueMicrotask(() => this.onSleep(moreMs));
      }
    }
    this.wallAheadMs = wallMs;
    return this.totalMs;
  }
}

const wallAheadMs = (): number => Date.now() - performance.now();
const bootAheadMs = (): number => uptime() * 1_000 - performance.now();
