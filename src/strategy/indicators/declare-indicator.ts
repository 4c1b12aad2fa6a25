import { LONGEST_WARM_UP, type Candle } from '../../domain/candle.ts';
import { invalidStrategy, didYouMean } from '../../domain/errors.ts';
import type { CandleData } from '../data/data.ts';
import { isFields } from '../fields.ts';
import type { MemberCandles } from '../universe/member-data.ts';
import type { Ohlcv, RunningFormula } from './series.ts';

/** Key of a type-only field: it holds the type of an indicator's value; no object has it at run time. */
declare const VALUE: unique symbol;

/**
 * An indicator that a strategy declares, such as `sma(bars, 20)`. The runner feeds it with closed candles and
 * returns its value. `kind` is its name in `INDICATORS`.
 */
export interface IndicatorSpec<Value extends IndicatorValue = IndicatorValue> {
  readonly kind: string;
  readonly params: Readonly<Record<string, number>>;
  readonly of: CandleData;
  readonly [VALUE]?: Value;
}

/** An indicator on the candles of universe members; each member has its own. */
export interface MemberIndicatorSpec<Value extends IndicatorValue = IndicatorValue> {
  readonly kind: string;
  readonly params: Readonly<Record<string, number>>;
  readonly of: MemberCandles;
  readonly [VALUE]?: Value;
}

/** A number, or a frozen record of numbers. They are floats for decisions, never for the books. */
export type IndicatorValue = number | object;

/** One running indicator: is fed with closed candles in order, and has a value after each. */
export interface Indicator {
  /** Number of the candle, from 1, at which it has its first value. */
  readonly first: number;
  /** Number of candles after which less than a thousandth of earlier values is left in its value. */
  readonly settledAfter: number;
  /**
   * Value as of the last candle. Null before it has seen enough candles, and if its formula divides by zero.
   * An indicator with a memory beyond its window then starts again, so that the fault does not stay in it.
   */
  readonly value: IndicatorValue | null;
  /** `value` if that is a number, else NaN. */
  readonly number: number;
  /** True if `value` is not null. */
  readonly hasValue: boolean;
  /** Number of bars that it was given so far. */
  readonly added: number;
  add(candle: Candle): void;
  /** Stores all values at a slot from 0 to `MOST_AHEAD`, so that bars can be read ahead. */
  store(slot: number): void;
  /** Returns to the values of a slot, after the candle `last`. The next `add` continues as if it had not. */
  show(slot: number, last: Candle | null): void;
}

/** Indicators by the names that the author gives them. */
export type IndicatorSpecs = Readonly<Record<string, IndicatorSpec | MemberIndicatorSpec>>;

/** Indicators of a strategy that declares none. */
// oxlint-disable-next-line typescript/no-generated-empty-object-type
export type NoSpecs = Readonly<Record<never, IndicatorSpec>>;

/** Type of an indicator's value. */
export type ValueOf<Spec extends IndicatorSpec | MemberIndicatorSpec> =
  Spec extends IndicatorSpec<infer Value>
    ? Value
    : Spec extends MemberIndicatorSpec<infer Value>
      ? Value
      : never;

/** Range of an indicator's parameter, both ends included, and its default. */
interface ParameterRange {
  readonly usual: number;
  readonly least: number;
  readonly most: number;
  /** True for a count of bars, false for any number. */
  readonly isWhole: boolean;
}

/** Returns the end of a message about a wrong count of bars: why there can not be more. */
export const limitText = (bars: unknown): string =>
  Number(bars) > LONGEST_WARM_UP ? `: ${LONGEST_WARM_UP} is the longest history that a bot keeps` : '';

/** Range of a parameter that is a count of bars, at most `LONGEST_WARM_UP`. */
export function bars(usual: number, least = 1): ParameterRange {
  return { usual, least, most: LONGEST_WARM_UP, isWhole: true };
}

/** Range of a parameter that is any number. */
export function factor(usual: number, least: number, most: number): ParameterRange {
  return { usual, least, most, isWhole: false };
}

type Ranges = Readonly<Record<string, ParameterRange>>;
type NoRanges = Readonly<Record<string, never>>;
type Numbers<Params extends Ranges> = { readonly [Name in keyof Params]: number };

/** All that is known of one indicator: its row of the table. */
interface Rules<Params extends Ranges, Value extends IndicatorValue> {
  readonly params: Params;
  /** Checks a rule between parameters: returns null, or the expectation that failed. */
  readonly refusal?: (params: Numbers<Params>) => string | null;
  /** Returns the number of the bar, from 1, at which it has its first value; left out if that is `length`. */
  readonly first?: (params: Numbers<Params>) => number;
  /** Returns the bars after which its value no longer depends on its start; left out if that is `first`. */
  readonly settled?: (params: Numbers<Params>) => number;
  /** Starts a new running indicator, fed with closes or with whole bars. */
  readonly start: (params: Numbers<Params>) => IndicatorFeed<Value>;
}

/** A running indicator, with the kind of input that it reads. */
export type IndicatorFeed<Value> =
  | { readonly reads: 'closes'; readonly series: RunningFormula<number, Value> }
  | { readonly reads: 'bars'; readonly series: RunningFormula<Ohlcv, Value> };

export function ofCloses<Value>(series: RunningFormula<number, Value>): IndicatorFeed<Value> {
  return { reads: 'closes', series };
}

export function ofBars<Value>(series: RunningFormula<Ohlcv, Value>): IndicatorFeed<Value> {
  return { reads: 'bars', series };
}

/** An indicator whose parameters are checked. */
export interface CheckedIndicator {
  readonly first: number;
  readonly settledAfter: number;
  readonly start: () => IndicatorFeed<IndicatorValue>;
}

/** Table entry of an indicator, whatever its parameters are called. */
export interface IndicatorEntry {
  readonly kind: string;
  readonly params: Ranges;
  /** Checks parameters. Throws `INVALID_STRATEGY` that names the parameter, its range and its value. */
  readonly check: (params: unknown) => CheckedIndicator;
}

/** The function with which strategies declare an indicator, and its row of the table. */
export type Declaration<
  Arguments extends readonly [of: CandleData, ...unknown[]],
  Value extends IndicatorValue,
> = Declare<Arguments, Value> & { readonly entry: IndicatorEntry };

/** Declares an indicator on candles, or on the candles of each universe member. */
interface Declare<Arguments extends readonly [of: CandleData, ...unknown[]], Value extends IndicatorValue> {
  (...given: OfMemberCandles<Arguments>): MemberIndicatorSpec<Value>;
  (...given: Arguments): IndicatorSpec<Value>;
}

type OfMemberCandles<Arguments extends readonly [of: CandleData, ...unknown[]]> = Arguments extends readonly [
  of: CandleData,
  ...rest: infer Rest,
]
  ? [of: MemberCandles, ...rest: Rest]
  : never;

/** Makes a declaration for candles accept candles of universe members, too: the runner makes one for each. */
export function declared<
  Arguments extends readonly [of: CandleData, ...unknown[]],
  Value extends IndicatorValue,
>(
  declare: (...given: Arguments) => IndicatorSpec<Value>,
  entry: IndicatorEntry,
): Declaration<Arguments, Value> {
  return Object.assign(declare as Declare<Arguments, Value>, { entry });
}

/** Declares an indicator without parameters: `bop(bars)`. */
export function declarePlain<Value extends IndicatorValue>(
  kind: string,
  rules: Omit<Rules<NoRanges, Value>, 'params'>,
): Declaration<[of: CandleData], Value> {
  const declare = (of: CandleData): IndicatorSpec<Value> => ({ kind, params: {}, of });
  return declared(declare, entryOf(kind, { params: {}, ...rules }));
}

/** Declares an indicator over a count of bars: `adx(bars, 14)`. */
export function declareLength<Value extends IndicatorValue>(
  kind: string,
  range: ParameterRange,
  rules: Omit<Rules<{ readonly length: ParameterRange }, Value>, 'params'>,
): Declaration<[of: CandleData, length?: number], Value> {
  const declare = (of: CandleData, length = range.usual): IndicatorSpec<Value> => ({
    kind,
    params: { length },
    of,
  });
  return declared(declare, entryOf(kind, { params: { length: range }, ...rules }));
}

/** Declares an indicator of the last `length` bars alone: its first value is at bar `length`. */
export function declareWindow<Value extends IndicatorValue>(
  kind: string,
  range: ParameterRange,
  start: (length: number) => IndicatorFeed<Value>,
): Declaration<[of: CandleData, length?: number], Value> {
  return declareLength(kind, range, { start: ({ length }) => start(length) });
}

/** Declares an indicator of the last `length` changes: its first value is at bar `length` + 1. */
export function declareChanges<Value extends IndicatorValue>(
  kind: string,
  range: ParameterRange,
  start: (length: number) => IndicatorFeed<Value>,
): Declaration<[of: CandleData, length?: number], Value> {
  return declareLength(kind, range, {
    first: ({ length }) => length + 1,
    start: ({ length }) => start(length),
  });
}

/** Declares an indicator with parameters by name: `keltner(bars, { length: 20, factor: 2 })`. */
export function declareNamed<const Params extends Ranges, Value extends IndicatorValue>(
  kind: string,
  params: Params,
  rules: Omit<Rules<Params, Value>, 'params'>,
): Declaration<[of: CandleData, given?: Partial<Numbers<Params>>], Value> {
  const declare = (of: CandleData, given: Partial<Numbers<Params>> = {}): IndicatorSpec<Value> => ({
    kind,
    params: { ...usualOf(params), ...given },
    of,
  });
  return declared(declare, entryOf(kind, { params, ...rules }));
}

/** An indicator of an author: a state, and how each closed bar changes it. */
interface OwnIndicator<Params extends OwnParams, State extends object, Value extends IndicatorValue> {
  /** Name for messages and explanations. */
  readonly name: string;
  /** Parameters with their defaults: any finite numbers. */
  readonly params?: Params;
  /** Returns the state before the first bar: an object that `next` changes. */
  readonly init: (params: Params) => State;
  /** Adds a closed bar to the state. Returns the value after it; null while there is none. */
  readonly next: (state: State, bar: Readonly<Ohlcv>, params: Params) => Value | null;
  /** Returns the number of the bar, from 1, at which it has its first value. */
  readonly warmUp: (params: Params) => number;
  /** Returns the bars after which its value no longer depends on its start; left out if that is `warmUp`. */
  readonly settled?: (params: Params) => number;
}

type OwnParams = Readonly<Record<string, number>>;

/** Rows of the indicators of authors, by their declarations. */
export const OWN_ENTRIES = new WeakMap<object, IndicatorEntry>();

/**
 * Defines an indicator of one's own, for rules and handlers: `range(bars, { length: 10 })`. It is a function
 * of the bars alone: with times, random numbers or variables outside of its state it is refused.
 */
export function defineIndicator<
  State extends object,
  Value extends IndicatorValue,
  const Params extends OwnParams = OwnParams,
>(
  own: OwnIndicator<{ readonly [Name in keyof Params]: number }, State, Value> & { readonly params?: Params },
): (of: CandleData, given?: { readonly [Name in keyof Params]?: number }) => IndicatorSpec<Value> {
  const usual: OwnParams = own.params ?? {};
  const range = { least: -Number.MAX_VALUE, most: Number.MAX_VALUE, isWhole: false };
  const entry = entryOf(own.name, {
    params: Object.fromEntries(
      Object.entries(usual).map(([name, value]) => [name, { usual: value, ...range }]),
    ),
    first: (params) => own.warmUp(params as Params),
    ...(own.settled === undefined ? {} : { settled: own.settled as (params: OwnParams) => number }),
    start: (params) => {
      const state = own.init(params as Params);
      let shape: string | null = null;
      return ofBars({
        update: (bar) => {
          let value: Value | null;
          try {
            value = own.next(state, Object.freeze(bar), params as Params);
          } catch (error) {
            const place = `next of ${own.name}: `;
            // The same object may be thrown at each bar.
            if (error instanceof Error && !error.message.startsWith(place))
              error.message = `${place}${error.message}`;
            throw error;
          }
          if (value === null) return value;
          const found = shapeOf(value);
          if (found !== (shape ??= found) || found === null)
            throw invalidStrategy(
              `next of ${own.name}: expected ${shape ?? 'a number, a record of numbers or null'} at each bar, was ${found ?? typeof value}`,
            );
          return value;
        },
      });
    },
  });
  return (of, given = {}) => {
    const spec = { kind: own.name, params: { ...usual, ...given }, of };
    OWN_ENTRIES.set(spec, entry);
    return spec;
  };
}

/** Describes a value of an author's indicator; null if it is none. Types of plugins are not trusted. */
function shapeOf(value: unknown): string | null {
  if (typeof value === 'number') return 'a number';
  return isFields(value) ? `a record of ${Object.keys(value).join(', ')}` : null;
}

/** Returns the default parameters. */
export const usualOf = (params: Ranges): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(params).map(([name, { usual }]) => [name, usual]));

function entryOf<Params extends Ranges, Value extends IndicatorValue>(
  kind: string,
  rules: Rules<Params, Value>,
): IndicatorEntry {
  return {
    kind,
    params: rules.params,
    check(given) {
      const params = checkedNumbers(kind, rules.params, given);
      const refusal = rules.refusal?.(params) ?? null;
      if (refusal !== null)
        throw invalidStrategy(`expected ${kind} to have ${refusal}, had ${JSON.stringify(params)}`);
      const first = rules.first?.(params) ?? Number((Object(params) as { readonly length?: number }).length);
      if (!Number.isInteger(first) || first < 1)
        throw invalidStrategy(`warmUp of ${kind}: expected a whole number of bars from 1 on, was ${first}`);
      if (first > LONGEST_WARM_UP) {
        const limit = `expected ${kind} to have its first value within ${LONGEST_WARM_UP} candles`;
        throw invalidStrategy(`${limit}, needs ${first}: shorten ${JSON.stringify(params)}`);
      }
      const settled = Math.ceil(rules.settled?.(params) ?? first);
      if (!Number.isFinite(settled))
        throw invalidStrategy(`settled of ${kind}: expected a number of bars, was ${settled}`);
      return {
        first,
        settledAfter: Math.min(LONGEST_WARM_UP, Math.max(first, settled)),
        start: () => rules.start(params),
      };
    },
  };
}

/** Checks each parameter against its range. Types of plugins are not trusted. */
function checkedNumbers<Params extends Ranges>(
  kind: string,
  ranges: Params,
  given: unknown,
): Numbers<Params> {
  const found = Object.entries(Object(given) as Readonly<Record<string, unknown>>);
  const unknown = found.find(([name]) => !Object.hasOwn(ranges, name));
  if (unknown !== undefined) {
    const known = Object.keys(ranges);
    throw invalidStrategy(
      `expected of ${kind} the parameters ${known.join(', ') || 'none'}, found ${unknown[0]}${didYouMean(unknown[0], known)}`,
    );
  }
  const values = new Map(found);
  for (const [name, { least, most, isWhole }] of Object.entries(ranges)) {
    const value = values.get(name);
    const isFit = typeof value === 'number' && value >= least && value <= most;
    if (isFit && (!isWhole || Number.isInteger(value))) continue;
    const wanted = `${isWhole ? 'a whole number' : 'a number'} from ${least} to ${most}`;
    throw invalidStrategy(
      `expected ${name} of ${kind} to be ${wanted}, was ${JSON.stringify(value)}${isWhole ? limitText(value) : ''}`,
    );
  }
  // Each name of the ranges has a checked number by now.
  return Object.fromEntries(found) as Numbers<Params>;
}
