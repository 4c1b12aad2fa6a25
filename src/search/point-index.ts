import { present } from '../domain/invariant.ts';
import { SarrafError } from '../domain/errors.ts';
import {
  isActive,
  valueCount,
  type Parameter,
  type ParameterValue,
  type Point,
  type Space,
} from './parameter.ts';
import { SpaceAxes } from './space-axes.ts';

/** Combinations of conditions that are told apart; each costs a walk over the parameters that follow. */
const MOST_STATES = 10_000;

/**
 * All points of a space in a fixed order: the last parameter changes first. A parameter that does not exist
 * adds no points.
 */
export class PointIndex {
  private readonly axes: SpaceAxes;
  private readonly counts = new Map<string, bigint>();
  /** By parameter: whether a later one depends on it. */
  private readonly isParent: readonly boolean[];

  private readonly space: Space;

  constructor(space: Space) {
    this.space = space;
    this.axes = new SpaceAxes(space);
    const parents = new Set(space.parameters.flatMap(({ when }) => when.map(({ parameter }) => parameter)));
    this.isParent = space.parameters.map(({ name }) => parents.has(name));
  }

  /** Number of points; null if it is infinite. */
  get count(): bigint | null {
    return this.hasEnd ? this.countFrom(0, {}) : null;
  }

  private get hasEnd(): boolean {
    return this.space.parameters.every((parameter) => valueCount(parameter) !== Infinity);
  }

  /** The point at a place, from 0 to the count less one. */
  pointAt(place: bigint): Point {
    let rest = place;
    const point: Record<string, ParameterValue> = {};
    for (const [index, parameter] of this.space.parameters.entries()) {
      if (!isActive(parameter, point)) continue;
      const axis = this.axes.axis(index);
      if (this.isParent[index] !== true) {
        const below = this.countFrom(index + 1, point);
        point[parameter.name] = axis.valueOfPlace(Number(rest / below));
        rest %= below;
        continue;
      }
      for (let value = 0; value < valueCount(parameter); value += 1) {
        point[parameter.name] = axis.valueOfPlace(value);
        const below = this.countFrom(index + 1, point);
        if (rest < below) break;
        rest -= below;
      }
    }
    return point;
  }

  /** Points of the parameters from one on, under the values of those before it. */
  private countFrom(index: number, point: Point): bigint {
    const parameter = this.space.parameters[index];
    if (parameter === undefined) return 1n;
    const key = this.keyOf(index, point);
    const known = this.counts.get(key);
    if (known !== undefined) return known;
    if (this.counts.size >= MOST_STATES)
      throw new SarrafError(
        'INVALID_OPTIONS',
        `expected at most ${MOST_STATES} combinations of conditions in the space, found more`,
      );
    const count = this.countOf(index, parameter, point);
    this.counts.set(key, count);
    return count;
  }

  private countOf(index: number, parameter: Parameter, point: Point): bigint {
    if (!isActive(parameter, point)) return this.countFrom(index + 1, point);
    if (this.isParent[index] !== true)
      return BigInt(valueCount(parameter)) * this.countFrom(index + 1, point);
    let sum = 0n;
    for (let value = 0; value < valueCount(parameter); value += 1) {
      const chosen = this.axes.axis(index).valueOfPlace(value);
      sum += this.countFrom(index + 1, { ...point, [parameter.name]: chosen });
    }
    return sum;
  }

  /** Returns a key of the earlier values as later parameters see them: which of their conditions hold. */
  private keyOf(index: number, point: Point): string {
    const { parameters } = this.space;
    let key = `${index}:`;
    for (let later = index; later < parameters.length; later += 1) {
      for (const { parameter, values } of present(parameters[later], 'a parameter').when) {
        const value = point[parameter];
        key += value === undefined ? '-' : values.includes(value) ? '1' : '0';
      }
    }
    return key;
  }
}
