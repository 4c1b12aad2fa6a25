/**
 * All that the author of a strategy imports: `import { defineStrategy, sma } from '#sdk'` in the checkout,
 * `sarraf/sdk` when the package is installed. A strategy imports this and zod, nothing else.
 */
export { Decimal } from './sdk/strategy-decimal.ts';
export type { DecimalText } from '../domain/decimal-text.ts';
export type { Bar } from './data/bar.ts';
export type { Book, Level } from './book.ts';
export type { DataAges, MarketContext, StrategyContext } from './context.ts';
export type { CandleData, Data, DataSetup, MarginData, MarketData, TimerEvent } from './data/data.ts';
export { defineStrategy, type StrategyDefinition } from './definition.ts';
export type { IndicatorSpec } from './indicators/indicator-specs.ts';
export * from './indicators/averages.ts';
export * from './indicators/momentum.ts';
export * from './indicators/oscillators.ts';
export * from './indicators/stops.ts';
export * from './indicators/trends.ts';
export * from './indicators/volatility.ts';
export * from './indicators/volume.ts';
export type {
  BracketWish,
  Change,
  DcaWish,
  DecimalInput,
  Distance,
  ExitWish,
  IcebergWish,
  Intent,
  LadderWish,
  LeaveWish,
  OcoWish,
  OrderWish,
  PegWish,
  ProtectWish,
  Quote,
  Size,
  TargetsOptions,
  TargetWish,
  TransferWish,
  TwapWish,
  VwapWish,
} from './intents.ts';
export type { MarketDay } from './data/market-day.ts';
export type { Rules } from './market-rules.ts';
export type { Fill, Order } from './own-order.ts';
export type { ShownLock } from './shown-lock.ts';
export type { Transfer } from './data/shown-transfer.ts';
export { decimal } from './sdk/parameters.ts';
export type { PlotColor, PlotOptions, PlotStyle } from './plots.ts';
export type { OrderUpdate, OwnOrderState, Rejection, TransferStatus } from './strategy-event.ts';
export type { DelegationLimit, MarginWallets, Pool, Pools, ShownMarginWallet } from './data/shown-margin.ts';
export { search, type SearchRange } from './search-range.ts';
export type { Signal, SignalData } from './signal.ts';
export { size, type Edge, type RiskPerTrade, type VolatilityTarget } from './sdk/size.ts';
export { TIMEFRAMES, type Timeframe } from '../domain/candle.ts';
export type { Freshness } from './subscriptions.ts';
export type { Tape, TapeTrade } from './data/tape.ts';
export type { Ticker } from './data/ticker.ts';
export { volumeProfile } from './sdk/volume-profile.ts';
export { weights, type Covariance, type Weights } from './sdk/weights.ts';
export type { MemberCandles, OfMembers, UniverseData } from './universe/member-data.ts';
export type { Universe, UniverseEvent } from './shown-universe.ts';
export type { UniverseWish } from './universe-rules.ts';
export type { Member } from './universe-state.ts';
