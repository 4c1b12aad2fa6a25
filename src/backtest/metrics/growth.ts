import { YEAR_MS } from './bar-returns.ts';
import { finite, quotient, type Statistic } from './finite-number.ts';

/** What an account was worth at the ends of a span of time, and how long that was. */
export interface Growth {
  readonly initialEquity: number;
  readonly finalEquity: number;
  readonly spanMs: number;
}

/** `final / initial - 1`. Null where there was nothing to begin with. */
export function totalReturn({ initialEquity, finalEquity }: Growth): Statistic {
  return initialEquity > 0 ? finite(finalEquity / initialEquity - 1) : null;
}

/**
 * Compound annual growth rate: `(final / initial)^(year / span) - 1`. A span below a year is extrapolated, which says little of short ones. Null
 * without a span, and where it is beyond what a float holds. Bacon (2008), 2.7.
 */
export function compoundAnnualGrowth({ initialEquity, finalEquity, spanMs }: Growth): Statistic {
  if (initialEquity <= 0 || spanMs <= 0) return null;
  return finite(Math.max(finalEquity / initialEquity, 0) ** (YEAR_MS / spanMs) - 1);
}

/**
 * `CAGR / maxDrawdown`, both of the whole run and not of its last three years. Null without a drawdown.
 * Young, "Calmar Ratio: A Smoother Tool", Futures 20 (1991).
 */
export function calmarRatio(growth: Statistic, maxDrawdown: number): Statistic {
  return quotient(growth, maxDrawdown);
}
