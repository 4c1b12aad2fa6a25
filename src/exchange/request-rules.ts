import type { z } from 'zod';
import { invariant } from '../domain/errors.ts';

/**
 * Rules between fields of a request. Each is written twice, as code that checks a request and as JSON Schema
 * for the OpenAPI page; a test compares the two.
 */

type JsonSchema = Readonly<Record<string, unknown>>;

/** Issue of a rule between fields, with the code that the exchange itself would answer. */
export interface RuleIssue {
  readonly field: string;
  readonly message: string;
  readonly exchangeCode: string;
}

/** Adds broken rules between fields as issues; the exchange's code is in the issue's `params`. */
export function addRuleIssues(context: z.core.$RefinementCtx, issues: readonly RuleIssue[]): void {
  for (const { field, message, exchangeCode } of issues)
    context.addIssue({ code: 'custom', path: [field], message, params: { exchangeCode, isRule: true } });
}

/** Values in a body that mean the same as a missing field. */
export const LEFT_OUT: readonly unknown[] = ['', null];

/** Schema of bodies in which this field has a value. */
const has = (name: string): JsonSchema => ({
  required: [name],
  properties: { [name]: { not: { enum: LEFT_OUT } } },
});

/** Schema of bodies that have at least one of these fields. */
export const someOf = (...names: readonly string[]): JsonSchema => ({ anyOf: names.map(has) });

/** Schema of bodies that do not have all of these fields. */
export const notTogether = (...names: readonly string[]): JsonSchema => ({ not: { allOf: names.map(has) } });

/** Schema of bodies that have all of these fields, or none. */
export const togetherOrNone = (...names: readonly string[]): JsonSchema => ({
  anyOf: [{ allOf: names.map(has) }, { not: { anyOf: names.map(has) } }],
});

/** Schema of bodies in which this field is one of some words. */
export const isOneOf = (name: string, words: readonly string[]): JsonSchema => ({
  required: [name],
  properties: { [name]: { type: 'string', ...anyCaseOf(words) } },
});

/**
 * Patterns for a request's texts. The OpenAPI page shows the same text that the declaration checks with, so
 * that the two cannot differ. Digits are written `[0-9]`: `\d` means more in some languages.
 */

export interface TextPattern {
  readonly pattern: string;
  readonly maxLength?: number;
}

const known = new Map<string, RegExp>();

/** Returns true if a text matches, its length in characters. Compiled patterns are kept, a few. */
export function matches({ pattern, maxLength }: TextPattern, text: string): boolean {
  if (maxLength !== undefined && isLonger(text, maxLength)) return false;
  let expression = known.get(pattern);
  if (expression === undefined) known.set(pattern, (expression = new RegExp(pattern)));
  return expression.test(text);
}

/** Returns true if a text has more than `most` characters, each beyond the basic plane as one. */
export function isLonger(text: string, most: number): boolean {
  if (text.length <= most) return false;
  return text.length > 2 * most || Array.from(text).length > most;
}

/** Returns a pattern of a word in any case. */
export const anyCase = (word: string): string =>
  word.replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);

/** Returns a pattern of one of some words, in any case. */
export const anyCaseOf = (words: readonly string[]): TextPattern => ({
  pattern: `^(?:${words.map(anyCase).join('|')})$`,
});

const digits = (count: number): string => (count === 0 ? '' : count === 1 ? '[0-9]' : `[0-9]{${count}}`);

/** Returns patterns of whole numbers with as many digits as `most` and not above it. */
function upTo(most: string): readonly string[] {
  const below = most.split('').flatMap((digit, index): readonly string[] => {
    const lowest = index === 0 ? 1 : 0;
    if (Number(digit) <= lowest) return [];
    return [`${most.slice(0, index)}[${lowest}-${Number(digit) - 1}]${digits(most.length - index - 1)}`];
  });
  return [...below, most];
}

/**
 * Returns a pattern of a whole number within bounds. Leading zeros and zeros after a point are allowed: some
 * programs write `01` or `1.0` in a query. `least` is 0 or a power of ten.
 */
export function integerPattern(least: number, most: number): TextPattern {
  const [low, high] = [String(least), String(most)];
  invariant(
    /^(?:0|10*)$/.test(low) && most > least,
    `expected bounds such as 1 and 500, was ${least} and ${most}`,
  );
  const isAllNines = /^9+$/.test(high);
  const fewest = least === 0 ? 0 : low.length - 1;
  const rest = isAllNines ? high.length - 1 : high.length - 2;
  const choices = [
    ...(least === 0 ? ['0'] : []),
    ...(rest >= fewest ? [`[1-9][0-9]{${fewest},${rest}}`] : []),
    ...(isAllNines ? [] : upTo(high)),
  ];
  return { pattern: `^0*(?:${choices.join('|')})(?:\\.0+)?$` };
}

/** Pattern of a decimal above zero, with or without an exponent. Written out it has at most 80 digits. */
export const POSITIVE_TEXT: TextPattern = {
  pattern:
    '^\\+?(?=[0-9.]*[1-9])(?:[0-9]+(?:\\.[0-9]+)?|(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)[eE][+-]?[0-2]?[0-9])$',
  maxLength: 40,
};

/** Pattern of a whole decimal above zero, also with zeros after a point. */
export const WHOLE_TEXT: TextPattern = { pattern: '^\\+?0*[1-9][0-9]{0,14}(?:\\.0+)?$', maxLength: 40 };

/** Pattern of a day of the calendar; the 29th of February is accepted in every year. */
export const DAY_TEXT: TextPattern = {
  pattern:
    '^[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|[12][0-9]))$',
};

/** Returns a pattern of words separated by commas, with or without spaces around these. */
export const listPattern = (word: string): TextPattern => ({ pattern: `^ *${word} *(?:, *${word} *)*$` });
