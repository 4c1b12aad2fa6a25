import { z } from 'zod';
import { searchOf, type SearchRange } from '../strategy/search-range.ts';

/** A limit of a number, as a schema states it. */
interface Limit {
  readonly value: number;
  readonly isInclusive: boolean;
}

/** One param of a strategy, as far as a search wants to know it. */
export interface SchemaField {
  /** With dots into objects. */
  readonly name: string;
  /** `other`: a text, a list or the like. */
  readonly kind: 'integer' | 'decimal' | 'choice' | 'boolean' | 'other';
  /** It may be left out, and has no default. */
  readonly isOptional: boolean;
  readonly min: Limit | null;
  readonly max: Limit | null;
  readonly step: number | null;
  readonly values: readonly (string | number | boolean)[];
  /** The author's setting for the search. */
  readonly search: SearchRange | false | undefined;
}

/** The parts of a schema's definition that are walked here. */
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

/** A check's definition: of a limit, a step or a format. */
interface CheckDefinition {
  readonly check: string;
  readonly value?: unknown;
  readonly inclusive?: boolean;
}

/** Objects in objects that are looked into. */
const DEEPEST = 4;

const definitionOf = (schema: z.core.$ZodType): Definition => schema._zod.def;

/** The params of a strategy's schema by name, those of inner objects with dots. */
export function schemaFields(schema: z.core.$ZodType, prefix = '', depth = 0): readonly SchemaField[] {
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

/** The values of an enumeration, of literals, or of a union of them; none for anything else. */
function valuesOf(schema: z.core.$ZodType): readonly (string | number | boolean)[] {
  const { type, entries, values = [], options = [] } = definitionOf(schema);
  if (type === 'enum') return Object.values(entries ?? {});
  if (type === 'literal') return values.filter(isScalar);
  const parts = options.map(valuesOf);
  return parts.every((part) => part.length > 0) ? parts.flat() : [];
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** The schema inside defaults and the like, and what its layers say. The outermost search counts. */
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
