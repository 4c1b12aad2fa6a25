/** Backtests as a library: candles in typed columns or recorded books and trades, and a result object. */
export {
  backtest,
  type BacktestMarkets,
  type BacktestOptions,
  type BacktestOutcome,
  type BacktestStrategy,
} from './backtest/backtest.ts';
export type { BacktestSignal } from './backtest/signals.ts';
export { loadCandles, type Candles, type CandleSource, type Moment } from './backtest/research-candles.ts';
export type { BacktestResult } from './backtest/result-schema.ts';
export { latencyOfSession } from './backtest/session.ts';
export type { BarRules, PollRules } from './venues/fill-rules.ts';
export type { Timeframe } from './domain/candle.ts';
export { createRandom, type RandomSource } from './domain/random.ts';
export { InvalidSample, type Estimate, type UnknownReason } from './statistics/estimate.ts';
export { normalCdf, normalQuantile } from './statistics/probabilistic-sharpe.ts';
export { sampleMoments, type SampleMoments, type SharpeSample } from './statistics/estimate.ts';
export { observedSharpe } from './statistics/probabilistic-sharpe.ts';
export { autocorrelation } from './statistics/estimate.ts';
export { probabilisticSharpe } from './statistics/probabilistic-sharpe.ts';
export { minimumTrackRecord, type TrackRecordOptions } from './statistics/probabilistic-sharpe.ts';
export { expectedMaximumSharpe, type TrialSpread } from './statistics/probabilistic-sharpe.ts';
export { deflatedSharpe } from './statistics/probabilistic-sharpe.ts';
export {
  deflatedSharpeOfTrials,
  type ChosenTrial,
  type DeflatedTrials,
  type Deflation,
} from './statistics/probabilistic-sharpe.ts';
export { effectiveTrials, type EffectiveTrials } from './statistics/effective-trials.ts';
export {
  overfittingProbability,
  type Overfitting,
  type OverfittingOptions,
} from './statistics/overfitting-probability.ts';
export { realityCheck, type RealityCheck } from './statistics/superior-predictive-ability.ts';
export {
  superiorPredictiveAbility,
  type PredictiveAbility,
} from './statistics/superior-predictive-ability.ts';
export type { BootstrapOptions } from './statistics/stationary-bootstrap.ts';
export { blockLength, type BlockLength } from './statistics/stationary-bootstrap.ts';
export { stationaryBootstrap, type StationaryOptions } from './statistics/stationary-bootstrap.ts';
export {
  tradeOrderRisk,
  type TradeOrderOptions,
  type TradeOrderRisk,
} from './statistics/trade-order-risk.ts';
export type { Quantiles } from './statistics/estimate.ts';
export {
  randomEntries,
  type PlannedPosition,
  type RandomEntryOptions,
} from './statistics/trade-order-risk.ts';
