import type { z } from 'zod';
import { isNumeric, type Parameter, type ParameterValue, type Point, type Space } from './parameter.ts';
import { schemaFields } from './schema-fields.ts';
import { SpaceAxes } from './space-axes.ts';

/** A strategy's params before its schema has read them. */
export type Params = Readonly<Record<string, unknown>>;

/**
 * The params of a trial: those that are fixed, and over them the point's. A decimal becomes the float next to
 * it, whose shortest text is the exact value again; a dot in a name leads into an object.
 */
export function paramsOfPoint(space: Space, point: Point, fixed: Params = {}): Params {
  return space.parameters.reduce<Params>((params, parameter) => {
    const value = point[parameter.name];
    if (value === undefined) return params;
    return withValue(params, parameter.name.split('.'), parameter.kind === 'decimal' ? Number(value) : value);
  }, fixed);
}

function withValue(params: Params, [key = '', ...rest]: readonly string[], value: ParameterValue): Params {
  if (rest.length === 0) return { ...params, [key]: value };
  const inner = params[key];
  return { ...params, [key]: withValue(isParams(inner) ? inner : {}, rest, value) };
}

function isParams(value: unknown): value is Params {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns a strategy schema's objections to a space, as sentences: names that it does not have, and outer
 * values that it does not allow. A rule that joins several params is not seen here; it makes trials fail.
 */
export function schemaRefusals(space: Space, schema: z.ZodType, fixed: Params = {}): readonly string[] {
  const known = schemaFields(schema).map(({ name }) => name);
  return space.parameters.flatMap((parameter) => {
    const { name } = parameter;
    if (!known.includes(name))
      return [`${name}: expected a param of the strategy (${known.join(', ')}), found none of that name`];
    return outerValues(space, parameter).flatMap((value) => {
      const params = paramsOfPoint({ parameters: [parameter] }, { [name]: value }, fixed);
      const read = schema.safeParse(params);
      const issue = read.error?.issues.find(({ path }) => path.map(String).join('.') === name);
      return issue === undefined ? [] : [`${name}: the strategy refuses ${String(value)}: ${issue.message}`];
    });
  });
}

/** The values at both ends of a range; all values of a choice. */
function outerValues(space: Space, parameter: Parameter): readonly ParameterValue[] {
  if (!isNumeric(parameter)) return parameter.values;
  const axis = new SpaceAxes(space).axis(space.parameters.indexOf(parameter));
  return [axis.valueAt(axis.coordinateOf(parameter.min)), axis.valueAt(axis.coordinateOf(parameter.max))];
}
