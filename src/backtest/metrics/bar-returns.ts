/** A market that is open every hour of the year: 365 days of 24 hours, in ms. Leap days are not counted. */
export const YEAR_MS = 31_536_000_000;

/**
 * How many returns a year has: what a figure of one is annualised by. Where bars are missing it is the bars that there are by the time that they cover,
 * `count x year / span`: a return over a gap is one return, and variance grows with time (Bacon 2008, 4.1), so taking a year of whole bars would count the
 * time of the gaps again and again.
 */
export function returnsPerYear(of: {
  readonly barMs: number;
  readonly count: number;
  readonly spanMs: number;
}): number {
  const { barMs, count, spanMs } = of;
  return count + HALF < spanMs / barMs ? (count * YEAR_MS) / spanMs : YEAR_MS / barMs;
}

/** Of a bar: a run may end amid one. */
const HALF = 0.5;

/**
 * The simple return of each bar, `equity[i] / equity[i - 1] - 1`; the first one is from the initial equity. After a total loss there is nothing
 * left to have a return on, so it is 0.
 */
export function barReturns(initialEquity: number, equity: Float64Array): Float64Array {
  let previous = initialEquity;
  return equity.map((value) => {
    const change = previous > 0 ? value / previous - 1 : 0;
    previous = value;
    return change;
  });
}
