/** What was worth how much, when. The arrays are equally long. */
export interface ValuesOverTime {
  readonly startMs: number;
  readonly startValue: number;
  readonly timeMs: Float64Array;
  readonly value: Float64Array;
}

export interface Drawdown {
  /** The largest loss from a peak as a fraction of it, 0 to 1. */
  readonly depth: number;
  /** How long that one lasted: from its peak until the peak was reached again, or to the end. 0 without a drawdown. */
  readonly lengthMs: number;
  /** The longest time below any peak, which can be another one. */
  readonly longestMs: number;
}

/**
 * The deepest drawdown, `max over t of (peak before t - value at t) / peak before t`, and its length. Magdon-Ismail and Atiya, "Maximum Drawdown",
 * Risk 17 (2004).
 */
export function maximumDrawdown(curve: ValuesOverTime): Drawdown {
  let peak = curve.startValue;
  let peakMs = curve.startMs;
  let depth = 0;
  let deepest = { depth: 0, lengthMs: 0, longestMs: 0 };
  const { value, timeMs } = curve;
  for (let index = 0; index < value.length; index += 1) {
    const now = value[index] ?? 0;
    const lengthMs = (timeMs[index] ?? 0) - peakMs;
    if (now < peak) depth = Math.max(depth, fractionLost(peak, now));
    // The time of a drawdown runs until the peak is reached again, and a rise from peak to peak is none.
    if (depth > 0 && (now >= peak || index === value.length - 1)) {
      const longestMs = Math.max(deepest.longestMs, lengthMs);
      deepest = depth > deepest.depth ? { depth, lengthMs, longestMs } : { ...deepest, longestMs };
      depth = 0;
    }
    if (now >= peak) {
      peak = now;
      peakMs = timeMs[index] ?? 0;
    }
  }
  return deepest;
}

/** The drawdown at each moment, 0 to 1. */
export function drawdowns(startValue: number, value: Float64Array): Float64Array {
  let peak = startValue;
  return value.map((now) => {
    peak = Math.max(peak, now);
    return fractionLost(peak, now);
  });
}

function fractionLost(peak: number, now: number): number {
  if (peak <= 0) return 0;
  return Math.min(1, Math.max(0, (peak - now) / peak));
}
