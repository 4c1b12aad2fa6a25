import { DAY_MS } from '../../domain/durations.ts';
import type { Stretch } from '../stretch.ts';
import type { TrialMetrics } from '../objectives.ts';

/**
 * `ln(1 + total return) / days` of a stretch: what is earned a day, whatever its length. Null without a
 * return, and after a total loss.
 */
export function dailyGrowth(metrics: TrialMetrics | null, { fromMs, toMs }: Stretch): number | null {
  const total = metrics?.['totalReturn'] ?? null;
  return total === null || total <= -1 ? null : (Math.log1p(total) * DAY_MS) / (toMs - fromMs);
}

/** Growth out of sample over growth in sample. Null where nothing grew in sample. */
export function efficiencyOf(inSample: number | null, outOfSample: number | null): number | null {
  return inSample === null || outOfSample === null || inSample <= 0 ? null : outOfSample / inSample;
}

/** The same of the mean growth over all windows that have both. */
export function wholeEfficiency(
  rows: readonly {
    readonly train: Stretch;
    readonly test: Stretch;
    readonly inSample: TrialMetrics | null;
    readonly outOfSample: TrialMetrics;
  }[],
): number | null {
  let [inside, outside] = [0, 0];
  for (const { train, test, inSample, outOfSample } of rows) {
    const [before, after] = [dailyGrowth(inSample, train), dailyGrowth(outOfSample, test)];
    if (before === null || after === null) continue;
    inside += before;
    outside += after;
  }
  return efficiencyOf(inside, outside);
}
