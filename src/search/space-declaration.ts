import { z } from 'zod';
import { SarrafError } from '../domain/errors.ts';
import { tryDecimalText, type DecimalText, SURE_DIGITS } from '../domain/decimal-text.ts';
import {
  MOST_PARAMETERS,
  type Parameter,
  type Space,
  isNumeric,
  valueCount,
  type Condition,
  type ParameterValue,
} from './parameter.ts';
import { readSteps, type Steps } from './steps.ts';

const number = z.union([z.number(), z.string()]).transform((input, context): DecimalText => {
  const text = tryDecimalText(input);
  if (text !== null) return text;
  const found = typeof input === 'number' ? String(input) : JSON.stringify(input);
  context.addIssue({ code: 'custom', message: `expected a decimal number such as 0.5, found ${found}` });
  return z.NEVER;
});

const value = z.union([z.string(), z.number(), z.boolean()]);

/** `when: { mode: fast }` or `when: { mode: [fast, slow], stop: true }`: all of them must hold. */
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

/** One parameter as a study file declares it. */
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

/** A parameter's name: that of the strategy's param, with dots into objects. */
const NAME = /^[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*$/;

/**
 * The `space` of a study file: parameters by name. Its output is a `Space`; its problems say where, what was
 * expected and what was found.
 */
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
 * A space from its declaration.
 * @throws SarrafError `INVALID_OPTIONS` with every problem: `fast.min: expected …, found …`
 */
export function readSpace(declaration: unknown): Space {
  const read = spaceDeclaration.safeParse(declaration);
  if (read.success) return read.data;
  const problems = read.error.issues.map(({ path, message }) =>
    [path.map(String).join('.'), message].filter((part) => part !== '').join(': '),
  );
  throw new SarrafError('INVALID_OPTIONS', `the space can not be searched: ${problems.join('; ')}`);
}

/** A mistake in one parameter, and where in it. */
interface ParameterProblem {
  readonly path: readonly string[];
  readonly message: string;
}

type ReadParameter =
  | { readonly ok: true; readonly parameter: Parameter }
  | { readonly ok: false; readonly problems: readonly ParameterProblem[] };

type DeclaredNumber = Extract<DeclaredParameter, { kind: 'integer' | 'decimal' }>;

/** Values of a parameter that others may depend on: each of them is looked at when points are counted. */
const MOST_VALUES_OF_A_PARENT = 1_000;

/** Reads what a schema can not check: ranges, values, and conditions on the parameters before. */
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
    if (digitsOf(declared[at]) > SURE_DIGITS)
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

function digitsOf(text: DecimalText): number {
  return text.replace(/^-?0?\.?0*/, '').replace('.', '').length;
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
