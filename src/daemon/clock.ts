import { setImmediate, setTimeout } from 'node:timers/promises';

/** The market's time, in ms since 1970. */
export interface Clock {
  now(): number;
  /** Returns once `now()` has reached the time, or when the signal is given. */
  sleepUntil(timeMs: number, signal?: AbortSignal): Promise<void>;
}

/** The wall's time, or the wall's time running `speed` times as fast from `startMs` on. A stepped wall clock does not move it. */
export function createWallClock(options: { readonly startMs: number; readonly speed: number }): Clock {
  const { startMs, speed } = options;
  const begunMs = performance.now();
  const now = (): number => Math.floor(startMs + (performance.now() - begunMs) * speed);
  return {
    now,
    async sleepUntil(timeMs, signal) {
      // Timers may end a little early, and take no more than 2^31 ms.
      for (let restMs = (timeMs - now()) / speed; restMs > 0; restMs = (timeMs - now()) / speed) {
        if (signal?.aborted === true) return;
        const wait = setTimeout(
          Math.min(Math.ceil(restMs), 86_400_000),
          undefined,
          signal === undefined ? {} : { signal },
        );
        await wait.catch(() => undefined);
      }
    },
  };
}

/** How long the virtual clock runs before it lets signals and output have their turn. */
const TURN_MS = 10;

/** Time that jumps to whatever is next: a sleep costs nothing. */
export function createVirtualClock(startMs: number): Clock {
  let nowMs = startMs;
  let turnedMs = performance.now();
  return {
    now: () => nowMs,
    async sleepUntil(timeMs) {
      nowMs = Math.max(nowMs, timeMs);
      if (performance.now() - turnedMs < TURN_MS) return;
      await setImmediate();
      turnedMs = performance.now();
    },
  };
}
