import { invalidStrategy } from '../domain/errors.ts';
import { joinSentences, sentence, sentenceFacts, type Sentence } from '../language/sentence.ts';
import { isoText } from '../domain/time-text.ts';
import type { OrderWith } from '../records/order.ts';
import type { Bar } from './data/bar.ts';
import { dataSetup } from './data/data.ts';
import { whatIsWrong, type StrategyDefinition } from './definition.ts';
import { inputText, textOfNumber } from './decimal-input.ts';
import { fieldsOf, isFields } from './fields.ts';
import type { ExitWish, Size } from './intents.ts';
import type { IndicatorSpecs } from './indicators/declare-indicator.ts';
import { isAwaited, notRules, readMoment, type RuleMoment, type RuleReading } from './rules.ts';
import { filledIn, type RuleSet } from './rules/compile.ts';
import { writeRule, type ConditionNode, type RuleNode } from './rules/expression.ts';
import { MAIN_PART, RuleSpec } from './rules/program.ts';
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
  if (wrong !== null) throw invalidStrategy(wrong);
  const params = checkedParameters(definition, definition.name, of.params);
  const { timeframe } = of;
  const data = definition.data(dataSetup({ ...of, params, hasBooks: true }));
  const spec: unknown = definition.indicators?.(data, { params, timeframe })[MAIN_PART];
  if (spec instanceof RuleSpec) return spec.plan as RuleSet;
  throw notRules(definition);
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
interface ReadLine extends Omit<ConditionLine, 'node'> {
  /** True, false, or null while it is unknown. */
  readonly isTrue: boolean | null;
  /** Both sides of a comparison; null for a list, and while they are unknown. */
  readonly left: number | null;
  readonly right: number | null;
  /** Close of the bar since which it is what it is, in ms since 1970; null if unknown. */
  readonly sinceMs: number | null;
}

/** Adds to a crossing that is not made that its series is on the other side already, however far away. */
function withState(condition: Sentence, node: ConditionNode, reading: RuleReading): Sentence {
  if (node.kind !== 'compare' || reading.read(node) === 1) return condition;
  const [left, right] = [reading.read(node.left), reading.read(node.right)];
  if (node.does === 'crossesAbove' && left > right) return sentence('rules-already-above', { condition });
  if (node.does === 'crossesBelow' && left < right) return sentence('rules-already-below', { condition });
  return condition;
}

const known = (value: number): number | null => (Number.isNaN(value) ? null : value);

function readLines(node: ConditionNode | null, reading: RuleReading): readonly ReadLine[] {
  if (node === null) return [];
  return conditionLines(node).map(({ node: of, text, depth }) => {
    const value = known(reading.read(of));
    const sides = of.kind === 'compare' ? [of.left, of.right] : [];
    const [left = null, right = null] = sides.map((side) => known(reading.read(side)));
    const isTrue = value === null ? null : value === 1;
    const sinceMs = reading.sinceMs(of);
    return { text: withState(text, of, reading), depth, isTrue, left, right, sinceMs };
  });
}

/** Holding of a strategy at a bar. */
export interface RuleHolding {
  /** True if something is held, so that the conditions to sell count; null if it is not known. */
  readonly isHeld: boolean | null;
  /** State of the strategy then; undefined: that of the context. */
  readonly held?: unknown;
  /** Its open orders; default: those of the context. */
  readonly orders?: readonly ExitOrder[];
}

type ExitOrder = Pick<OrderWith<string | number>, 'exit' | 'price' | 'stopPrice'>;

/** The rules of a strategy at one bar: the values of all conditions, and what the next order lacks. */
export interface ReadRules extends Pick<RuleHolding, 'isHeld'> {
  readonly market: string;
  /** Close of the bar, in ms since 1970. */
  readonly closeTimeMs: number;
  readonly enter: readonly ReadLine[];
  readonly exit: readonly ReadLine[];
  /** Conditions that are needed and not true, and what is wrong with the size of a purchase. */
  readonly missing: readonly Sentence[];
  /** The result in one sentence. */
  readonly outcome: Sentence;
}

/** Reads the rules at a deciding bar. */
export function readRules(moment: RuleMoment, { isHeld, held, orders }: RuleHolding): ReadRules {
  readMoment(moment, held);
  const { reading, rules, bar, ctx } = moment;
  const { enter, exit } = rules;
  const missing =
    isHeld === true ? missingIn(exit, reading) : [...missingIn(enter, reading), ...sizeProblems(moment)];
  const open = orders ?? ctx.orders;
  const awaited = isHeld === true ? open.filter(isAwaited) : open;
  const outcome =
    isHeld === true && exit === null
      ? exitSentence(open, bar.close)
      : missing.length === 0
        ? awaited.length > 0
          ? sentence('rules-orders-open', { count: awaited.length })
          : sentence('rules-made')
        : sentence('rules-missing', { conditions: joinSentences('both', missing) });
  const { market, closeTimeMs } = bar;
  return {
    market,
    closeTimeMs,
    isHeld,
    enter: readLines(enter, reading),
    exit: readLines(exit, reading),
    missing,
    outcome,
  };
}

/** Describes the exit orders of a purchase, each with its distance from a price. */
function exitSentence(orders: readonly ExitOrder[], close: number): Sentence {
  const exits = orders.flatMap(({ exit, price: limit, stopPrice }) => {
    if (exit === null) return [];
    const price = Number(stopPrice ?? limit);
    const away = `${(Math.abs(price / close - 1) * 100).toFixed(2)} %`;
    return [sentence('rules-exit', { exit: sentence(`exit-${exit}`), price, away })];
  });
  return exits.length === 0
    ? sentence('rules-no-exit')
    : sentence('rules-exits', { exits: joinSentences('listed', exits) });
}

/** Returns a line that a bar closed long before the time that was asked for; none if none could be later. */
export const lastBarLines = (bar: Pick<Bar, 'openTimeMs' | 'closeTimeMs'>, atMs: number | null): Sentence[] =>
  atMs !== null && atMs - bar.closeTimeMs >= bar.closeTimeMs - bar.openTimeMs
    ? [sentence('rules-last-bar', { at: isoText(atMs) })]
    : [];

/** Returns which candles of rules are fewer than their values need. `have`: how many there are, by name. */
export const shortLines = (
  { settledAfter, data, main }: RuleSet,
  have: (name: string) => number,
): readonly Sentence[] =>
  [...settledAfter].flatMap(([key, bars]) => {
    const name = Object.hasOwn(data, key) ? key : main.name;
    return have(name) < bars ? [sentence('rules-few-bars', { have: have(name), bars, data: name })] : [];
  });

/** Returns what keeps a condition from being true: of a list where one part is enough, one entry. */
function missingIn(node: ConditionNode | null, reading: RuleReading): readonly Sentence[] {
  if (node === null || reading.read(node) === 1) return [];
  const lacks = (part: ConditionNode): readonly Sentence[] => missingIn(part, reading);
  if (node.kind === 'all') return node.of.flatMap(lacks);
  if (node.kind === 'any') {
    const choices = node.of.map((part) => {
      const parts = lacks(part);
      const of = joinSentences('both', parts);
      return parts.length > 1 ? sentence('rule-bracketed', { of }) : of;
    });
    return [joinSentences('rule-any', choices)];
  }
  const condition = withState(ruleSentence(node), node, reading);
  return [Number.isNaN(reading.read(node)) ? sentence('rules-unknown', { condition }) : condition];
}

/** True if the size of a purchase depends on the money of the strategy. */
export const needsMoney = ({ nodes, size }: RuleSet): boolean =>
  fieldsOf(size)['equityShare'] !== undefined ||
  nodes.some(({ node }) => node.kind === 'moment' && (node.fact === 'equity' || node.fact === 'freeQuote'));

/** Significant digits of sizes in words. */
const DIGITS = 8;

const money = (of: number, currency: string): string =>
  `${textOfNumber(Number(of.toPrecision(DIGITS))) ?? 0} ${currency.toUpperCase()}`;

/** Returns why no purchase would be placed: its size is unknown, or too small for an order. */
function sizeProblems({ reading, rules: of, bar, ctx }: RuleMoment): readonly Sentence[] {
  if (ctx.equity === null && needsMoney(of)) return [];
  const { requested, size } = of;
  const read = (node: RuleNode): number => reading.read(node);
  const unknown = requested.filter((node) => Number.isNaN(read(node)));
  if (unknown.length > 0) {
    const values = sentence('rules-size', { size: joinSentences('listed', unknown.map(ruleSentence)) });
    return [sentence('rules-unknown', { condition: values })];
  }
  const { amount, value, equityShare } = filledIn(size, read) as Size;
  const worth = value ?? (ctx.equity === null ? Number.NaN : Number(equityShare) * ctx.equity);
  const wanted = Number(amount ?? Number(worth) / bar.close);
  if (Number.isNaN(wanted)) return [];
  const { base, quote, rules } = ctx;
  const least = money(rules.minOrderValue, quote);
  if (!ctx.isTradable(wanted, bar.close))
    return [
      sentence('rules-size-small', {
        size: money(wanted, base),
        worth: money(wanted * bar.close, quote),
        least,
        step: money(rules.amountStep, base),
      }),
    ];
  const price = lowestExit(filledIn(of.bracket, read) as ExitWish | undefined, bar.close, wanted);
  if (ctx.isTradable(wanted, price)) return [];
  const exit = { price: money(price, quote), worth: money(wanted * price, quote), least };
  return [sentence('rules-exit-small', exit)];
}

/** Percent of a stop by which the limit of its order is lower, if the strategy sets none. */
const USUAL_STOP_SLIP = 1;

/** Returns the lowest price of the exit orders of a purchase at a price. */
function lowestExit({ stopLoss, trail, stopSlip }: ExitWish = {}, price: number, amount: number): number {
  const stops = [stopLoss, trail?.by].flatMap((level) => {
    if (level === undefined) return [];
    if (level.price !== undefined) return [Number(level.price)];
    if (level.percent !== undefined) return [price * (1 - Number(level.percent) / 100)];
    return [price - (level.distance === undefined ? Number(level.money) / amount : Number(level.distance))];
  });
  const slip = stopSlip === undefined ? USUAL_STOP_SLIP : Number(stopSlip);
  return Math.min(price, ...stops.map((stop) => stop * (1 - slip / 100)));
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

/** Writes a size, or each part of a bracket. A part without words of its own has the names of its fields. */
function requestSentence(request: unknown): Sentence {
  const said = filledIn(request, ruleSentence);
  const parts = isFields(said) ? Object.entries(said) : [['amount', said] as const];
  return joinSentences('listed', parts.flatMap(partSentences));
}

function partSentences([name, value]: readonly [name: string, value: unknown]): readonly Sentence[] {
  const words = WORDS[name]?.(value) ?? null;
  if (words !== null) return [words];
  if (!isFields(value)) return [sentence('rules-field', { name, value: wordsOf(value) })];
  return Object.entries(value).flatMap(([field, one]) => partSentences([`${name} ${field}`, one]));
}

/** Returns a value of a request as words: a number, or the sentence of a series. */
const wordsOf = (value: unknown): Sentence => (typeof value === 'string' ? value : inputText(value));

/** Puts a value that is more than a name or a number into brackets. */
const inBrackets = (said: Sentence): Sentence =>
  sentenceFacts(said) === null ? said : sentence('rule-bracketed', { of: said });

const percentOf = (value: number): Sentence =>
  sentence('rules-percent', { percent: textOfNumber(Number(value.toPrecision(DIGITS))) ?? '' });

/** Returns the distance of an exit in words; null if it is not given as one. */
function awayOf(of: unknown): Sentence | null {
  const { percent, distance } = fieldsOf(of);
  if (distance !== undefined) return inBrackets(wordsOf(distance));
  return percent === undefined ? null : sentence('rules-percent', { percent: wordsOf(percent) });
}

/** Returns how an exit at a distance from the entry is written. */
const exitWords =
  (code: 'rules-stop' | 'rules-target'): ((level: unknown) => Sentence | null) =>
  (level) => {
    const away = awayOf(level);
    return away === null ? null : sentence(code, { away });
  };

/** Words of the parts of sizes and brackets, by their names in the SDK; null for a form that has none. */
const WORDS: Readonly<Record<string, (value: unknown) => Sentence | null>> = {
  amount: wordsOf,
  value: (value) => sentence('rules-worth', { value: wordsOf(value) }),
  equityShare: (share) =>
    sentence('rules-share', {
      share: Number.isNaN(Number(share)) ? inBrackets(wordsOf(share)) : percentOf(Number(share) * 100),
    }),
  stopLoss: exitWords('rules-stop'),
  takeProfit: exitWords('rules-target'),
};
