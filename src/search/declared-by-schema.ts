import type { z } from 'zod';
import { SURE_DIGITS } from '../domain/decimal-text.ts';
import { SarrafError } from '../domain/errors.ts';
import { schemaFields, type SchemaField } from './schema-fields.ts';

/** An entry of a space's declaration, as a study file would have it. */
export type SpaceEntry = Readonly<Record<string, unknown>>;

/**
 * The space that a strategy declares by its params, as the `space` of a study file:
 *
 * - A param in `search(…)` takes what that says, and the rest from its schema.
 * - Without it: an integer with a smallest and a largest value, a decimal with both and neither exclusive, a
 *   boolean, an enumeration. `multipleOf` is the step.
 * - What has no range is left out, and so is a param that may be missing and has no default.
 *
 * @throws SarrafError `INVALID_OPTIONS` where nothing is left
 */
export function spaceDeclaredBy(schema: z.ZodType): Readonly<Record<string, SpaceEntry>> {
  const entries = schemaFields(schema).flatMap((field) => {
    const entry = entryOf(field);
    return entry === null ? [] : [[field.name, entry] as const];
  });
  if (entries.length > 0) return Object.fromEntries(entries);
  throw new SarrafError(
    'INVALID_OPTIONS',
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
    // What is missing here is asked for where the declaration is read.
    ...(min === null ? {} : { min }),
    ...(max === null ? {} : { max }),
    ...(step === null ? {} : { step }),
    ...(declared.scale === undefined ? {} : { scale: declared.scale }),
  };
}

/** The smallest value that a schema allows, on a whole step. Null where it states none that it allows. */
function lowest({ min, step }: SchemaField, type: 'integer' | 'decimal'): number | null {
  if (min === null || !Number.isFinite(min.value)) return null;
  const stride = step ?? (type === 'integer' ? 1 : null);
  if (stride === null) return min.isInclusive ? min.value : null;
  const strides = stridesIn(min.value, stride);
  return onStride(min.isInclusive ? Math.ceil(strides) : Math.floor(strides) + 1, stride);
}

/** The largest one. */
function highest({ max, step }: SchemaField, type: 'integer' | 'decimal'): number | null {
  if (max === null || !Number.isFinite(max.value)) return null;
  const stride = step ?? (type === 'integer' ? 1 : null);
  if (stride === null) return max.isInclusive ? max.value : null;
  const strides = stridesIn(max.value, stride);
  return onStride(max.isInclusive ? Math.floor(strides) : Math.ceil(strides) - 1, stride);
}

/** A float's quotient is a whole number only after rounding: 1.1 / 0.1 is 11.000000000000002. */
function stridesIn(value: number, stride: number): number {
  return Number((value / stride).toPrecision(12));
}

function onStride(strides: number, stride: number): number {
  return Number((strides * stride).toPrecision(SURE_DIGITS));
}
