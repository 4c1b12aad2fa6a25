import { present } from '../../domain/invariant.ts';
import type { Axis, Coordinates } from '../space/space-axes.ts';
import { crowdingDistances, nonDominatedFronts } from './non-dominated-sort.ts';
import { crossed, mutated } from './nsga-variation.ts';
import { numberAt } from './number-at.ts';
import type { LearnedTrial, Proposer, ProposerSetup } from './proposer.ts';
import { onAxis } from './random-proposer.ts';
import { RandomStream } from './random-stream.ts';
import { SobolProposer } from './sobol-proposer.ts';
import { wholeGenerations } from './whole-generations.ts';

/** Trials of a population, about: Optuna's size; and at least. */
const POPULATION = 50;
const LEAST_POPULATION = 4;

/** Probability that two parents are crossed, and that a number is part of it (K. Deb et al., 2002). */
const CROSSOVER_SHARE = 0.9;
const SWAP_SHARE = 0.5;

/** Apart from the streams of other purposes. */
const CHILD_STREAM = 2_000;

/** A trial that may have children: of two, the one of the better front wins, then the more lonely one. */
interface Parent {
  readonly trial: LearnedTrial;
  readonly front: number;
  readonly crowding: number;
}

/**
 * NSGA-II: the best of the last population and its parents, by fronts and by how alone they are, have the
 * next one. Children come of simulated binary crossover and polynomial mutation; choices are swapped and
 * drawn anew. The first population is from the Sobol sequence.
 *
 * A population is the multiple of the generation next to 50 trials. Infeasible trials come after
 * feasible ones, failed ones last.
 */
export class NsgaProposer implements Proposer {
  readonly mayRepeat = false;
  private readonly setup: ProposerSetup;
  private readonly first: SobolProposer;
  private readonly population: number;
  private parents: readonly Parent[] = [];
  private told: LearnedTrial[] = [];

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
    this.told.push(...trials);
    if (this.told.length < this.population) return;
    const all = [...this.parents.map(({ trial }) => trial), ...this.told];
    this.told = [];
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

/** Returns a child's coordinate, inherited from its parents; a parameter that neither had is drawn. */
function inherited(axis: Axis, [one, other]: readonly [number, number], random: RandomStream): number {
  if (Number.isNaN(one)) return Number.isNaN(other) ? onAxis(axis, random.uniform()) : other;
  if (Number.isNaN(other) || one === other) return one;
  if (random.uniform() >= SWAP_SHARE) return one;
  return axis.kind === 'choice' ? other : crossed([one, other], axis, random);
}

function changed(axis: Axis, coordinate: number, random: RandomStream): number {
  return axis.kind === 'choice' ? random.below(axis.count) : mutated(coordinate, axis, random);
}
