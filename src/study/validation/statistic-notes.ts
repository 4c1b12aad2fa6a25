import type { LuckStatisticName } from './luck-statistics.ts';

/** What a statistic is, and where its formula is from. docs/statistics.md has the formulas. */
export interface StatisticNote {
  readonly title: string;
  readonly what: string;
  readonly source: string;
}

export const STATISTIC_NOTES: Readonly<Record<LuckStatisticName, StatisticNote>> = {
  probabilisticSharpe: {
    title: 'probabilistic Sharpe ratio',
    what: 'chance that the true Sharpe ratio is above 0, were it the only trial',
    source: 'Bailey and López de Prado, The Sharpe Ratio Efficient Frontier, Journal of Risk 15 (2012)',
  },
  minimumTrackRecord: {
    title: 'minimum track record',
    what: 'days until such a result is more than chance at 5 %, were it the only trial',
    source: 'Bailey and López de Prado, The Sharpe Ratio Efficient Frontier, Journal of Risk 15 (2012)',
  },
  deflatedSharpeOfStudy: {
    title: 'deflated Sharpe ratio, trials of this study',
    what: 'chance that the best trial is better than the best of so many by luck',
    source: 'Bailey and López de Prado, The Deflated Sharpe Ratio, Journal of Portfolio Management 40 (2014)',
  },
  deflatedSharpeOfData: {
    title: 'deflated Sharpe ratio, trials on this data',
    what: 'the same, with all trials ever run on this data by the register',
    source: 'Bailey and López de Prado, The Deflated Sharpe Ratio, Journal of Portfolio Management 40 (2014)',
  },
  deflatedSharpeEffective: {
    title: 'deflated Sharpe ratio, effective trials',
    what: 'the same, with trials of this study that are nearly alike as one',
    source:
      'López de Prado and Lewis, Detection of False Investment Strategies, Quantitative Finance 19 (2019)',
  },
  overfittingProbability: {
    title: 'probability of overfitting',
    what: 'how often the best trial of half of the days is at most average in the others, by CSCV',
    source:
      'Bailey, Borwein, López de Prado and Zhu, The Probability of Backtest Overfitting, Journal of Computational Finance 20 (2017)',
  },
  realityCheck: {
    title: 'reality check, p value',
    what: 'how often the best of all would look this good if none beat cash',
    source: 'White, A Reality Check for Data Snooping, Econometrica 68 (2000)',
  },
  superiorPredictiveAbility: {
    title: 'superior predictive ability, p value',
    what: 'the same, by own deviations and without trials that are clearly worse',
    source:
      'Hansen, A Test for Superior Predictive Ability, Journal of Business and Economic Statistics 23 (2005)',
  },
  dayOrder: {
    title: 'drawdown in another order of days',
    what: 'what one order of the same days in twenty exceeds; the trial had the one behind it',
    source: 'Pardo, The Evaluation and Optimization of Trading Strategies (2008)',
  },
};
