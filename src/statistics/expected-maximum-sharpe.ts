import { checkNumber } from './check-sample.ts';
import { known, unknown, type Estimate } from './estimate.ts';
import { lack } from './english-lacks.ts';
import { inDigits } from '../language/fact.ts';
import { normalQuantile } from './normal-distribution.ts';

const EULER_MASCHERONI = 0.577_215_664_901_532_9;

/** More need quantiles beyond those that are exact. */
const MOST_TRIALS = 100_000_000;

export interface TrialSpread {
  /** Number of independent trials; need not be whole. 2 to 1e8. */
  readonly trials: number;
  /** Of the Sharpe ratios of all trials, of one period. */
  readonly variance: number;
}

/**
 * The best Sharpe ratio to expect of so many trials without any skill: `sqrt(variance) ((1 - g) quantile(1 -
 * 1 / N) + g quantile(1 - 1 / (N e)))`, g of Euler and Mascheroni. Of one period, as the variance is. Unknown
 * below two trials, where nothing was chosen. Throws `InvalidSample` at a variance below 0. Bailey and Lopez
 * de Prado, "The Deflated Sharpe Ratio", Journal of Portfolio Management 40 (2014), eq. 1.
 */
export function expectedMaximumSharpe({ trials, variance }: TrialSpread): Estimate<number> {
  checkNumber(trials, 'trials', { least: 0, most: MOST_TRIALS });
  checkNumber(variance, 'variance', { least: 0 });
  if (trials < 2)
    return unknown('too-few-trials', lack('lack.trials', { least: inDigits(2), found: inDigits(trials) }));
  const best =
    (1 - EULER_MASCHERONI) * -normalQuantile(1 / trials) +
    EULER_MASCHERONI * -normalQuantile(1 / (trials * Math.E));
  return known(Math.sqrt(variance) * best);
}
