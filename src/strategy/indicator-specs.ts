import type { Span } from './subscriptions.ts';

/** Which candles an indicator reads, among those that the strategy subscribes to; what is left out matches any, and the first that matches is it. */
export interface CandleSource {
  readonly span?: Span;
  readonly market?: string;
}

/** An indicator of one number over a count of bars. */
export interface LengthSpec {
  readonly kind: 'sma' | 'ema' | 'wma' | 'rsi' | 'atr' | 'stdev';
  readonly length: number;
  readonly of: CandleSource;
}

export interface MacdSpec {
  readonly kind: 'macd';
  readonly fast: number;
  readonly slow: number;
  readonly signal: number;
  readonly of: CandleSource;
}

export interface BollingerSpec {
  readonly kind: 'bollinger';
  readonly length: number;
  readonly deviations: number;
  readonly of: CandleSource;
}

/** An indicator that a strategy declares; the runner owns it, feeds it with closed candles and hands out its value. */
export type IndicatorSpec = LengthSpec | MacdSpec | BollingerSpec;

/** `histogram` is the line less its signal. */
export interface MacdValue {
  readonly line: number;
  readonly signal: number;
  readonly histogram: number;
}

export interface BollingerValue {
  readonly lower: number;
  readonly middle: number;
  readonly upper: number;
}

/** Values are floats: they are read by decisions, never by the books. */
export type IndicatorValue = number | MacdValue | BollingerValue;

/** What an indicator's value is. */
export type ValueOf<Spec extends IndicatorSpec> = Spec extends MacdSpec
  ? MacdValue
  : Spec extends BollingerSpec
    ? BollingerValue
    : number;

/** Simple moving average of the last `length` closes; null until there are so many. */
export function sma(length: number, of: CandleSource = {}): LengthSpec {
  return { kind: 'sma', length, of };
}

/** Exponential moving average of the closes with the weight 2 / (`length` + 1). It begins at bar `length` with the simple average. */
export function ema(length: number, of: CandleSource = {}): LengthSpec {
  return { kind: 'ema', length, of };
}

/** Weighted moving average of the last `length` closes: the newest counts `length` times, the oldest once. */
export function wma(length: number, of: CandleSource = {}): LengthSpec {
  return { kind: 'wma', length, of };
}

/** Wilder's relative strength index of the closes, 0 to 100; the first at bar `length` + 1. 100 where there was no loss. */
export function rsi(length = 14, of: CandleSource = {}): LengthSpec {
  return { kind: 'rsi', length, of };
}

/** Wilder's average true range; the first at bar `length`, as the mean of the true ranges. The first bar's is its high less its low. */
export function atr(length = 14, of: CandleSource = {}): LengthSpec {
  return { kind: 'atr', length, of };
}

/** Standard deviation of the last `length` closes, as of a whole population (divided by `length`). */
export function stdev(length: number, of: CandleSource = {}): LengthSpec {
  return { kind: 'stdev', length, of };
}

/** Moving average convergence and divergence: two exponential averages, and one of their difference; the first at bar `slow` + `signal` - 1. */
export function macd(
  lengths: { readonly fast?: number; readonly slow?: number; readonly signal?: number } = {},
  of: CandleSource = {},
): MacdSpec {
  return { kind: 'macd', fast: lengths.fast ?? 12, slow: lengths.slow ?? 26, signal: lengths.signal ?? 9, of };
}

/** Bollinger bands: the simple average of the last `length` closes, and `deviations` standard deviations on both sides of it. */
export function bollinger(length = 20, deviations = 2, of: CandleSource = {}): BollingerSpec {
  return { kind: 'bollinger', length, deviations, of };
}
