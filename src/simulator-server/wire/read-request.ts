import type { z } from 'zod';
import { tryDecimalText } from '../../domain/decimal-text.ts';
import { invariant } from '../../domain/invariant.ts';
import { ENDPOINTS, type EndpointName } from '../../exchange/endpoints.ts';
import { accept, refuse, type Refusal } from '../../simulator/requests.ts';
import { BareNumber } from './request-fields.ts';
import type { WireCall } from './handler.ts';

type Fields<Name extends EndpointName> = z.output<(typeof ENDPOINTS)[Name]['request']>;

/** Reason that a request is not as declared. */
interface RequestRefusal extends Refusal {
  /** Each field for itself is as declared, but not all of them together. */
  readonly isRule: boolean;
}

/**
 * A number of a JSON body with all its digits, where the field takes its float; else that float, which the
 * field refuses.
 */
function numberFor(field: z.ZodType | undefined, { text }: BareNumber): string | number {
  const float = Number(text);
  return field?.safeParse(float).success === true ? (tryDecimalText(text) ?? Number.NaN) : float;
}

/**
 * The fields of a request as its declaration reads them: those of the path, the query and the body. Unknown
 * fields are passed over; an empty or null one counts as left out. Refused with `ParseError`, or, where all
 * that is wrong has a code of the interface, with the first of these.
 */
export function readRequest<Name extends EndpointName>(
  name: Name,
  call: Pick<WireCall, 'input' | 'path'>,
): { readonly ok: true; readonly value: Fields<Name> } | RequestRefusal {
  const { request } = ENDPOINTS[name];
  const shape: Readonly<Record<string, z.ZodType>> = request.shape;
  // By hand and not by lists of entries: this is on the way of every request.
  const given: Record<string, unknown> = { __proto__: null };
  for (const field of Object.keys(call.input)) {
    const value = call.input[field];
    if (value === '' || value === null) continue;
    given[field] = value instanceof BareNumber ? numberFor(shape[field], value) : value;
  }
  for (const field of Object.keys(call.path)) given[field] = call.path[field];
  const read = request.safeParse(given);
  if (read.success) return accept(read.data as Fields<Name>);
  const issues = read.error.issues.map((issue) => ({
    code: codeOf(issue),
    isRule: issue.code === 'custom' && issue.params?.['isRule'] === true,
    message: `${issue.path.map(String).join('.')}: ${issue.message}`,
  }));
  const [first] = issues.filter(({ code }) => code === null).concat(issues);
  invariant(first !== undefined, 'expected an issue of a request that is not taken, was none');
  return { ...refuse(first.code ?? 'ParseError', first.message), isRule: first.isRule };
}

function codeOf(issue: z.core.$ZodIssue): string | null {
  const code: unknown = issue.code === 'custom' ? issue.params?.['exchangeCode'] : undefined;
  return typeof code === 'string' && code !== 'ParseError' ? code : null;
}
