import {
  isNumeric,
  type NumericParameter,
  type Parameter,
  type ParameterValue,
  type Point,
  type Space,
  nearestPlace,
} from '../../search/space-declaration.ts';
import { NumericAxis } from '../../search/space-axes.ts';

/** A trial's number, and where in the space it is. */
export interface NumberedPoint {
  readonly number: number;
  readonly point: Point;
}

/** Fewer neighbours are an accident. */
export const LEAST_NEIGHBOURS = 5;
/** More are no longer near: so many, and this share of all. */
const MOST_NEIGHBOURS = 20;
const NEIGHBOUR_SHARE = 1 / 5;
/** Of the range of a param: what is farther away is another place. */
const NEAR_SHARE = 1 / 4;

/**
 * The neighbours of a trial, the nearest first: at most a fifth of all and 20, by the largest distance in any
 * param. They have the same choices, and every number within a quarter of its range or one step. Those with
 * the same params are none.
 */
export function nearTrials<Trial extends NumberedPoint>(
  best: NumberedPoint,
  { trials, space }: { readonly trials: readonly Trial[]; readonly space: Space },
): readonly Trial[] {
  const axes = space.parameters.map((parameter) => ({
    parameter,
    axis: isNumeric(parameter) ? new NumericAxis(parameter) : null,
  }));
  return (
    trials
      .map((trial) => ({ trial, distance: distanceOf(axes, best.point, trial.point) }))
      // At 0 it has the params of the best one, and says nothing of others.
      .filter(({ distance }) => distance > 0 && distance <= 1)
      .toSorted((one, other) => one.distance - other.distance || one.trial.number - other.trial.number)
      .slice(0, mostNeighbours(trials.length))
      .map(({ trial }) => trial)
  );
}

/** Returns the range of values near a number: its ends, within the parameter's range. */
export function nearRange(
  parameter: NumericParameter,
  value: ParameterValue,
): readonly [low: number, high: number] {
  const { min, max, steps, scale } = parameter;
  const { low, high } = new NumericAxis(parameter);
  const width = (high - low) * NEAR_SHARE;
  const at = Number(value);
  const around: [number, number] =
    scale === 'log' ? [at / Math.exp(width), at * Math.exp(width)] : [at - width, at + width];
  const step = steps === null ? 0 : steps.stride / 10 ** steps.decimals;
  return [Math.max(min, Math.min(around[0], at - step)), Math.min(max, Math.max(around[1], at + step))];
}

interface ParameterAxis {
  readonly parameter: Parameter;
  readonly axis: NumericAxis | null;
}

/** 0: the same point; up to 1: a neighbour; above 1 or without end: none. */
function distanceOf(axes: readonly ParameterAxis[], one: Point, other: Point): number {
  let most = 0;
  for (const { parameter, axis } of axes) {
    const [from, to] = [one[parameter.name], other[parameter.name]];
    if (from === to) continue;
    if (from === undefined || to === undefined || axis === null || !isNumeric(parameter)) return Infinity;
    const width = (axis.high - axis.low) * NEAR_SHARE;
    const distance = Math.abs(axis.coordinateOf(from) - axis.coordinateOf(to)) / width;
    most = Math.max(most, isNextStep(parameter, from, to) ? Math.min(1, distance) : distance);
  }
  return most;
}

function isNextStep({ steps }: NumericParameter, from: unknown, to: unknown): boolean {
  if (steps === null) return false;
  return Math.abs(nearestPlace(steps, Number(from)) - nearestPlace(steps, Number(to))) === 1;
}

const mostNeighbours = (trials: number): number =>
  Math.min(MOST_NEIGHBOURS, Math.max(LEAST_NEIGHBOURS, Math.ceil(trials * NEIGHBOUR_SHARE)));
