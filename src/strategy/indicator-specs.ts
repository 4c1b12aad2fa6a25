import type { Timeframe } from '../domain/timeframe.ts';

/** Which candles an indicator reads, among those that the strategy subscribes to; what is left out matches any, and the first that matches is it. */
export interface CandleSource {
  readonly timeframe?: Timeframe;
  readonly market?: string;
}

/** Carries the type of the value along with a declaration; no object has it. */
declare const VALUE: unique symbol;

/**
 * An indicator that a strategy declares, such as `sma(20)`. The runner owns it, feeds it with closed candles and hands out
 * its value. `kind` is its name in `INDICATORS`.
 */
export interface IndicatorSpec<Value extends IndicatorValue = IndicatorValue> {
  readonly kind: string;
  readonly params: Readonly<Record<string, number>>;
  readonly of: CandleSource;
  readonly [VALUE]?: Value;
}

/** A number, or a frozen record of them. Values are floats: they are read by decisions, never by the books. */
export type IndicatorValue = number | object;

/** What an indicator's value is. */
export type ValueOf<Spec extends IndicatorSpec> = Spec extends IndicatorSpec<infer Value> ? Value : never;
