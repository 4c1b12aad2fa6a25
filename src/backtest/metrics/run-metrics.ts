import type { Currency } from '../../domain/market-symbol.ts';
import { NO_UNITS, UNITS_PER_ONE, type Units } from '../../domain/money.ts';
import type { FillRecord } from '../../records/fill.ts';
import { valueIn, type Prices } from '../../portfolio/holding.ts';
import type { BacktestRun, TradedMarket } from '../backtest-run.ts';
import { feeValue, type RoundTrip } from '../../portfolio/round-trips.ts';
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
import {
  numberOf,
  mean,
  meanOfColumn,
  type Statistic,
  finite,
  quotient,
  sampleDeviation,
} from '../statistics.ts';
import { MARKET_NAMES } from '../../exchange/market-names.ts';

/** Computes all statistics of a run; `docs/metrics.md` has the formulas. Null where one has no value. */
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

/** Returns the share of moments with an open position, 0 to 1; null without moments. */
export function exposure(isExposed: Uint8Array): Statistic {
  let exposed = 0;
  for (let index = 0; index < isExposed.length; index += 1) exposed += isExposed[index] ?? 0;
  return quotient(exposed, isExposed.length);
}

/** Returns the value of all buys and sells before fees, exact. */
export function tradedValue(fills: readonly FillRecord[]): Units {
  return fills.reduce((sum, { total }) => sum + total, NO_UNITS as bigint) as Units;
}

/** Returns all fees in the quote currency, each rounded to ten decimals. */
export function feesPaid(fills: readonly FillRecord[]): Units {
  return fills.reduce((sum, fill) => sum + feeValue(fill), NO_UNITS as bigint) as Units;
}

/** Returns the turnover: `value of all fills / mean(equity)`. One purchase and sale of all gives about 2. */
export function turnover(traded: Units, equity: Float64Array): Statistic {
  const average = meanOfColumn(equity);
  return average === null || average <= 0 ? null : quotient(numberOf(traded), average);
}

/** Data of a market for buy and hold: its name, and its first and last price. */
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
    // A very large amount, so that rounding does not affect the ratio.
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

/** Data of a closed trade that the statistics of trades need. */
type ClosedTrip = Pick<RoundTrip, 'profit' | 'cost' | 'openedAtMs' | 'closedAtMs'>;

/** Win rate: `trades with a profit / trades`. A trade without profit or loss is no win. */
export function winRate(trips: readonly ClosedTrip[]): Statistic {
  return quotient(trips.filter(({ profit }) => profit > 0n).length, trips.length);
}

/** Profit factor: `sum of profits / sum of losses`; null without a loss. Pardo (2008), 12. */
export function profitFactor(trips: readonly ClosedTrip[]): Statistic {
  let profits = 0;
  let losses = 0;
  for (const { profit } of trips) {
    if (profit > 0n) profits += numberOf(profit);
    else losses -= numberOf(profit);
  }
  return quotient(profits, losses);
}

/** Expectancy: mean profit of a trade after fees, in the quote currency. Tharp (2006), chapter 7. */
export function expectancy(trips: readonly ClosedTrip[]): Statistic {
  return mean(profitsOf(trips));
}

/**
 * System quality number: `sqrt(trades) x mean(profit) / sampleDeviation(profit)`. Profits replace multiples
 * of the risk, which is not known. Tharp, "Definitive Guide to Position Sizing" (2008), 2.
 */
export function systemQuality(trips: readonly ClosedTrip[]): Statistic {
  const profits = profitsOf(trips);
  const ratio = quotient(mean(profits), sampleDeviation(profits));
  return ratio === null ? null : finite(Math.sqrt(profits.length) * ratio);
}

/** Return of one trade: `profit / cost`. */
export function tripReturn({ profit, cost }: Pick<RoundTrip, 'profit' | 'cost'>): Statistic {
  return quotient(numberOf(profit), numberOf(cost));
}

/** Returns the mean, the best and the worst return of trades, each `profit / cost`. */
export function tripReturns(trips: readonly ClosedTrip[]): {
  readonly average: Statistic;
  readonly best: Statistic;
  readonly worst: Statistic;
} {
  const returns: number[] = [];
  let best: Statistic = null;
  let worst: Statistic = null;
  for (const trip of trips) {
    const value = tripReturn(trip);
    if (value === null) continue;
    returns.push(value);
    if (best === null || value > best) best = value;
    if (worst === null || value < worst) worst = value;
  }
  return { average: mean(returns), best, worst };
}

/** Returns the mean and the longest time from the first buy of a trade to its last sell, in ms. */
export function tripLengths(trips: readonly ClosedTrip[]): {
  readonly average: Statistic;
  readonly longest: Statistic;
} {
  const lengths = trips.map(({ openedAtMs, closedAtMs }) => (closedAtMs ?? openedAtMs) - openedAtMs);
  const longest = lengths.reduce((most, length) => Math.max(most, length), 0);
  return { average: mean(lengths), longest: lengths.length === 0 ? null : longest };
}

function profitsOf(trips: readonly ClosedTrip[]): number[] {
  return trips.map(({ profit }) => numberOf(profit));
}
