import { z } from 'zod';
import { type SarrafError, dataUnusable } from './errors.ts';
import { parseUnits, type Units, formatUnits } from './money.ts';

/** True for a JSON object, which is neither null nor a list. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value whose fields, and theirs, are not assigned. */
export type Immutable<Value> = unknown extends Value
  ? Value
  : Value extends string | number | bigint | boolean | null | undefined | ArrayBufferView
    ? Value
    : { readonly [Field in keyof Value]: Immutable<Value[Field]> };

/** Latest time that a Date can hold, in ms since 1970. */
export const LATEST_STORED_MS = 8_640_000_000_000_000;

/** Schema of units of 1e-10 as decimal text. Its bounds allow all money there is, and no endless text. */
export const storedUnits = z
  .string()
  .regex(/^-?\d{1,60}(?:\.\d{1,10})?$/, 'expected a decimal text of at most ten decimals')
  .transform((text): Units => parseUnits(text));

/** Schema of a time in ms since 1970. */
export const storedTimeMs = z.number().min(0).max(LATEST_STORED_MS);

/** Schema of a count, or of a number that the exchange gave. */
export const storedCount = z.int().min(0);

/** Returns why a text is not valid JSON of a schema, and where; null if it is valid. */
export function storedProblem(schema: z.ZodType, json: string): string | null {
  const parsed = parse(json);
  if (!parsed.ok) return parsed.problem;
  const read = schema.safeParse(parsed.value);
  return read.success ? null : firstProblem(read.error);
}

/**
 * Reads a value stored as JSON; `what` is its name for the error.
 * @throws SarrafError `DATA_UNUSABLE` if it is damaged, with the position in it and what was expected there.
 */
export function readStored<Value>(schema: z.ZodType<Value>, json: string, what: string): Value {
  const parsed = parse(json);
  if (!parsed.ok) throw unusable(what, parsed.problem);
  const read = schema.safeParse(parsed.value);
  if (read.success) return read.data;
  throw unusable(what, firstProblem(read.error));
}

function parse(
  json: string,
): { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string } {
  try {
    return { ok: true, value: JSON.parse(json) };
  } catch {
    return { ok: false, problem: `expected JSON, found ${JSON.stringify(json.slice(0, 40))}` };
  }
}

function firstProblem({ issues }: z.ZodError): string {
  const [issue] = issues;
  if (issue === undefined) return 'of an unknown shape';
  const at = issue.path.map(String).join('.');
  return at === '' ? issue.message : `${at}: ${issue.message}`;
}

const unusable = (what: string, problem: string): SarrafError =>
  dataUnusable(`${what} is damaged: ${problem}`);

/** Returns the value of JSON, unchecked; of invalid JSON its text. */
export function parsedJson(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return json;
  }
}

/**
 * Copies a value for `JSON.stringify`, with units as decimal texts (`storedUnits`) and maps as objects. As a
 * replacer of it, the same takes three times as long.
 */
export function storedForm(value: unknown): unknown {
  if (typeof value === 'bigint') return formatUnits(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(storedForm);
  const copy: Record<string, unknown> = {};
  if (value instanceof Map) for (const [name, field] of value) copy[name as string] = storedForm(field);
  else for (const name in value) copy[name] = storedForm((value as Record<string, unknown>)[name]);
  return copy;
}

/** Replacer for `JSON.stringify` that writes money, which JSON has no form for: `{ "$units": "12.5" }`. */
export const writeUnits = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? { $units: formatUnits(value) } : value;

/** Reviver for `JSON.parse` that reads money as `writeUnits` writes it. Throws `INVALID_DECIMAL`. */
export function readUnits(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('$units' in value)) return value;
  return typeof value.$units === 'string' ? parseUnits(value.$units) : value;
}

/** Result of `parseJson`: as `JSON.parse` gives it, except that some numbers are text. */
type ExactJson = unknown;

/** Matches a number that a float may change, or that is no plain integer; also inside of strings. */
const RISKY_NUMBER = /(?:^|[:,[])\s*-?(?:\d+[.eE]|\d{16})/;

/** Third argument of a reviver, which TypeScript's library does not declare yet. */
interface ReviverContext {
  readonly source?: string;
}

/** Matches the name that always means an object's prototype; also inside strings, escaped or not. */
const PROTOTYPE_NAME = /__proto__|\\u005f/i;

function exactNumber(key: string, value: unknown, context?: ReviverContext): unknown {
  // A reviver that answers undefined removes the field.
  if (key === '__proto__') return undefined;
  if (typeof value !== 'number' || context?.source === undefined) return value;
  return Number.isSafeInteger(value) && String(value) === context.source ? value : context.source;
}

/**
 * Parses JSON without losing a digit: a bare number that is not a plain safe integer is returned as its
 * source text, to be read as a decimal. Fields named `__proto__` are left out at every depth: only an attack
 * sends one.
 * @throws SyntaxError as JSON.parse does.
 */
export function parseJson(text: string): ExactJson {
  // The reviver visits every value; most replies hold their decimals as strings and can do without.
  return RISKY_NUMBER.test(text) || PROTOTYPE_NAME.test(text)
    ? JSON.parse(text, exactNumber)
    : JSON.parse(text);
}
