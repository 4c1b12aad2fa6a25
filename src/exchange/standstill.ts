/** Interval at which the process checks that it runs. */
const BEAT_MS = 50;

/** Own commits that take longer are a pause: the process may have been stopped amid one. */
const MOST_COMMIT_MS = 5_000;

/**
 * Notices whether this process has paused since this was made: it was stopped or blocked for longer than
 * `longestMs`, or the machine slept. Its own commits, of which `commitMs` says how long they have taken so
 * far, are no pause. To be ended.
 */
export class Standstill {
  private readonly longestMs: number;
  private readonly commitMs: () => number;
  private lastTurnMs = performance.now();
  private lastWallMs = Date.now();
  private lastCommitMs: number;
  private hasStood = false;
  private readonly timer = setInterval(() => this.look(), BEAT_MS);

  constructor({ longestMs, commitMs }: { readonly longestMs: number; readonly commitMs: () => number }) {
    this.longestMs = longestMs;
    this.commitMs = commitMs;
    this.lastCommitMs = commitMs();
  }

  /** True if the process has paused until now. */
  look(): boolean {
    const nowMs = performance.now();
    const wallMs = Date.now();
    const commitMs = this.commitMs();
    // While a machine sleeps only the wall clock goes on. One that was set costs a request that asks again.
    const pauseMs = Math.max(nowMs - this.lastTurnMs, wallMs - this.lastWallMs);
    const committedMs = Math.min(commitMs - this.lastCommitMs, MOST_COMMIT_MS);
    if (pauseMs - committedMs > this.longestMs) this.hasStood = true;
    this.lastTurnMs = nowMs;
    this.lastWallMs = wallMs;
    this.lastCommitMs = commitMs;
    return this.hasStood;
  }

  end(): void {
    clearInterval(this.timer);
  }
}
