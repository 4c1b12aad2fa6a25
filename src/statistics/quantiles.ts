import { sampleQuantile } from './sample-quantile.ts';

/** Values that so many of a hundred do not exceed. */
export interface Quantiles {
  readonly p05: number;
  readonly p25: number;
  readonly p50: number;
  readonly p75: number;
  readonly p95: number;
}

/** Of values in any order. Throws `InvalidSample` of none. */
export function quantilesOf(values: Float64Array): Quantiles {
  const sorted = values.toSorted();
  return {
    p05: sampleQuantile(sorted, 0.05),
    p25: sampleQuantile(sorted, 0.25),
    p50: sampleQuantile(sorted, 0.5),
    p75: sampleQuantile(sorted, 0.75),
    p95: sampleQuantile(sorted, 0.95),
  };
}
