import { bestTrial } from '../goals/best-trials.ts';
import type { Objective } from '../goals/objectives.ts';
import type { WalkForwardPlan } from '../file/walk-forward-fields.ts';
import type { Space } from '../space/parameter.ts';
import type { StoredTrial } from '../store/study-rows.ts';
import { distancesIn } from './point-distance.ts';

/** Neighbours are within this share of the longest distance of the space. */
const NEAR = 0.1;
/** A trial and its nearest four are a neighbourhood, however far away they are. */
const LEAST_NEIGHBOURS = 5;

/**
 * The trial of a train window whose params are traded; null where none has values.
 *
 * - `best`: the best one.
 * - `plateau`: the one whose neighbourhood has the best mean rank, itself in it. Neighbours are all trials
 *   within a tenth of the longest distance of the space, and at least the nearest four. Trials are ranked by
 *   how far they break constraints, then by the first objective; one that failed has the last rank. Of equal
 *   means the better one itself is taken, then the earlier one.
 */
export function chooseTrial(
  trials: readonly StoredTrial[],
  of: {
    readonly choose: WalkForwardPlan['choose'];
    readonly space: Space;
    readonly objectives: readonly Objective[];
  },
): StoredTrial | null {
  const { choose, space, objectives } = of;
  return choose === 'best' ? bestTrial(trials, objectives) : plateauCentre(trials, space, objectives);
}

function plateauCentre(
  trials: readonly StoredTrial[],
  space: Space,
  objectives: readonly Objective[],
): StoredTrial | null {
  const ranks = ranksOf(trials, objectives);
  const distances = distancesIn(
    space,
    trials.map(({ point }) => point),
  );
  let best: { readonly trial: StoredTrial; readonly mean: number; readonly rank: number } | null = null;
  for (const [index, trial] of trials.entries()) {
    if (trial.outcome.kind === 'failed') continue;
    const near = trials
      .map((_, other) => ({ distance: distances(index, other), rank: ranks[other] ?? 0 }))
      .toSorted((left, right) => left.distance - right.distance)
      .filter(({ distance }, place) => distance <= NEAR || place < LEAST_NEIGHBOURS);
    const mean = near.reduce((sum, { rank }) => sum + rank, 0) / near.length;
    const rank = ranks[index] ?? 0;
    if (best === null || mean < best.mean || (mean === best.mean && rank < best.rank))
      best = { trial, mean, rank };
  }
  return best?.trial ?? null;
}

/** From 0, the best; equal trials have equal ranks. */
function ranksOf(trials: readonly StoredTrial[], [first]: readonly Objective[]): readonly number[] {
  const sign = first?.direction === 'maximize' ? -1 : 1;
  const losses = trials.map(({ outcome }) =>
    outcome.kind === 'failed'
      ? ([Infinity, Infinity] as const)
      : ([outcome.violation, sign * (outcome.values[0] ?? Infinity)] as const),
  );
  return losses.map(
    ([violation, loss]) =>
      losses.filter((other) => other[0] < violation || (other[0] === violation && other[1] < loss)).length,
  );
}
