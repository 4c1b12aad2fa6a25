import type { WireForms } from './forms.ts';

interface PageRequest {
  readonly page: number;
  readonly pageSize: number;
}

/** Larger pages are cut down to this. */
const LARGEST_PAGE = 1_000;

/** The page that a list call asks for. */
export function pageRequest(
  asked: { readonly page?: number | undefined; readonly pageSize?: number | undefined },
  defaultSize: number,
): PageRequest {
  return { page: asked.page ?? 1, pageSize: Math.min(asked.pageSize ?? defaultSize, LARGEST_PAGE) };
}

/** One page of a list that is newest first, and the field that says whether there is more. */
export function slicePage<T>(
  items: readonly T[],
  request: PageRequest,
): { readonly items: readonly T[]; readonly hasNext: boolean } {
  const start = (request.page - 1) * request.pageSize;
  return {
    items: items.slice(start, start + request.pageSize),
    hasNext: items.length > start + request.pageSize,
  };
}

/** `hasNext`, which some deployments leave out. */
export function hasNextField(
  hasNext: boolean,
  forms: Pick<WireForms, 'omitOptionalFields'>,
): { readonly hasNext?: boolean } {
  return forms.omitOptionalFields ? {} : { hasNext };
}
