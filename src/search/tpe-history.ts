import { present } from '../domain/invariant.ts';
import type { LearnedTrial } from './proposer.ts';
import { numberAt } from './number-at.ts';
import type { ParzenObservations } from './parzen-axis.ts';

/** The best share of the trials, and the most of them: Optuna's `gamma`. */
const GOOD_SHARE = 0.1;
const MOST_GOOD = 25;

/** Room of a column at first; it doubles when it is full. */
const FIRST_ROOM = 256;

/** All trials that were told, with what makes it quick to part them in good and others. */
export class TpeHistory {
  private count = 0;
  /** Those with values, the best first: feasible ones by loss, the others by how infeasible they are. */
  private readonly ranked: LearnedTrial[] = [];
  /** By parameter: the coordinates of all trials by number. */
  private readonly columns: Float64Array[];
  /** By parameter: the numbers of the trials that have it, from the lowest coordinate to the highest. */
  private readonly orders: readonly number[][];

  constructor(parameters: number) {
    this.columns = Array.from({ length: parameters }, () => new Float64Array(FIRST_ROOM));
    this.orders = Array.from({ length: parameters }, () => []);
  }

  /** Trials with values. */
  get completeCount(): number {
    return this.ranked.length;
  }

  /** Takes the next trial. */
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

  /**
   * Returns the values of some parameters, which exist together, in the good trials and in the others. Failed
   * trials are among the others: that is where not to go.
   */
  parted(parameters: readonly number[]): readonly [good: ParzenObservations[], others: ParzenObservations[]] {
    const isGood = new Uint8Array(this.count);
    const goodCount = Math.min(Math.ceil(GOOD_SHARE * this.ranked.length), MOST_GOOD);
    for (const { number } of this.ranked.slice(0, goodCount)) isGood[number] = 1;
    const first = this.column(parameters[0] ?? 0);
    const sides: readonly [Int32Array, Int32Array] = [new Int32Array(this.count), new Int32Array(this.count)];
    /** By number: its place among those of its side. */
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
        order: this.orderOf(parameter, { isGood, places, side, length: numbers.length }),
      }));
    };
    return [observations(0), observations(1)];
  }

  /** The places of one side's trials, from the lowest coordinate to the highest. */
  private orderOf(
    parameter: number,
    of: {
      readonly isGood: Uint8Array;
      readonly places: Int32Array;
      readonly side: 0 | 1;
      readonly length: number;
    },
  ): Int32Array {
    const sorted = present(this.orders[parameter], 'a parameter');
    const { isGood, places } = of;
    const good = 1 - of.side;
    const order = new Int32Array(of.length);
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
