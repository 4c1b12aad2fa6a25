/** Bits of the two by four dots of a braille character, by column and row from above. */
const DOTS: readonly (readonly number[])[] = [
  [0x01, 0x02, 0x04, 0x40],
  [0x08, 0x10, 0x20, 0x80],
];
const BLANK = 0x28_00;
const DOTS_ACROSS = 2;
const DOTS_DOWN = 4;

/**
 * A line through values in time as braille characters: each holds two by four dots. `width` and `height` are
 * in characters, 1 or more. Moments decide the place across, so a pause is as wide as it was long. What rises
 * and falls within one column is drawn as a stroke.
 */
export function brailleChart(
  points: { readonly timeMs: readonly number[]; readonly value: readonly number[] },
  size: { readonly width: number; readonly height: number },
): string[] {
  const { timeMs, value } = points;
  const across = size.width * DOTS_ACROSS;
  const down = size.height * DOTS_DOWN;
  const cells = Array.from({ length: size.height }, () => Array.from({ length: size.width }, () => BLANK));
  const columnOf = placing(timeMs, across);
  const rowOf = placing(value, down);
  let before: { readonly column: number; readonly row: number } | null = null;
  for (const [index, one] of value.entries()) {
    const to = { column: columnOf(timeMs[index] ?? 0), row: down - 1 - rowOf(one) };
    for (const dot of stroke(before ?? to, to)) {
      const line = cells[Math.floor(dot.row / DOTS_DOWN)];
      const cell = Math.floor(dot.column / DOTS_ACROSS);
      const bit = DOTS[dot.column % DOTS_ACROSS]?.[dot.row % DOTS_DOWN] ?? 0;
      if (line !== undefined) line[cell] = (line[cell] ?? BLANK) | bit;
    }
    before = to;
  }
  return cells.map((line) => String.fromCharCode(...line));
}

/**
 * Returns the place of a number in a row of `places`, from the least to the largest of all; the middle if all
 * are the same.
 */
function placing(values: readonly number[], places: number): (value: number) => number {
  const least = values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  const most = values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  if (!(most > least)) return () => Math.floor(places / 2);
  return (value) => Math.min(places - 1, Math.floor(((value - least) / (most - least)) * places));
}

interface Dot {
  readonly column: number;
  readonly row: number;
}

/** Dots on the straight way from one to another, both included: no more than the chart is large. */
function stroke(from: Dot, to: Dot): Dot[] {
  const steps = Math.max(Math.abs(to.column - from.column), Math.abs(to.row - from.row), 1);
  return Array.from({ length: steps + 1 }, (_, step) => ({
    column: Math.round(from.column + ((to.column - from.column) * step) / steps),
    row: Math.round(from.row + ((to.row - from.row) * step) / steps),
  }));
}
