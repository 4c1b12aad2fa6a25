/** A market that is open every hour of the year: 365 days of 24 hours, in ms. Leap days are not counted. */
export const YEAR_MS = 31_536_000_000;

/** How many bars of a length a year has: what a figure of one bar is annualised by. */
export function barsPerYear(barMs: number): number {
  return YEAR_MS / barMs;
}

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
