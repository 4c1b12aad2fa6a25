import { z } from 'zod';
import { tryDecimalText } from '../domain/decimal-text.ts';
import { SarrafError } from '../domain/errors.ts';

/** The values of a parameter that a study tries, where they are not all that the schema allows. */
export interface SearchRange {
  readonly min?: number | string;
  readonly max?: number | string;
  /** Without it a decimal takes any value in between, and an integer every one. */
  readonly step?: number | string;
  /** `log`: twice as much is as far as half as much. */
  readonly scale?: 'linear' | 'log';
  /** Instead of a range: some values. */
  readonly values?: readonly (string | number | boolean)[];
}

/** What a schema's meta data says of the search; `false`: the parameter is not searched. */
export type SearchMeta = Readonly<Record<'search', SearchRange | false>>;

const number = z.union([z.number(), z.string()]).refine((input) => tryDecimalText(input) !== null, {
  error: ({ input }) => `expected a decimal number such as 0.5, found ${JSON.stringify(input)}`,
});

const RANGE = z.strictObject({
  min: number.optional(),
  max: number.optional(),
  step: number.optional(),
  scale: z.enum(['linear', 'log']).optional(),
  values: z.array(z.union([z.string(), z.number(), z.boolean()])).optional(),
});

/**
 * Says beside a parameter which values a study tries: `z.int().min(2).default(20).meta(search({ min: 5, max:
 * 50, step: 5 }))`. What it leaves out comes from the schema. `search(false)` leaves the parameter alone.
 * @throws SarrafError `INVALID_STRATEGY` for what is no range
 */
export function search(range: SearchRange | false): SearchMeta {
  const read = RANGE.safeParse(range === false ? {} : range);
  if (read.success) return { search: range };
  const [issue] = read.error.issues;
  const at = ['search', ...(issue?.path ?? [])].map(String).join('.');
  throw new SarrafError('INVALID_STRATEGY', `${at}: ${issue?.message ?? 'expected a range'}`);
}

/** The search range in a schema's meta data; undefined where it says none. */
export function searchOf(
  meta: Readonly<Record<string, unknown>> | undefined,
): SearchRange | false | undefined {
  const found = meta?.['search'];
  if (found === undefined || found === false) return found;
  const read = RANGE.safeParse(found);
  if (read.success) return found as SearchRange;
  throw new SarrafError(
    'INVALID_STRATEGY',
    `expected the meta data "search" to come from search({ min, max, … }), found ${JSON.stringify(found)}`,
  );
}
