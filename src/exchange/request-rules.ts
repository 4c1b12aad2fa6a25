import type { z } from 'zod';
import { anyCaseOf } from './request-patterns.ts';

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
