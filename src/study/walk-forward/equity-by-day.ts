import type { DailyReturns } from '../../backtest/daily-returns.ts';

/** Equity of an account at the end of a UTC day. */
export interface EquityDay {
  /** Days since 1970-01-01. */
  readonly day: number;
  readonly equity: number;
}

/** The equity that daily returns make of the first one; for pictures only. */
export function equityByDay(
  initialEquity: number,
  { firstDay, returns }: Pick<DailyReturns, 'firstDay'> & { readonly returns: Iterable<number> },
): readonly EquityDay[] {
  let equity = initialEquity;
  return [...returns].map((value, index) => {
    equity *= 1 + value;
    return { day: firstDay + index, equity };
  });
}
