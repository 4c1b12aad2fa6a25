import { firstIndex } from '../domain/candle-columns.ts';
import { present } from '../domain/errors.ts';
import { isActive, type Parameter, type ParameterValue } from './space-declaration.ts';
import type { Axis, Coordinates } from './space-axes.ts';
import {
  numberAt,
  type LearnedTrial,
  type Proposer,
  type ProposerSetup,
  RandomProposer,
  RandomStream,
} from './proposer.ts';
import { ParzenEstimator, type ParzenObservations } from './parzen-estimator.ts';
import { SobolProposer } from './sobol-proposer.ts';
import { madeOnce } from '../domain/retain-newest.ts';

/** Number of trials with values that the densities need; until then the Sobol sequence proposes. */
const STARTUP_TRIALS = 10;

/** Number of candidates that are drawn from the density of good trials, for each group. */
const CANDIDATES = 24;

/** Key of the random streams of candidates, which no other purpose uses. */
const CANDIDATE_STREAM = 1_000;

/** Parameters that exist together, since their conditions are the same. */
interface Group {
  readonly first: Parameter;
  readonly places: readonly number[];
  readonly axes: readonly Axis[];
}

interface Densities {
  readonly good: ParzenEstimator;
  readonly others: ParzenEstimator;
}

/**
 * Tree-structured Parzen estimator: it searches where good trials are dense and others are not. It draws
 * candidates from the density of good trials and proposes the one with the largest ratio of both densities.
 *
 * - Parameters with the same conditions form a group, which is drawn together ("multivariate" with `group`,
 *   the default of Optuna 5). A group learns from the trials in which it exists.
 * - Good trials are the best tenth, at most 25. Feasible trials come before infeasible ones.
 * - Proposals of the same generation count as bad until their outcomes are known ("constant liar"), so that
 *   they keep a distance from each other.
 */
export class TpeProposer implements Proposer {
  readonly mayRepeat = false;
  private readonly setup: ProposerSetup;
  private readonly startup: SobolProposer;
  private readonly random: RandomProposer;
  private readonly groups: readonly Group[];
  private readonly history: TpeHistory;
  private readonly densities = new Map<Group, Densities>();
  /** Coordinates of the current generation. */
  private waiting: Coordinates[] = [];
  /** Candidates for the current trial, the best first. */
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
    // The generation is complete, so no further proposal uses these densities.
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
    return madeOnce(this.ranked.of, group, () => {
      const { good, others } = this.densitiesOf(group);
      const random = new RandomStream(this.setup.seed, number, CANDIDATE_STREAM + this.groups.indexOf(group));
      const drawn = Array.from({ length: CANDIDATES }, () => good.draw(random));
      return drawn
        .map((candidate) => ({ candidate, ratio: good.density(candidate) / others.density(candidate) }))
        .toSorted((one, other) => other.ratio - one.ratio)
        .map(({ candidate }) => candidate);
    });
  }

  private densitiesOf(group: Group): Densities {
    return madeOnce(this.densities, group, () => {
      const [good, others] = this.history.parted(group.places);
      const made = {
        good: new ParzenEstimator(group.axes, good),
        others: new ParzenEstimator(group.axes, others, this.setup.generation),
      };
      for (const coordinates of this.waiting) lie(group, made.others, coordinates);
      return made;
    });
  }
}

/** Counts a proposal as a bad trial, if the group exists in it. */
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

/** Share of trials that count as good, and their maximum number: Optuna's `gamma`. */
const GOOD_SHARE = 0.1;
const MOST_GOOD = 25;

/** Initial capacity of a column; it doubles when it is full. */
const FIRST_ROOM = 256;

/** All trials with outcomes, indexed to split them quickly into good ones and others. */
export class TpeHistory {
  private count = 0;
  /** Trials with values, the best first: feasible ones by loss, the others by how infeasible they are. */
  private readonly ranked: LearnedTrial[] = [];
  /** Coordinates of all trials by number, one column for each parameter. */
  private readonly columns: Float64Array[];
  /** Numbers of the trials that have a parameter, sorted by coordinate, for each parameter. */
  private readonly orders: readonly number[][];

  constructor(parameters: number) {
    this.columns = Array.from({ length: parameters }, () => new Float64Array(FIRST_ROOM));
    this.orders = Array.from({ length: parameters }, () => []);
  }

  /** Number of trials that have values. */
  get completeCount(): number {
    return this.ranked.length;
  }

  /** Adds the next trial. */
  add(trial: LearnedTrial): void {
    const { number, coordinates, losses } = trial;
    this.count = number + 1;
    if (losses.length > 0) insert(this.ranked, trial, isBetter);
    for (const [index, order] of this.orders.entries()) {
      const column = this.columnWithRoom(index);
      const coordinate = numberAt(coordinates, index);
      column[number] = coordinate;
      if (!Number.isNaN(coordinate))
        insert(order, number, (one, other) => numberAt(column, one) < numberAt(column, other));
    }
  }

  /** Returns the values of some parameters in good trials and in others, with the failed ones. */
  parted(parameters: readonly number[]): readonly [good: ParzenObservations[], others: ParzenObservations[]] {
    const isGood = new Uint8Array(this.count);
    const goodCount = Math.min(Math.ceil(GOOD_SHARE * this.ranked.length), MOST_GOOD);
    for (const { number } of this.ranked.slice(0, goodCount)) isGood[number] = 1;
    const first = this.column(parameters[0] ?? 0);
    const sides: readonly [Int32Array, Int32Array] = [new Int32Array(this.count), new Int32Array(this.count)];
    /** Index of each trial within its side, by number. */
    const places = new Int32Array(this.count);
    const lengths: [number, number] = [0, 0];
    for (let number = 0; number < this.count; number += 1) {
      if (Number.isNaN(numberAt(first, number))) continue;
      const side = isGood[number] === 1 ? 0 : 1;
      sides[side][lengths[side]] = number;
      places[number] = lengths[side];
      lengths[side] += 1;
    }
    const observations = (side: 0 | 1): ParzenObservations[] => {
      const numbers = sides[side].subarray(0, lengths[side]);
      return parameters.map((parameter) => ({
        observed: gathered(this.column(parameter), numbers),
        order: this.orderOf(parameter, isGood, places, side, numbers.length),
      }));
    };
    return [observations(0), observations(1)];
  }

  /** Returns the indexes of one side's trials, sorted by coordinate. */
  private orderOf(
    parameter: number,
    isGood: Uint8Array,
    places: Int32Array,
    side: 0 | 1,
    length: number,
  ): Int32Array {
    const sorted = present(this.orders[parameter], 'a parameter');
    const good = 1 - side;
    const order = new Int32Array(length);
    let next = 0;
    for (const number of sorted) {
      if (isGood[number] !== good) continue;
      order[next] = places[number] ?? -1;
      next += 1;
    }
    return order;
  }

  private column(parameter: number): Float64Array {
    return present(this.columns[parameter], 'a parameter');
  }

  private columnWithRoom(parameter: number): Float64Array {
    const column = this.column(parameter);
    if (this.count < column.length) return column;
    const longer = new Float64Array(column.length * 2);
    longer.set(column);
    this.columns[parameter] = longer;
    return longer;
  }
}

function gathered(column: Float64Array, numbers: Int32Array): Float64Array {
  const found = new Float64Array(numbers.length);
  for (let place = 0; place < found.length; place += 1) found[place] = numberAt(column, numbers[place] ?? -1);
  return found;
}

function isBetter(one: LearnedTrial, other: LearnedTrial): boolean {
  if (one.violation !== other.violation) return one.violation < other.violation;
  return one.violation === 0 && (one.losses[0] ?? 0) < (other.losses[0] ?? 0);
}

/** Inserts a value into a sorted list, after all that are not greater. */
function insert<Value>(sorted: Value[], value: Value, isLess: (one: Value, other: Value) => boolean): void {
  const isBefore = (index: number): boolean => isLess(value, present(sorted[index], 'a value'));
  sorted.splice(firstIndex(sorted.length, isBefore), 0, value);
}
