import { present } from '../domain/invariant.ts';
import type { LearnedTrial } from './proposer.ts';

type Compared = Pick<LearnedTrial, 'losses' | 'violation'>;

/**
 * True if one trial is better in some objective and worse in none. Before that come constraints, by K. Deb's
 * rule: a feasible trial dominates an infeasible one, and of two infeasible ones the less infeasible.
 */
export function dominates(one: Compared, other: Compared): boolean {
  if (one.violation !== other.violation) return one.violation < other.violation;
  if (one.violation > 0) return false;
  let isBetter = false;
  for (const [index, loss] of one.losses.entries()) {
    const against = present(other.losses[index], 'a loss');
    if (loss > against) return false;
    if (loss < against) isBetter = true;
  }
  return isBetter;
}

/**
 * Trials by fronts: the first are dominated by none, the second by the first only, and so on ("fast
 * non-dominated sort", K. Deb et al., "A fast and elitist multiobjective genetic algorithm: NSGA-II", 2002).
 */
export function nonDominatedFronts<Trial extends Compared>(trials: readonly Trial[]): Trial[][] {
  const dominated = trials.map((one) =>
    trials.flatMap((other, place) => (dominates(one, other) ? [place] : [])),
  );
  const above = new Int32Array(trials.length);
  for (const places of dominated) for (const place of places) above[place] = (above[place] ?? 0) + 1;
  let front = [...trials.keys()].filter((place) => above[place] === 0);
  const fronts: Trial[][] = [];
  while (front.length > 0) {
    fronts.push(front.map((place) => present(trials[place], 'a trial')));
    const next: number[] = [];
    for (const place of front) {
      for (const below of present(dominated[place], 'places')) {
        const left = (above[below] ?? 0) - 1;
        above[below] = left;
        if (left === 0) next.push(below);
      }
    }
    front = next.toSorted((left, right) => left - right);
  }
  return fronts;
}

/**
 * Returns the crowding distance of each trial of a front: the sum over objectives of the distance between its
 * neighbours, as a share of the front's extent. It is infinite for the outer trials.
 */
export function crowdingDistances(front: readonly Compared[]): Float64Array {
  const distances = new Float64Array(front.length);
  const objectives = front[0]?.losses.length ?? 0;
  for (let objective = 0; objective < objectives; objective += 1) {
    const loss = (place: number): number => front[place]?.losses[objective] ?? 0;
    const order = [...front.keys()].toSorted((left, right) => loss(left) - loss(right));
    const [first = 0, last = 0] = [order[0], order.at(-1)];
    const extent = loss(last) - loss(first);
    for (const [rank, place] of order.entries()) {
      const [below, above] = [order[rank - 1], order[rank + 1]];
      const isOuter = below === undefined || above === undefined;
      const share = isOuter ? Infinity : extent === 0 ? 0 : (loss(above) - loss(below)) / extent;
      distances[place] = (distances[place] ?? 0) + share;
    }
  }
  return distances;
}
