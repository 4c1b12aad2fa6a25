import type { DailyReturns } from './daily-returns.ts';
import { finite, mean, quotient, sampleDeviation, type Statistic } from './statistics.ts';

/** Trading days of a year: these markets have no weekend. */
const DAYS_A_YEAR = 365;

/** Figures of the days up to each day, one after the other. */
export interface RollingFigures {
  /** The last day of the first window, in days since 1970-01-01. */
  readonly firstDay: number;
  readonly windowDays: number;
  readonly sharpe: readonly Statistic[];
  readonly volatility: readonly Statistic[];
}

/**
 * Sharpe ratio and volatility of the last `windowDays` days, at the end of each day, both for a year: `mean /
 * deviation x sqrt(365)` and `deviation x sqrt(365)` of daily returns. Empty where there are fewer days.
 */
export function rollingFigures({ firstDay, returns }: DailyReturns, windowDays: number): RollingFigures {
  const sharpe: Statistic[] = [];
  const volatility: Statistic[] = [];
  for (let end = windowDays; end <= returns.length; end += 1) {
    const window = [...returns.subarray(end - windowDays, end)];
    const deviation = sampleDeviation(window);
    sharpe.push(scaled(quotient(mean(window), deviation)));
    volatility.push(scaled(deviation));
  }
  return { firstDay: firstDay + windowDays - 1, windowDays, sharpe, volatility };
}

const scaled = (value: Statistic): Statistic =>
  value === null ? null : finite(value * Math.sqrt(DAYS_A_YEAR));
