import type { CandleData } from '../data/data.ts';
import type { MemberCandles } from '../universe/member-data.ts';

/** Carries the type of the value along with a declaration; no object has it. */
declare const VALUE: unique symbol;

/**
 * An indicator that a strategy declares, such as `sma(bars, 20)`. The runner owns it, feeds it with closed
 * candles and hands out its value. `kind` is its name in `INDICATORS`.
 */
export interface IndicatorSpec<Value extends IndicatorValue = IndicatorValue> {
  readonly kind: string;
  readonly params: Readonly<Record<string, number>>;
  readonly of: CandleData;
  readonly [VALUE]?: Value;
}

/** The same on the candles of the members of a universe, of which each has its own. */
export interface MemberIndicatorSpec<Value extends IndicatorValue = IndicatorValue> {
  readonly kind: string;
  readonly params: Readonly<Record<string, number>>;
  readonly of: MemberCandles;
  readonly [VALUE]?: Value;
}

/**
 * A number, or a frozen record of them. Values are floats: they are read by decisions, never by the books.
 */
export type IndicatorValue = number | object;

/** Indicators by the name that the author gives them. */
export type IndicatorSpecs = Readonly<Record<string, IndicatorSpec | MemberIndicatorSpec>>;

/** Of a strategy without indicators: no name is one. */
// oxlint-disable-next-line typescript/no-generated-empty-object-type
export type NoSpecs = Readonly<Record<never, IndicatorSpec>>;

/** Type of an indicator's value. */
export type ValueOf<Spec extends IndicatorSpec | MemberIndicatorSpec> =
  Spec extends IndicatorSpec<infer Value>
    ? Value
    : Spec extends MemberIndicatorSpec<infer Value>
      ? Value
      : never;
