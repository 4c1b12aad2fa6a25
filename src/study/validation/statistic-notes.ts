import { ENGLISH_STUDY } from '../texts/english-study.ts';
import type { LuckStatisticName } from './luck-statistics.ts';

/** Description of a statistic, and the source of its formula. docs/statistics.md has more on each. */
export interface StatisticNote {
  readonly title: string;
  readonly what: string;
  /** In letters that every terminal has; `SR` is the Sharpe ratio of a day. */
  readonly formula: string;
  readonly source: string;
}

export const STATISTIC_NOTES: Readonly<Record<LuckStatisticName, StatisticNote>> = {
  probabilisticSharpe: {
    title: ENGLISH_STUDY['statistic.probabilisticSharpe'],
    what: ENGLISH_STUDY['statistic.probabilisticSharpe.what'],
    formula:
      'N(SR sqrt(T - 1) / sqrt(1 - skewness SR + (kurtosis - 1) / 4 SR^2)), N the normal distribution, T days',
    source: 'Bailey and López de Prado, The Sharpe Ratio Efficient Frontier, Journal of Risk 15 (2012)',
  },
  minimumTrackRecord: {
    title: ENGLISH_STUDY['statistic.minimumTrackRecord'],
    what: ENGLISH_STUDY['statistic.minimumTrackRecord.what'],
    formula: '1 + (1 - skewness SR + (kurtosis - 1) / 4 SR^2) (1.645 / SR)^2',
    source: 'Bailey and López de Prado, The Sharpe Ratio Efficient Frontier, Journal of Risk 15 (2012)',
  },
  deflatedSharpeOfStudy: {
    title: ENGLISH_STUDY['statistic.deflatedSharpeOfStudy'],
    what: ENGLISH_STUDY['statistic.deflatedSharpeOfStudy.what'],
    formula:
      'the probabilistic Sharpe ratio against sqrt(V) ((1 - g) z(1 - 1 / n) + g z(1 - 1 / (n e))): V the variance of all SR, n trials, z the normal quantile, g 0.5772',
    source: 'Bailey and López de Prado, The Deflated Sharpe Ratio, Journal of Portfolio Management 40 (2014)',
  },
  deflatedSharpeOfData: {
    title: ENGLISH_STUDY['statistic.deflatedSharpeOfData'],
    what: ENGLISH_STUDY['statistic.deflatedSharpeOfData.what'],
    formula: 'the same with n of all studies',
    source: 'Bailey and López de Prado, The Deflated Sharpe Ratio, Journal of Portfolio Management 40 (2014)',
  },
  deflatedSharpeEffective: {
    title: ENGLISH_STUDY['statistic.deflatedSharpeEffective'],
    what: ENGLISH_STUDY['statistic.deflatedSharpeEffective.what'],
    formula:
      'the same with n and V of clusters by sqrt((1 - correlation) / 2), or n of the mean correlation where there are none',
    source:
      'López de Prado and Lewis, Detection of False Investment Strategies, Quantitative Finance 19 (2019)',
  },
  overfittingProbability: {
    title: ENGLISH_STUDY['statistic.overfittingProbability'],
    what: ENGLISH_STUDY['statistic.overfittingProbability.what'],
    formula:
      'share of the 12,870 halves of 16 blocks in which ln(w / (1 - w)) is at most 0: w the rank of their best trial in the other half, 0 to 1',
    source:
      'Bailey, Borwein, López de Prado and Zhu, The Probability of Backtest Overfitting, Journal of Computational Finance 20 (2017)',
  },
  realityCheck: {
    title: ENGLISH_STUDY['statistic.realityCheck'],
    what: ENGLISH_STUDY['statistic.realityCheck.what'],
    formula:
      '(1 + draws as good) / (1 + draws): the largest mean against the largest (mean of the draw - mean) of the stationary bootstrap',
    source: 'White, A Reality Check for Data Snooping, Econometrica 68 (2000)',
  },
  superiorPredictiveAbility: {
    title: ENGLISH_STUDY['statistic.superiorPredictiveAbility'],
    what: ENGLISH_STUDY['statistic.superiorPredictiveAbility.what'],
    formula: 'the same with each mean by its own deviation, without those below -sqrt(2 ln ln T) deviations',
    source:
      'Hansen, A Test for Superior Predictive Ability, Journal of Business and Economic Statistics 23 (2005)',
  },
  dayOrder: {
    title: ENGLISH_STUDY['statistic.dayOrder'],
    what: ENGLISH_STUDY['statistic.dayOrder.what'],
    formula: '95 % quantile of the deepest drawdown over 1,000 shuffles of the daily returns',
    source: 'Pardo, The Evaluation and Optimization of Trading Strategies (2008)',
  },
};
