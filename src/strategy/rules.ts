import { z } from 'zod';
import type { Timeframe } from '../domain/candle.ts';
import { isZone } from '../domain/zone-time.ts';
import { LONGEST_WARM_UP } from './check-subscriptions.ts';
import type { StrategyContext } from './context.ts';
import type { Bar } from './data/bar.ts';
import { dataSetup, type CandleData, type DataSetup, type DeclaredData } from './data/data.ts';
import { whatIsWrong, type StrategyDefinition, type Trailing } from './definition.ts';
import { fieldsOf, isFields } from './fields.ts';
import type { IndicatorSpec, IndicatorSpecs, NoSpecs } from './indicators/declare-indicator.ts';
import { createIndicator, valueShapeOf } from './indicators/indicators.ts';
import type { PlotOptions } from './plots.ts';
import type { DecimalInput, ExitWish, Size } from './intents.ts';
import {
  RULE_FIELDS,
  Condition,
  conditionNode,
  inputsOf,
  nodesInOrder,
  invalidRule,
  Series,
  type ConditionNode,
  type MomentFact,
  type RuleNode,
} from './rules/expression.ts';
import {
  MAIN_DATA,
  MOMENT,
  partName,
  RulePart,
  RuleSpec,
  type PlacedNode,
  type RulePlan,
} from './rules/program.ts';
import { ruleText } from './rules/words.ts';
import { checkedParameters } from './runner-setup.ts';
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

/** Time at the close of the bar, in a zone such as `Asia/Tehran`. */
interface RuleTime {
  /** Hour of the day, 0 to 23. */
  hour(zone: string): Series;
  /** Day of the week, from 1 (Monday) to 7 (Sunday). */
  weekday(zone: string): Series;
}

/** The position at a decision. Its values have no history: they can be compared and calculated with. */
interface RulePosition {
  /** Bars closed since the first purchase. */
  readonly barsHeld: Series;
  /** Last close above the average purchase price, in percent of that price, before fees. */
  readonly profitPercent: Series;
}

/** The money at a decision, in the quote currency; without history, like the position. */
interface RuleAccount {
  readonly equity: Series;
  readonly freeQuote: Series;
}

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
  /** Candles by name. RuleSet are decided as a bar of the first of them closes. */
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
interface AnyParts {
  readonly name: string;
  readonly params?: z.ZodType;
  readonly data: (setup: DataSetup<unknown>) => DeclaredData;
  readonly indicators?: (data: DeclaredData, setup: { readonly params: unknown }) => IndicatorSpecs;
  readonly enter: RulePiece;
  readonly exit?: RulePiece;
  readonly size: unknown;
  readonly bracket?: unknown;
  readonly trailing?: Trailing;
}

type RulePiece = (now: unknown, setup: unknown) => unknown;

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

/** The compiled rules of a strategy, the same for each of its markets. */
export interface RuleSet extends RulePlan {
  readonly enter: ConditionNode;
  readonly exit: ConditionNode | null;
  /** Size and bracket, with nodes in place of their series. */
  readonly size: unknown;
  readonly bracket: unknown;
  readonly data: DeclaredData;
  /** Name of the candles that decide, and what they are of. */
  readonly main: { readonly name: string; readonly market: string; readonly timeframe: Timeframe };
  readonly specs: IndicatorSpecs;
  /** Nodes in size and bracket: all must be known for a purchase. */
  readonly requested: readonly RuleNode[];
  /** True if a rule needs the time or the price of what is held, which is stored then. */
  readonly needsPosition: boolean;
  /** Series that are drawn at each decision: all values of all indicators. */
  readonly drawn: readonly {
    readonly name: string;
    readonly node: RuleNode;
    readonly options: PlotOptions | undefined;
  }[];
}

/** Declares a strategy by conditions. It runs like any other, and `sarraf explain` writes it in words. */
export function defineRules<
  Declared extends DeclaredData,
  Params extends z.ZodType = z.ZodType<object>,
  Specs extends IndicatorSpecs = NoSpecs,
>(parts: RuleParts<Params, Declared, Specs>): StrategyDefinition {
  const given = parts as unknown as AnyParts;
  const stray = isFields(parts) ? Object.keys(parts).find((name) => !PARTS.has(name)) : undefined;
  if (stray !== undefined)
    throw invalidRule(`expected the parts of rules (${[...PARTS].join(', ')}), was "${stray}"`);
  for (const part of ['data', 'enter'] as const)
    if (typeof given[part] !== 'function')
      throw invalidRule(`${part}: expected a function, was ${typeof given[part]}`);
  if (given.size === undefined)
    throw invalidRule('size: expected a size such as { equityShare: 0.1 }, was none');
  const { name, params, trailing } = given;
  return {
    name,
    ...(params === undefined ? {} : { params }),
    state,
    data: (setup) => withMain(given.data(setup)),
    indicators: (data, { params: read }) => compiled(given, data, read),
    // Conditions know for themselves which of their values are missing.
    beforeWarm: 'call',
    ...(trailing === undefined ? {} : { trailing }),
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

/**
 * Returns a strategy that shows its rules at each deciding bar; it trades only if `trades` is true. Throws
 * `INVALID_STRATEGY` for one that was not made by `defineRules`.
 */
export function watchRules(
  definition: StrategyDefinition,
  onBar: (moment: RuleMoment) => void,
  { trades }: { readonly trades: boolean },
): StrategyDefinition {
  const { on } = definition;
  if (on[MAIN_DATA] === undefined) throw invalidRule(notRules(definition));
  const show = (ctx: StrategyContext, event: unknown): void => {
    const part = partIn(ctx);
    const bar = event as Bar;
    if (part === null) return;
    onBar({ reading: part, rules: part.plan as RuleSet, bar, ctx });
    if (trades) decide(ctx, bar);
  };
  return { ...definition, on: { ...(trades ? on : {}), [MAIN_DATA]: show } };
}

/** Computes the conditions to sell, which depend on what is held. */
export function readMoment({ reading, ctx, bar }: RuleMoment, held = ctx.state): void {
  reading.decide(new Moment(ctx, bar, held as Held));
}

const notRules = ({ name }: StrategyDefinition): string =>
  `expected a strategy made by defineRules, was ${name}, which has handlers of its own: its code says what it does`;

/**
 * Returns the rules of a strategy in a market. Throws `INVALID_STRATEGY` if its parts are not valid, or if it
 * was not made by `defineRules`.
 */
export function ruleSetOf(
  definition: StrategyDefinition,
  of: Omit<Parameters<typeof dataSetup>[0], 'params' | 'hasBooks'> & {
    readonly params: Readonly<Record<string, unknown>>;
  },
): RuleSet {
  const wrong = whatIsWrong(definition);
  if (wrong !== null) throw invalidRule(wrong);
  const params = checkedParameters(definition, definition.name, of.params);
  const { timeframe } = of;
  const data = definition.data(dataSetup({ ...of, params, hasBooks: true }));
  const spec: unknown = definition.indicators?.(data, { params, timeframe })[MAIN_PART];
  if (spec instanceof RuleSpec) return spec.plan as RuleSet;
  throw invalidRule(notRules(definition));
}

/** Name of the part that is computed at the deciding candles. */
const MAIN_PART = 'rules rules';

/** Adds the deciding candles under a name of their own, for the handler of the rules. */
function withMain(declared: unknown): DeclaredData {
  const data = fieldsOf(declared) as DeclaredData;
  for (const [name, { kind }] of Object.entries(data) as [string, { readonly kind?: unknown }][]) {
    if (name === MAIN_DATA) throw invalidRule(`data.${name}: expected another name, the rules have this one`);
    if (kind !== 'candles' && kind !== 'member-candles')
      throw invalidRule(
        `data.${name}: expected candles, which rules are decided by, was ${String(kind)}: declare it in a strategy made by defineStrategy`,
      );
  }
  const [first] = Object.values(data);
  if (first === undefined) throw invalidRule('data: expected candles by name, was none');
  return { ...data, [MAIN_DATA]: first };
}

function compiled(parts: AnyParts, declared: DeclaredData, params: unknown): IndicatorSpecs {
  const { [MAIN_DATA]: main, ...data } = declared;
  const specs = parts.indicators?.(data, { params }) ?? {};
  for (const name of Object.keys(specs))
    if (Object.hasOwn(data, name))
      throw invalidRule(`indicators.${name}: expected another name, data has this one`);
  const now = namedSeries(data, specs);
  const setup = { params, time: TIME };
  const position: RulePosition = { barsHeld: fact('barsHeld'), profitPercent: fact('profitPercent') };
  const account: RuleAccount = { equity: fact('equity'), freeQuote: fact('freeQuote') };
  const enter = conditionNode(parts.enter(now, setup), 'enter');
  const exit =
    parts.exit === undefined ? null : conditionNode(parts.exit(now, { ...setup, position }), 'exit');
  const request = (wanted: unknown, more: object): unknown =>
    withNodes(typeof wanted === 'function' ? (wanted as RulePiece)(now, { ...setup, ...more }) : wanted);
  const size = request(parts.size, { account });
  const bracket = request(parts.bracket, {});
  const drawn = Object.entries(specs).flatMap(([name, spec]) => drawnSeries(name, spec, now));
  const requested = [...nodesIn(size), ...nodesIn(bracket)];
  const roots = [enter, ...(exit === null ? [] : [exit]), ...requested, ...drawn.map(({ node }) => node)];
  const placed = new Placing(data, specs).place(nodesInOrder(roots));
  const name = Object.keys(data)[0] ?? '';
  // Candles of members have no market: each is decided by its own.
  const { market = '*', timeframe } = (main as CandleData).from as Partial<CandleData['from']> &
    Pick<CandleData['from'], 'timeframe'>;
  const plan: RuleSet = {
    ...placed,
    enter,
    exit,
    size,
    bracket,
    data,
    specs,
    drawn,
    requested,
    needsPosition: placed.nodes.some(({ node }) => node.kind === 'moment' && POSITION_FACTS.has(node.fact)),
    main: { name, market, timeframe },
  };
  const ruleSpecs = [...placed.settledAfter.keys()].map(
    (name) =>
      [
        partName(name),
        new RuleSpec((name === MAIN_DATA ? main : data[name]) as CandleData, name, plan),
      ] as const,
  );
  return { ...specs, ...Object.fromEntries(ruleSpecs) };
}

const POSITION_FACTS: ReadonlySet<MomentFact> = new Set(['barsHeld', 'profitPercent']);

/** Returns the series to draw of an indicator, which are those that rules compare. */
function drawnSeries(name: string, spec: IndicatorSpecs[string], now: unknown): RuleSet['drawn'] {
  const { fields, isPrice } = valueShapeOf(spec);
  const own = fieldsOf(now)[name];
  const options = isPrice ? undefined : { pane: name.slice(0, 40) };
  return (fields ?? [null]).map((field) => ({
    name: (field === null ? name : `${name}.${field}`).slice(0, 40),
    node: (field === null ? (own as Series) : (fieldsOf(own)[field] as Series)).node,
    options,
  }));
}

/** Finds where each node is computed, and how many bars it needs. */
class Placing {
  private readonly data: DeclaredData;
  private readonly specs: IndicatorSpecs;
  private readonly main: string;
  private readonly placeOf = new Map<RuleNode, string>();
  /** Bars of its own data until a node has its first value, and until it does not depend on its start. */
  private readonly first = new Map<RuleNode, number>();
  private readonly settled = new Map<RuleNode, number>();

  constructor(data: DeclaredData, specs: IndicatorSpecs) {
    this.data = data;
    this.specs = specs;
    this.main = Object.keys(data)[0] ?? '';
  }

  place(nodes: readonly RuleNode[]): RulePlan {
    const settledAfter = new Map([[MAIN_DATA, 1]]);
    const placed: PlacedNode[] = [];
    for (const node of nodes) {
      if (node.kind === 'number') continue;
      const data = this.dataOf(node);
      this.placeOf.set(node, data);
      placed.push({ node, data });
      if (data === MOMENT) continue;
      const first = this.barsOf(node, data, this.first);
      const bars = Math.min(LONGEST_WARM_UP, Math.max(first, this.barsOf(node, data, this.settled)));
      if (first > LONGEST_WARM_UP)
        throw invalidRule(
          `expected rules with their first value within ${LONGEST_WARM_UP} bars, ${ruleText(node)} needs ${first}: shorten its lengths`,
        );
      settledAfter.set(data, Math.max(settledAfter.get(data) ?? 1, bars));
    }
    return { nodes: placed, settledAfter };
  }

  private dataOf(node: RuleNode): string {
    if (node.kind === 'bar') return this.nameOf(this.data[node.data]);
    if (node.kind === 'indicator') return this.nameOf(this.specs[node.name]?.of);
    if (node.kind === 'moment') return MOMENT;
    const places = new Set(inputsOf(node).flatMap((input) => this.placeOf.get(input) ?? []));
    if (places.has(MOMENT)) {
      if (hasMemory(node))
        throw invalidRule(
          `expected a comparison with the present, was ${ruleText(node)}: what is held now has no history`,
        );
      return MOMENT;
    }
    // Nodes of several data, or of none, are computed at the deciding bars.
    const [only = MAIN_DATA, ...others] = places;
    return others.length === 0 ? only : MAIN_DATA;
  }

  private nameOf(of: unknown): string {
    const name = Object.keys(this.data).find((one) => this.data[one] === of) ?? this.main;
    return name === this.main ? MAIN_DATA : name;
  }

  private barsOf(node: RuleNode, data: string, bars: Map<RuleNode, number>): number {
    const own = inputsOf(node).map((input) =>
      this.placeOf.get(input) === data ? (bars.get(input) ?? 1) : 1,
    );
    let count = Math.max(1, ...own);
    if (node.kind === 'indicator') {
      const indicator = createIndicator(this.specs[node.name]);
      count = bars === this.first ? indicator.first : indicator.settledAfter;
    } else if (node.kind === 'window') count += node.does === 'before' ? node.bars : node.bars - 1;
    else if (node.kind === 'since' && bars === this.settled) count += node.bars;
    else if (hasMemory(node)) count += 1;
    bars.set(node, count);
    return count;
  }
}

const hasMemory = (node: RuleNode): boolean =>
  node.kind === 'window' ||
  node.kind === 'since' ||
  (node.kind === 'compare' && node.does.startsWith('crosses'));

/** Candles and indicators as series, by name. A wrong name is refused: types of plugins are not trusted. */
function namedSeries(data: DeclaredData, specs: IndicatorSpecs): unknown {
  const named: Record<string, unknown> = {};
  for (const name of Object.keys(data))
    named[name] = refusingOthers(
      name,
      Object.fromEntries(RULE_FIELDS.map((field) => [field, new Series({ kind: 'bar', data: name, field })])),
    );
  for (const [name, spec] of Object.entries(specs)) {
    const series = (field: string | null) => new Series({ kind: 'indicator', name, field });
    const { fields } = valueShapeOf(spec);
    named[name] =
      fields === null
        ? series(null)
        : refusingOthers(name, Object.fromEntries(fields.map((field) => [field, series(field)])));
  }
  return refusingOthers('', named);
}

/** Returns an object that refuses to be read by a name that it does not have. */
function refusingOthers<Value extends object>(place: string, of: Value): Value {
  return new Proxy(Object.freeze(of), {
    get(target, name) {
      if (typeof name === 'symbol' || Object.hasOwn(target, name))
        return Reflect.get(target, name) as unknown;
      const path = place === '' ? name : `${place}.${name}`;
      throw invalidRule(`expected one of ${Object.keys(target).join(', ')}, was ${path}`);
    },
  });
}

const TIME: RuleTime = {
  hour: (zone) => clockSeries('hour', zone),
  weekday: (zone) => clockSeries('weekday', zone),
};

function clockSeries(unit: 'hour' | 'weekday', zone: unknown): Series {
  if (typeof zone === 'string' && isZone(zone)) return new Series({ kind: 'clock', unit, zone });
  throw invalidRule(`time.${unit}: expected a zone such as "Asia/Tehran", was ${JSON.stringify(zone)}`);
}

const fact = (name: MomentFact): Series => new Series({ kind: 'moment', fact: name });

/** A node in a request, in place of its series. */
class RequestNode {
  readonly node: RuleNode;

  constructor(node: RuleNode) {
    this.node = node;
  }
}

function withNodes(request: unknown): unknown {
  if (request instanceof Series) return new RequestNode(request.node);
  if (Array.isArray(request)) return request.map(withNodes);
  if (!isFields(request) || Object.getPrototypeOf(request) !== Object.prototype) return request;
  return Object.fromEntries(Object.entries(request).map(([name, part]) => [name, withNodes(part)]));
}

/** Returns the nodes in a request. */
function nodesIn(request: unknown): readonly RuleNode[] {
  if (request instanceof RequestNode) return [request.node];
  return isFields(request) ? Object.values(request).flatMap(nodesIn) : [];
}

/** Returns a request with the value of each node; NaN is unknown. */
export function filledIn(request: unknown, valueOf: (node: RuleNode) => unknown): unknown {
  if (request instanceof RequestNode) return valueOf(request.node);
  if (Array.isArray(request)) return request.map((part) => filledIn(part, valueOf));
  if (!isFields(request) || Object.getPrototypeOf(request) !== Object.prototype) return request;
  return Object.fromEntries(Object.entries(request).map(([name, part]) => [name, filledIn(part, valueOf)]));
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

/** Decides at a closed bar: sells what is held if `exit` is true, or buys if `enter` is. */
function decide(ctx: StrategyContext, bar: Bar): void {
  const part = partIn(ctx);
  if (part === null) return;
  const rules = part.plan as RuleSet;
  const held = ctx.state as Held;
  drawSeries(ctx, part, rules);
  if (ctx.isTradable(ctx.position, bar.close)) {
    const isNew = rules.needsPosition && held.sinceMs === null;
    const since = isNew ? { ...held, sinceMs: bar.closeTimeMs } : held;
    if (isNew) ctx.setState({ sinceMs: since.sinceMs });
    // Waits for its own orders: the rest of a purchase, or a sale. Exits of a bracket always rest.
    if (rules.exit === null || ctx.orders.some(({ exit }) => exit === null)) return;
    part.decide(new Moment(ctx, bar, since));
    if (part.read(rules.exit) === 1) ctx.sell({ amount: ctx.position, tag: tagOf(part, rules.exit) });
    return;
  }
  if (held.sinceMs !== null) ctx.setState({ sinceMs: null, bought: 0, paid: 0 });
  if (part.read(rules.enter) !== 1 || ctx.orders.length > 0) return;
  part.decide(new Moment(ctx, bar, held));
  const read = (node: RuleNode): number => part.read(node);
  if (rules.requested.some((node) => Number.isNaN(read(node)))) return;
  const size = filledIn(rules.size, read) as Size;
  if (!isEnough(ctx, size, bar.close)) return;
  const tag = tagOf(part, rules.enter);
  if (rules.bracket === undefined) ctx.buy({ ...size, tag });
  else ctx.bracket({ tag, ...(filledIn(rules.bracket, read) as ExitWish), entry: size });
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
