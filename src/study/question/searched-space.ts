import type { z } from 'zod';
import { SarrafError } from '../../domain/errors.ts';
import { spaceDeclaredBy, type SpaceEntry } from '../space/declared-by-schema.ts';
import type { Space } from '../space/parameter.ts';
import { schemaRefusals, type Params } from '../space/params-of-point.ts';
import { readSpace } from '../space/space-declaration.ts';

/** The search space, and the same as the `space` of a study file. */
export interface SearchedSpace {
  readonly space: Space;
  readonly declared: Readonly<Record<string, SpaceEntry>>;
}

/**
 * The space of a study: what it declares, else what the strategy's params do, but for those that are fixed.
 * Throws `INVALID_OPTIONS` for a space without params, for one that the strategy does not know, and for a
 * param that is fixed and searched.
 */
export function searchedSpace(of: {
  readonly declared: unknown;
  readonly schema: z.ZodType | undefined;
  readonly fixed: Params;
}): SearchedSpace {
  const { schema, fixed } = of;
  if (schema === undefined)
    throw new SarrafError(
      'INVALID_OPTIONS',
      'expected a strategy with params to search, found one without: give it params: z.strictObject({ … })',
    );
  const declared = of.declared === undefined ? ownSpace(schema, fixed) : entriesOf(of.declared);
  const space = readSpace(declared);
  const both = space.parameters.find(({ name }) => isFixed(name, fixed));
  if (both !== undefined)
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected ${both.name} in the params or in the space, found it in both: leave one of them out`,
    );
  const refusals = schemaRefusals(space, schema, fixed);
  if (refusals.length > 0) throw new SarrafError('INVALID_OPTIONS', `space: ${refusals.join('; ')}`);
  return { space, declared };
}

function ownSpace(schema: z.ZodType, fixed: Params): SearchedSpace['declared'] {
  const own = Object.entries(spaceDeclaredBy(schema)).filter(([name]) => !isFixed(name, fixed));
  if (own.length > 0) return Object.fromEntries(own);
  throw new SarrafError(
    'INVALID_OPTIONS',
    'expected a param to search, found every one that the strategy declares fixed: leave one of them free',
  );
}

/** It was read once already, and so it has the shape of a space. */
function entriesOf(declared: unknown): SearchedSpace['declared'] {
  return Object.fromEntries(Object.entries(Object(declared) as Record<string, SpaceEntry>));
}

function isFixed(name: string, fixed: Params): boolean {
  return Object.keys(fixed).some((key) => name === key || name.startsWith(`${key}.`));
}
