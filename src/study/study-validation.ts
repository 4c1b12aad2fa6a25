import type { RunRange, Objective, TrialMetrics } from './objectives.ts';
import { present } from '../domain/errors.ts';
import type { StressFindings } from './stress-findings.ts';
import type { Space } from '../search/space-declaration.ts';
import {
  luckStatistics,
  type LuckStatisticName,
  type LuckStatistics,
  type Tested,
  type TrialLuck,
} from './validation/luck-statistics.ts';
import { plateauAround, type PlacedTrial, type Plateau } from './validation/plateau.ts';
import { verdictOf, type StudyVerdict, type VerdictBasis } from './validation/verdict.ts';
import { ENGLISH_STUDY } from './english-study.ts';

/** Statistic of a study: its description, the source of its formula, and its result. */
interface StudyStatistic<Name extends LuckStatisticName> extends StatisticNote {
  readonly result: LuckStatistics[Name];
}

/** Estimates of how much luck is in a study's best trial, as plain JSON. */
export interface StudyValidation {
  readonly verdict: StudyVerdict;
  /** Input of the statistics. */
  readonly basis: {
    /** Number of the best trial, which the statistics judge. */
    readonly trial: number;
    readonly days: number;
    /** Number of trials that ran to their end, including those that break constraints or have no value. */
    readonly ran: number;
    /** Number of trials that were tested together: all, or a sample drawn with the study's id as the seed. */
    readonly sampled: number;
    /** Number of trials ever run on this data. */
    readonly ofData: number;
  };
  readonly statistics: { readonly [Name in LuckStatisticName]: StudyStatistic<Name> };
  readonly plateau: Tested<Plateau>;
  /** Results of the best trial under other conditions; null if they were not run. */
  readonly stress: StressFindings | null;
}

export interface ValidatedTrials {
  readonly space: Space;
  readonly objectives: readonly Objective[];
  /** Trials by number. `ran`: true if a trial ran to its end, so that it has daily returns. */
  readonly trials: readonly (PlacedTrial & { readonly ran: boolean })[];
  /** Best trial, which has values. */
  readonly best: { readonly number: number; readonly metrics: TrialMetrics };
  /** Number of trials ever run on this data. */
  readonly ofData: number;
  readonly holdout: VerdictBasis['holdout'];
  readonly isWalked: boolean;
  /** Range that the trials saw. */
  readonly seen: RunRange;
  readonly stress: StressFindings | null;
  /** Result of `trialLuck` for the daily returns of these trials. */
  readonly luck: TrialLuck;
}

/**
 * Judges `best`, the best trial of a study; the result is the same on every machine. `deflatedSharpeOfData`
 * counts all trials ever run on this data. If only a sample of the study's trials was tested, `basis.sampled`
 * is below `basis.ran`.
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
    title: ENGLISH_STUDY[`statistic.${name}`],
    what: ENGLISH_STUDY[`statistic.${name}.what`],
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

/** Description of a statistic and the source of its formula; docs/statistics.md has more. */
export interface StatisticNote {
  readonly title: string;
  readonly what: string;
  /** Formula in letters that every terminal has; `SR` is the daily Sharpe ratio. */
  readonly formula: string;
  readonly source: string;
}

export const STATISTIC_NOTES: Readonly<Record<LuckStatisticName, Pick<StatisticNote, 'formula' | 'source'>>> =
  {
    probabilisticSharpe: {
      formula:
        'N(SR sqrt(T - 1) / sqrt(1 - skewness SR + (kurtosis - 1) / 4 SR^2)), N the normal distribution, T days',
      source: 'Bailey and López de Prado, The Sharpe Ratio Efficient Frontier, Journal of Risk 15 (2012)',
    },
    minimumTrackRecord: {
      formula: '1 + (1 - skewness SR + (kurtosis - 1) / 4 SR^2) (1.645 / SR)^2',
      source: 'Bailey and López de Prado, The Sharpe Ratio Efficient Frontier, Journal of Risk 15 (2012)',
    },
    deflatedSharpeOfStudy: {
      formula:
        'the probabilistic Sharpe ratio against sqrt(V) ((1 - g) z(1 - 1 / n) + g z(1 - 1 / (n e))): V the variance of all SR, n trials, z the normal quantile, g 0.5772',
      source:
        'Bailey and López de Prado, The Deflated Sharpe Ratio, Journal of Portfolio Management 40 (2014)',
    },
    deflatedSharpeOfData: {
      formula: 'the same with n of all studies',
      source:
        'Bailey and López de Prado, The Deflated Sharpe Ratio, Journal of Portfolio Management 40 (2014)',
    },
    deflatedSharpeEffective: {
      formula:
        'the same with n and V of clusters by sqrt((1 - correlation) / 2), or n of the mean correlation where there are none',
      source:
        'López de Prado and Lewis, Detection of False Investment Strategies, Quantitative Finance 19 (2019)',
    },
    overfittingProbability: {
      formula:
        'share of the 12,870 halves of 16 blocks in which ln(w / (1 - w)) is at most 0: w the rank of their best trial in the other half, 0 to 1',
      source:
        'Bailey, Borwein, López de Prado and Zhu, The Probability of Backtest Overfitting, Journal of Computational Finance 20 (2017)',
    },
    realityCheck: {
      formula:
        '(1 + draws as good) / (1 + draws): the largest mean against the largest (mean of the draw - mean) of the stationary bootstrap',
      source: 'White, A Reality Check for Data Snooping, Econometrica 68 (2000)',
    },
    superiorPredictiveAbility: {
      formula:
        'the same with each mean by its own deviation, without those below -sqrt(2 ln ln T) deviations',
      source:
        'Hansen, A Test for Superior Predictive Ability, Journal of Business and Economic Statistics 23 (2005)',
    },
    dayOrder: {
      formula: '95 % quantile of the deepest drawdown over 1,000 shuffles of the daily returns',
      source: 'Pardo, The Evaluation and Optimization of Trading Strategies (2008)',
    },
  };
