import type { z } from 'zod';
import { invariant } from '../domain/errors.ts';

/**
 * Rules between fields of a request. Each is written twice, as code that reads a request and as JSON Schema
 * for the OpenAPI page; a test compares the two.
 */

type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * Part that a rule between fields of a request adds to an issue: the code the exchange itself would answer
 * with.
 */
export interface RuleIssue {
  readonly field: string;
  readonly message: string;
  readonly exchangeCode: string;
}

/** Turns broken rules between fields into issues; the exchange's code is in the issue's `params`. */
export function addRuleIssues(context: z.core.$RefinementCtx, issues: readonly RuleIssue[]): void {
  for (const { field, message, exchangeCode } of issues) {
    context.addIssue({ code: 'custom', path: [field], message, params: { exchangeCode, isRule: true } });
  }
}

/** Values that a body may hold in the place of an omitted field. */
export const LEFT_OUT: readonly unknown[] = ['', null];

/** Holds of a body that has this field with something in it. */
const has = (name: string): JsonSchema => ({
  required: [name],
  properties: { [name]: { not: { enum: LEFT_OUT } } },
});

/** At least one of these fields is there. */
export const someOf = (...names: readonly string[]): JsonSchema => ({ anyOf: names.map(has) });

/** Not all of these fields are there. */
export const notTogether = (...names: readonly string[]): JsonSchema => ({ not: { allOf: names.map(has) } });

/** All of these fields are there, or none. */
export const togetherOrNone = (...names: readonly string[]): JsonSchema => ({
  anyOf: [{ allOf: names.map(has) }, { not: { anyOf: names.map(has) } }],
});

/** Holds of a body in which this field is one of some words. */
export const isOneOf = (name: string, words: readonly string[]): JsonSchema => ({
  required: [name],
  properties: { [name]: { type: 'string', ...anyCaseOf(words) } },
});

/**
 * Regular expressions that a request's texts are held to. The same text stands in the OpenAPI page and is
 * what the declaration reads with, so that the two can not differ. Digits are written `[0-9]`: `\d` means
 * more than these in some languages.
 */

export interface TextPattern {
  readonly pattern: string;
  readonly maxLength?: number;
}

const known = new Map<string, RegExp>();

/**
 * True if a text matches. Length is in characters, as JSON Schema counts it. Patterns come from declarations,
 * so that they are few.
 */
export function matches({ pattern, maxLength }: TextPattern, text: string): boolean {
  if (maxLength !== undefined && isLonger(text, maxLength)) return false;
  let expression = known.get(pattern);
  if (expression === undefined) known.set(pattern, (expression = new RegExp(pattern)));
  return expression.test(text);
}

/**
 * True if a text has more than `most` characters: a character beyond the basic plane is one, though it has a
 * length of two.
 */
export function isLonger(text: string, most: number): boolean {
  if (text.length <= most) return false;
  return text.length > 2 * most || Array.from(text).length > most;
}

/** A word in any case. */
export function anyCase(word: string): string {
  return word.replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
}

/** One of some words, in any case. */
export const anyCaseOf = (words: readonly string[]): TextPattern => ({
  pattern: `^(?:${words.map(anyCase).join('|')})$`,
});

const digits = (count: number): string => (count === 0 ? '' : count === 1 ? '[0-9]' : `[0-9]{${count}}`);

/** Whole numbers of as many digits as `most` has, and not above it. */
function upTo(most: string): readonly string[] {
  const below = most.split('').flatMap((digit, index): readonly string[] => {
    const lowest = index === 0 ? 1 : 0;
    if (Number(digit) <= lowest) return [];
    return [`${most.slice(0, index)}[${lowest}-${Number(digit) - 1}]${digits(most.length - index - 1)}`];
  });
  return [...below, most];
}

/**
 * A whole number within bounds, with zeros before it or after a point: `01` and `1.0` are 1, as some programs
 * write it in a query. `least` is 0 or a power of ten.
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

/**
 * A decimal above zero, with an exponent or without. No such text has more than 80 digits when it is written
 * out.
 */
export const POSITIVE_TEXT: TextPattern = {
  pattern:
    '^\\+?(?=[0-9.]*[1-9])(?:[0-9]+(?:\\.[0-9]+)?|(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)[eE][+-]?[0-2]?[0-9])$',
  maxLength: 40,
};

/** A whole decimal above zero, also with zeros after a point. */
export const WHOLE_TEXT: TextPattern = { pattern: '^\\+?0*[1-9][0-9]{0,14}(?:\\.0+)?$', maxLength: 40 };

/** A day of the calendar; the 29th of February is one in every year. */
export const DAY_TEXT: TextPattern = {
  pattern:
    '^[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|[12][0-9]))$',
};

/** Words of a list, separated by commas, with spaces around them or without. */
export const listPattern = (word: string): TextPattern => ({ pattern: `^ *${word} *(?:, *${word} *)*$` });
