/** First digits of one coordinate: each is a mask of the digits of a point's number that change it. */
export type DigitRows = readonly number[];

/** Transposes direction numbers of 32 bits: one row for each digit of the coordinate. */
export function digitRows(directions: Uint32Array, digits: number): DigitRows {
  return Array.from({ length: digits }, (_, row) => {
    let mask = 0;
    for (let place = 0; place < digits; place += 1)
      mask |= (((directions[place] ?? 0) >>> (31 - row)) & 1) << place;
    return mask;
  });
}

/** Independent rows, each at the index of its highest bit. */
type Basis = Int32Array;

/** Adds a row to the basis; returns false if it depends on those before it. */
function extend(basis: Basis, row: number): boolean {
  let rest = row;
  while (rest !== 0) {
    const top = 31 - Math.clz32(rest);
    const known = basis[top] ?? 0;
    if (known === 0) {
      basis[top] = rest;
      return true;
    }
    rest ^= known;
  }
  return false;
}

/**
 * The quality parameter `t` of the first `2^digits` points in some dimensions: every box of volume `2^(t -
 * digits)` whose sides are halved again and again has the same number of points. 0 is the best, `digits`
 * the worst. However `digits - t` first rows are shared out among the coordinates, they must be independent
 * (H. Niederreiter, "Point sets and sequences with small discrepancy", Monatshefte für Mathematik 104,
 * 1987).
 */
export function netDefect(coordinates: readonly DigitRows[], digits: number): number {
  const stored = 2 ** digits - 1;
  /** Counts rows of the coordinates from `depth` on that are independent of the basis; at most `limit`. */
  const independentRows = (basis: Basis, depth: number, limit: number): number => {
    const own = basis.slice();
    const rows = coordinates[depth] ?? [];
    let found = limit;
    for (let count = 0; ; count += 1) {
      if (depth + 1 < coordinates.length)
        found = Math.min(found, count + independentRows(own, depth + 1, found - count));
      if (count === found) return found;
      if (!extend(own, (rows[count] ?? 0) & stored)) return count;
    }
  };
  return digits - independentRows(new Int32Array(digits), 0, digits);
}
