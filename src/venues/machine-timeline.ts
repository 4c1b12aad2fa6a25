import { setTimeout as pause } from 'node:timers/promises';
import type { Cancel, Timeline } from '../virtual/virtual-time.ts';

/** A timer looks again so often whether its time has come, since time may go on by a leap. */
const LONGEST_TIMER_MS = 60_000;

interface MachineTimelineOptions {
  readonly startMs: number;
  readonly speed: number;
  /** Time that the machine has slept since the start, which counts as passed time. None when left out. */
  readonly sleptMs?: () => number;
}

/**
 * The machine's time, or that running `speed` times as fast, from `startMs` on. It follows the monotonic
 * clock: a stepped wall clock does not move it.
 */
export class MachineTimeline implements Timeline {
  private readonly options: MachineTimelineOptions;
  private readonly begunMs = performance.now();
  private leaptMs = 0;

  constructor(options: MachineTimelineOptions) {
    this.options = options;
  }

  now(): number {
    const { startMs, speed, sleptMs } = this.options;
    const passedMs = performance.now() - this.begunMs + (sleptMs?.() ?? 0);
    return Math.floor(startMs + passedMs * speed + this.leaptMs);
  }

  /** Goes on from a later time, as a process does that has stood still until then; never back. */
  leapTo(laterMs: number): void {
    this.leaptMs += Math.max(0, laterMs - this.now());
  }

  at(atMs: number, work: () => void): Cancel {
    let timer: NodeJS.Timeout;
    const wait = (): void => {
      const restMs = (atMs - this.now()) / this.options.speed;
      timer = setTimeout(
        () => (this.now() >= atMs ? work() : wait()),
        Math.min(Math.max(0, Math.ceil(restMs)), LONGEST_TIMER_MS),
      );
    };
    wait();
    return () => clearTimeout(timer);
  }

  async sleep(durationMs: number): Promise<void> {
    await pause(Math.max(0, durationMs / this.options.speed));
  }
}
