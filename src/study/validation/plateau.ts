import { present } from '../../domain/invariant.ts';
import type { Objective } from '../objectives.ts';
import { isNumeric, type Space } from '../../search/space-declaration.ts';
import type { TrialOutcome } from '../../search/trial-record.ts';
import { inDigits } from '../../language/fact.ts';
import { finding } from '../study-fact.ts';
import { LEAST_NEIGHBOURS, nearTrials, type NumberedPoint } from './near-trials.ts';
import { notTested, type Tested } from './tested.ts';

/** Results of the trials around the best one, by the first objective. */
export interface Plateau {
  readonly neighbours: number;
  /** The params that the neighbours differ in by at most a quarter of their range, or one step. */
  readonly along: readonly string[];
  readonly best: number;
  /** Null where at least half of them failed or break constraints. */
  readonly medianOfNeighbours: number | null;
  /**
   * Value that a tenth of these trials is below: those that did not fail and hold constraints as the best one
   * does.
   */
  readonly worstTenth: number;
  /** Part of the best one's lead over the worst tenth that its neighbours have; 1 is all. Null as above. */
  readonly kept: number | null;
  /** Neighbours keep at least two thirds of the lead. */
  readonly isPlateau: boolean;
}

/** A trial, where in the space it is, and what became of it. */
export interface PlacedTrial extends NumberedPoint {
  readonly outcome: TrialOutcome;
}

/**
 * Trials that have nothing to do with each other keep about 0.4, the distance of their median to the worst
 * tenth.
 */
const LEAST_KEPT = 2 / 3;
const WORST_SHARE = 1 / 10;

/**
 * Tests whether the best trial is on a plateau, where its neighbours do alike, or on a peak. A neighbour that
 * failed, or breaks constraints by more than the best trial, counts as the worst. Not tested with fewer than
 * five, and in a space without numbers.
 * Pardo, "The Evaluation and Optimization of Trading Strategies" (2008).
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
      isPlateau: kept !== null && kept >= LEAST_KEPT,
    },
  };
}

/** The loss at a share of sorted ones. Those of failed trials have no end, so there is none between two. */
function quantileOf(losses: readonly number[], share: number): number {
  const sorted = losses.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length * share)] ?? Infinity;
}
