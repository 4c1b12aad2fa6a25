import { numberOf, type Statistic } from './finite-number.ts';
import { mean } from './moments.ts';
import type { TradedMarket } from '../backtest-run.ts';

/**
 * What the same money would have returned if it had been spread evenly over the markets of the run at their first prices and kept:
 * `mean(last price / first price - 1)`, before fees and spreads. Null without a market.
 */
export function buyAndHoldReturn(markets: readonly Pick<TradedMarket, 'firstPrice' | 'lastPrice'>[]): Statistic {
  return mean(
    markets
      .filter(({ firstPrice }) => firstPrice > 0n)
      .map(({ firstPrice, lastPrice }) => numberOf(lastPrice) / numberOf(firstPrice) - 1),
  );
}
