/**
 * Numbers for drawing as the page gets them: in units of 10^-decimals, each as its distance from the one
 * before.
 */
export interface NumberColumn {
  readonly decimals: number;
  readonly steps: readonly number[];
}

/** Digits of the largest number of a column: more than a screen can show. */
const DIGITS = 7;

/** Numbers that are all finite as a column, with so many digits of the largest. */
export function numberColumn(values: readonly number[], digits = DIGITS): NumberColumn {
  let largest = 0;
  for (const value of values) largest = Math.max(largest, Math.abs(value));
  const decimals = largest === 0 ? 0 : Math.min(15, digits - 1 - Math.floor(Math.log10(largest)));
  const scale = 10 ** decimals;
  return { decimals, steps: distancesOf(values.map((value) => Math.round(value * scale))) };
}

export function numbersOf({ decimals, steps }: NumberColumn): readonly number[] {
  const scale = 10 ** decimals;
  return fromDistances(steps).map((value) => value / scale);
}

/** Each number as its distance from the one before. */
export function distancesOf(values: readonly number[]): number[] {
  return values.map((value, index) => value - (values[index - 1] ?? 0));
}

/** Numbers from their distances. */
export function fromDistances(distances: readonly number[]): readonly number[] {
  let sum = 0;
  return distances.map((distance) => (sum += distance));
}

/** A number with so many digits: what a screen can show, so the last of them may be a tie's other side. */
export function roundedTo(value: number, digits: number): number {
  if (value === 0) return 0;
  const decimals = digits - 1 - Math.floor(Math.log10(Math.abs(value)));
  const scale = 10 ** Math.abs(decimals);
  return decimals < 0 ? Math.round(value / scale) * scale : Math.round(value * scale) / scale;
}
