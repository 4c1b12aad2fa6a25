import { present } from '../domain/invariant.ts';
import { isActive, type Parameter, type ParameterValue } from './parameter.ts';
import type { Axis, Coordinates } from './space-axes.ts';
import { numberAt } from './number-at.ts';
import { ParzenEstimator } from './parzen-estimator.ts';
import type { LearnedTrial, Proposer, ProposerSetup } from './proposer.ts';
import { RandomProposer } from './random-proposer.ts';
import { RandomStream } from './random-stream.ts';
import { SobolProposer } from './sobol-proposer.ts';
import { TpeHistory } from './tpe-history.ts';

/** Trials with values before the densities mean anything; until then the Sobol sequence is taken. */
const STARTUP_TRIALS = 10;

/** Drawn from the density of the good trials, for each group of parameters. */
const CANDIDATES = 24;

/** Apart from the streams of other purposes. */
const CANDIDATE_STREAM = 1_000;

/** Parameters that exist together: their conditions are the same. */
interface Group {
  readonly first: Parameter;
  /** Their places in the space. */
  readonly places: readonly number[];
  readonly axes: readonly Axis[];
}

interface Densities {
  readonly good: ParzenEstimator;
  readonly others: ParzenEstimator;
}

/**
 * The tree-structured Parzen estimator: it looks where good trials are dense and others are not. Of
 * candidates from the density of the good ones it takes that with the largest ratio of both densities.
 *
 * - Parameters with the same conditions form a group, which is drawn together ("multivariate", the default
 *   of Optuna 5, with its `group`). A group is learned from the trials in which it exists.
 * - The good ones are a tenth of the trials, at most 25. Feasible trials come before infeasible ones.
 * - Proposals of the same generation count as bad until they are told ("constant liar"), so that they stay
 *   away from each other.
 */
export class TpeProposer implements Proposer {
  readonly mayRepeat = false;
  private readonly setup: ProposerSetup;
  private readonly startup: SobolProposer;
  private readonly random: RandomProposer;
  private readonly groups: readonly Group[];
  private readonly history: TpeHistory;
  private readonly densities = new Map<Group, Densities>();
  /** Coordinates of the generation under way. */
  private waiting: Coordinates[] = [];
  /** Candidates of the trial that is asked for, the best first. */
  private ranked: { readonly number: number; readonly of: Map<Group, readonly Float64Array[]> } = {
    number: -1,
    of: new Map(),
  };

  constructor(setup: ProposerSetup) {
    this.setup = setup;
    this.startup = new SobolProposer(setup);
    this.random = new RandomProposer(setup);
    this.groups = groupsOf(setup);
    this.history = new TpeHistory(setup.axes.size);
  }

  propose(number: number, attempt: number): Coordinates {
    if (this.history.completeCount < STARTUP_TRIALS) return this.startup.propose(number, attempt);
    if (attempt >= CANDIDATES) return this.random.propose(number, attempt);
    const { axes } = this.setup;
    const coordinates = new Float64Array(axes.size).fill(Number.NaN);
    const point: Record<string, ParameterValue> = {};
    for (const group of this.groups) {
      if (!isActive(group.first, point)) continue;
      const candidate = present(this.candidates(number, group)[attempt], 'a candidate');
      for (const [index, place] of group.places.entries()) {
        coordinates[place] = numberAt(candidate, index);
        const { name } = present(axes.space.parameters[place], 'a parameter');
        point[name] = axes.axis(place).valueAt(numberAt(candidate, index));
      }
    }
    return coordinates;
  }

  accept(_number: number, coordinates: Coordinates): void {
    this.waiting.push(coordinates);
    // Nothing more is proposed in this generation.
    if (this.waiting.length === this.setup.generation) return;
    for (const [group, { others }] of this.densities) lie(group, others, coordinates);
  }

  learn(trials: readonly LearnedTrial[]): void {
    for (const trial of trials) this.history.add(trial);
    this.waiting = [];
    this.densities.clear();
  }

  private candidates(number: number, group: Group): readonly Float64Array[] {
    if (this.ranked.number !== number) this.ranked = { number, of: new Map() };
    const known = this.ranked.of.get(group);
    if (known !== undefined) return known;
    const { good, others } = this.densitiesOf(group);
    const random = new RandomStream(this.setup.seed, number, CANDIDATE_STREAM + this.groups.indexOf(group));
    const drawn = Array.from({ length: CANDIDATES }, () => good.draw(random));
    const ranked = drawn
      .map((candidate) => ({ candidate, ratio: good.density(candidate) / others.density(candidate) }))
      .toSorted((one, other) => other.ratio - one.ratio)
      .map(({ candidate }) => candidate);
    this.ranked.of.set(group, ranked);
    return ranked;
  }

  private densitiesOf(group: Group): Densities {
    const known = this.densities.get(group);
    if (known !== undefined) return known;
    const [good, others] = this.history.parted(group.places);
    const made = {
      good: new ParzenEstimator(group.axes, good),
      others: new ParzenEstimator(group.axes, others, this.setup.generation),
    };
    for (const coordinates of this.waiting) lie(group, made.others, coordinates);
    this.densities.set(group, made);
    return made;
  }
}

/** Counts a proposal as a bad trial where the group exists in it. */
function lie({ places }: Group, others: ParzenEstimator, coordinates: Coordinates): void {
  const part = Float64Array.from(places, (place) => numberAt(coordinates, place));
  if (!part.some(Number.isNaN)) others.add(part);
}

function groupsOf({ axes }: ProposerSetup): readonly Group[] {
  const byCondition = new Map<string, number[]>();
  for (const [place, { when }] of axes.space.parameters.entries()) {
    const key = JSON.stringify(when);
    byCondition.set(key, [...(byCondition.get(key) ?? []), place]);
  }
  return [...byCondition.values()].map((places) => ({
    first: present(axes.space.parameters[places[0] ?? 0], 'a parameter'),
    places,
    axes: places.map((place) => axes.axis(place)),
  }));
}
