/** A straight line `y = intercept + slope x`, and how much of y it explains, 0 to 1. */
export interface Line {
  readonly intercept: number;
  /** 0 where x does not vary. */
  readonly slope: number;
  readonly explained: number;
}

/**
 * The line of least squares through points. There must be at least one. Where x does not vary it is level at
 * the mean. Draper and Smith, "Applied Regression Analysis" (1998), 1.
 */
export function lineThrough(x: Float64Array, y: Float64Array): Line {
  const count = x.length;
  const meanX = x.reduce((sum, value) => sum + value, 0) / count;
  const meanY = y.reduce((sum, value) => sum + value, 0) / count;
  let [xx, xy, yy] = [0, 0, 0];
  for (let index = 0; index < count; index += 1) {
    const [right, up] = [(x[index] ?? 0) - meanX, (y[index] ?? 0) - meanY];
    xx += right * right;
    xy += right * up;
    yy += up * up;
  }
  if (xx === 0) return { intercept: meanY, slope: 0, explained: 0 };
  const slope = xy / xx;
  return { intercept: meanY - slope * meanX, slope, explained: yy === 0 ? 0 : (slope * xy) / yy };
}
