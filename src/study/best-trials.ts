import { dominates } from '../search/nsga-proposer.ts';
import type { TrialOutcome } from '../search/trial-record.ts';
import type { Objective } from './objectives.ts';

interface Judged {
  readonly number: number;
  readonly outcome: TrialOutcome;
}

interface Compared<Trial> {
  readonly trial: Trial;
  readonly losses: readonly number[];
  readonly violation: number;
}

/**
 * The trials that no other one is better than, in the order of their numbers: with one objective the best
 * ones, with several the Pareto front. A trial that holds all constraints is better than one that breaks
 * some.
 */
export function bestTrials<Trial extends Judged>(
  trials: Iterable<Trial>,
  objectives: readonly Objective[],
): readonly Trial[] {
  let front: Compared<Trial>[] = [];
  for (const trial of trials) {
    const { outcome } = trial;
    if (outcome.kind === 'failed') continue;
    const losses = outcome.values.map((value, index) =>
      objectives[index]?.direction === 'maximize' ? -value : value,
    );
    const compared = { trial, losses, violation: outcome.violation };
    if (front.some((other) => dominates(other, compared))) continue;
    front = [...front.filter((other) => !dominates(compared, other)), compared];
  }
  return front.map(({ trial }) => trial).toSorted((left, right) => left.number - right.number);
}

/**
 * The one that is taken where one must be: of the best the one with the best first objective, the earliest.
 */
export function bestTrial<Trial extends Judged>(
  trials: Iterable<Trial>,
  objectives: readonly Objective[],
): Trial | null {
  const [first] = objectives;
  const lossOf = ({ outcome }: Trial): number => {
    const value = outcome.kind === 'complete' ? (outcome.values[0] ?? Infinity) : Infinity;
    return first?.direction === 'maximize' ? -value : value;
  };
  return bestTrials(trials, objectives).reduce<Trial | null>(
    (best, trial) => (best === null || lossOf(trial) < lossOf(best) ? trial : best),
    null,
  );
}
