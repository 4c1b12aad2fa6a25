import type { Stretch } from './stretch.ts';
import { present } from '../domain/invariant.ts';
import type { StressFindings } from './stress-findings.ts';
import type { Space } from '../search/space-declaration.ts';
import type { Objective, TrialMetrics } from './objectives.ts';
import { luckStatistics, type LuckStatisticName, type LuckStatistics } from './validation/luck-statistics.ts';
import { plateauAround, type PlacedTrial, type Plateau } from './validation/plateau.ts';
import { STATISTIC_NOTES, type StatisticNote } from './validation/statistic-notes.ts';
import type { Tested } from './validation/tested.ts';
import type { TrialLuck } from './validation/trial-luck.ts';
import { verdictOf, type StudyVerdict, type VerdictBasis } from './validation/verdict.ts';

/** One statistic of a study: what it is, where its formula is from, and what it found. */
interface StudyStatistic<Name extends LuckStatisticName> extends StatisticNote {
  readonly result: LuckStatistics[Name];
}

/** Estimates of luck in a study's best trial: JSON. */
export interface StudyValidation {
  readonly verdict: StudyVerdict;
  /** Input of the statistics. */
  readonly basis: {
    /** The best trial, which they judge. */
    readonly trial: number;
    readonly days: number;
    /** Trials that ran to their end, those that break constraints or have no value too. */
    readonly ran: number;
    /** So many of them were tested together: all, or a sample that the study's id draws. */
    readonly sampled: number;
    /** Trials ever run on this data. */
    readonly ofData: number;
  };
  readonly statistics: { readonly [Name in LuckStatisticName]: StudyStatistic<Name> };
  readonly plateau: Tested<Plateau>;
  /** The best trial under other conditions; null where that has not been run. */
  readonly stress: StressFindings | null;
}

export interface ValidatedTrials {
  readonly space: Space;
  readonly objectives: readonly Objective[];
  /** In the order of their numbers; `ran`: to its end, and so it has daily returns. */
  readonly trials: readonly (PlacedTrial & { readonly ran: boolean })[];
  /** The best one, which has values. */
  readonly best: { readonly number: number; readonly metrics: TrialMetrics };
  /** Trials ever run on this data. */
  readonly ofData: number;
  readonly holdout: VerdictBasis['holdout'];
  readonly isWalked: boolean;
  /** Range that the trials saw. */
  readonly seen: Stretch;
  readonly stress: StressFindings | null;
  /** Findings of `trialLuck` in the daily returns of these trials. */
  readonly luck: TrialLuck;
}

/**
 * Judges the best trial among all that ran. The same trials have the same answer on every machine. The
 * deflated Sharpe ratio counts all of them, also where a sample was tested, and the verdict says so.
 */
export function validateStudy(of: ValidatedTrials): StudyValidation {
  const { space, objectives, trials, holdout, isWalked, seen, stress, luck } = of;
  const best = present(
    trials.find(({ number }) => number === of.best.number),
    'the best trial of the study',
  );
  const ran = trials.filter((trial) => trial.ran).length;
  const ofData = Math.max(of.ofData, ran);
  const statistics = luckStatistics(luck.statistics, ofData);
  const objective = present(objectives[0], 'an objective');
  const plateau = plateauAround(best, { trials, space, objective });
  const { metrics } = of.best;
  const { metric } = objective;
  const verdict = verdictOf({ statistics, plateau, metric, metrics, holdout, isWalked, seen, stress });
  return {
    verdict,
    basis: { trial: best.number, days: luck.days, ran, sampled: luck.sampled, ofData },
    statistics: noted(statistics),
    plateau,
    stress,
  };
}

function noted(found: LuckStatistics): StudyValidation['statistics'] {
  const note = <Name extends LuckStatisticName>(name: Name): StudyStatistic<Name> => ({
    ...STATISTIC_NOTES[name],
    result: found[name],
  });
  return {
    probabilisticSharpe: note('probabilisticSharpe'),
    minimumTrackRecord: note('minimumTrackRecord'),
    deflatedSharpeOfStudy: note('deflatedSharpeOfStudy'),
    deflatedSharpeOfData: note('deflatedSharpeOfData'),
    deflatedSharpeEffective: note('deflatedSharpeEffective'),
    overfittingProbability: note('overfittingProbability'),
    realityCheck: note('realityCheck'),
    superiorPredictiveAbility: note('superiorPredictiveAbility'),
    dayOrder: note('dayOrder'),
  };
}
