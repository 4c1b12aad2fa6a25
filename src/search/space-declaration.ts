import { z } from 'zod';
import { invalidOptions } from '../domain/errors.ts';
import {
  tryDecimalText,
  type DecimalText,
  SURE_DIGITS,
  decimalText,
  fractionDigits,
} from '../domain/decimal-text.ts';

const number = z.union([z.number(), z.string()]).transform((input, context): DecimalText => {
  const text = tryDecimalText(input);
  if (text !== null) return text;
  const found = typeof input === 'number' ? String(input) : JSON.stringify(input);
  context.addIssue({ code: 'custom', message: `expected a decimal number such as 0.5, found ${found}` });
  return z.NEVER;
});

const value = z.union([z.string(), z.number(), z.boolean()]);

/** Conditions that must all hold: `when: { mode: fast }` or `when: { mode: [fast, slow], stop: true }`. */
const when = z
  .record(z.string(), z.union([value, z.array(value).min(1)]))
  .default({})
  .describe('The parameter exists only where earlier ones have these values.');

const range = {
  min: number.describe('The smallest value.'),
  max: number.describe('The largest value.'),
  scale: z.enum(['linear', 'log']).default('linear').describe('In which measure values are equally likely.'),
  when,
};

/** Schema of one parameter in a study file. */
const PARAMETER = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('integer'), ...range, step: number.default('1' as DecimalText) }),
  z.strictObject({
    kind: z.literal('decimal'),
    ...range,
    step: number.optional().describe('Without it: any decimal of 15 digits between min and max.'),
  }),
  z.strictObject({ kind: z.literal('choice'), values: z.array(value), when }),
  z.strictObject({ kind: z.literal('boolean'), when }),
]);

type DeclaredParameter = z.output<typeof PARAMETER>;

/** Name of a parameter: that of the strategy's param, with dots that lead into objects. */
const NAME = /^[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*$/;

/** Schema of a study file's `space`: parameters by name. Its output is a `Space`. */
export const spaceDeclaration = z.record(z.string(), PARAMETER).transform((declared, context): Space => {
  const names = Object.keys(declared);
  const refuse = (path: readonly string[], message: string): void => {
    context.addIssue({ code: 'custom', path: [...path], message });
  };
  if (names.length === 0) refuse([], 'expected at least one parameter to search, found none');
  if (names.length > MOST_PARAMETERS)
    refuse([], `expected at most ${MOST_PARAMETERS} parameters, found ${names.length}`);
  const parameters: Parameter[] = [];
  for (const [name, declaration] of Object.entries(declared)) {
    if (!NAME.test(name)) refuse([name], `expected the name of a param, found ${JSON.stringify(name)}`);
    const inside = names.find((other) => other.startsWith(`${name}.`));
    if (inside !== undefined) refuse([inside], `expected one of ${name} and ${inside}, found both`);
    const read = readParameter(name, declaration, parameters);
    if (read.ok) parameters.push(read.parameter);
    else for (const { path, message } of read.problems) refuse([name, ...path], message);
  }
  return { parameters };
});

/**
 * Reads a space from its declaration.
 * @throws SarrafError `INVALID_OPTIONS` with every problem: `fast.min: expected …, found …`
 */
export function readSpace(declaration: unknown): Space {
  const read = spaceDeclaration.safeParse(declaration);
  if (read.success) return read.data;
  const problems = read.error.issues.map(({ path, message }) =>
    [path.map(String).join('.'), message].filter((part) => part !== '').join(': '),
  );
  throw invalidOptions(`the space can not be searched: ${problems.join('; ')}`);
}

/** Mistake in one parameter, and the field that has it. */
interface ParameterProblem {
  readonly path: readonly string[];
  readonly message: string;
}

type ReadParameter =
  | { readonly ok: true; readonly parameter: Parameter }
  | { readonly ok: false; readonly problems: readonly ParameterProblem[] };

type DeclaredNumber = Extract<DeclaredParameter, { kind: 'integer' | 'decimal' }>;

/** Maximum number of values of a parameter that others depend on: counting points visits each of them. */
const MOST_VALUES_OF_A_PARENT = 1_000;

/** Checks what a schema cannot: ranges, values, and conditions on earlier parameters. */
function readParameter(
  name: string,
  declared: DeclaredParameter,
  before: readonly Parameter[],
): ReadParameter {
  const problems: ParameterProblem[] = [];
  const when = readConditions(declared.when, before, problems);
  const parameter = withoutConditions(name, declared, problems);
  if (problems.length > 0 || parameter === null) return { ok: false, problems };
  return { ok: true, parameter: { ...parameter, when } };
}

function withoutConditions(
  name: string,
  declared: DeclaredParameter,
  problems: ParameterProblem[],
): Parameter | null {
  const { kind } = declared;
  if (kind === 'boolean') return { kind, name, values: [false, true], when: [] };
  if (kind !== 'choice') return readNumber(name, declared, problems);
  const values = [...new Set(declared.values)];
  if (values.length < declared.values.length)
    problems.push({ path: ['values'], message: 'expected each value once, found one twice' });
  if (values.length < 2) {
    const found = values.length === 0 ? 'none' : `one: ${JSON.stringify(values[0])}`;
    const message = `expected two values or more, found ${found}; a single value belongs to the params`;
    problems.push({ path: ['values'], message });
  }
  if (values.some((value) => typeof value === 'number' && !Number.isFinite(value)))
    problems.push({ path: ['values'], message: 'expected finite numbers' });
  return { kind, name, values, when: [] };
}

function readNumber(name: string, declared: DeclaredNumber, problems: ParameterProblem[]): Parameter | null {
  const { kind, scale, step } = declared;
  const [min, max] = [Number(declared.min), Number(declared.max)];
  const refuse = (at: string, message: string): void => {
    problems.push({ path: [at], message });
  };
  if (kind === 'integer')
    for (const at of ['min', 'max', 'step'] as const)
      if (declared[at].includes('.')) refuse(at, `expected a whole number, found ${declared[at]}`);
  for (const at of ['min', 'max'] as const)
    if (declared[at].replace(/^-?0?\.?0*/, '').replace('.', '').length > SURE_DIGITS)
      refuse(at, `expected at most ${SURE_DIGITS} digits, found ${declared[at]}`);
  if (min > max) refuse('max', `expected more than min, which is ${declared.min}, found ${declared.max}`);
  if (min === max)
    refuse('max', `expected more than min, found the same; a single value belongs to the params`);
  if (problems.length > 0) return null;
  const steps = step === undefined ? null : stepsOf({ min: declared.min, max: declared.max, step }, refuse);
  const reach = steps === null ? 0 : steps.stride / 10 ** steps.decimals / 2;
  if (scale === 'log' && min <= reach) {
    const least = reach === 0 ? '0' : 'half a step';
    refuse('min', `expected more than ${least} on a log scale, found ${declared.min}`);
  }
  return { kind, name, scale, min, max, steps, when: [] };
}

function stepsOf(
  range: Readonly<Record<'min' | 'max' | 'step', DecimalText>>,
  refuse: (at: string, message: string) => void,
): Steps | null {
  const read = readSteps(range);
  if (read.ok) return read.steps;
  refuse(read.at, read.problem);
  return null;
}

function readConditions(
  when: DeclaredParameter['when'],
  before: readonly Parameter[],
  problems: ParameterProblem[],
): readonly Condition[] {
  return Object.entries(when).map(([name, wanted]) => {
    const values: readonly ParameterValue[] = Array.isArray(wanted) ? wanted : [wanted];
    const parent = before.find((one) => one.name === name);
    const problem = problemOfParent(parent, values);
    if (problem !== null) problems.push({ path: ['when', name], message: problem });
    return { parameter: name, values };
  });
}

function problemOfParent(parent: Parameter | undefined, values: readonly ParameterValue[]): string | null {
  if (parent === undefined) return 'expected a parameter that is declared before this one';
  if (parent.kind === 'decimal') return 'expected a choice, a boolean or an integer, found a decimal';
  if (valueCount(parent) > MOST_VALUES_OF_A_PARENT)
    return `expected a parameter of at most ${MOST_VALUES_OF_A_PARENT} values, found ${valueCount(parent)}`;
  const wrong = values.find((value) => !hasValue(parent, value));
  if (wrong !== undefined)
    return `expected values of that parameter, found ${JSON.stringify(wrong)}, which it never has`;
  const isAll = new Set(values).size === valueCount(parent) && parent.when.length === 0;
  return isAll ? 'expected some of the values of that parameter, found all of them' : null;
}

function hasValue(parent: Parameter, value: ParameterValue): boolean {
  if (!isNumeric(parent)) return parent.values.includes(value);
  const { steps, min, max } = parent;
  return (
    steps !== null &&
    typeof value === 'number' &&
    value >= min &&
    value <= max &&
    (value - steps.first) % steps.stride === 0
  );
}

/**
 * Value of a parameter: a number for an integer, the canonical text for a decimal, the declared value for a
 * choice. A decimal as text is exact: `0.3` stays `0.3`, whatever a binary float makes of it.
 */
export type ParameterValue = string | number | boolean;

/** Condition for a parameter to exist: an earlier one must have one of these values. */
interface Condition {
  readonly parameter: string;
  readonly values: readonly ParameterValue[];
}

/** Common fields of every parameter. */
interface Named {
  /** Name in the strategy's params; a dot leads into an object. */
  readonly name: string;
  /** Conditions that must all hold; if there are none, the parameter always exists. */
  readonly when: readonly Condition[];
}

/** Number in a range, with or without steps. */
export interface NumericParameter extends Named {
  readonly kind: 'integer' | 'decimal';
  /** Scale on which values are equally likely: the values themselves, or their logarithms. */
  readonly scale: 'linear' | 'log';
  readonly min: number;
  readonly max: number;
  /** Steps; null for any decimal of at most 15 digits between `min` and `max`. */
  readonly steps: Steps | null;
}

/** One of several values without an order. */
export interface ChoiceParameter extends Named {
  readonly kind: 'choice' | 'boolean';
  readonly values: readonly ParameterValue[];
}

export type Parameter = NumericParameter | ChoiceParameter;

/** Search space of a study: parameters in the order of their declaration. */
export interface Space {
  readonly parameters: readonly Parameter[];
}

/** Values by parameter name; a parameter whose conditions do not hold is left out. */
export type Point = Readonly<Record<string, ParameterValue>>;

/** Maximum number of parameters in a space: the Sobol sequence has as many dimensions. */
const MOST_PARAMETERS = 64;

/** True if the parameter exists, given the values of earlier parameters. */
export function isActive({ when }: Parameter, point: Point): boolean {
  return when.every(({ parameter, values }) => {
    const value = point[parameter];
    return value !== undefined && values.includes(value);
  });
}

/** True if a parameter is a number, with an order and distances. */
export const isNumeric = (parameter: Parameter): parameter is NumericParameter =>
  parameter.kind === 'integer' || parameter.kind === 'decimal';

/** Returns the number of values of a parameter; `Infinity` for a decimal without steps. */
export function valueCount(parameter: Parameter): number {
  if (!isNumeric(parameter)) return parameter.values.length;
  return parameter.steps?.count ?? Infinity;
}

/**
 * Values `first`, `first + stride`, … of a range, as whole numbers in units of 10^-decimals. A float holds
 * whole numbers of 15 digits exactly, and so every step.
 */
interface Steps {
  readonly first: number;
  readonly stride: number;
  readonly count: number;
  readonly decimals: number;
}

/** Steps of a range, or the reason that they are invalid. */
type ReadSteps =
  | { readonly ok: true; readonly steps: Steps }
  | { readonly ok: false; readonly at: 'min' | 'max' | 'step'; readonly problem: string };

/** Upper bound of whole numbers with at most 15 digits. */
const MOST_UNITS = 10 ** SURE_DIGITS;

/** Reads the steps of a range; `min` is below `max`. */
function readSteps(range: {
  readonly min: DecimalText;
  readonly max: DecimalText;
  readonly step: DecimalText;
}): ReadSteps {
  const decimals = Math.max(...Object.values(range).map(fractionDigits));
  const units = { min: 0, max: 0, step: 0 };
  for (const at of ['min', 'max', 'step'] as const) {
    const whole = wholeUnits(range[at], decimals);
    if (Math.abs(whole) >= MOST_UNITS)
      return { ok: false, at, problem: `expected at most ${SURE_DIGITS} digits, found ${range[at]}` };
    units[at] = whole;
  }
  const { min: first, max: last, step: stride } = units;
  if (stride <= 0) return { ok: false, at: 'step', problem: `expected more than 0, found ${range.step}` };
  const between = (last - first) / stride;
  if (last - first >= MOST_UNITS || (last - first) % stride !== 0) {
    const problem = `expected a step that leads from ${range.min} to ${range.max}, found ${range.step}`;
    return { ok: false, at: 'step', problem };
  }
  return { ok: true, steps: { first, stride, decimals, count: between + 1 } };
}

/** Returns the value at an index, from 0, as the nearest float, whose shortest text is the exact value. */
export const valueAtPlace = ({ first, stride, decimals }: Steps, place: number): number =>
  (first + place * stride) / 10 ** decimals;

/** Returns the value at an index as its exact text. */
export const textAtPlace = (steps: Steps, place: number): DecimalText =>
  decimalText(valueAtPlace(steps, place));

/** Returns the index of the value nearest to `value`. */
export function nearestPlace({ first, stride, decimals, count }: Steps, value: number): number {
  const place = Math.round((value * 10 ** decimals - first) / stride);
  return Math.min(count - 1, Math.max(0, place));
}

/** Converts a decimal to a whole number of 10^-decimals, which may exceed `MOST_UNITS`. */
function wholeUnits(text: DecimalText, decimals: number): number {
  const [whole = '', fraction = ''] = text.split('.');
  return Number(`${whole}${fraction.padEnd(decimals, '0')}`);
}
