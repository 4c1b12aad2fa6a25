import { present, invariant, invalidOptions } from '../domain/errors.ts';
import {
  isActive,
  isNumeric,
  type Parameter,
  type ParameterValue,
  type Point,
  type Space,
  type NumericParameter,
  nearestPlace,
  textAtPlace,
  valueAtPlace,
  type ChoiceParameter,
  valueCount,
} from './space-declaration.ts';
import { decimalText, SURE_DIGITS } from '../domain/decimal-text.ts';

export type Axis = NumericAxis | ChoiceAxis;

/**
 * Point as numbers, one for each parameter: the position on its axis, or the index of a choice's value. NaN
 * if the parameter does not exist in the point.
 */
export type Coordinates = Float64Array;

/** Converts points of a space to coordinates and back. */
export class SpaceAxes {
  readonly axes: readonly Axis[];

  readonly space: Space;

  constructor(space: Space) {
    this.space = space;
    this.axes = space.parameters.map((parameter) =>
      isNumeric(parameter) ? new NumericAxis(parameter) : new ChoiceAxis(parameter),
    );
  }

  get size(): number {
    return this.axes.length;
  }

  /** Returns the axis of a parameter, by index from 0. */
  axis(index: number): Axis {
    return present(this.axes[index], () => `an axis at ${index}`);
  }

  /** Returns the point nearest to coordinates, without parameters that do not exist. */
  pointAt(coordinates: Coordinates): Point {
    const point: Record<string, ParameterValue> = {};
    for (const [index, parameter] of this.space.parameters.entries()) {
      if (!isActive(parameter, point)) continue;
      const coordinate = present(coordinates[index], () => `a coordinate of ${parameter.name}`);
      point[parameter.name] = this.axis(index).valueAt(coordinate);
    }
    return point;
  }

  coordinatesOf(point: Point): Coordinates {
    const coordinates = new Float64Array(this.size).fill(Number.NaN);
    for (const [index, { name }] of this.space.parameters.entries()) {
      const value = point[name];
      if (value !== undefined) coordinates[index] = this.axis(index).coordinateOf(value);
    }
    return coordinates;
  }

  /** Returns the reason that values are not a point of the space; null if they are one. */
  problemOf(point: Point): string | null {
    const names = new Set(this.space.parameters.map(({ name }) => name));
    const stranger = Object.keys(point).find((name) => !names.has(name));
    if (stranger !== undefined) return `expected parameters of the space, found ${stranger}`;
    for (const [index, parameter] of this.space.parameters.entries()) {
      const problem = this.problemOfValue(parameter, this.axis(index), point);
      if (problem !== null) return problem;
    }
    return null;
  }

  private problemOfValue(parameter: Parameter, axis: Axis, point: Point): string | null {
    const { name } = parameter;
    const value = point[name];
    if (!isActive(parameter, point))
      return value === undefined
        ? null
        : `${name}: expected nothing under the others, found ${String(value)}`;
    const found = value === undefined ? 'nothing' : JSON.stringify(value);
    if (!isNumeric(parameter)) {
      if (value !== undefined && parameter.values.includes(value)) return null;
      return `${name}: expected one of ${JSON.stringify(parameter.values)}, found ${found}`;
    }
    const { kind, min, max } = parameter;
    const hasType = kind === 'integer' ? typeof value === 'number' : typeof value === 'string';
    const isInside = hasType && Number(value) >= min && Number(value) <= max;
    // An allowed value is the nearest one to itself.
    const nearest = isInside && value !== undefined ? axis.valueAt(axis.coordinateOf(value)) : undefined;
    if (isInside && (nearest === value || isNear(parameter, value, nearest))) return null;
    return `${name}: expected ${kind} ${min} to ${max}${parameter.steps === null ? '' : ` in ${parameter.steps.count - 1} steps`}, found ${found}`;
  }
}

/** True if two values are equal but for the last digits, which change on a log scale without steps. */
const isNear = ({ steps }: { readonly steps: unknown }, one: unknown, other: unknown): boolean =>
  steps === null && Math.abs(Number(one) - Number(other)) <= 1e-12 * Math.abs(Number(one));

/**
 * Numeric parameter as samplers see it: an interval of real numbers, in logarithms on a log scale. A value
 * with steps stands for the interval half a step to both sides, so that outer values are equally likely.
 */
export class NumericAxis {
  readonly kind = 'numeric';
  readonly low: number;
  readonly high: number;
  private readonly isLog: boolean;
  private readonly halfStep: number;

  private readonly parameter: NumericParameter;

  constructor(parameter: NumericParameter) {
    this.parameter = parameter;
    const { min, max, scale, steps } = parameter;
    this.isLog = scale === 'log';
    this.halfStep = steps === null ? 0 : steps.stride / 10 ** steps.decimals / 2;
    this.low = this.onLine(min - this.halfStep);
    this.high = this.onLine(max + this.halfStep);
  }

  get isStepped(): boolean {
    return this.parameter.steps !== null;
  }

  coordinateOf(value: ParameterValue): number {
    return this.onLine(Number(value));
  }

  /** Returns the value nearest to a coordinate. */
  valueAt(coordinate: number): ParameterValue {
    const { steps, kind, min, max } = this.parameter;
    const wanted = this.isLog ? Math.exp(coordinate) : coordinate;
    if (steps === null) {
      const rounded = Number(Math.min(max, Math.max(min, wanted)).toPrecision(SURE_DIGITS));
      return decimalText(Math.min(max, Math.max(min, rounded)));
    }
    const place = nearestPlace(steps, wanted);
    return kind === 'integer' ? valueAtPlace(steps, place) : textAtPlace(steps, place);
  }

  /** Returns the coordinate of the value nearest to a coordinate. */
  snapped(coordinate: number): number {
    const { steps } = this.parameter;
    if (steps === null) return Math.min(this.high, Math.max(this.low, coordinate));
    const wanted = this.isLog ? Math.exp(coordinate) : coordinate;
    return this.onLine(valueAtPlace(steps, nearestPlace(steps, wanted)));
  }

  /** Returns the value at an index, from 0. */
  valueOfPlace(place: number): ParameterValue {
    const { steps, kind } = this.parameter;
    invariant(steps !== null, 'expected a parameter with steps');
    return kind === 'integer' ? valueAtPlace(steps, place) : textAtPlace(steps, place);
  }

  /** Returns the interval of the value at a coordinate; it is empty without steps. */
  cellAt(coordinate: number): readonly [left: number, right: number] {
    if (!this.isLog) return [coordinate - this.halfStep, coordinate + this.halfStep];
    const value = Math.exp(coordinate);
    return [Math.log(value - this.halfStep), Math.log(value + this.halfStep)];
  }

  private onLine(value: number): number {
    return this.isLog ? Math.log(value) : value;
  }
}

/** Choice as samplers see it: indexes of its values, from 0, without an order. */
export class ChoiceAxis {
  readonly kind = 'choice';
  readonly count: number;

  private readonly parameter: ChoiceParameter;

  constructor(parameter: ChoiceParameter) {
    this.parameter = parameter;
    this.count = parameter.values.length;
  }

  coordinateOf(value: ParameterValue): number {
    const place = this.parameter.values.indexOf(value);
    invariant(place >= 0, () => `expected a value of ${this.parameter.name}, found ${JSON.stringify(value)}`);
    return place;
  }

  valueAt(place: number): ParameterValue {
    return present(this.parameter.values[place], () => `a value of ${this.parameter.name} at ${place}`);
  }

  valueOfPlace(place: number): ParameterValue {
    return this.valueAt(place);
  }
}

/** Maximum number of combinations of conditions in a count of points; each costs a pass over parameters. */
const MOST_STATES = 10_000;

/** Index of all points of a space in a fixed order, the last parameter first. Absent ones add none. */
export class PointIndex {
  private readonly axes: SpaceAxes;
  private readonly counts = new Map<string, bigint>();
  /** True for each parameter on which a later one depends. */
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

  /** Returns the point at an index, from 0 to `count - 1`. */
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

  /** Counts the combinations of the parameters from an index on, given the values before it. */
  private countFrom(index: number, point: Point): bigint {
    const parameter = this.space.parameters[index];
    if (parameter === undefined) return 1n;
    const key = this.keyOf(index, point);
    const known = this.counts.get(key);
    if (known !== undefined) return known;
    if (this.counts.size >= MOST_STATES)
      throw invalidOptions(
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

  /** Returns a key of the conditions of later parameters that hold for the earlier values. */
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
