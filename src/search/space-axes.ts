import { present } from '../domain/invariant.ts';
import { ChoiceAxis } from './choice-axis.ts';
import { NumericAxis } from './numeric-axis.ts';
import {
  isActive,
  isNumeric,
  type Parameter,
  type ParameterValue,
  type Point,
  type Space,
} from './parameter.ts';

export type Axis = NumericAxis | ChoiceAxis;

/**
 * A point as numbers, one a parameter: where a number stands on its line, or the place of a choice. NaN: the
 * parameter does not exist in the point.
 */
export type Coordinates = Float64Array;

/** Points of a space as coordinates, and back. */
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

  /** The axis of a parameter, counted from 0. */
  axis(index: number): Axis {
    return present(this.axes[index], () => `an axis at ${index}`);
  }

  /**
   * The point next to the coordinates. A parameter that does not exist is left out, whatever its coordinate
   * is.
   */
  pointAt(coordinates: Coordinates): Point {
    const point: Record<string, ParameterValue> = {};
    for (const [index, parameter] of this.space.parameters.entries()) {
      if (!isActive(parameter, point)) continue;
      const coordinate = present(coordinates[index], () => `a coordinate of ${parameter.name}`);
      point[parameter.name] = this.axis(index).valueAt(coordinate);
    }
    return point;
  }

  /** The coordinates of a point of the space. */
  coordinatesOf(point: Point): Coordinates {
    const coordinates = new Float64Array(this.size).fill(Number.NaN);
    for (const [index, { name }] of this.space.parameters.entries()) {
      const value = point[name];
      if (value !== undefined) coordinates[index] = this.axis(index).coordinateOf(value);
    }
    return coordinates;
  }

  /** Reason values are not a point of the space; null if they are. */
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
    // The value next to an allowed one is itself.
    const nearest = isInside && value !== undefined ? axis.valueAt(axis.coordinateOf(value)) : undefined;
    if (isInside && (nearest === value || isNear(parameter, value, nearest))) return null;
    return `${name}: expected ${kind} ${min} to ${max}${stepsIn(parameter)}, found ${found}`;
  }
}

/** On a log scale without steps the way to the line and back may change the last digit. */
function isNear({ steps }: { readonly steps: unknown }, one: unknown, other: unknown): boolean {
  return steps === null && Math.abs(Number(one) - Number(other)) <= 1e-12 * Math.abs(Number(one));
}

function stepsIn({ steps }: { readonly steps: { readonly count: number } | null }): string {
  return steps === null ? '' : ` in ${steps.count - 1} steps`;
}
