/** Values over time. The arrays are equally long. */
export interface ValuesOverTime {
  readonly startMs: number;
  readonly startValue: number;
  readonly timeMs: Float64Array;
  readonly value: Float64Array;
}

/** One time below a peak. */
interface DrawdownPeriod {
  /** The largest loss from the peak as a fraction of it, above 0 and at most 1. */
  readonly depth: number;
  readonly peakMs: number;
  /** Time of the first deepest point. */
  readonly troughMs: number;
  /** Time at which the peak was reached again, or the end of the curve. */
  readonly endMs: number;
  readonly isOver: boolean;
}

/** Gives every time below a peak, oldest first. A rise from peak to peak is none. */
export function forEachDrawdown(curve: ValuesOverTime, take: (period: DrawdownPeriod) => void): void {
  const { value, timeMs } = curve;
  let peak = curve.startValue;
  let peakMs = curve.startMs;
  let depth = 0;
  let troughMs = 0;
  for (let index = 0; index < value.length; index += 1) {
    const now = value[index] ?? 0;
    const atMs = timeMs[index] ?? 0;
    const lost = fractionLost(peak, now);
    if (lost > depth) {
      depth = lost;
      troughMs = atMs;
    }
    const isOver = now >= peak;
    if (depth > 0 && (isOver || index === value.length - 1)) {
      take({ depth, peakMs, troughMs, endMs: atMs, isOver });
      depth = 0;
    }
    if (isOver) {
      peak = now;
      peakMs = atMs;
    }
  }
}

/** The deepest times below a peak, the deepest first, the older first of equal ones. */
export function deepestDrawdowns(curve: ValuesOverTime, most: number): readonly DrawdownPeriod[] {
  const deepest: DrawdownPeriod[] = [];
  forEachDrawdown(curve, (period) => {
    const place = deepest.findIndex(({ depth }) => depth < period.depth);
    if (place === -1 && deepest.length >= most) return;
    deepest.splice(place === -1 ? deepest.length : place, 0, period);
    if (deepest.length > most) deepest.pop();
  });
  return deepest;
}

/** `(peak - now) / peak`, 0 to 1; 0 where there was nothing to lose. */
export function fractionLost(peak: number, now: number): number {
  if (peak <= 0) return 0;
  return Math.min(1, Math.max(0, (peak - now) / peak));
}
