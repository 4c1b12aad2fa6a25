import { z } from 'zod';
import { tryDecimalText, type DecimalText } from '../domain/decimal-text.ts';
import { invalidStrategy } from '../domain/errors.ts';

const number = z.union([z.number(), z.string()]).refine((input) => tryDecimalText(input) !== null, {
  error: ({ input }) => `expected a decimal number such as 0.5, found ${JSON.stringify(input)}`,
});

const RANGE = z.strictObject({
  min: number.optional(),
  max: number.optional(),
  /** Distance between values; if left out, any decimal or every integer is tried. */
  step: number.optional(),
  /** `log`: doubling a value counts as the same distance everywhere in the range. */
  scale: z.enum(['linear', 'log']).optional(),
  /** Values to try, instead of a range. */
  values: z
    .array(z.union([z.string(), z.number(), z.boolean()]))
    .readonly()
    .optional(),
});

/** The values of a parameter that a study tries, if it should not try all that the schema allows. */
export type SearchRange = z.input<typeof RANGE>;

/**
 * Adds to a parameter the values that a study tries, such as `search(z.int().default(20), { min: 5, max: 50
 * })`. Missing bounds come from the schema. `false`: a study does not vary the parameter. The values
 * that the strategy accepts stay those of the schema.
 * @throws SarrafError `INVALID_STRATEGY` for an invalid range
 */
export function search<Schema extends z.ZodType>(schema: Schema, range: SearchRange | false): Schema {
  const read = RANGE.safeParse(range === false ? {} : range);
  if (read.success) return schema.meta({ search: range });
  const [issue] = read.error.issues;
  const at = ['search', ...(issue?.path ?? [])].map(String).join('.');
  throw invalidStrategy(`${at}: ${issue?.message ?? 'expected a range'}`);
}

/** Returns the search range in a schema's meta data; undefined if there is none. */
export function searchOf(
  meta: Readonly<Record<string, unknown>> | undefined,
): SearchRange | false | undefined {
  const found = meta?.['search'];
  if (found === undefined || found === false) return found;
  const read = RANGE.safeParse(found);
  if (read.success) return read.data;
  throw invalidStrategy(
    `expected the meta data "search" to come from search(schema, { min, max, … }), found ${JSON.stringify(found)}`,
  );
}

/** Returns a schema for a decimal, `"0.5"` or `0.5`. Strategies get its canonical text with every digit. */
export function decimal(): z.ZodType<DecimalText, string | number> {
  return z.union([z.string(), z.number()]).transform((input, context) => {
    const text = tryDecimalText(input);
    if (text !== null) return text;
    context.addIssue({
      code: 'custom',
      message: `expected a decimal number such as "0.5", was ${JSON.stringify(input)}`,
    });
    return z.NEVER;
  });
}
