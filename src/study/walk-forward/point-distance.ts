import type { Point, Space } from '../../search/space-declaration.ts';
import { SpaceAxes } from '../../search/space-axes.ts';

/**
 * Distances between points of a space, by their places: 0 to 1, the root of the mean square over the
 * parameters. Of a number it is the share of its range, in logarithms where its scale is one; of a choice 0
 * or 1. A parameter that only one of two points has is 1 apart.
 */
export function distancesIn(space: Space, points: readonly Point[]): (left: number, right: number) => number {
  const axes = new SpaceAxes(space);
  const shares = points.map((point) =>
    axes.coordinatesOf(point).map((coordinate, index) => {
      const axis = axes.axis(index);
      return axis.kind === 'choice' ? coordinate : (coordinate - axis.low) / (axis.high - axis.low || 1);
    }),
  );
  const apart = (index: number, left: number, right: number): number => {
    if (Number.isNaN(left) || Number.isNaN(right)) return Number.isNaN(left) === Number.isNaN(right) ? 0 : 1;
    if (axes.axis(index).kind === 'choice') return left === right ? 0 : 1;
    return Math.abs(left - right);
  };
  return (left, right) => {
    let sum = 0;
    for (let index = 0; index < axes.size; index += 1)
      sum += apart(index, shares[left]?.[index] ?? Number.NaN, shares[right]?.[index] ?? Number.NaN) ** 2;
    return Math.sqrt(sum / Math.max(1, axes.size));
  };
}
