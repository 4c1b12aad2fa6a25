import type { z } from 'zod';
import type { ColdValues, StrategyContext, WarmValues } from './context.ts';
import type { StoredRows } from './column-candle.ts';
import type { DataSetup, DeclaredData, EventOf } from './data/data.ts';
import type { IndicatorSpecs, NoSpecs } from './indicators/declare-indicator.ts';
import type { Fill, OrderUpdate, Rejection } from './strategy-event.ts';
import type { Transfer } from './data/shown-margin.ts';
import { type Timeframe, timeframeMs } from '../domain/candle.ts';
import { isFields } from './fields.ts';
import { inputText } from './decimal-input.ts';
import type { Subscription } from './subscriptions.ts';

/** Return type of a handler: nothing. A promise is refused, since a handler does not wait. */
type Nothing = undefined | void;

/** Handlers of the strategy's own life. They are always called, so indicators may be null in them. */
interface LifeHandlers<Context> {
  /** Called when the strategy starts, after its warm-up. After a restart its stored state is back. */
  start?(ctx: Context, start: { readonly isRestart: boolean }): Nothing;
  /** Called when the run ends. Intents are refused by now; the state is kept. */
  stop?(ctx: Context, stop: { readonly reason: string }): Nothing;
  /** Called when one of the strategy's orders traded. */
  fill?(ctx: Context, fill: Fill): Nothing;
  /** Called when one of the strategy's orders changed. */
  order?(ctx: Context, order: OrderUpdate): Nothing;
  /** Called when a transfer was made, or when its outcome is unknown. */
  transfer?(ctx: Context, transfer: Transfer): Nothing;
  /** Called when an intent, or an order that served one, was refused or failed. */
  reject?(ctx: Context, rejection: Rejection): Nothing;
}

/** Names that no data may have, since these handlers mean something else. */
export const LIFE: readonly LifeName[] = ['start', 'stop', 'fill', 'order', 'transfer', 'reject'];

type LifeName = keyof LifeHandlers<unknown>;

/** A handler for each declared data, under the name of the data. */
type DataHandlers<Declared extends DeclaredData, Context> = {
  readonly [Name in keyof Declared]?: (ctx: Context, event: EventOf<Declared[Name]>) => Nothing;
};

type NotLife = { readonly [Name in LifeName]?: never };

/**
 * A strategy as its author writes it. `data`, `indicators` and `on` stand in this order, so that TypeScript
 * knows the types of the earlier parts in the later ones.
 */
interface StrategyParts<
  Params extends z.ZodType,
  State extends z.ZodType,
  Declared extends DeclaredData,
  Specs extends IndicatorSpecs,
  Warm extends 'wait' | 'call',
> {
  /** At most twelve lower-case letters, digits and hyphens: the name becomes part of each clientOrderId. */
  readonly name: string;
  /**
   * Schema of an object. If each field has a default, the strategy runs without settings. If it is left out,
   * the strategy has no parameters.
   */
  readonly params?: Params;
  /**
   * Schema of plain JSON. Each field needs a default; the defaults are the first state. If it is left out,
   * the strategy keeps no state.
   */
  readonly state?: State;
  /**
   * Called at a restart if the stored state does not fit the schema: returns a state made of it, or `{}` to
   * start with the defaults. Without it the bot does not start with such a state.
   */
  migrate?(stored: unknown): z.input<NoInfer<State>>;
  /** Data that the strategy subscribes to, by name. */
  readonly data: (setup: DataSetup<z.output<Params>>) => Declared & NotLife;
  /** Indicators by name, each computed from declared candles. */
  readonly indicators?: (
    data: NoInfer<Declared>,
    setup: { readonly params: z.output<Params>; readonly timeframe: Timeframe },
  ) => Specs;
  /**
   * Handling of data while an indicator has no value: `wait` (the default) does not call the handlers;
   * `call` calls them, and the indicator is null in them.
   */
  readonly beforeWarm?: Warm;
  /** Number of stops that follow the price at once; needed for a `trail`. Requests are planned by it. */
  readonly trailing?: Trailing;
  /** A handler for each declared data, and handlers of the strategy's own life. */
  readonly on: LifeHandlers<
    StrategyContext<z.output<Params>, z.output<State>, NoInfer<Declared>, ColdValues<NoInfer<Specs>>>
  > &
    DataHandlers<
      NoInfer<Declared>,
      StrategyContext<
        z.output<Params>,
        z.output<State>,
        NoInfer<Declared>,
        NoInfer<Warm> extends 'call' ? ColdValues<NoInfer<Specs>> : WarmValues<NoInfer<Specs>>
      >
    >;
}

/** Any handler. It is a method, so that a handler with a narrower context fits, too. */
export type AnyHandler = { handler(ctx: StrategyContext, event: unknown): unknown }['handler'];

/** A strategy as the engine runs it, without its own types. A handler that throws stops it alone. */
export interface StrategyDefinition {
  readonly name: string;
  readonly params?: z.ZodType;
  readonly state?: z.ZodType;
  migrate?(stored: unknown): unknown;
  data(setup: DataSetup<unknown>): DeclaredData;
  indicators?(
    data: DeclaredData,
    setup: { readonly params: unknown; readonly timeframe: Timeframe },
  ): IndicatorSpecs;
  readonly beforeWarm?: 'wait' | 'call';
  readonly trailing?: Trailing;
  /** Spares a backtest the calls of handlers that would do nothing; `defineRules` alone makes it. */
  readonly [SLEEP]?: Sleep;
  readonly on: Readonly<Record<string, AnyHandler | undefined>>;
}

/** Key of the part of a strategy that its author does not write. */
export const SLEEP = Symbol('sleep');

/** Sleep of a strategy that decides by candles alone, and can find the next one at which it would act. */
interface Sleep {
  /**
   * Returns the first of these rows at which the handler of candles must be called, given that nothing but
   * bars has come since the last call; `to` if there is none.
   */
  until(ctx: StrategyContext, bars: StoredRows): number;
  /** Draws what the handler would have drawn at the last bar. */
  draw(ctx: StrategyContext): void;
}

/** Declares a strategy. Types of parameters, state, data and indicators are taken from its parts. */
export function defineStrategy<
  Declared extends DeclaredData,
  Params extends z.ZodType = z.ZodType<object>,
  State extends z.ZodType = z.ZodType<object>,
  Specs extends IndicatorSpecs = NoSpecs,
  Warm extends 'wait' | 'call' = 'wait',
>(parts: StrategyParts<Params, State, Declared, Specs, Warm>): StrategyDefinition {
  return parts;
}

/** Longest name: a clientOrderId has 32 characters for instance, strategy, epoch and row. */
const LONGEST_NAME = 12;

/** True if a value can be the name of a strategy. The name becomes part of the id of each of its orders. */
export const isStrategyName = (name: unknown): name is string =>
  typeof name === 'string' && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) && name.length <= LONGEST_NAME;

/** Returns the message for an invalid name. */
export const strategyNameProblem = (name: unknown): string =>
  `expected a strategy name of at most twelve lower-case letters, digits and hyphens, was ${JSON.stringify(name)}`;

/** Names of a strategy's parts. Types of plugins are not checked, so a misspelt part would never be read. */
const PARTS: ReadonlySet<string> = new Set([
  'name',
  'params',
  'state',
  'migrate',
  'data',
  'indicators',
  'beforeWarm',
  'trailing',
  'on',
] satisfies Exclude<keyof StrategyDefinition, symbol>[]);

/** Returns why a value is not a strategy; null if it is one. Its declarations are checked later, at setup. */
export function whatIsWrong(exported: unknown): string | null {
  if (!isFields(exported))
    return `expected a strategy made by defineStrategy as the default export, was ${exported === null ? 'null' : typeof exported}`;
  const parts = exported;
  const unknown = Object.keys(parts).find((part) => !PARTS.has(part));
  if (unknown !== undefined)
    return `expected the parts of a strategy (${[...PARTS].join(', ')}), was ${JSON.stringify(unknown)}`;
  if (typeof parts['name'] !== 'string') return `expected name to be a text, was ${typeof parts['name']}`;
  for (const part of ['params', 'state']) {
    if (parts[part] === undefined || isSchema(parts[part])) continue;
    return `expected ${part} to be a zod schema, such as z.strictObject({})`;
  }
  for (const part of ['data', 'indicators', 'migrate']) {
    const value = parts[part];
    if (typeof value === 'function' || (part !== 'data' && value === undefined)) continue;
    return `expected ${part} to be a function, was ${typeof value}`;
  }
  const { beforeWarm, on } = parts;
  if (beforeWarm !== undefined && beforeWarm !== 'wait' && beforeWarm !== 'call')
    return `expected beforeWarm to be "wait" or "call", was ${JSON.stringify(beforeWarm)}`;
  const trailing = wrongTrailing(parts['trailing']);
  if (trailing !== null) return trailing;
  if (typeof on !== 'object' || on === null) return `expected on to be handlers by name, was ${typeof on}`;
  for (const [name, handler] of Object.entries(on)) {
    if (handler !== undefined && typeof handler !== 'function')
      return `expected on.${name} to be a function, was ${typeof handler}`;
  }
  return null;
}

/** Returns a sentence about a handler that would never be called; null if there is none. */
export function strayHandler(on: StrategyDefinition['on'], data: readonly string[]): string | null {
  const stray = Object.keys(on).find((name) => !data.includes(name) && !LIFE.some((life) => life === name));
  if (stray === undefined) return null;
  const names = [...data, ...LIFE].join(', ');
  return `on.${stray}: expected a handler of declared data or of the strategy's life (${names}), was "${stray}": declare it in data`;
}

/** True if a value looks like a zod schema: it has `safeParse`. */
export const isSchema = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'safeParse' in value;

/** Number of stops of a strategy that follow the price, and their pace. Requests are planned by it. */
export interface Trailing {
  /** Maximum number of brackets and protections with a `trail` at once, 1 to 1,000; more are refused. */
  readonly most: number;
  /**
   * Least time between two moves of one stop, in ms, from 1,000 to a day. Default: the length of the shortest
   * bars that the strategy declares, or a minute if it declares none.
   */
  readonly everyMs?: number;
}

/** Like `Trailing`, with the pace filled in. */
export type TrailPace = Required<Trailing>;

const MOST_TRAILS = 1_000;
const SHORTEST_MS = 1_000;
const LONGEST_MS = 86_400_000;
const WITHOUT_BARS_MS = 60_000;
const FIELDS: ReadonlySet<string> = new Set(['most', 'everyMs']);

/** Returns why a value cannot be the `trailing` of a strategy; null if it can. */
export function wrongTrailing(trailing: unknown): string | null {
  if (trailing === undefined) return null;
  if (!isFields(trailing)) return `expected trailing to be like { most: 1 }, was ${typeof trailing}`;
  const stray = Object.keys(trailing).find((name) => !FIELDS.has(name));
  if (stray !== undefined) return `expected trailing to have most and everyMs, was "${stray}"`;
  const { most, everyMs } = trailing;
  if (!isWhole(most, 1, MOST_TRAILS))
    return `expected trailing.most to be a whole number from 1 to ${MOST_TRAILS}, was ${inputText(most)}`;
  if (everyMs !== undefined && !isWhole(everyMs, SHORTEST_MS, LONGEST_MS))
    return `expected trailing.everyMs to be from ${SHORTEST_MS} to ${LONGEST_MS} ms, was ${inputText(everyMs)}`;
  return null;
}

/** Returns the number of stops that follow the price, and their pace; null if a strategy does not set it. */
export function paceOf(
  trailing: Trailing | undefined,
  subscriptions: readonly Subscription[],
): TrailPace | null {
  if (trailing === undefined) return null;
  const bars = subscriptions.flatMap((wanted) =>
    wanted.kind === 'candles' ? [timeframeMs(wanted.timeframe)] : [],
  );
  const { most, everyMs = bars.length === 0 ? WITHOUT_BARS_MS : Math.min(...bars) } = trailing;
  return { most, everyMs };
}

const isWhole = (value: unknown, least: number, most: number): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
