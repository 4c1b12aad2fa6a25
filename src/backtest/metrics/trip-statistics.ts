import { finite, numberOf, quotient, mean, sampleDeviation, type Statistic } from '../statistics.ts';
import type { RoundTrip } from '../round-trips.ts';

/** Data that the statistics of trades need of each trade: all are of closed ones. */
type ClosedTrip = Pick<RoundTrip, 'profit' | 'cost' | 'openedAtMs' | 'closedAtMs'>;

/** `trades with a profit / trades`. One that comes out even is no win. */
export function winRate(trips: readonly ClosedTrip[]): Statistic {
  return quotient(trips.filter(({ profit }) => profit > 0n).length, trips.length);
}

/**
 * `sum of profits / sum of losses`. Null without a loss. Pardo, "The Evaluation and Optimization of Trading
 * Strategies" (2008), 12.
 */
export function profitFactor(trips: readonly ClosedTrip[]): Statistic {
  let profits = 0;
  let losses = 0;
  for (const { profit } of trips) {
    if (profit > 0n) profits += numberOf(profit);
    else losses -= numberOf(profit);
  }
  return quotient(profits, losses);
}

/**
 * The mean profit of a trade after fees, in the quote currency. Tharp, "Trade Your Way to Financial Freedom"
 * (2006), 7.
 */
export function expectancy(trips: readonly ClosedTrip[]): Statistic {
  return mean(profitsOf(trips));
}

/**
 * System quality number: `sqrt(trades) x mean(profit) / sampleDeviation(profit)`. Profits stand for multiples
 * of the risk, which is not known. Tharp, "Definitive Guide to Position Sizing" (2008), 2.
 */
export function systemQuality(trips: readonly ClosedTrip[]): Statistic {
  const profits = profitsOf(trips);
  const ratio = quotient(mean(profits), sampleDeviation(profits));
  return ratio === null ? null : finite(Math.sqrt(profits.length) * ratio);
}

/** `profit / cost` of one trade. */
export function tripReturn({ profit, cost }: Pick<RoundTrip, 'profit' | 'cost'>): Statistic {
  return quotient(numberOf(profit), numberOf(cost));
}

/** The mean, the best and the worst of `profit / cost`. */
export function tripReturns(trips: readonly ClosedTrip[]): {
  readonly average: Statistic;
  readonly best: Statistic;
  readonly worst: Statistic;
} {
  const returns: number[] = [];
  let best: Statistic = null;
  let worst: Statistic = null;
  for (const trip of trips) {
    const value = tripReturn(trip);
    if (value === null) continue;
    returns.push(value);
    if (best === null || value > best) best = value;
    if (worst === null || value < worst) worst = value;
  }
  return { average: mean(returns), best, worst };
}

/** The mean and the longest time from the first buy of a trade to its last sell, in ms. */
export function tripLengths(trips: readonly ClosedTrip[]): {
  readonly average: Statistic;
  readonly longest: Statistic;
} {
  const lengths = trips.map(({ openedAtMs, closedAtMs }) => (closedAtMs ?? openedAtMs) - openedAtMs);
  const longest = lengths.reduce((most, length) => Math.max(most, length), 0);
  return { average: mean(lengths), longest: lengths.length === 0 ? null : longest };
}

function profitsOf(trips: readonly ClosedTrip[]): number[] {
  return trips.map(({ profit }) => numberOf(profit));
}
