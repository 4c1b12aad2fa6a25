import { present } from '../../domain/invariant.ts';
import type { Objective } from '../goals/objectives.ts';
import type { TrialOutcome } from '../samplers/trial-record.ts';
import {
  isNumeric,
  type NumericParameter,
  type Parameter,
  type Point,
  type Space,
} from '../space/parameter.ts';
import { NumericAxis } from '../space/numeric-axis.ts';
import { nearestPlace } from '../space/steps.ts';
import { notTested, type Tested } from './tested.ts';

/** How the trials around the best one did, by the first objective. */
export interface Plateau {
  readonly neighbours: number;
  /** The params that the neighbours differ in by at most a quarter of their range, or one step. */
  readonly along: readonly string[];
  readonly best: number;
  /** Null where at least half of them failed or break constraints. */
  readonly medianOfNeighbours: number | null;
  /** What a tenth of the trials is below that did not fail and keep constraints as the best one does. */
  readonly worstTenth: number;
  /** How much of the best one's lead over the worst tenth its neighbours have; 1 is all. Null as above. */
  readonly kept: number | null;
  /** Neighbours keep at least two thirds of the lead. */
  readonly isPlateau: boolean;
}

/** A trial, and where in the space it is. */
export interface PlacedTrial {
  readonly number: number;
  readonly point: Point;
  readonly outcome: TrialOutcome;
}

/** Fewer neighbours are an accident. */
const LEAST_NEIGHBOURS = 5;
/** More are no longer near: so many, and this share of all. */
const MOST_NEIGHBOURS = 20;
const NEIGHBOUR_SHARE = 1 / 5;
/** Of the range of a param: what is farther away is another place. */
const NEAR_SHARE = 1 / 4;
/**
 * Trials that have nothing to do with each other keep about 0.4, the distance of their median to the worst
 * tenth.
 */
const LEAST_KEPT = 2 / 3;
const WORST_SHARE = 1 / 10;

/**
 * Whether the best trial is on a plateau, where its neighbours do alike, or on a peak. Neighbours are the
 * nearest trials, at most a fifth and 20, by the largest distance in any param. They have the same choices,
 * and every number within a quarter of its range or one step. A neighbour that failed, or breaks constraints
 * by more than the best trial, counts as the worst. Not tested with fewer than five, and in a space without
 * numbers.
 * Pardo, "The Evaluation and Optimization of Trading Strategies" (2008).
 */
export function plateauAround(
  best: PlacedTrial,
  of: { readonly trials: readonly PlacedTrial[]; readonly space: Space; readonly objective: Objective },
): Tested<Plateau> {
  const { trials, space, objective } = of;
  const axes = space.parameters.map((parameter) => ({
    parameter,
    axis: isNumeric(parameter) ? new NumericAxis(parameter) : null,
  }));
  const along = axes.flatMap(({ parameter, axis }) =>
    axis !== null && best.point[parameter.name] !== undefined ? [parameter.name] : [],
  );
  if (along.length === 0) return notTested('expected params that are numbers, found choices alone');
  const near = trials
    .map((trial) => ({ trial, distance: distanceOf(axes, best.point, trial.point) }))
    // At 0 it has the params of the best one, and says nothing of others.
    .filter(({ distance }) => distance > 0 && distance <= 1)
    .toSorted((one, other) => one.distance - other.distance || one.trial.number - other.trial.number)
    .slice(0, mostNeighbours(trials.length));
  if (near.length < LEAST_NEIGHBOURS)
    return notTested(
      `expected at least ${LEAST_NEIGHBOURS} trials within a quarter of the range of ${along.join(', ')} around the best one, found ${near.length}`,
    );
  const mostBroken = best.outcome.kind === 'complete' ? best.outcome.violation : Infinity;
  const lossOf = ({ outcome }: PlacedTrial): number => {
    if (outcome.kind === 'failed' || outcome.violation > mostBroken) return Infinity;
    const value = present(outcome.values[0], 'a value of the first objective');
    return objective.direction === 'maximize' ? -value : value;
  };
  const bestLoss = lossOf(best);
  const worst = quantileOf(trials.map(lossOf).filter(Number.isFinite), 1 - WORST_SHARE);
  const ofNear = quantileOf(
    near.map(({ trial }) => lossOf(trial)),
    1 / 2,
  );
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
      isPlateau: kept !== null && kept >= LEAST_KEPT,
    },
  };
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

/** The loss at a share of sorted ones. Those of failed trials have no end, so there is none between two. */
function quantileOf(losses: readonly number[], share: number): number {
  const sorted = losses.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length * share)] ?? Infinity;
}
