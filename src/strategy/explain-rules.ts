import { joinSentences, sentence, type Sentence } from '../language/sentence.ts';
import { dataSetup } from './data/data.ts';
import { whatIsWrong, type StrategyDefinition } from './definition.ts';
import { isFields } from './fields.ts';
import type { IndicatorSpecs } from './indicators/declare-indicator.ts';
import { notRules, type RuleReading } from './rules.ts';
import { filledIn, type RuleSet } from './rules/compile.ts';
import { invalidRule, type ConditionNode, type RuleNode } from './rules/expression.ts';
import { MAIN_PART, RuleSpec } from './rules/program.ts';
import { writeRule } from './rules/words.ts';
import { checkedParameters } from './runner-setup.ts';

export type { RuleSet } from './rules/compile.ts';

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

/** Writes a node of rules as a sentence. */
const ruleSentence = (node: RuleNode): Sentence =>
  // Each code has the places that it is written with.
  writeRule<Sentence>(node, (code, places) => sentence(code, places as never));

/** One line of a condition: a comparison, or the head of a list of conditions. */
export interface ConditionLine {
  readonly text: Sentence;
  /** Number of lists around it. */
  readonly depth: number;
  readonly node: ConditionNode;
}

/** A condition in lines, each part on its own; a list of parts comes after its head. */
function conditionLines(node: ConditionNode, depth = 0): readonly ConditionLine[] {
  if (node.kind === 'compare') return [{ text: ruleSentence(node), depth, node }];
  const head = { all: 'rules-all-of', any: 'rules-any-of', not: 'rules-none-of' } as const;
  const parts = node.kind === 'not' ? [node.of] : node.of;
  return [
    { text: sentence(head[node.kind]), depth, node },
    ...parts.flatMap((part) => conditionLines(part, depth + 1)),
  ];
}

/** A line of a condition with its value at a bar. */
export interface ReadLine extends ConditionLine {
  /** True, false, or null while it is unknown. */
  readonly isTrue: boolean | null;
  /** Both sides of a comparison; null for a list, and while they are unknown. */
  readonly left: number | null;
  readonly right: number | null;
  /** Close of the bar since which it is what it is, in ms since 1970; null if unknown. */
  readonly sinceMs: number | null;
}

const known = (value: number): number | null => (Number.isNaN(value) ? null : value);

/** Returns the lines of a condition with their values at the last bar. */
export function readLines(node: ConditionNode, reading: RuleReading): readonly ReadLine[] {
  return conditionLines(node).map((line) => {
    const value = known(reading.read(line.node));
    const sides = line.node.kind === 'compare' ? [line.node.left, line.node.right] : [];
    const [left = null, right = null] = sides.map((side) => known(reading.read(side)));
    const isTrue = value === null ? null : value === 1;
    return { ...line, isTrue, left, right, sinceMs: reading.sinceMs(line.node) };
  });
}

/** Returns the lines that keep a condition from being true; none if it is true. */
export function missingLines(lines: readonly ReadLine[]): readonly ReadLine[] {
  const [head] = lines;
  if (head === undefined || head.isTrue === true) return [];
  if (head.node.kind === 'compare' || head.node.kind === 'not') return [head];
  return partsOf(lines).flatMap(missingLines);
}

/** Returns the lines of each part of a list. */
function partsOf([head, ...lines]: readonly ReadLine[]): readonly (readonly ReadLine[])[] {
  const parts: ReadLine[][] = [];
  for (const line of lines)
    if (line.depth === (head?.depth ?? 0) + 1) parts.push([line]);
    else parts.at(-1)?.push(line);
  return parts;
}

/** The rules of a strategy in words. */
export interface Explanation {
  /** Each indicator by name: its kind, its parameters and its candles. */
  readonly indicators: Readonly<Record<string, Sentence>>;
  readonly enter: readonly ConditionLine[];
  readonly exit: readonly ConditionLine[];
  readonly size: Sentence;
  /** Exit orders of each purchase; null without a bracket. */
  readonly bracket: Sentence | null;
  /** Bars that it must have seen of each of its candles. */
  readonly bars: Readonly<Record<string, number>>;
}

export function explainRules({
  enter,
  exit,
  size,
  bracket,
  specs,
  data,
  main,
  settledAfter,
}: RuleSet): Explanation {
  const nameOf = (of: unknown): string => Object.keys(data).find((name) => data[name] === of) ?? main.name;
  return {
    indicators: Object.fromEntries(
      Object.entries(specs).map(([name, spec]) => [name, indicatorSentence(spec, nameOf(spec.of))]),
    ),
    enter: conditionLines(enter),
    exit: exit === null ? [] : conditionLines(exit),
    size: requestSentence(size),
    bracket: bracket === undefined ? null : requestSentence(bracket),
    bars: Object.fromEntries(
      [...settledAfter].map(([name, bars]) => [Object.hasOwn(data, name) ? name : main.name, bars]),
    ),
  };
}

function indicatorSentence({ kind, params }: IndicatorSpecs[string], data: string): Sentence {
  const numbers = Object.entries(params).map(([name, value]) => `${name} ${value}`);
  return sentence('rules-indicator', { indicator: [kind, ...numbers].join(' '), data });
}

/** Writes a size or a bracket: the names of its fields are those of the SDK. */
function requestSentence(request: unknown): Sentence {
  const parts = (part: unknown, names: readonly string[]): Sentence[] => {
    if (!isFields(part)) return [sentence('rules-field', { name: names.join(' '), value: part as Sentence })];
    return Object.entries(part).flatMap(([name, value]) => parts(value, [...names, name]));
  };
  const said = filledIn(request, ruleSentence);
  return joinSentences('listed', parts(typeof said === 'string' ? { amount: said } : said, []));
}
