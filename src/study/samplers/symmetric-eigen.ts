import { numberAt } from './number-at.ts';

/** Values and vectors of a symmetric matrix: column `k` of `vectors` belongs to `values[k]`. */
export interface Eigen {
  readonly values: Float64Array;
  /** Row by row. */
  readonly vectors: Float64Array;
}

/** Each sweep turns away every element beside the diagonal; they vanish quadratically after a few. */
const MOST_SWEEPS = 50;

/**
 * Eigenvalues and eigenvectors of a symmetric matrix, row by row, by Jacobi's rotations: slower than others
 * for large matrices, and accurate to the last digits for small ones.
 */
export function symmetricEigen(matrix: Float64Array, size: number): Eigen {
  const rest = matrix.slice();
  const vectors = new Float64Array(size * size);
  for (let place = 0; place < size; place += 1) vectors[place * size + place] = 1;
  for (let sweep = 0; sweep < MOST_SWEEPS && !isDiagonal(rest, size); sweep += 1)
    for (let row = 0; row < size - 1; row += 1)
      for (let column = row + 1; column < size; column += 1) rotate(rest, vectors, { size, row, column });
  const values = Float64Array.from({ length: size }, (_, place) => numberAt(rest, place * size + place));
  return { values, vectors };
}

function isDiagonal(matrix: Float64Array, size: number): boolean {
  let [beside, on] = [0, 0];
  for (let row = 0; row < size; row += 1) {
    on += numberAt(matrix, row * size + row) ** 2;
    for (let column = row + 1; column < size; column += 1)
      beside += numberAt(matrix, row * size + column) ** 2;
  }
  return beside <= 1e-30 * on;
}

/** Turns the plane of two axes so that their common element becomes 0. */
function rotate(
  matrix: Float64Array,
  vectors: Float64Array,
  { size, row, column }: { readonly size: number; readonly row: number; readonly column: number },
): void {
  const element = numberAt(matrix, row * size + column);
  if (element === 0) return;
  const slope =
    (numberAt(matrix, column * size + column) - numberAt(matrix, row * size + row)) / (2 * element);
  const tangent = (slope < 0 ? -1 : 1) / (Math.abs(slope) + Math.sqrt(slope * slope + 1));
  const cosine = 1 / Math.sqrt(tangent * tangent + 1);
  const sine = tangent * cosine;
  for (let place = 0; place < size; place += 1)
    turn(matrix, [place * size + row, place * size + column], cosine, sine);
  for (let place = 0; place < size; place += 1)
    turn(matrix, [row * size + place, column * size + place], cosine, sine);
  for (let place = 0; place < size; place += 1)
    turn(vectors, [place * size + row, place * size + column], cosine, sine);
}

function turn(
  values: Float64Array,
  [first, second]: readonly [number, number],
  cosine: number,
  sine: number,
): void {
  const [one, other] = [numberAt(values, first), numberAt(values, second)];
  values[first] = cosine * one - sine * other;
  values[second] = sine * one + cosine * other;
}
