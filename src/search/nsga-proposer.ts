import { present } from '../domain/errors.ts';
import type { Axis, Coordinates, NumericAxis } from './space-axes.ts';
import {
  numberAt,
  type LearnedTrial,
  type Proposer,
  type ProposerSetup,
  onAxis,
  RandomStream,
  wholeGenerations,
} from './proposer.ts';
import { SobolProposer } from './sobol-proposer.ts';

/** Approximate number of trials in a population, as in Optuna; and the minimum. */
const POPULATION = 50;
const LEAST_POPULATION = 4;

/** Probability that two parents are crossed, and that a parameter takes part (K. Deb et al., 2002). */
const CROSSOVER_SHARE = 0.9;
const SWAP_SHARE = 0.5;

/** Key of the random streams of children, which no other purpose uses. */
const CHILD_STREAM = 2_000;

/** Trial that may have children. Of two, the one on the better front wins, then the one more apart. */
interface Parent {
  readonly trial: LearnedTrial;
  readonly front: number;
  readonly crowding: number;
}

/**
 * NSGA-II: the best trials of the last population and its parents, by front and crowding distance, produce
 * the next one. Numbers are changed by simulated binary crossover and polynomial mutation; choices are
 * swapped and redrawn. The first population is from the Sobol sequence.
 *
 * A population is the multiple of the generation that is nearest to 50 trials. Infeasible trials rank after
 * feasible ones, failed ones last.
 */
export class NsgaProposer implements Proposer {
  readonly mayRepeat = false;
  private readonly setup: ProposerSetup;
  private readonly first: SobolProposer;
  private readonly population: number;
  private parents: readonly Parent[] = [];
  private learned: LearnedTrial[] = [];

  constructor(setup: ProposerSetup) {
    this.setup = setup;
    this.first = new SobolProposer(setup);
    const { generation } = setup;
    this.population = wholeGenerations(POPULATION, { generation, least: LEAST_POPULATION });
  }

  propose(number: number, attempt: number): Coordinates {
    if (this.parents.length === 0) return this.first.propose(number, attempt);
    const { axes, seed } = this.setup;
    const random = new RandomStream(seed, number, CHILD_STREAM + attempt);
    const [mother, father] = [this.tournament(random), this.tournament(random)];
    const isCrossed = random.uniform() < CROSSOVER_SHARE;
    return Float64Array.from(axes.axes, (axis, place) => {
      const one = numberAt(mother.trial.coordinates, place);
      const other = isCrossed ? numberAt(father.trial.coordinates, place) : one;
      const child = inherited(axis, [one, other], random);
      return random.uniform() * axes.size < 1 ? changed(axis, child, random) : child;
    });
  }

  accept(): void {}

  learn(trials: readonly LearnedTrial[]): void {
    this.learned.push(...trials);
    if (this.learned.length < this.population) return;
    const all = [...this.parents.map(({ trial }) => trial), ...this.learned];
    this.learned = [];
    const best: Parent[] = [];
    for (const [front, members] of nonDominatedFronts(all).entries()) {
      const crowding = crowdingDistances(members);
      const ranked = members
        .map((trial, place): Parent => ({ trial, front, crowding: numberAt(crowding, place) }))
        .toSorted((one, other) => other.crowding - one.crowding || one.trial.number - other.trial.number);
      best.push(...ranked.slice(0, this.population - best.length));
      if (best.length === this.population) break;
    }
    this.parents = best;
  }

  private tournament(random: RandomStream): Parent {
    const pick = (): Parent => present(this.parents[random.below(this.parents.length)], 'a parent');
    const [one, other] = [pick(), pick()];
    if (one.front !== other.front) return one.front < other.front ? one : other;
    return other.crowding > one.crowding ? other : one;
  }
}

/** Returns a child's coordinate, inherited from its parents, or drawn if neither has the parameter. */
function inherited(axis: Axis, [one, other]: readonly [number, number], random: RandomStream): number {
  if (Number.isNaN(one)) return Number.isNaN(other) ? onAxis(axis, random.uniform()) : other;
  if (Number.isNaN(other) || one === other) return one;
  if (random.uniform() >= SWAP_SHARE) return one;
  return axis.kind === 'choice' ? other : crossed([one, other], axis, random);
}

const changed = (axis: Axis, coordinate: number, random: RandomStream): number =>
  axis.kind === 'choice' ? random.below(axis.count) : mutated(coordinate, axis, random);

/** Distribution indices of K. Deb: how close children are to their parents, and mutants to their origin. */
const CROSSOVER_INDEX = 20;
const MUTATION_INDEX = 20;

/**
 * Returns one child of two coordinates by simulated binary crossover, inside the axis (K. Deb and R. Agrawal,
 * 1995): children are spread about as widely as their parents.
 */
export function crossed(
  [one, other]: readonly [number, number],
  { low, high }: Pick<NumericAxis, 'low' | 'high'>,
  random: RandomStream,
): number {
  const [lower, upper] = [Math.min(one, other), Math.max(one, other)];
  const distance = upper - lower;
  const share = random.uniform();
  const isLower = random.uniform() < 0.5;
  if (distance < 1e-14 * (high - low)) return isLower ? one : other;
  const room = isLower ? lower - low : high - upper;

  const reach = 2 - (1 + (2 * room) / distance) ** -(CROSSOVER_INDEX + 1);
  const isInner = share <= 1 / reach;
  const spread = (isInner ? share * reach : 1 / (2 - share * reach)) ** (1 / (CROSSOVER_INDEX + 1));
  const child = (lower + upper + (isLower ? -1 : 1) * spread * distance) / 2;
  return Math.min(high, Math.max(low, child));
}

/** Returns a coordinate near another one by polynomial mutation, inside the axis (K. Deb, 2001). */
export function mutated(
  coordinate: number,
  { low, high }: Pick<NumericAxis, 'low' | 'high'>,
  random: RandomStream,
): number {
  const share = random.uniform();
  const power = 1 / (MUTATION_INDEX + 1);
  const room = (share < 0.5 ? coordinate - low : high - coordinate) / (high - low);
  const left = (1 - room) ** (MUTATION_INDEX + 1);
  const shift =
    share < 0.5
      ? (2 * share + (1 - 2 * share) * left) ** power - 1
      : 1 - (2 * (1 - share) + 2 * (share - 0.5) * left) ** power;
  return Math.min(high, Math.max(low, coordinate + shift * (high - low)));
}

type Compared = Pick<LearnedTrial, 'losses' | 'violation'>;

/**
 * True if one trial is better in some objective and worse in none. Constraints come first, by K. Deb's rule:
 * a feasible trial dominates an infeasible one, and of two infeasible ones the less infeasible one.
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
 * Sorts trials into fronts: the first is dominated by none, the second by the first only, and so on ("fast
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
