/** Backtests as a library: candles in typed columns or recorded books and trades, and a result object. */
export {
  backtest,
  type BacktestMarkets,
  type BacktestOptions,
  type BacktestOutcome,
  type BacktestStrategy,
} from './backtest/setup/backtest.ts';
export {
  loadCandles,
  type Candles,
  type CandleSource,
  type Moment,
} from './backtest/setup/research-candles.ts';
export type { BacktestResult } from './backtest/result/result-schema.ts';
export { latencyOfSession } from './backtest/parity/session.ts';
export type { PollRules } from './venues/recorded/poll-rules.ts';
export type { BarRules } from './venues/bars/bar-rules.ts';
export type { Timeframe } from './domain/timeframe.ts';
