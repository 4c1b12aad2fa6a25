import type { ExitKind } from '../domain/order.ts';
import { z } from 'zod';
import { type SarrafError, invalidStrategy } from '../domain/errors.ts';
import type { StrategyContext } from './context.ts';
import { ColumnCandle, type StoredRows } from './column-candle.ts';
import { barOf, type Bar } from './data/bar.ts';
import type { CandleData, DataSetup, DeclaredData } from './data/data.ts';
import { SLEEP, type StrategyDefinition, type Trailing } from './definition.ts';
import { fieldsOf, isFields } from './fields.ts';
import type { IndicatorSpec, IndicatorSpecs, NoSpecs } from './indicators/declare-indicator.ts';
import type { DecimalInput, ExitWish, Size } from './intents.ts';
import {
  compileRules,
  filledIn,
  type RuleAccount,
  type RulePieces,
  type RulePosition,
  type RuleSet,
  type RuleTime,
} from './rules/compile.ts';
import {
  ruleText,
  shownValue,
  type Condition,
  type ConditionNode,
  type RULE_FIELDS,
  type RuleNode,
  type Series,
} from './rules/expression.ts';
import { MAIN_DATA, MAIN_PART, RulePart } from './rules/program.ts';
import type { Fill } from './strategy-event.ts';

export { Condition, Series, type Operand } from './rules/expression.ts';

/** Declared candles as series: each is the value of the last closed bar. */
export type CandleRules = { readonly [Field in (typeof RULE_FIELDS)[number]]: Series };

/** An indicator as a series; one whose value is a record, as a record of series. */
type SeriesOf<Value> = Value extends number ? Series : { readonly [Part in keyof Value]: Series };

/** Declared candles and indicators by name. */
type Named<Declared extends DeclaredData, Specs extends IndicatorSpecs> = {
  readonly [Name in keyof Declared as Declared[Name] extends CandleData ? Name : never]: CandleRules;
} & {
  readonly [Name in keyof Specs]: Specs[Name] extends IndicatorSpec<infer Value> ? SeriesOf<Value> : never;
};

interface RuleSetup<Params> {
  readonly params: Params;
  readonly time: RuleTime;
}

/** A request with a series wherever it may have a number: the value at the bar of the decision is used. */
type Ruled<Request> = Request extends DecimalInput
  ? Request | Series
  : Request extends object
    ? { readonly [Name in keyof Request]: Ruled<Request[Name]> }
    : Request;

type OrRule<Request, Now, Setup> = Ruled<Request> | ((now: Now, setup: Setup) => Ruled<Request>);

/**
 * A strategy as conditions. `data`, `indicators`, `enter`, `exit`, `size` and `bracket` stand in this order,
 * so that TypeScript knows the names of the earlier parts in the later ones.
 */
interface RuleParts<Params extends z.ZodType, Declared extends DeclaredData, Specs extends IndicatorSpecs> {
  /** At most twelve lower-case letters, digits and hyphens: the name becomes part of each clientOrderId. */
  readonly name: string;
  /** Schema of the parameters; if it is left out, there are none. */
  readonly params?: Params;
  /** Candles by name. Rules are decided as a bar of the first of them closes. */
  readonly data: (setup: DataSetup<z.output<Params>>) => Declared;
  /** Indicators by name, each of declared candles. */
  readonly indicators?: (data: NoInfer<Declared>, setup: { readonly params: z.output<Params> }) => Specs;
  /** Condition to buy while nothing is held and no order is open. */
  readonly enter: (
    now: Named<NoInfer<Declared>, NoInfer<Specs>>,
    setup: RuleSetup<z.output<Params>>,
  ) => Condition;
  /** Condition to sell all that is held; if left out, only the bracket sells. */
  readonly exit?: (
    now: Named<NoInfer<Declared>, NoInfer<Specs>>,
    setup: RuleSetup<z.output<Params>> & { readonly position: RulePosition },
  ) => Condition;
  /** Size of a purchase. */
  readonly size: OrRule<
    Size,
    Named<NoInfer<Declared>, NoInfer<Specs>>,
    RuleSetup<z.output<Params>> & { readonly account: RuleAccount }
  >;
  /** Exit orders of each purchase; if left out or undefined, only `exit` sells. */
  readonly bracket?: OrRule<
    ExitWish | undefined,
    Named<NoInfer<Declared>, NoInfer<Specs>>,
    RuleSetup<z.output<Params>>
  >;
  /** Needed for a `trail` in the bracket. */
  readonly trailing?: Trailing;
}

/** Parts of rules without their own types, since types of plugins are not trusted. */
interface AnyParts extends RulePieces {
  readonly name: string;
  readonly params?: z.ZodType;
  readonly data: (setup: DataSetup<unknown>) => DeclaredData;
  readonly trailing?: Trailing;
}

const PARTS: ReadonlySet<string> = new Set([
  'name',
  'params',
  'data',
  'indicators',
  'enter',
  'exit',
  'size',
  'bracket',
  'trailing',
] satisfies (keyof AnyParts)[]);

/** Time and cost of what is held, from the strategy's own fills. */
const state = z.strictObject({
  sinceMs: z.number().nullable().default(null),
  /** Amount bought since then, and its value in the quote currency. */
  bought: z.number().default(0),
  paid: z.number().default(0),
});

type Held = z.output<typeof state>;

/** Declares a strategy by conditions. It runs like any other, and `sarraf explain` writes it in words. */
export function defineRules<
  Declared extends DeclaredData,
  Params extends z.ZodType = z.ZodType<object>,
  Specs extends IndicatorSpecs = NoSpecs,
>(parts: RuleParts<Params, Declared, Specs>): StrategyDefinition {
  const given = parts as unknown as AnyParts;
  const stray = isFields(parts) ? Object.keys(parts).find((name) => !PARTS.has(name)) : undefined;
  if (stray !== undefined)
    throw invalidStrategy(`expected the parts of rules (${[...PARTS].join(', ')}), was "${stray}"`);
  for (const part of ['data', 'enter'] as const)
    if (typeof given[part] !== 'function')
      throw invalidStrategy(`${part}: expected a function, was ${typeof given[part]}`);
  if (given.size === undefined)
    throw invalidStrategy('size: expected a size such as { equityShare: 0.1 }, was none');
  const { name, params, trailing } = given;
  return {
    name,
    ...(params === undefined ? {} : { params }),
    state,
    data: (setup) => withMain(given.data(setup)),
    indicators: (data, { params: read }) => compileRules(given, data, read),
    // Conditions know for themselves which of their values are missing.
    beforeWarm: 'call',
    ...(trailing === undefined ? {} : { trailing }),
    [SLEEP]: {
      until: sleepsUntil,
      draw: (ctx) => {
        const part = partIn(ctx);
        if (part !== null) drawSeries(ctx, part, part.plan as RuleSet);
      },
    },
    on: {
      [MAIN_DATA]: (ctx, bar) => decide(ctx, bar as Bar),
      fill: (ctx, fill) => count(ctx, fill as Fill),
    },
  };
}

/** Values of rules at the last bar: those of their nodes, and since when conditions are what they are. */
export type RuleReading = Pick<RulePart, 'read' | 'sinceMs' | 'decide'>;

/** The rules of a strategy at a deciding bar, before it decides. */
export interface RuleMoment {
  readonly reading: RuleReading;
  readonly rules: RuleSet;
  readonly bar: Bar;
  readonly ctx: StrategyContext;
}

/** True for a strategy that was made by `defineRules`. */
export const hasRules = ({ on }: StrategyDefinition): boolean => on[MAIN_DATA] !== undefined;

/**
 * Returns a strategy that shows its rules at each deciding bar; it trades only if `trades` is true. Throws
 * `INVALID_STRATEGY` for one that was not made by `defineRules`.
 */
export function watchRules(
  definition: StrategyDefinition,
  onBar: (moment: RuleMoment) => void,
  { trades }: { readonly trades: boolean },
): StrategyDefinition {
  // Asleep it would not see each bar.
  const { on, [SLEEP]: _, ...watched } = definition;
  if (!hasRules(definition)) throw notRules(definition);
  const show = (ctx: StrategyContext, event: unknown): void => {
    const part = partIn(ctx);
    const bar = event as Bar;
    if (part === null) return;
    onBar({ reading: part, rules: part.plan as RuleSet, bar, ctx });
    if (trades) decide(ctx, bar);
  };
  return { ...watched, on: { ...(trades ? on : {}), [MAIN_DATA]: show } };
}

/** Computes the conditions to sell, which depend on what is held. */
export function readMoment({ reading, ctx, bar }: RuleMoment, held = ctx.state): void {
  reading.decide(new Moment(ctx, bar, held as Held));
}

/** Error for a strategy that was not made by `defineRules`. */
export const notRules = ({ name }: StrategyDefinition): SarrafError =>
  invalidStrategy(
    `expected a strategy made by defineRules, was ${name}, which has handlers of its own: its code says what it does`,
    { details: { hasHandlers: true } },
  );

/** Adds the deciding candles under a name of their own, for the handler of the rules. */
function withMain(declared: unknown): DeclaredData {
  if (!isFields(declared) || declared instanceof Promise)
    throw invalidStrategy(`data: expected candles by name, was ${shownValue(declared)}`);
  const data = declared as DeclaredData;
  for (const [name, { kind }] of Object.entries(data) as [string, { readonly kind?: unknown }][]) {
    if (name === MAIN_DATA)
      throw invalidStrategy(`data.${name}: expected another name, the rules have this one`);
    if (kind !== 'candles' && kind !== 'member-candles')
      throw invalidStrategy(
        `data.${name}: expected candles, which rules are decided by, was ${String(kind)}: declare it in a strategy made by defineStrategy`,
      );
  }
  const [first] = Object.values(data);
  if (first === undefined) throw invalidStrategy('data: expected candles by name, was none');
  return { ...data, [MAIN_DATA]: first };
}

/** Facts of a decision, each read only if a rule needs it. */
class Moment {
  private readonly ctx: StrategyContext;
  private readonly bar: Bar;
  private readonly held: Held;

  constructor(ctx: StrategyContext, bar: Bar, held: Held) {
    this.ctx = ctx;
    this.bar = bar;
    this.held = held;
  }

  get barsHeld(): number {
    const { openTimeMs, closeTimeMs } = this.bar;
    const { sinceMs } = this.held;
    // Rounded, as a fill arrives a little after the bar that made it.
    return sinceMs === null ? Number.NaN : Math.round((closeTimeMs - sinceMs) / (closeTimeMs - openTimeMs));
  }

  get profitPercent(): number {
    const { bought, paid } = this.held;
    return paid === 0 ? Number.NaN : ((this.bar.close * bought) / paid - 1) * 100;
  }

  get equity(): number {
    return this.ctx.equity ?? Number.NaN;
  }

  get freeQuote(): number {
    return this.ctx.freeQuote;
  }
}

/** Returns the part of the rules that decides; null if the strategy has none. */
function partIn({ indicators }: StrategyContext): RulePart | null {
  const part = fieldsOf(indicators)[MAIN_PART];
  return part instanceof RulePart ? part : null;
}

/**
 * True for an open order that rules wait for while something is held: the rest of a purchase, or a sale,
 * which is the exit by decision of a position with a bracket. Other exits of a bracket always rest.
 */
export const isAwaited = ({ exit }: { readonly exit: ExitKind | null }): boolean =>
  exit === null || exit === 'decision';

/** Decides at a closed bar: sells what is held if `exit` is true, or buys if `enter` is. */
function decide(ctx: StrategyContext, bar: Bar): void {
  const part = partIn(ctx);
  if (part === null) return;
  const rules = part.plan as RuleSet;
  const held = ctx.state as Held;
  const { position } = ctx;
  part.rest = null;
  drawSeries(ctx, part, rules);
  if (ctx.isTradable(position, bar.close)) {
    const isNew = rules.needsPosition && held.sinceMs === null;
    const since = isNew ? { ...held, sinceMs: bar.closeTimeMs } : held;
    if (isNew) ctx.setState({ sinceMs: since.sinceMs });
    if (rules.exit !== null && ctx.orders.some(isAwaited)) return;
    if (rules.exit !== null) part.decide(new Moment(ctx, bar, since));
    if (rules.exit === null || part.read(rules.exit) !== 1)
      part.rest = { position, isHeld: true, awaits: rules.exit };
    else ctx.sell({ amount: position, tag: tagOf(part, rules.exit) });
    return;
  }
  if (held.sinceMs !== null) ctx.setState({ sinceMs: null, bought: 0, paid: 0 });
  if (part.read(rules.enter) !== 1) part.rest = { position, isHeld: false, awaits: rules.enter };
  if (part.rest !== null || ctx.orders.length > 0) return;
  part.decide(new Moment(ctx, bar, held));
  const read = (node: RuleNode): number => part.read(node);
  if (rules.requested.some((node) => Number.isNaN(read(node)))) return;
  const size = filledIn(rules.size, read) as Size;
  if (!isEnough(ctx, size, bar.close)) return;
  const tag = tagOf(part, rules.enter);
  if (rules.bracket === undefined) ctx.buy({ ...size, tag });
  else ctx.bracket({ tag, ...(filledIn(rules.bracket, read) as ExitWish), entry: size });
}

/** Returns the first of these bars at which `decide` would do something, after it did nothing at the last. */
function sleepsUntil(ctx: StrategyContext, { source, from, to, slot }: StoredRows): number {
  const part = partIn(ctx);
  if (part === null || part.rest === null || ctx.position !== part.rest.position) return from;
  const { position, isHeld, awaits } = part.rest;
  const { last } = part;
  const isOfMoment = isHeld && awaits !== null && (part.plan as RuleSet).needsPosition;
  const end =
    awaits === null || isOfMoment ? to : from + part.firstTrue(awaits, slot, slot + to - from) - slot;
  if (position === 0) return end;
  let row = from;
  for (; row < end; row += 1) {
    const candle = new ColumnCandle(source, row);
    // What is held may become enough for an order as the price changes, or too little.
    if (ctx.isTradable(position, candle.closeNumber) !== isHeld) break;
    if (!isOfMoment) continue;
    part.show(slot + row - from, candle);
    part.decide(new Moment(ctx, barOf(candle), ctx.state as Held));
    if (part.read(awaits) === 1) break;
  }
  if (isOfMoment) part.show(slot - 1, last);
  return row;
}

/** False for an amount or a value that is too small for an order; the engine checks shares of the equity. */
function isEnough(ctx: StrategyContext, { amount, value }: Size, price: number): boolean {
  if (value !== undefined) return ctx.isTradable(Number(value) / price, price);
  return amount === undefined || ctx.isTradable(Number(amount), price);
}

/** Counts a purchase, for the time and the price of what is held. */
function count(ctx: StrategyContext, { side, market, timeMs, amount, total }: Fill): void {
  const isCounted = (partIn(ctx)?.plan as RuleSet | undefined)?.needsPosition === true;
  if (!isCounted || side !== 'buy' || market !== ctx.market) return;
  const { sinceMs, bought, paid } = ctx.state as Held;
  ctx.setState({ sinceMs: sinceMs ?? timeMs, bought: bought + amount, paid: paid + total });
}

/** Longest tag of an order. */
const LONGEST_TAG = 32;

/** Tags by their conditions. */
const tags = new WeakMap<ConditionNode, string>();

/** Returns the condition that made a decision, in words: of several, the one that became true last. */
function tagOf(part: RulePart, node: ConditionNode): string {
  const made = part.lastTrue(node);
  const known = tags.get(made);
  if (known !== undefined) return known;
  const text = ruleText(made);
  const tag = text.length > LONGEST_TAG ? `${text.slice(0, LONGEST_TAG - 1)}…` : text;
  tags.set(made, tag);
  return tag;
}

function drawSeries(ctx: StrategyContext, part: RulePart, { drawn }: RuleSet): void {
  for (const { name, node, options } of drawn) {
    const value = part.cellAt(node)?.value ?? part.read(node);
    ctx.plot(name, Number.isNaN(value) ? null : value, options);
  }
}
