import { z } from 'zod';
import { SarrafError } from '../../domain/errors.ts';
import { tryDecimalText, type DecimalText } from '../../domain/decimal-text.ts';
import { readParameter } from './read-parameter.ts';
import { MOST_PARAMETERS, type Parameter, type Space } from './parameter.ts';

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

export type DeclaredParameter = z.output<typeof PARAMETER>;

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
