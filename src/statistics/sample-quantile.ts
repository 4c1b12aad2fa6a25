import { checkNumber } from './check-sample.ts';
import { InvalidSample } from './estimate.ts';

/**
 * The value below which a share of sorted values lies, 0 to 1, between two values in proportion (type 7 of
 * Hyndman and Fan, "Sample Quantiles in Statistical Packages", The American Statistician 50, 1996). Throws
 * `InvalidSample` of no values, and at a share out of range. The values must rise.
 */
export function sampleQuantile(sorted: Float64Array, share: number): number {
  checkNumber(share, 'share', { least: 0, most: 1 });
  if (sorted.length === 0) throw new InvalidSample('expected values for a quantile, was none');
  const place = share * (sorted.length - 1);
  const below = Math.floor(place);
  const low = sorted[below] ?? Number.NaN;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] ?? Number.NaN;
  return low + (place - below) * (high - low);
}
