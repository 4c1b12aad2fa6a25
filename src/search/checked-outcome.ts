import { SarrafError } from '../domain/errors.ts';
import type { Coordinates } from './space-axes.ts';
import type { LearnedTrial } from './proposer.ts';
import type { Direction } from './sampler-settings.ts';
import type { TrialOutcome } from './trial-record.ts';

/**
 * An outcome as it is kept. One with a value that is no finite number is a failed trial.
 * @throws SarrafError `INVALID_OPTIONS` for another number of values than there are objectives
 */
export function checkedOutcome(
  outcome: TrialOutcome,
  trial: { readonly number: number; readonly objectives: number },
): TrialOutcome {
  if (outcome.kind === 'failed') return outcome;
  const { values, violation } = outcome;
  if (values.length !== trial.objectives) {
    const expected = `expected ${trial.objectives} values, one an objective, for trial ${trial.number}`;
    throw new SarrafError('INVALID_OPTIONS', `${expected}, found ${values.length}`);
  }
  const wrong = values.findIndex((value) => !Number.isFinite(value));
  if (wrong >= 0)
    return { kind: 'failed', reason: `expected a finite objective ${wrong + 1}, found ${values[wrong]}` };
  if (!(violation >= 0 && Number.isFinite(violation)))
    return { kind: 'failed', reason: `expected a violation of 0 or more, found ${violation}` };
  return outcome;
}

/** An outcome as samplers compare it. */
export function learnedTrial(
  outcome: TrialOutcome,
  trial: {
    readonly number: number;
    readonly coordinates: Coordinates;
    readonly objectives: readonly Direction[];
  },
): LearnedTrial {
  const { number, coordinates, objectives } = trial;
  if (outcome.kind === 'failed') return { number, coordinates, losses: [], violation: Infinity };
  const losses = outcome.values.map((value, index) => (objectives[index] === 'maximize' ? -value : value));
  return { number, coordinates, losses, violation: outcome.violation };
}
