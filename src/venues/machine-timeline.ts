import { setTimeout as pause } from 'node:timers/promises';
import type { Cancel, Timeline } from '../virtual/virtual-time.ts';

/** Timers of the machine take no more than 2^31 ms. */
const LONGEST_TIMER_MS = 86_400_000;

/**
 * The machine's time, or that running `speed` times as fast, from `startMs` on. It follows the monotonic
 * clock: a stepped wall clock does not move it.
 */
export class MachineTimeline implements Timeline {
  private readonly startMs: number;
  private readonly speed: number;
  private readonly begunMs = performance.now();

  constructor(options: { readonly startMs: number; readonly speed: number }) {
    this.startMs = options.startMs;
    this.speed = options.speed;
  }

  now(): number {
    return Math.floor(this.startMs + (performance.now() - this.begunMs) * this.speed);
  }

  at(atMs: number, work: () => void): Cancel {
    let timer: NodeJS.Timeout;
    const wait = (): void => {
      const restMs = (atMs - this.now()) / this.speed;
      timer = setTimeout(
        () => (this.now() >= atMs ? work() : wait()),
        Math.min(Math.max(0, Math.ceil(restMs)), LONGEST_TIMER_MS),
      );
    };
    wait();
    return () => clearTimeout(timer);
  }

  async sleep(durationMs: number): Promise<void> {
    await pause(Math.max(0, durationMs / this.speed));
  }
}
