import { present } from '../../domain/invariant.ts';
import type { LearnedTrial } from './proposer.ts';
import { numberAt } from './number-at.ts';
import type { ParzenObservations } from './parzen-axis.ts';

/** The best share of the trials, and the most of them: Optuna's `gamma`. */
const GOOD_SHARE = 0.1;
const MOST_GOOD = 25;

/** All trials that were told, with what makes it quick to part them in good and others. */
export class TpeHistory {
  /** By their number. */
  private readonly trials: LearnedTrial[] = [];
  /** Those with values, the best first: feasible ones by loss, the others by how infeasible they are. */
  private readonly ranked: LearnedTrial[] = [];
  /** By parameter: the numbers of the trials that have it, from the lowest coordinate to the highest. */
  private readonly orders: readonly number[][];

  constructor(parameters: number) {
    this.orders = Array.from({ length: parameters }, () => []);
  }

  /** Trials with values. */
  get completeCount(): number {
    return this.ranked.length;
  }

  add(trial: LearnedTrial): void {
    this.trials.push(trial);
    if (trial.losses.length > 0) insert(this.ranked, trial, isBetter);
    for (const [index, order] of this.orders.entries()) {
      const coordinate = numberAt(trial.coordinates, index);
      if (Number.isNaN(coordinate)) continue;
      insert(
        order,
        trial.number,
        (one, other) => this.coordinate(one, index) < this.coordinate(other, index),
      );
    }
  }

  /**
   * What some parameters, which exist together, had in the good trials and in the others. Failed trials are
   * among the others: that is where not to go.
   */
  parted(parameters: readonly number[]): readonly [good: ParzenObservations[], others: ParzenObservations[]] {
    const isGood = new Uint8Array(this.trials.length);
    const goodCount = Math.min(Math.ceil(GOOD_SHARE * this.ranked.length), MOST_GOOD);
    for (const { number } of this.ranked.slice(0, goodCount)) isGood[number] = 1;
    const side = (wanted: number): ParzenObservations[] => {
      const numbers = this.trials
        .filter(
          ({ number, coordinates }) =>
            isGood[number] === wanted && !Number.isNaN(numberAt(coordinates, parameters[0] ?? 0)),
        )
        .map(({ number }) => number);
      return this.observationsOf(numbers, parameters);
    };
    return [side(1), side(0)];
  }

  private observationsOf(numbers: readonly number[], parameters: readonly number[]): ParzenObservations[] {
    const places = new Int32Array(this.trials.length).fill(-1);
    for (const [place, number] of numbers.entries()) places[number] = place;
    return parameters.map((parameter) => {
      const order = new Int32Array(numbers.length);
      let next = 0;
      for (const number of present(this.orders[parameter], 'a parameter')) {
        const place = places[number] ?? -1;
        if (place >= 0) {
          order[next] = place;
          next += 1;
        }
      }
      return { observed: Float64Array.from(numbers, (number) => this.coordinate(number, parameter)), order };
    });
  }

  private coordinate(number: number, parameter: number): number {
    return numberAt(present(this.trials[number], 'a trial').coordinates, parameter);
  }
}

function isBetter(one: LearnedTrial, other: LearnedTrial): boolean {
  if (one.violation !== other.violation) return one.violation < other.violation;
  return one.violation === 0 && (one.losses[0] ?? 0) < (other.losses[0] ?? 0);
}

/** Puts a value behind all that are not greater. */
function insert<Value>(sorted: Value[], value: Value, isLess: (one: Value, other: Value) => boolean): void {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isLess(value, present(sorted[middle], 'a value'))) high = middle;
    else low = middle + 1;
  }
  sorted.splice(low, 0, value);
}
