/**
 * All that an author of a strategy imports, besides zod: `import { defineStrategy, sma } from '#sdk'` in the
 * checkout, `sarraf/sdk` from the installed package.
 */
export { Decimal } from './decimal-input.ts';
export type { DecimalText } from '../domain/decimal-text.ts';
export type { Bar, Ticker } from './data/bar.ts';
export type { Book, Level } from './book.ts';
export type { DataAges, MarketContext, StrategyContext } from './context.ts';
export type {
  CandleData,
  Data,
  DataSetup,
  MarginData,
  MarketData,
  MarketDay,
  Tape,
  TapeTrade,
  TimerEvent,
} from './data/data.ts';
export { defineStrategy, type StrategyDefinition } from './definition.ts';
export { defineIndicator, type IndicatorSpec } from './indicators/declare-indicator.ts';
export * from './indicators/averages.ts';
export * from './indicators/momentum.ts';
export * from './indicators/oscillators.ts';
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
  TargetWish,
  TargetsOptions,
  TransferWish,
  TwapWish,
  VwapWish,
} from './intents.ts';
export type {
  Fill,
  Order,
  OrderUpdate,
  OwnOrderState,
  Rejection,
  Rules,
  ShownLock,
  TransferStatus,
} from './strategy-event.ts';
export type {
  DelegationLimit,
  MarginWallets,
  Pool,
  Pools,
  ShownMarginWallet,
  Transfer,
} from './data/shown-margin.ts';
export { defineRules, type CandleRules, type Condition, type Operand, type Series } from './rules.ts';
export { decimal, search, type SearchRange } from './search-range.ts';
export type { PlotColor, PlotStyle } from '../domain/figure-name.ts';
export type { PlotOptions } from './plots.ts';
export type { Signal, SignalData } from './signal.ts';
export {
  size,
  type Edge,
  type RiskPerTrade,
  type VolatilityTarget,
  weights,
  type Covariance,
  type Weights,
} from './sdk/size.ts';
export { TIMEFRAMES, type Timeframe } from '../domain/candle.ts';
export type { Freshness } from './subscriptions.ts';
export { volumeProfile } from './sdk/volume-profile.ts';
export type { MemberCandles, OfMembers, UniverseData } from './universe/member-data.ts';
export type { Universe, UniverseEvent } from './shown-universe.ts';
export type { UniverseWish } from './universe-rules.ts';
export type { Member } from './rank-markets.ts';
