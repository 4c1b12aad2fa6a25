/** Upper ends of the buckets, in ms: from a quick answer to one that was nearly given up. */
const ENDS_MS = [25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000] as const;

/** Durations counted in buckets as Prometheus requires: each bucket includes the shorter ones too. */
export interface LatencyCounts {
  readonly buckets: readonly { readonly endMs: number; readonly count: number }[];
  readonly count: number;
  readonly sumMs: number;
}

export const NO_LATENCY: LatencyCounts = {
  buckets: ENDS_MS.map((endMs) => ({ endMs, count: 0 })),
  count: 0,
  sumMs: 0,
};

/** Counts durations since the process began, in a bounded room. */
export class LatencyBuckets {
  private readonly within = ENDS_MS.map(() => 0);
  private count = 0;
  private sumMs = 0;

  /** A negative time, which a stepped clock can show, counts as none at all. */
  add(durationMs: number): void {
    const tookMs = Math.max(0, durationMs);
    this.count += 1;
    this.sumMs += tookMs;
    ENDS_MS.forEach((endMs, index) => {
      if (tookMs <= endMs) this.within[index] = (this.within[index] ?? 0) + 1;
    });
  }

  counts(): LatencyCounts {
    return {
      buckets: ENDS_MS.map((endMs, index) => ({ endMs, count: this.within[index] ?? 0 })),
      count: this.count,
      sumMs: this.sumMs,
    };
  }
}
