import type { FillRecord } from '../../execution/fill-record.ts';
import type { BacktestRun } from '../backtest-run.ts';
import { exposure, feesPaid, tradedValue, turnover } from './activity.ts';
import { barReturns, returnsPerYear } from './bar-returns.ts';
import { buyAndHoldReturn } from './buy-and-hold.ts';
import { maximumDrawdown } from './drawdown.ts';
import { numberOf } from './finite-number.ts';
import { calmarRatio, compoundAnnualGrowth, totalReturn } from './growth.ts';
import { omegaRatio, sharpeRatio, sortinoRatio, volatility } from './return-ratios.ts';
import type { RoundTrip } from './round-trips.ts';
import { expectancy, profitFactor, systemQuality, tripLengths, tripReturns, winRate } from './trip-statistics.ts';

/** Every figure of a run that is a statistic; `docs/metrics.md` has the formulas. What has no value is null. */
export function runMetrics(run: BacktestRun, trips: readonly RoundTrip[], traded: readonly FillRecord[] = run.fills) {
  return { ...equityMetrics(run), ...activityMetrics(run.curve, traded), ...tripMetrics(trips) };
}

function equityMetrics(run: BacktestRun) {
  const { curve, barMs, fromMs, toMs } = run;
  const startValue = numberOf(run.initialEquity);
  const value = curve.equity.subarray(0, curve.length);
  const timeMs = curve.timeMs.subarray(0, curve.length);
  const growth = { initialEquity: startValue, finalEquity: numberOf(run.finalEquity), spanMs: toMs - fromMs };
  const perYear = returnsPerYear({ barMs, count: value.length, spanMs: toMs - fromMs });
  const returns = { values: barReturns(startValue, value), perYear };
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
