import { finite, quotient, type Statistic } from './finite-number.ts';
import { downsideDeviation, mean, sampleDeviation } from './moments.ts';

/** The returns of a run's bars, and how many of them a year has. */
export interface Returns {
  readonly values: Float64Array;
  readonly perYear: number;
}

/** `sampleDeviation(returns) x sqrt(returns a year)`. Bacon, "Practical Portfolio Performance Measurement and Attribution" (2008), 4.1. */
export function volatility({ values, perYear }: Returns): Statistic {
  const deviation = sampleDeviation(values);
  return deviation === null ? null : finite(deviation * Math.sqrt(perYear));
}

/**
 * `mean(returns) / sampleDeviation(returns) x sqrt(returns a year)`, above a risk-free rate of 0.
 * Sharpe, "The Sharpe Ratio", Journal of Portfolio Management 21 (1994).
 */
export function sharpeRatio({ values, perYear }: Returns): Statistic {
  return annualised(quotient(mean(values), sampleDeviation(values)), perYear);
}

/**
 * `mean(returns) / downsideDeviation(returns) x sqrt(returns a year)`, against a target of 0.
 * Sortino and Price, "Performance Measurement in a Downside Risk Framework", Journal of Investing 3 (1994).
 */
export function sortinoRatio({ values, perYear }: Returns): Statistic {
  return annualised(quotient(mean(values), downsideDeviation(values)), perYear);
}

/**
 * `sum(max(return, 0)) / sum(max(-return, 0))`, about a threshold of 0. Null without a losing bar.
 * Keating and Shadwick, "A Universal Performance Measure", Journal of Performance Measurement 6 (2002).
 */
export function omegaRatio({ values }: Returns): Statistic {
  let gains = 0;
  let losses = 0;
  for (const value of values) {
    if (value > 0) gains += value;
    else losses -= value;
  }
  return quotient(gains, losses);
}

function annualised(ratio: Statistic, perYear: number): Statistic {
  return ratio === null ? null : finite(ratio * Math.sqrt(perYear));
}
