/** A few points of a curve, its extremes among them. */
export interface CurvePoints {
  readonly timeMs: number[];
  readonly value: number[];
}

/**
 * At most `most` points (4 or more) of a curve: in each of equal stretches the lowest and the highest, in their order, and the last of all. A curve
 * that is short enough stays as it is.
 */
export function thinCurve(
  curve: { readonly timeMs: Float64Array; readonly value: Float64Array },
  most: number,
): CurvePoints {
  const { timeMs, value } = curve;
  if (value.length <= most) return { timeMs: [...timeMs], value: [...value] };
  const stretches = Math.floor((most - 1) / 2);
  const chosen = new Set<number>();
  for (let stretch = 0; stretch < stretches; stretch += 1) {
    const from = Math.floor((stretch * value.length) / stretches);
    const to = Math.floor(((stretch + 1) * value.length) / stretches);
    const { lowest, highest } = extremes(value, from, to);
    chosen.add(Math.min(lowest, highest)).add(Math.max(lowest, highest));
  }
  const indices = [...chosen.add(value.length - 1)];
  return {
    timeMs: indices.map((index) => timeMs[index] ?? 0),
    value: indices.map((index) => value[index] ?? 0),
  };
}

/** Where a stretch, its end excluded, is lowest and highest: the first such places. */
function extremes(
  value: Float64Array,
  from: number,
  to: number,
): { readonly lowest: number; readonly highest: number } {
  let lowest = from;
  let highest = from;
  for (let index = from + 1; index < to; index += 1) {
    if ((value[index] ?? 0) < (value[lowest] ?? 0)) lowest = index;
    if ((value[index] ?? 0) > (value[highest] ?? 0)) highest = index;
  }
  return { lowest, highest };
}
