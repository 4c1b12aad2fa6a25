/**
 * One who asks again and again: the interval it wants, and the longest one it can live with. Positive, wanted
 * at most longest.
 */
export interface PaceDemand {
  readonly wantedMs: number;
  readonly longestMs: number;
}

export interface PaceShares {
  /** An interval for each demand, in their order; whole ms, infinity where nothing may be asked at all. */
  readonly intervalsMs: readonly number[];
  /** The largest ratio of interval to wanted interval; 1 where everybody gets what it wants. */
  readonly stretch: number;
  /** Requests per ms when everybody is as slow as it can bear. More than what there is: it does not fit. */
  readonly leastRate: number;
}

/**
 * Shares a rate so that the largest stretch from wanted to given interval is as small as can be: all are
 * stretched alike, but none beyond its longest interval while another has slack. The rates together never
 * exceed `perMs`. Where not even the longest intervals fit, these are stretched alike.
 */
export function shareBudget(demands: readonly PaceDemand[], perMs: number): PaceShares {
  const leastRate = sumOf(demands, ({ longestMs }) => 1 / longestMs);
  if (leastRate > perMs) {
    const excess = perMs > 0 ? leastRate / perMs : Infinity;
    return {
      intervalsMs: demands.map(({ longestMs }) => Math.ceil(longestMs * excess)),
      stretch: Math.max(...demands.map(({ wantedMs, longestMs }) => (longestMs * excess) / wantedMs)),
      leastRate,
    };
  }
  const stretch = smallestStretch(demands, perMs);
  return {
    // Rounded up, so that the rate stays below; a whole longest interval is not passed by it.
    intervalsMs: demands.map(({ wantedMs, longestMs }) => Math.min(Math.ceil(wantedMs * stretch), longestMs)),
    stretch,
    leastRate,
  };
}

/** The smallest stretch, 1 at least, at which demands that fit at their longest intervals fit. */
function smallestStretch(demands: readonly PaceDemand[], perMs: number): number {
  const byLimit = demands.toSorted(
    (left, right) => left.longestMs * right.wantedMs - right.longestMs * left.wantedMs,
  );
  let limitedRate = 0;
  let stretchedRate = sumOf(demands, ({ wantedMs }) => 1 / wantedMs);
  let stretch = 1;
  for (const { wantedMs, longestMs } of byLimit) {
    if (perMs > limitedRate) stretch = Math.max(1, stretchedRate / (perMs - limitedRate));
    if (perMs > limitedRate && stretch <= longestMs / wantedMs) return stretch;
    // This one is at its longest before the others are stretched enough: it stays there.
    limitedRate += 1 / longestMs;
    stretchedRate -= 1 / wantedMs;
    stretch = longestMs / wantedMs;
  }
  return stretch;
}

function sumOf(demands: readonly PaceDemand[], of: (demand: PaceDemand) => number): number {
  let sum = 0;
  for (const demand of demands) sum += of(demand);
  return sum;
}
