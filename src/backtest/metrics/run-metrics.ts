import type { Currency } from '../../domain/market-symbol.ts';
import { UNITS_PER_ONE, type Units } from '../../domain/money.ts';
import type { FillRecord } from '../../records/fill.ts';
import { valueIn, type Prices } from '../../portfolio/holding.ts';
import type { BacktestRun, TradedMarket } from '../backtest-run.ts';
import { exposure, feesPaid, tradedValue, turnover } from './activity.ts';
import {
  returnsOf,
  returnsPerYear,
  maximumDrawdown,
  calmarRatio,
  compoundAnnualGrowth,
  totalReturn,
  omegaRatio,
  sharpeRatio,
  sortinoRatio,
  volatility,
} from './equity-metrics.ts';
import type { RoundTrip } from '../round-trips.ts';
import { numberOf, mean, type Statistic } from '../statistics.ts';
import {
  expectancy,
  profitFactor,
  systemQuality,
  tripLengths,
  tripReturns,
  winRate,
} from './trip-statistics.ts';
import { MARKET_NAMES } from '../../exchange/market-names.ts';

/**
 * Every figure of a run that is a statistic; `docs/metrics.md` has the formulas. What has no value is null.
 */
export function runMetrics(
  run: BacktestRun,
  trips: readonly RoundTrip[],
  traded: readonly FillRecord[] = run.fills,
) {
  return { ...equityMetrics(run), ...activityMetrics(run.curve, traded), ...tripMetrics(trips) };
}

function equityMetrics(run: BacktestRun) {
  const { curve, barMs, fromMs, toMs } = run;
  const startValue = numberOf(run.initialEquity);
  const value = curve.equity.subarray(0, curve.length);
  const timeMs = curve.timeMs.subarray(0, curve.length);
  const growth = { initialEquity: startValue, finalEquity: numberOf(run.finalEquity), spanMs: toMs - fromMs };
  const perYear = returnsPerYear({ barMs, count: value.length, spanMs: toMs - fromMs });
  const returns = returnsOf(startValue, value, perYear);
  const drawdown = maximumDrawdown({ startMs: fromMs, startValue, timeMs, value });
  const cagr = compoundAnnualGrowth(growth);
  return {
    totalReturn: totalReturn(growth),
    cagr,
    volatility: volatility(returns),
    sharpe: sharpeRatio(returns),
    sortino: sortinoRatio(returns),
    calmar: calmarRatio(cagr, drawdown.depth),
    omega: omegaRatio(returns),
    maxDrawdown: drawdown.depth,
    maxDrawdownMs: drawdown.lengthMs,
    longestDrawdownMs: drawdown.longestMs,
    buyAndHoldReturn: buyAndHoldReturn(run.markets, run.quote),
  };
}

function activityMetrics(curve: BacktestRun['curve'], fills: readonly FillRecord[]) {
  const traded = tradedValue(fills);
  return {
    exposure: exposure(curve.isExposed.subarray(0, curve.length)),
    turnover: turnover(traded, curve.equity.subarray(0, curve.length)),
    tradedValue: traded,
    fees: feesPaid(fills),
  };
}

function tripMetrics(trips: readonly RoundTrip[]) {
  const closed = trips.filter(({ isOpen }) => !isOpen);
  const returns = tripReturns(closed);
  const lengths = tripLengths(closed);
  return {
    trades: closed.length,
    openTrades: trips.length - closed.length,
    winRate: winRate(closed),
    profitFactor: profitFactor(closed),
    expectancy: expectancy(closed),
    sqn: systemQuality(closed),
    averageTradeReturn: returns.average,
    bestTradeReturn: returns.best,
    worstTradeReturn: returns.worst,
    averageTradeMs: lengths.average,
    longestTradeMs: lengths.longest,
  };
}

/** Data that is read of a market: its name, and its prices at the ends. */
type HeldMarket = Pick<TradedMarket, 'firstPrice' | 'lastPrice'> & {
  readonly market: Pick<TradedMarket['market'], 'symbol' | 'base' | 'quote'>;
};

/**
 * Returns what the same money would have returned if it had been spread evenly over the coins of the run at
 * their first prices and held: `mean(last price / first price - 1)`, before fees and spreads. Each coin
 * counts once, by its prices in the currency of the run. Null without a coin.
 */
export function buyAndHoldReturn(markets: readonly HeldMarket[], quote: Currency): Statistic {
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
    const before = valueIn(quote, one, pricesOf(first));
    const after = valueIn(quote, one, pricesOf(last));
    return before === null || after === null || before === 0n ? [] : [numberOf(after) / numberOf(before) - 1];
  });
  return mean(returns);
}

const pricesOf = (prices: ReadonlyMap<string, Units>): Prices => ({
  marketNames: MARKET_NAMES,
  priceOf: (symbol) => prices.get(symbol) ?? null,
});
