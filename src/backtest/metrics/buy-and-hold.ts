import type { QuoteCurrency } from '../../domain/market-symbol.ts';
import { UNITS_PER_ONE } from '../../domain/money.ts';
import { valueIn } from '../../portfolio/valuation.ts';
import type { TradedMarket } from '../backtest-run.ts';
import { numberOf, type Statistic } from './finite-number.ts';
import { mean } from './moments.ts';

/** What is looked at of a market: its name, and its prices at the ends. */
export type HeldMarket = Pick<TradedMarket, 'firstPrice' | 'lastPrice'> & {
  readonly market: Pick<TradedMarket['market'], 'symbol' | 'base' | 'quote'>;
};

/**
 * What the same money would have returned if it had been spread evenly over the coins of the run at their first prices and kept:
 * `mean(last price / first price - 1)`, before fees and spreads. Each coin counts once, by its prices in the currency of the run. Null without one.
 */
export function buyAndHoldReturn(markets: readonly HeldMarket[], quote: QuoteCurrency): Statistic {
  const first = new Map<string, HeldMarket['firstPrice']>();
  const last = new Map<string, HeldMarket['lastPrice']>();
  for (const { market, firstPrice, lastPrice } of markets) {
    if (firstPrice > 0n) first.set(market.symbol, firstPrice);
    last.set(market.symbol, lastPrice);
  }
  const coins = new Set(markets.map(({ market }) => (market.base === quote ? market.quote : market.base)));
  const returns = [...coins].flatMap((asset) => {
    // Of so many of them that a ratio of roundings is none.
    const one = { asset, amount: UNITS_PER_ONE * UNITS_PER_ONE };
    const before = valueIn(quote, one, (symbol) => first.get(symbol) ?? null);
    const after = valueIn(quote, one, (symbol) => last.get(symbol) ?? null);
    return before === null || after === null || before === 0n ? [] : [numberOf(after) / numberOf(before) - 1];
  });
  return mean(returns);
}
