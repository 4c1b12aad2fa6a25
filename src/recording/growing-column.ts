/** Rows that a growing column has room for at first; then for twice as many, again and again. */
export const FIRST_ROOM = 65_536;

/** A column with twice the room. */
export function grown(column: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(column.length * 2);
  larger.set(column);
  return larger;
}

/** The cells of a column in another order. */
export function picked(column: Float64Array, order: Uint32Array): Float64Array<ArrayBuffer> {
  const sorted = new Float64Array(order.length);
  for (const [place, index] of order.entries()) sorted[place] = column[index] ?? Number.NaN;
  return sorted;
}
