/**
 * All that the author of a strategy imports: `import { buy, candles, defineStrategy } from '#sdk'` in the checkout, `sarraf/sdk` when the package
 * is installed. A strategy imports this and zod, nothing else.
 */
export { Decimal } from 'decimal.js';
export { defineStrategy } from './definition.ts';
export type {
  ClosedCandle,
  FillEvent,
  HandlerResult,
  OrderEvent,
  OwnOrder,
  StrategyContext,
  StrategyDefinition,
} from './definition.ts';
export { buy, cancel, quotes, sell, type Intent, type OrderWish, type Quote } from './intents.ts';
export { sma, type IndicatorSpec } from './indicators.ts';
export { decimal } from './parameters.ts';
export { book, candles, SPANS, type Span, type Subscription } from './subscriptions.ts';
