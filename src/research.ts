/** Backtests as a library: candles in typed columns or recorded books and trades, and a result object. */
export {
  backtest,
  type BacktestMarkets,
  type BacktestOptions,
  type BacktestOutcome,
  type BacktestStrategy,
} from './backtest/setup/backtest.ts';
export type { BacktestSignal } from './backtest/signals/read-signals.ts';
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
export { createRandom, type RandomSource } from './domain/random.ts';
export { InvalidSample, type Estimate, type UnknownReason } from './study/statistics/estimate.ts';
export { normalCdf, normalQuantile } from './study/statistics/normal-distribution.ts';
export { sampleMoments, type SampleMoments, type SharpeSample } from './study/statistics/sample-moments.ts';
export { observedSharpe } from './study/statistics/observed-sharpe.ts';
export { autocorrelation } from './study/statistics/autocorrelation.ts';
export { probabilisticSharpe } from './study/statistics/probabilistic-sharpe.ts';
export { minimumTrackRecord, type TrackRecordOptions } from './study/statistics/minimum-track-record.ts';
export { expectedMaximumSharpe, type TrialSpread } from './study/statistics/expected-maximum-sharpe.ts';
export { deflatedSharpe } from './study/statistics/deflated-sharpe.ts';
export {
  deflatedSharpeOfTrials,
  type ChosenTrial,
  type DeflatedTrials,
  type Deflation,
} from './study/statistics/deflated-sharpe-of-trials.ts';
export { effectiveTrials, type EffectiveTrials } from './study/statistics/effective-trials.ts';
export {
  overfittingProbability,
  type Overfitting,
  type OverfittingOptions,
} from './study/statistics/overfitting-probability.ts';
export { realityCheck, type RealityCheck } from './study/statistics/reality-check.ts';
export {
  superiorPredictiveAbility,
  type PredictiveAbility,
} from './study/statistics/superior-predictive-ability.ts';
export type { BootstrapOptions } from './study/statistics/bootstrap-options.ts';
export { blockLength, type BlockLength } from './study/statistics/block-length.ts';
export { stationaryBootstrap, type StationaryOptions } from './study/statistics/stationary-bootstrap.ts';
export {
  tradeOrderRisk,
  type TradeOrderOptions,
  type TradeOrderRisk,
} from './study/statistics/trade-order-risk.ts';
export type { Quantiles } from './study/statistics/quantiles.ts';
export {
  randomEntries,
  type PlannedPosition,
  type RandomEntryOptions,
} from './study/statistics/random-entries.ts';
