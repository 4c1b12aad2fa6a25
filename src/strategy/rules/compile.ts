import { invalidStrategy, didYouMean } from '../../domain/errors.ts';
import { LONGEST_WARM_UP, type Timeframe } from '../../domain/candle.ts';
import { isZone } from '../../domain/zone-time.ts';
import type { CandleData, DeclaredData } from '../data/data.ts';
import { fieldsOf, isFields } from '../fields.ts';
import { frozenIntent } from '../check-intents.ts';
import type { IndicatorSpecs } from '../indicators/declare-indicator.ts';
import { createIndicator, ofIndicator, valueShapeOf } from '../indicators/indicators.ts';
import type { PlotOptions } from '../plots.ts';
import {
  RULE_FIELDS,
  conditionOf,
  inputsOf,
  isOfLanguage,
  nodesInOrder,
  Series,
  shownValue,
  type ConditionNode,
  type MomentFact,
  type RuleNode,
  ruleText,
} from './expression.ts';
import { MAIN_DATA, MOMENT, partName, RuleSpec, type PlacedNode, type RulePlan } from './program.ts';

/** Time at the close of the bar, in a zone such as `Asia/Tehran`. */
export interface RuleTime {
  /** Hour of the day, 0 to 23. */
  hour(zone: string): Series;
  /** Day of the week, from 1 (Monday) to 7 (Sunday). */
  weekday(zone: string): Series;
}

/** The position at a decision. Its values have no history: they can be compared and calculated with. */
export interface RulePosition {
  /** Bars closed since the first purchase. */
  readonly barsHeld: Series;
  /** Last close above the average purchase price, in percent of that price, before fees. */
  readonly profitPercent: Series;
}

/** The money at a decision, in the quote currency; without history, like the position. */
export interface RuleAccount {
  readonly equity: Series;
  readonly freeQuote: Series;
}

/** Indicators, conditions and requests of some rules. Their types are those of `defineRules`, unchecked. */
export interface RulePieces {
  readonly indicators?: (data: DeclaredData, setup: { readonly params: unknown }) => IndicatorSpecs;
  readonly enter: RulePiece;
  readonly exit?: RulePiece;
  readonly size: unknown;
  readonly bracket?: unknown;
}

type RulePiece = (now: unknown, setup: unknown) => unknown;

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

/**
 * Compiles rules for the data that they declare: their indicators, and with them a part of the rules for each
 * data at whose bars conditions are computed.
 */
export function compileRules(parts: RulePieces, declared: DeclaredData, params: unknown): IndicatorSpecs {
  const { [MAIN_DATA]: main, ...data } = declared;
  const specs = parts.indicators?.(data, { params }) ?? {};
  if (!isFields(specs) || specs instanceof Promise)
    throw invalidStrategy(`indicators: expected indicators by name, was ${shownValue(specs)}`);
  for (const name of Object.keys(specs))
    if (Object.hasOwn(data, name))
      throw invalidStrategy(`indicators.${name}: expected another name, data has this one`);
  const now = namedSeries(data, specs);
  const setup = { params, time: TIME };
  const position: RulePosition = { barsHeld: fact('barsHeld'), profitPercent: fact('profitPercent') };
  const account: RuleAccount = { equity: fact('equity'), freeQuote: fact('freeQuote') };
  const enter = conditionOf('enter', () => parts.enter(now, setup));
  const sells = parts.exit;
  const exit = sells === undefined ? null : conditionOf('exit', () => sells(now, { ...setup, position }));
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
  checkRequest(size, bracket, market);
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
        throw invalidStrategy(
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
        throw invalidStrategy(
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
    const { fields } = ofIndicator(name, () => valueShapeOf(spec));
    named[name] =
      fields === null
        ? series(null)
        : refusingOthers(name, Object.fromEntries(fields.map((field) => [field, series(field)])));
  }
  return refusingOthers('', named);
}

/** Returns an object that refuses to be read by a name that it does not have. */
function refusingOthers<Value extends object>(place: string, of: Value): Value {
  const names = Object.keys(of);
  const others = new Proxy(Object.create(null) as object, {
    get(_, name) {
      if (isOfLanguage(name)) return undefined;
      const path = place === '' ? name : `${place}.${name}`;
      throw invalidStrategy(`expected one of ${names.join(', ')}, was ${path}${didYouMean(name, names)}`);
    },
  });
  return Object.freeze(Object.setPrototypeOf(of, others) as Value);
}

const TIME: RuleTime = {
  hour: (zone) => clockSeries('hour', zone),
  weekday: (zone) => clockSeries('weekday', zone),
};

function clockSeries(unit: 'hour' | 'weekday', zone: unknown): Series {
  if (typeof zone === 'string' && isZone(zone)) return new Series({ kind: 'clock', unit, zone });
  throw invalidStrategy(`time.${unit}: expected a zone such as "Asia/Tehran", was ${JSON.stringify(zone)}`);
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

/** Refuses a size or a bracket that no order could have, whatever the values of its series. */
function checkRequest(size: unknown, bracket: unknown, market: string): void {
  // Times of a list must rise.
  let value = 0;
  const withNumbers = (request: unknown): object => fieldsOf(filledIn(request, () => (value += 1)));
  const amount = nodesIn(size).length === 0 ? withNumbers(size) : { amount: 1 };
  frozenIntent({ kind: 'place', side: 'buy', market, ...amount }, 'size');
  if (bracket !== undefined)
    frozenIntent({ kind: 'bracket', market, entry: amount, ...withNumbers(bracket) }, 'bracket');
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
