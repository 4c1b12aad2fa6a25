/**
 * All that the author of a strategy imports: `import { buy, candles, defineStrategy } from '#sdk'` in the checkout, `sarraf/sdk` when the package
 * is installed. A strategy imports this and zod, nothing else.
 */
export { Decimal } from './strategy-decimal.ts';
export type { DecimalText } from '../domain/decimal-text.ts';
export type { BookLevel, OrderBook } from '../domain/order-book.ts';
export type { PublicTrade } from '../domain/trade.ts';
export type { MarketStats } from '../domain/market-stats.ts';
export type { DataAges, StrategyContext } from './context.ts';
export { defineStrategy } from './definition.ts';
export type {
  ClosedCandle,
  FillEvent,
  HandlerResult,
  OrderUpdate,
  OwnOrder,
  OwnOrderState,
  SeenBook,
  SeenStats,
  SeenTrades,
  StrategyDefinition,
  TimerEvent,
} from './definition.ts';
export {
  buy,
  cancel,
  cancelAll,
  iceberg,
  oco,
  quotes,
  replace,
  sell,
  target,
  twap,
  type DecimalInput,
  type Intent,
  type OcoWish,
  type OrderWish,
  type Quote,
} from './intents.ts';
export type { CandleSource, IndicatorSpec } from './indicator-specs.ts';
export * from './indicators/averages.ts';
export * from './indicators/momentum.ts';
export * from './indicators/oscillators.ts';
export * from './indicators/stops.ts';
export * from './indicators/trends.ts';
export * from './indicators/volatility.ts';
export * from './indicators/volume.ts';
export { currenciesOf } from './currencies.ts';
export { TIMEFRAMES, type Timeframe } from '../domain/timeframe.ts';
export { isTradable, type MarketRules } from './market-rules.ts';
export { decimal } from './parameters.ts';
export type { Rejection } from './strategy-event.ts';
export { book, candles, stats, timer, trades, type Freshness, type Subscription } from './subscriptions.ts';
