import { present } from '../../domain/errors.ts';
import type { Objective } from '../objectives.ts';
import {
  isNumeric,
  type Space,
  type NumericParameter,
  type Parameter,
  type ParameterValue,
  type Point,
  nearestPlace,
} from '../../search/space-declaration.ts';
import type { TrialOutcome } from '../../search/trial-record.ts';
import { inDigits } from '../../language/fact.ts';
import { finding } from '../english-study.ts';
import { notTested, type Tested } from './luck-statistics.ts';
import { NumericAxis } from '../../search/space-axes.ts';

/** Results of the trials near the best one, by the first objective. */
export interface Plateau {
  readonly neighbours: number;
  /** Params with numbers, in which neighbours differ by at most a quarter of the range, or one step. */
  readonly along: readonly string[];
  readonly best: number;
  /** Median of the neighbours; null if at least half of them failed or break constraints. */
  readonly medianOfNeighbours: number | null;
  /** Tenth percentile, from the worst, of trials that ran and break constraints no more than the best. */
  readonly worstTenth: number;
  /** Share of the best trial's lead over `worstTenth` that its neighbours keep; 1 is all. Null as above. */
  readonly kept: number | null;
  /** True if the neighbours keep at least two thirds of the lead. */
  readonly isPlateau: boolean;
}

/** Trial with its point in the space and its outcome. */
export interface PlacedTrial extends NumberedPoint {
  readonly outcome: TrialOutcome;
}

/** Minimum share of the lead for a plateau. Unrelated trials keep about 0.4. */
const LEAST_SHARE_OF_LEAD = 2 / 3;
const WORST_SHARE = 1 / 10;

/**
 * Tests whether the best trial is on a plateau, where its neighbours have similar results, or on a peak. A
 * neighbour that failed, or breaks constraints by more than the best trial, counts as the worst. Not tested
 * with fewer than five neighbours, and in a space without numbers. Source: Pardo, "The Evaluation and
 * Optimization of Trading Strategies" (2008).
 */
export function plateauAround(
  best: PlacedTrial,
  of: { readonly trials: readonly PlacedTrial[]; readonly space: Space; readonly objective: Objective },
): Tested<Plateau> {
  const { trials, space, objective } = of;
  const along = space.parameters.flatMap((parameter) =>
    isNumeric(parameter) && best.point[parameter.name] !== undefined ? [parameter.name] : [],
  );
  if (along.length === 0) return notTested(finding('lack.numbers'));
  const near = nearTrials(best, { trials, space });
  if (near.length < LEAST_NEIGHBOURS)
    return notTested(
      finding('lack.neighbours', {
        least: inDigits(LEAST_NEIGHBOURS),
        params: along,
        found: inDigits(near.length),
      }),
    );
  const mostBroken = best.outcome.kind === 'complete' ? best.outcome.violation : Infinity;
  const lossOf = ({ outcome }: PlacedTrial): number => {
    if (outcome.kind === 'failed' || outcome.violation > mostBroken) return Infinity;
    const value = present(outcome.values[0], 'a value of the first objective');
    return objective.direction === 'maximize' ? -value : value;
  };
  const bestLoss = lossOf(best);
  const worst = quantileOf(trials.map(lossOf).filter(Number.isFinite), 1 - WORST_SHARE);
  const ofNear = quantileOf(near.map(lossOf), 1 / 2);
  const lead = worst - bestLoss;
  const kept = !Number.isFinite(ofNear) ? null : lead === 0 ? 1 : (worst - ofNear) / lead;
  const shown = (loss: number): number | null => {
    if (!Number.isFinite(loss)) return null;
    return objective.direction === 'maximize' ? 0 - loss : loss;
  };
  return {
    kind: 'tested',
    value: {
      neighbours: near.length,
      along,
      best: present(shown(bestLoss), 'a best trial with values'),
      medianOfNeighbours: shown(ofNear),
      worstTenth: present(shown(worst), 'a trial with values'),
      kept,
      isPlateau: kept !== null && kept >= LEAST_SHARE_OF_LEAD,
    },
  };
}

/** Returns the quantile of losses, without interpolation, since failed trials have an infinite loss. */
function quantileOf(losses: readonly number[], share: number): number {
  const sorted = losses.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length * share)] ?? Infinity;
}

/** Number of a trial and its point in the space. */
interface NumberedPoint {
  readonly number: number;
  readonly point: Point;
}

/** Minimum number of neighbours for the test. */
const LEAST_NEIGHBOURS = 5;
/** Maximum number of neighbours, and their maximum share of all trials: others are no longer near. */
const MOST_NEIGHBOURS = 20;
const NEIGHBOUR_SHARE = 1 / 5;
/** Maximum distance of a neighbour in a param, as a share of the param's range. */
const NEAR_SHARE = 1 / 4;

/**
 * Returns the neighbours of a trial, the nearest first, by the largest distance in any param: at most a fifth
 * of all trials, and 20. They have the same choices, and every number within a quarter of its range or one
 * step. Trials with the same params are not neighbours.
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
      // A trial at distance 0 has the same params, and is no neighbour.
      .filter(({ distance }) => distance > 0 && distance <= 1)
      .toSorted((one, other) => one.distance - other.distance || one.trial.number - other.trial.number)
      .slice(
        0,
        Math.min(MOST_NEIGHBOURS, Math.max(LEAST_NEIGHBOURS, Math.ceil(trials.length * NEIGHBOUR_SHARE))),
      )
      .map(({ trial }) => trial)
  );
}

/** Returns the lowest and the highest value near a number, within the parameter's range. */
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

/** Returns the distance of two points: 0 if equal, up to 1 for neighbours, else more or infinite. */
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
