import { SarrafError } from '../domain/errors.ts';
import { present } from '../domain/invariant.ts';
import { luckOf, type MadeLuck } from './kept-luck.ts';
import { readWrittenStudy } from './read-study.ts';
import { readSpace } from '../search/space-declaration.ts';
import { readStress } from './stress/stored-stress.ts';
import { stressFindings } from './stress-findings.ts';
import type { StudyStore } from './study-store.ts';
import type { StudyResult } from './study-result.ts';
import type { DailyReturns } from '../backtest/daily-returns.ts';
import { trialLuck, type TrialLuck } from './validation/trial-luck.ts';
import { validateStudy, type StudyValidation, type ValidatedTrials } from './study-validation.ts';

/** Results of a study, and how much of them is luck; `validation` is null if no trial has values. */
export interface ValidatedStudy extends StudyResult {
  readonly validation: StudyValidation | null;
}

/**
 * Judges what is known of a study by its trials. Its statistics are those that it kept; where it kept none of
 * these trials, they take seconds, and `onMade` gets them. Throws `DATA_UNUSABLE` for a file that can not be
 * read.
 */
export function validatedStudy(
  store: StudyStore,
  result: StudyResult,
  onMade: (made: MadeLuck) => void,
): ValidatedStudy {
  const { best, objectives, trialsOnData, holdout, range } = result;
  if (best === null) return { ...result, validation: null };
  const { written, identity } = present(store.head(), 'the head of a study with trials');
  const dailyOf = (number: number): DailyReturns => {
    const daily = store.trial(number)?.daily ?? null;
    if (daily !== null) return daily;
    throw new SarrafError(
      'DATA_UNUSABLE',
      `expected daily returns of trial ${number} at ${store.path}, found none: restore a copy, or run the study under another name`,
    );
  };
  const seen = { fromMs: range.fromMs, toMs: range.splitMs };
  const stress = readStress(store, best.number);
  const objective = present(objectives[0], 'an objective');
  const trials = placedTrials(store);
  const make = (): TrialLuck => {
    const ran = trials.flatMap((trial) => (trial.ran ? [trial.number] : []));
    return trialLuck({ id: identity.id, ran, best: best.number, dailyOf });
  };
  const validation = validateStudy({
    space: readSpace(readWrittenStudy(written).written['space']),
    objectives,
    trials,
    best: { number: best.number, metrics: present(best.metrics, 'the figures of the best trial') },
    ofData: trialsOnData.trials,
    holdout: range.splitMs >= range.toMs ? 'none' : holdout === null ? 'closed' : 'opened',
    seen,
    isWalked: (store.walkForward.head()?.account ?? null) !== null,
    stress: stress === null ? null : stressFindings(stress, { id: identity.id, objective, seen }),
    luck: luckOf(store, { result, make, onMade }),
  });
  return { ...result, validation };
}

/** Returns the data needed of all trials at once: no figures, of which there are many. */
function placedTrials(store: StudyStore): ValidatedTrials['trials'] {
  const placed: ValidatedTrials['trials'][number][] = [];
  for (const { number, point, outcome, metrics } of store.outcomes())
    placed.push({ number, point, outcome, ran: metrics !== null });
  return placed;
}
