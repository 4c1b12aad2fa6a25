/** How often the process checks that it runs. */
const BEAT_MS = 50;

/** As long as may pass between the admission of a request and its sending: see the ledger. */
const LONGEST_MS = 250;

/**
 * Notices whether this process has paused since this was made: it was stopped or blocked for long, or the
 * machine slept. To be ended.
 */
export class Standstill {
  private lastTurnMs = performance.now();
  private lastWallMs = Date.now();
  private hasStood = false;
  private readonly timer = setInterval(() => this.look(), BEAT_MS);

  /** Whether it has, until now. */
  look(): boolean {
    const nowMs = performance.now();
    const wallMs = Date.now();
    // While a machine sleeps only the wall clock goes on. One that was set costs a request that asks again.
    if (Math.max(nowMs - this.lastTurnMs, wallMs - this.lastWallMs) > LONGEST_MS) this.hasStood = true;
    this.lastTurnMs = nowMs;
    this.lastWallMs = wallMs;
    return this.hasStood;
  }

  end(): void {
    clearInterval(this.timer);
  }
}
