import { LONGEST_WARM_UP } from '../../domain/candle.ts';
import { invalidStrategy, didYouMean } from '../../domain/errors.ts';
import { RULE_SENTENCES } from '../../language/rule-sentences.ts';
import { inputText } from '../decimal-input.ts';
import { limitText } from '../indicators/declare-indicator.ts';

/** Fields of a bar that rules can read. */
export const RULE_FIELDS = ['open', 'high', 'low', 'close', 'volume'] as const;

/** Facts of the strategy at the moment of a decision; they have no history. */
export type MomentFact = 'barsHeld' | 'profitPercent' | 'equity' | 'freeQuote';

export type Arithmetic = 'plus' | 'minus' | 'times' | 'over' | 'atLeast' | 'atMost';
export type Comparison = 'isAbove' | 'isBelow' | 'crossesAbove' | 'crossesBelow';

/** A number at each closed bar, as plain data. It is unknown before its inputs are known. */
export type ValueNode =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'bar'; readonly data: string; readonly field: (typeof RULE_FIELDS)[number] }
  /** `field`: the part of an indicator whose value is a record; null for one whose value is a number. */
  | { readonly kind: 'indicator'; readonly name: string; readonly field: string | null }
  /** Hour (0 to 23) or weekday (1 Monday to 7 Sunday) in a zone at the close of the bar. */
  | { readonly kind: 'clock'; readonly unit: 'hour' | 'weekday'; readonly zone: string }
  | { readonly kind: 'moment'; readonly fact: MomentFact }
  | {
      readonly kind: 'arithmetic';
      readonly does: Arithmetic;
      readonly left: ValueNode;
      readonly right: ValueNode;
    }
  /** Greatest or least value of the last `bars` bars, with this one; or the value `bars` bars before. */
  | {
      readonly kind: 'window';
      readonly does: 'highest' | 'lowest' | 'before';
      readonly of: ValueNode;
      readonly bars: number;
    }
  /** Number of bars since a condition was true; unknown beyond `bars`. */
  | { readonly kind: 'since'; readonly of: ConditionNode; readonly bars: number };

/** True, false or unknown at each closed bar, as plain data. */
export type ConditionNode =
  | {
      readonly kind: 'compare';
      readonly does: Comparison;
      readonly left: ValueNode;
      readonly right: ValueNode;
    }
  | { readonly kind: 'all' | 'any'; readonly of: readonly ConditionNode[] }
  | { readonly kind: 'not'; readonly of: ConditionNode };

export type RuleNode = ValueNode | ConditionNode;

/** A number, or a series of numbers. */
export type Operand = Series | number;

/** Maximum number of operators in the rules of one strategy. */
const MOST_NODES = 1_000;

/**
 * A number at each closed bar. Its operators make other series and conditions; none of them can look at a
 * later bar. A series is unknown while an input is unknown, and where its arithmetic has no finite result.
 */
export class Series {
  readonly node: ValueNode;

  constructor(node: ValueNode) {
    this.node = node;
  }

  isAbove(other: Operand): Condition {
    return this.#compare('isAbove', other);
  }

  isBelow(other: Operand): Condition {
    return this.#compare('isBelow', other);
  }

  /** True at a bar where it is above the other, and was at most equal to it one bar before. */
  crossesAbove(other: Operand): Condition {
    return this.#compare('crossesAbove', other);
  }

  /** True at a bar where it is below the other, and was at least equal to it one bar before. */
  crossesBelow(other: Operand): Condition {
    return this.#compare('crossesBelow', other);
  }

  /** True if it is above its value some bars before. */
  rises(bars = 1): Condition {
    return this.isAbove(this.before(bars));
  }

  /** True if it is below its value some bars before. */
  falls(bars = 1): Condition {
    return this.isBelow(this.before(bars));
  }

  plus(other: Operand): Series {
    return this.#with('plus', other);
  }

  minus(other: Operand): Series {
    return this.#with('minus', other);
  }

  times(other: Operand): Series {
    return this.#with('times', other);
  }

  /** Divides; unknown where the other is 0. */
  over(other: Operand): Series {
    return this.#with('over', other);
  }

  /** Returns the greater of both. */
  atLeast(other: Operand): Series {
    return this.#with('atLeast', other);
  }

  /** Returns the lesser of both. */
  atMost(other: Operand): Series {
    return this.#with('atMost', other);
  }

  /** Returns its greatest value in the last `bars` bars, with the current one. */
  highest(bars: number): Series {
    return this.#window('highest', bars);
  }

  /** Returns its least value in the last `bars` bars, with the current one. */
  lowest(bars: number): Series {
    return this.#window('lowest', bars);
  }

  /** Returns its value `bars` bars before. */
  before(bars: number): Series {
    return this.#window('before', bars);
  }

  /** Returns its value minus that of `bars` bars before. */
  change(bars = 1): Series {
    return this.minus(this.before(bars));
  }

  #compare(does: Comparison, other: Operand): Condition {
    return new Condition({ kind: 'compare', does, left: this.node, right: operand(does, other) });
  }

  #with(does: Arithmetic, other: Operand): Series {
    return new Series({ kind: 'arithmetic', does, left: this.node, right: operand(does, other) });
  }

  #window(does: 'highest' | 'lowest' | 'before', bars: number): Series {
    return new Series({ kind: 'window', does, of: this.node, bars: countOfBars(does, bars) });
  }
}

/**
 * True, false or unknown at each closed bar. `and`, `or` and `not` treat an unknown part as one that could be
 * either: `false and unknown` is false, `true and unknown` is unknown.
 */
export class Condition {
  readonly node: ConditionNode;

  constructor(node: ConditionNode) {
    this.node = node;
    unused?.add(node);
  }

  and(...others: readonly Condition[]): Condition {
    return this.#join('all', others);
  }

  or(...others: readonly Condition[]): Condition {
    return this.#join('any', others);
  }

  not(): Condition {
    return new Condition({ kind: 'not', of: conditionNode(this, 'not') });
  }

  /** Returns the bars since it was true: 0 at such a bar, unknown if it was not in the last `bars`. */
  barsSince(bars = 100): Series {
    return new Series({
      kind: 'since',
      of: conditionNode(this, 'barsSince'),
      bars: countOfBars('barsSince', bars),
    });
  }

  #join(kind: 'all' | 'any', others: readonly Condition[]): Condition {
    const name = kind === 'all' ? 'and' : 'or';
    const of = [this, ...others].map((one) => conditionNode(one, name));
    // `a.and(b).and(c)` is one list of three conditions.
    return new Condition({ kind, of: of.flatMap((one) => (one.kind === kind ? one.of : [one])) });
  }
}

/** Conditions that the rule being read has made and not used yet; null while none is read. */
let unused: Set<ConditionNode> | null = null;

/** Reads a rule. Throws `INVALID_STRATEGY` without a condition, or if one is lost, as by `a && b`. */
export function conditionOf(place: string, rule: () => unknown): ConditionNode {
  unused = new Set();
  try {
    const node = conditionNode(rule(), place);
    const [dropped] = unused;
    if (dropped === undefined) return node;
    throw invalidStrategy(
      `${place}: expected to use each condition that it makes, "${ruleText(dropped)}" has no part in it: join conditions with .and(…) or .or(…), since a && b is b alone, and leave out what is not used`,
    );
  } finally {
    unused = null;
  }
}

/** Returns the node of a condition, which is used now. Types of plugins are not trusted. */
function conditionNode(value: unknown, place: string): ConditionNode {
  if (!(value instanceof Condition))
    throw invalidStrategy(
      `${place}: expected a condition such as strength.isBelow(30), was ${shownValue(value)}`,
    );
  unused?.delete(value.node);
  return value.node;
}

function operand(place: string, value: unknown): ValueNode {
  if (value instanceof Series) return value.node;
  if (typeof value === 'number' && Number.isFinite(value)) return { kind: 'number', value };
  throw invalidStrategy(`${place}: expected a finite number or a series, was ${shownValue(value)}`);
}

function countOfBars(place: string, bars: unknown): number {
  if (typeof bars === 'number' && Number.isInteger(bars) && bars >= 1 && bars <= LONGEST_WARM_UP) return bars;
  const why = Number(bars) < 0 ? `: ${NOTHING_AHEAD}` : limitText(bars);
  throw invalidStrategy(
    `${place}: expected a whole number of bars from 1 to ${LONGEST_WARM_UP}, was ${shownValue(bars)}${why}`,
  );
}

const NOTHING_AHEAD = 'rules look back, no operator looks ahead';

/** True for a name that JavaScript itself looks for, as for `await`: it is not there. */
export const isOfLanguage = (name: string | symbol): name is symbol =>
  typeof name === 'symbol' || name === 'then' || name === 'toJSON';

/** Refuses names that no operator has, such as those of other libraries: types of plugins are not trusted. */
const OTHER_OPERATORS: ProxyHandler<object> = {
  get(_, name, of) {
    if (isOfLanguage(name)) return undefined;
    if (name === 'shift' || /^-?\d+$/.test(name))
      throw invalidStrategy(
        `expected .before(n), the value n bars before, was ${name === 'shift' ? '.shift' : `[${name}]`}: ${NOTHING_AHEAD}`,
      );
    const { prototype } = of instanceof Series ? Series : Condition;
    const known = Object.getOwnPropertyNames(prototype).filter((one) => one !== 'constructor');
    const isOfJavaScript = name === 'valueOf' || name === 'toString';
    throw invalidStrategy(
      `expected an operator of a ${of instanceof Series ? 'series' : 'condition'} (${known.join(', ')}), was ${isOfJavaScript ? "one of JavaScript's own, such as < or +" : `.${name}`}${didYouMean(name, known)}`,
    );
  },
};

for (const { prototype } of [Series, Condition])
  Object.setPrototypeOf(prototype, new Proxy(Object.create(null) as object, OTHER_OPERATORS));

export const shownValue = (value: unknown): string =>
  value instanceof Series
    ? 'a series'
    : value instanceof Condition
      ? 'a condition'
      : value instanceof Promise
        ? 'a promise: leave "async" out'
        : inputText(value);

/** Returns the nodes that a node is computed from. */
export function inputsOf(node: RuleNode): readonly RuleNode[] {
  switch (node.kind) {
    case 'number':
    case 'bar':
    case 'indicator':
    case 'clock':
    case 'moment':
      return [];
    case 'arithmetic':
    case 'compare':
      return [node.left, node.right];
    case 'window':
    case 'since':
    case 'not':
      return [node.of];
    case 'all':
    case 'any':
      return node.of;
  }
}

/** Returns the nodes of some roots, each once, inputs first. Throws if there are too many. */
export function nodesInOrder(roots: readonly RuleNode[]): readonly RuleNode[] {
  const begun = new Set<RuleNode>();
  const ordered: RuleNode[] = [];
  const visit = (node: RuleNode): void => {
    if (begun.has(node)) return;
    begun.add(node);
    // Checked before its inputs are visited, as each of them goes one level deeper.
    if (begun.size > MOST_NODES)
      throw invalidStrategy(`expected rules of at most ${MOST_NODES} operators, were more`);
    for (const input of inputsOf(node)) visit(input);
    ordered.push(node);
  };
  for (const root of roots) visit(root);
  return ordered;
}

/** Code of the words of an operator. */
type RuleCode = Extract<keyof typeof RULE_SENTENCES, `rule-${string}`>;

/** Makes a text of words and of what stands in their places. */
type Format<Said> = (code: RuleCode, places: Readonly<Record<string, Said | string>>) => Said | string;

/** Writes a node of rules: `strength crosses below 30`. */
export function writeRule<Said>(node: RuleNode, format: Format<Said>): Said | string {
  const write = (one: RuleNode): Said | string => writeRule(one, format);
  /** Writes a node in brackets if its own words could be read together with those around it. */
  const part = (one: RuleNode): Said | string =>
    ['number', 'bar', 'indicator', 'clock', 'moment', 'compare'].includes(one.kind)
      ? write(one)
      : format('rule-bracketed', { of: write(one) });
  switch (node.kind) {
    case 'number':
      return String(node.value);
    case 'bar':
      return format('rule-bar', { field: format(`rule-${node.field}`, {}), data: node.data });
    case 'indicator':
      return node.field === null ? node.name : `${node.name}.${node.field}`;
    case 'clock':
      return format(node.unit === 'hour' ? 'rule-hour' : 'rule-weekday', { zone: node.zone });
    case 'moment':
      return format(`rule-${node.fact}`, {});
    case 'arithmetic':
      return format(`rule-${node.does}`, { left: part(node.left), right: part(node.right) });
    case 'compare':
      return format(`rule-${node.does}`, { left: write(node.left), right: write(node.right) });
    case 'window':
      return format(`rule-${node.does}`, { of: part(node.of), bars: String(node.bars) });
    case 'since':
      return format('rule-since', { of: part(node.of) });
    case 'not':
      return format('rule-not', { of: part(node.of) });
    case 'all':
    case 'any':
      return node.of
        .map(part)
        .reduce((first, rest) => format(node.kind === 'all' ? 'rule-all' : 'rule-any', { first, rest }));
  }
}

/** Writes a node of rules in English, for tags and errors, without the sentences of the bot. */
export const ruleText = (node: RuleNode): string =>
  writeRule<string>(node, (code, places) =>
    RULE_SENTENCES[code].replaceAll(/\{(\w+):\w+\}/g, (_, place: string) => places[place] ?? ''),
  );
