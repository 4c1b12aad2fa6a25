import { setTimeout as pause } from 'node:timers/promises';
import type { Cancel, Timeline } from '../virtual/virtual-time.ts';
import { uptime } from 'node:os';
import { lengthText } from '../domain/time-text.ts';
import {
  clockAheadMs,
  TOLERATED_CLOCK_MS,
  type RequestTimes,
  type HttpResponse,
  type Transport,
} from '../exchange/transport.ts';

/** Interval in ms at which a timer checks whether it is due, since time may leap. */
const LONGEST_TIMER_MS = 60_000;

interface MachineTimelineOptions {
  readonly startMs: number;
  readonly speed: number;
  /** Time that the machine has slept since the start, which counts as passed. Default: 0. */
  readonly sleptMs?: () => number;
}

/** The machine's time, or `speed` times it, from `startMs` on, by the monotonic clock. */
export class MachineTimeline implements Timeline {
  private readonly options: MachineTimelineOptions;
  private readonly begunMs = performance.now();
  private leaptMs = 0;

  constructor(options: MachineTimelineOptions) {
    this.options = options;
  }

  now(): number {
    const { startMs, speed, sleptMs } = this.options;
    const elapsedMs = performance.now() - this.begunMs + (sleptMs?.() ?? 0);
    return Math.floor(startMs + elapsedMs * speed + this.leaptMs);
  }

  /** Leaps to a later time, as after a stop of the process; never back. */
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

/** Least gain of the wall clock on the monotonic one that counts as sleep; less is an adjustment. */
const LEAST_MS = 1000;

/**
 * Measures the time that the machine has slept since this was made, such as a closed laptop or a suspended
 * virtual machine. Meanwhile the monotonic clock (`CLOCK_MONOTONIC` of POSIX) and all timers stop, while
 * prices and candles go on. The clock since boot with sleep (`CLOCK_BOOTTIME`) tells a sleep from a wall
 * clock that was set.
 */
export class SleepClock {
  private readonly leastAheadMs = bootAheadMs();
  private wallAheadMs = wallAheadMs();
  private totalMs = 0;
  private readonly onSleep: (sleptMs: number) => void;

  /** `onSleep` is called with each sleep, soon after it was noticed. */
  constructor(onSleep: (sleptMs: number) => void = () => undefined) {
    this.onSleep = onSleep;
  }

  /** Returns the time slept in whole ms; it never falls. */
  sleptMs(): number {
    const wallMs = wallAheadMs();
    // The time since boot is read from a file, which costs too much for every reading of a clock.
    if (wallMs - this.wallAheadMs > LEAST_MS) {
      const sleptMs = Math.floor(bootAheadMs() - this.leastAheadMs);
      const moreMs = sleptMs - this.totalMs;
      if (moreMs > LEAST_MS) {
        this.totalMs = sleptMs;
        // Called later, since code that reads a clock is in the middle of its work.
        queueMicrotask(() => this.onSleep(moreMs));
      }
    }
    this.wallAheadMs = wallMs;
    return this.totalMs;
  }
}

const wallAheadMs = (): number => Date.now() - performance.now();
const bootAheadMs = (): number => uptime() * 1_000 - performance.now();

interface TimelyOptions {
  readonly time: Pick<MachineTimeline, 'now' | 'leapTo'>;
  readonly wallMs: () => number;
  readonly log: (message: string) => void;
}

/**
 * Returns a transport that keeps a bot's time up with that of the exchange. That time follows the monotonic
 * clock, so if the machine's clock was wrong at the start and is corrected later, the bot would go on reading
 * old candles. It leaps when two independent clocks, the machine's and the exchange's, agree on a later time.
 */
export function timelyTransport(inner: Transport, { time, wallMs, log }: TimelyOptions): Transport {
  return {
    async send(request) {
      const sent = { ownMs: time.now(), wallMs: wallMs() };
      const response = await inner.send(request);
      const received = { ownMs: time.now(), wallMs: wallMs() };
      const own = { sentMs: sent.ownMs, receivedMs: received.ownMs };
      const wall = { sentMs: sent.wallMs, receivedMs: received.wallMs };
      if (isBehind(response, own) && isRight(response, wall) && received.wallMs > received.ownMs) {
        time.leapTo(received.wallMs);
        const behindMs = received.wallMs - received.ownMs;
        log(
          `the bot's time was ${lengthText(behindMs)} behind that of the exchange, since this machine's clock was set after the start: it goes on at the time of now`,
        );
      }
      return response;
    },
    close: async () => inner.close(),
  };
}

function isBehind(response: HttpResponse, times: RequestTimes): boolean {
  const aheadMs = clockAheadMs(response, times);
  return aheadMs !== null && aheadMs < -TOLERATED_CLOCK_MS;
}

function isRight(response: HttpResponse, times: RequestTimes): boolean {
  const aheadMs = clockAheadMs(response, times);
  return aheadMs !== null && Math.abs(aheadMs) <= TOLERATED_CLOCK_MS;
}
