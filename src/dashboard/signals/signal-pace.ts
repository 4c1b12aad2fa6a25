import { MINUTE_MS } from '../../domain/time-text.ts';

/** Requests of one token in a minute. */
const MOST_A_MINUTE = 60;

/** Counts each token's requests; entries are as few as tokens may be. */
export class SignalPace {
  private readonly byToken = new Map<string, number[]>();

  /** Counts a request; answers how long its sender has to wait, 0 for not at all. */
  take(token: string, nowMs: number): number {
    // What came in the future came before the clock was set back.
    const times = (this.byToken.get(token) ?? []).filter((atMs) => atMs > nowMs - MINUTE_MS && atMs <= nowMs);
    this.byToken.set(token, times);
    const [first] = times;
    if (times.length >= MOST_A_MINUTE && first !== undefined) return first + MINUTE_MS - nowMs;
    times.push(nowMs);
    return 0;
  }
}
