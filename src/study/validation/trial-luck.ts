import type { DailyReturns } from '../../backtest/daily-returns.ts';
import { present } from '../../domain/invariant.ts';
import { createRandom } from '../../domain/random.ts';
import { ownStatistics, type OwnStatistics } from './luck-statistics.ts';
import { drawSample, sameDays, sampleSize } from './trial-sample.ts';

/**
 * Findings on a study's best trial from the daily returns of its trials. They depend on nothing but these and
 * the id.
 */
export interface TrialLuck {
  readonly days: number;
  /** Trials that were tested together: all that ran, or a sample of them. */
  readonly sampled: number;
  readonly statistics: OwnStatistics;
}

const HEX = 16;
const SEED_DIGITS = 8;

/**
 * Tests the best trial among all that ran, by their daily returns. It takes seconds: of more trials than
 * `sampleSize` it tests a sample.
 */
export function trialLuck(of: {
  /** The study's id: decides every draw. */
  readonly id: string;
  /** Numbers of trials that ran to their end, in order. */
  readonly ran: readonly number[];
  /** The number of the best one. */
  readonly best: number;
  /** The daily returns of a trial that ran. */
  readonly dailyOf: (number: number) => DailyReturns;
}): TrialLuck {
  const { ran, best, dailyOf } = of;
  const seed = Number.parseInt(of.id.slice(0, SEED_DIGITS), HEX);
  const chosen = dailyOf(best);
  const drawn = drawSample(ran, { size: sampleSize(chosen.returns.length), random: createRandom(seed) });
  const [column, ...columns] = sameDays([chosen, ...drawn.map(dailyOf)]);
  const returns = present(column, 'the returns of the best trial');
  const place = drawn.indexOf(best);
  return {
    days: returns.length,
    sampled: drawn.length,
    statistics: ownStatistics({
      chosen: returns,
      trials: columns,
      place: place === -1 ? null : place,
      ofStudy: ran.length,
      seed,
    }),
  };
}
