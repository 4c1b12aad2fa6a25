import { integerField } from './read-field.ts';
import type { WireForms } from './forms.ts';
import type { WireInput } from './handler.ts';

export interface PageRequest {
  readonly page: number;
  readonly pageSize: number;
}

/** Larger pages are cut down to this. */
const LARGEST_PAGE = 1_000;

/** `page` and `pageSize` of a list call, or `invalid` when one of them is no positive integer. */
export function pageRequest(input: WireInput, defaultSize: number): PageRequest | 'invalid' {
  const page = integerField(input, 'page') ?? 1;
  const pageSize = integerField(input, 'pageSize') ?? defaultSize;
  if (page === 'invalid' || pageSize === 'invalid' || page < 1 || pageSize < 1) return 'invalid';
  return { page, pageSize: Math.min(pageSize, LARGEST_PAGE) };
}

/** One page of a list that is newest first, and the field that says whether there is more. */
export function pageOf<T>(
  items: readonly T[],
  request: PageRequest,
): { readonly items: readonly T[]; readonly hasNext: boolean } {
  const start = (request.page - 1) * request.pageSize;
  return { items: items.slice(start, start + request.pageSize), hasNext: items.length > start + request.pageSize };
}

/** `hasNext`, which some deployments leave out. */
export function hasNextField(
  hasNext: boolean,
  forms: Pick<WireForms, 'omitOptionalFields'>,
): { readonly hasNext?: boolean } {
  return forms.omitOptionalFields ? {} : { hasNext };
}
