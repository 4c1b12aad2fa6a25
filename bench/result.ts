/**
 * One measured figure. `ratio` is `value` divided by `reference`, both measured in this run; `holds` is true
 * if `target` was met.
 */
export interface BenchResult {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly reference: number | null;
  readonly ratio: number | null;
  readonly target: number | null;
  readonly holds: boolean;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Returns the percentile of the values: `share` of 100 values do not exceed it. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil((sorted.length * share) / 100) - 1)] ?? Number.NaN;
}

/** Figures of measured times in ms: their median and the longest, which may be `longestMs` at most. */
export function wayFigures(name: string, waysMs: readonly number[], longestMs: number): BenchResult[] {
  const most = Math.max(...waysMs);
  const figure = (which: string, value: number, target: number | null): BenchResult => ({
    name: `${name}, ${which} of ${waysMs.length}`,
    value,
    unit: 'ms',
    reference: null,
    ratio: null,
    target,
    holds: target === null || value <= target,
  });
  return [figure('median', median(waysMs), null), figure('most', most, longestMs)];
}
