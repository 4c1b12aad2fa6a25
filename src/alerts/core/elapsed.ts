/** Clocks are put right by seconds all the time. A time so far ahead is one of a clock that was set back. */
const AHEAD_MS = 60_000;

/**
 * Milliseconds that have gone by since a time that was written down, or infinity where the clock was set back
 * since and nobody knows: what waits for a time does not wait for a date that was wrong. A few milliseconds
 * below zero are of a clock that was put right.
 */
export function elapsedMs(sinceMs: number, atMs: number): number {
  return isAhead(sinceMs, atMs) ? Number.POSITIVE_INFINITY : atMs - sinceMs;
}

/** Returns true if a stored time is from before the clock was set back. */
export function isAhead(writtenMs: number, atMs: number): boolean {
  return writtenMs - atMs > AHEAD_MS;
}
