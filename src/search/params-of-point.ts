import { z } from 'zod';
import {
  isNumeric,
  type Parameter,
  type ParameterValue,
  type Point,
  type Space,
} from './space-declaration.ts';
import { SpaceAxes } from './space-axes.ts';
import { SURE_DIGITS } from '../domain/decimal-text.ts';
import { invalidOptions } from '../domain/errors.ts';
import { paramProblem } from '../strategy/runner-setup.ts';
import { searchOf, type SearchRange } from '../strategy/search-range.ts';

/** Params of a strategy before its schema has parsed them. */
export type Params = Readonly<Record<string, unknown>>;

/**
 * Returns the params of a trial: the fixed ones, overridden by the point's. A decimal becomes the nearest
 * float, whose shortest text is the exact value again. A dot in a name leads into an object.
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

const isParams = (value: unknown): value is Params =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns a strategy schema's objections to a space, as sentences: unknown names, and outer values that it
 * refuses. A rule between several params is not checked here; it makes trials fail.
 */
export function schemaRefusals(space: Space, schema: z.ZodType, fixed: Params = {}): readonly string[] {
  const known = schemaFields(schema).map(({ name }) => name);
  return space.parameters.flatMap((parameter) => {
    const { name } = parameter;
    if (!known.includes(name))
      return [`${name}: expected a param of the strategy (${known.join(', ')}), found none of that name`];
    return outerValues(space, parameter).flatMap((value) => {
      const params = paramsOfPoint({ parameters: [parameter] }, { [name]: value }, fixed);
      const read = schema.safeParse(params, { reportInput: true, error: paramProblem });
      const issue = read.error?.issues.find(({ path }) => path.map(String).join('.') === name);
      return issue === undefined ? [] : [`${name}: the strategy refuses ${String(value)}: ${issue.message}`];
    });
  });
}

/** Returns the values at both ends of a range, or all values of a choice. */
function outerValues(space: Space, parameter: Parameter): readonly ParameterValue[] {
  if (!isNumeric(parameter)) return parameter.values;
  const axis = new SpaceAxes(space).axis(space.parameters.indexOf(parameter));
  return [axis.valueAt(axis.coordinateOf(parameter.min)), axis.valueAt(axis.coordinateOf(parameter.max))];
}

/** Entry of a space's declaration, as a study file writes it. */
export type SpaceEntry = Readonly<Record<string, unknown>>;

/**
 * Derives a space from a strategy's params, in the form of `space` in a study file:
 *
 * - A param with `search(…)` uses these settings, and its schema for the rest.
 * - Others are used if they are an integer with a minimum and a maximum, a decimal with both and neither
 *   exclusive, a boolean, or an enumeration. `multipleOf` is the step.
 * - A param without a range is left out, and so is an optional one without a default.
 *
 * @throws SarrafError `INVALID_OPTIONS` if no param is left
 */
export function spaceDeclaredBy(schema: z.ZodType): Readonly<Record<string, SpaceEntry>> {
  const entries = schemaFields(schema).flatMap((field) => {
    const entry = entryOf(field);
    return entry === null ? [] : [[field.name, entry] as const];
  });
  if (entries.length > 0) return Object.fromEntries(entries);
  throw invalidOptions(
    'expected a param with a range to search, found none: give one z.int().min(5).max(50) or ' +
      'search(z.int(), { min: 5, max: 50 }), or write a space into the study file',
  );
}

function entryOf(field: SchemaField): SpaceEntry | null {
  const { kind, search, isOptional, values } = field;
  if (search === false || (search === undefined && isOptional)) return null;
  const declared = search ?? {};
  if (declared.values !== undefined) return { kind: 'choice', values: declared.values };
  const isRange = declared.min !== undefined || declared.max !== undefined;
  if (kind === 'boolean') return { kind };
  if (kind === 'choice' && !isRange) return values.length < 2 ? null : { kind, values };
  if (kind === 'other' && !isRange) return null;
  const type = kind === 'integer' ? 'integer' : 'decimal';
  const min = declared.min ?? lowest(field, type);
  const max = declared.max ?? highest(field, type);
  if (search === undefined && (min === null || max === null)) return null;
  const step = declared.step ?? field.step;
  return {
    kind: type,
    // Missing fields are reported when the declaration is read.
    ...(min === null ? {} : { min }),
    ...(max === null ? {} : { max }),
    ...(step === null ? {} : { step }),
    ...(declared.scale === undefined ? {} : { scale: declared.scale }),
  };
}

/** Returns the lowest value that a schema allows, on a whole step; null if the schema states none. */
function lowest({ min, step }: SchemaField, type: 'integer' | 'decimal'): number | null {
  if (min === null || !Number.isFinite(min.value)) return null;
  const stride = step ?? (type === 'integer' ? 1 : null);
  if (stride === null) return min.isInclusive ? min.value : null;
  const strides = stridesIn(min.value, stride);
  return onStride(min.isInclusive ? Math.ceil(strides) : Math.floor(strides) + 1, stride);
}

function highest({ max, step }: SchemaField, type: 'integer' | 'decimal'): number | null {
  if (max === null || !Number.isFinite(max.value)) return null;
  const stride = step ?? (type === 'integer' ? 1 : null);
  if (stride === null) return max.isInclusive ? max.value : null;
  const strides = stridesIn(max.value, stride);
  return onStride(max.isInclusive ? Math.floor(strides) : Math.ceil(strides) - 1, stride);
}

/** Divides and rounds: the quotient of floats may miss a whole number, as 1.1 / 0.1 = 11.000000000000002. */
const stridesIn = (value: number, stride: number): number => Number((value / stride).toPrecision(12));

const onStride = (strides: number, stride: number): number =>
  Number((strides * stride).toPrecision(SURE_DIGITS));

/** Minimum or maximum of a number, as a schema states it. */
interface Limit {
  readonly value: number;
  readonly isInclusive: boolean;
}

/** Param of a strategy, with what the search needs to know of it. */
interface SchemaField {
  /** Name, with dots that lead into objects. */
  readonly name: string;
  /** Kind of value; `other` is a text, a list or the like. */
  readonly kind: 'integer' | 'decimal' | 'choice' | 'boolean' | 'other';
  /** True if it may be missing, and has no default. */
  readonly isOptional: boolean;
  readonly min: Limit | null;
  readonly max: Limit | null;
  readonly step: number | null;
  readonly values: readonly (string | number | boolean)[];
  /** Search settings that the strategy's author gave; false to leave the param out. */
  readonly search: SearchRange | false | undefined;
}

/** Parts of a schema's definition that are read here. */
interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly innerType?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
  readonly format?: string;
  readonly checks?: readonly z.core.$ZodCheck[];
  readonly entries?: Readonly<Record<string, string | number>>;
  readonly values?: readonly unknown[];
  readonly options?: readonly z.core.$ZodType[];
}

/** Definition of a check: a limit, a step or a format. */
interface CheckDefinition {
  readonly check: string;
  readonly value?: unknown;
  readonly inclusive?: boolean;
}

/** Maximum depth of nested objects that are searched for params. */
const DEEPEST = 4;

const definitionOf = (schema: z.core.$ZodType): Definition => schema._zod.def;

/** Returns the params of a strategy's schema by name; params of nested objects have dots in their names. */
function schemaFields(schema: z.core.$ZodType, prefix = '', depth = 0): readonly SchemaField[] {
  const { shape } = definitionOf(unwrapped(schema).inner);
  if (shape === undefined) return [];
  return Object.entries(shape).flatMap(([key, field]) => {
    const name = `${prefix}${key}`;
    const { inner } = unwrapped(field);
    const isObject = definitionOf(inner).shape !== undefined && depth < DEEPEST;
    return isObject ? schemaFields(field, `${name}.`, depth + 1) : [fieldOf(name, field)];
  });
}

function fieldOf(name: string, schema: z.core.$ZodType): SchemaField {
  const { inner, isOptional, search } = unwrapped(schema);
  const definition = definitionOf(inner);
  const checks = (definition.checks ?? []).map((check): CheckDefinition => check._zod.def);
  const limit = (kind: string, isTighter: (one: number, other: number) => boolean): Limit | null =>
    checks.reduce<Limit | null>((tightest, { check, value, inclusive }) => {
      if (check !== kind || typeof value !== 'number') return tightest;
      if (tightest !== null && !isTighter(value, tightest.value)) return tightest;
      return { value, isInclusive: inclusive === true };
    }, null);
  const step = checks.find(({ check }) => check === 'multiple_of')?.value;
  return {
    name,
    kind: kindOf(definition, checks),
    isOptional,
    min: limit('greater_than', (one, other) => one > other),
    max: limit('less_than', (one, other) => one < other),
    step: typeof step === 'number' ? step : null,
    values: valuesOf(inner),
    search,
  };
}

function kindOf(definition: Definition, checks: readonly CheckDefinition[]): SchemaField['kind'] {
  if (definition.type === 'boolean') return 'boolean';
  if (definition.type === 'number') {
    const isWhole = definition.format !== undefined && !definition.format.startsWith('float');
    return isWhole || checks.some(({ check }) => check === 'number_format') ? 'integer' : 'decimal';
  }
  return definition.type === 'enum' || definition.type === 'literal' || definition.type === 'union'
    ? 'choice'
    : 'other';
}

/** Returns the values of an enumeration, of literals, or of a union of them; none for another schema. */
function valuesOf(schema: z.core.$ZodType): readonly (string | number | boolean)[] {
  const { type, entries, values = [], options = [] } = definitionOf(schema);
  if (type === 'enum') return Object.values(entries ?? {});
  if (type === 'literal') return values.filter(isScalar);
  const parts = options.map(valuesOf);
  return parts.every((part) => part.length > 0) ? parts.flat() : [];
}

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** Unwraps defaults and the like from a schema and collects their settings; the outermost `search` counts. */
function unwrapped(schema: z.core.$ZodType): {
  readonly inner: z.core.$ZodType;
  readonly isOptional: boolean;
  readonly search: SearchRange | false | undefined;
} {
  let inner = schema;
  let isOptional = false;
  let hasDefault = false;
  let search = searchOf(z.globalRegistry.get(inner));
  for (;;) {
    const { type, innerType, in: input } = definitionOf(inner);
    const next = innerType ?? input;
    if (next === undefined) return { inner, isOptional: isOptional && !hasDefault, search };
    if (type === 'default' || type === 'prefault' || type === 'catch') hasDefault = true;
    if (type === 'optional' || type === 'nullable') isOptional = true;
    inner = next;
    search ??= searchOf(z.globalRegistry.get(inner));
  }
}
