import type { z } from 'zod';
import { SarrafError } from '../domain/errors.ts';
import { type Endpoint, isSecretText } from './request-types.ts';
import { ENDPOINTS, type EndpointName, type EndpointRequest } from './endpoints.ts';

export interface EncodedRequest {
  readonly method: Endpoint['method'];
  /** Path with the query. */
  readonly path: string;
  readonly body: string | null;
}

const SHOWN_LENGTH = 60;

/** Strict schemas by endpoint, built on first use. */
const strictSchemas = new Map<EndpointName, z.ZodObject>();

function strictSchema(name: EndpointName): z.ZodObject {
  const known = strictSchemas.get(name);
  if (known !== undefined) return known;
  const schema: z.ZodObject = ENDPOINTS[name].request.strict();
  strictSchemas.set(name, schema);
  return schema;
}

function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `expected ${issue.expected}`;
  if (issue.code === 'invalid_value')
    return `expected ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
  return issue.message;
}

function shown(name: EndpointName, request: unknown, field: PropertyKey | undefined): string {
  if (field === undefined) return 'something else';
  const declared = strictSchema(name).shape[String(field)];
  if (declared !== undefined && isSecretText(declared as z.ZodType)) return 'hidden';
  const value: unknown = (request as Readonly<Record<PropertyKey, unknown>>)[field];
  if (value === undefined) return 'missing';
  const plain =
    value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  const text = plain
    ? JSON.stringify(value)
    : Array.isArray(value)
      ? 'an array'
      : `a value of type ${typeof value}`;
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
}

/** A problem of one field of a request. */
export interface FieldProblem {
  /** Path of the field; empty for the request itself. */
  readonly field: string;
  /** Text such as `expected a positive decimal`; null for a field that the endpoint does not have. */
  readonly expected: string | null;
  /** The value found, in a form for messages. */
  readonly found: string;
}

type CheckedRequest =
  | { readonly ok: true; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problems: readonly FieldProblem[] };

/** Checks a request strictly against its declaration; returns its fields as sent, or all problems. */
export function checkRequest(name: EndpointName, request: unknown): CheckedRequest {
  const parsed = strictSchema(name).safeParse(request);
  if (parsed.success) return { ok: true, fields: parsed.data };
  const problems = parsed.error.issues.flatMap((issue): readonly FieldProblem[] => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({
        field: [...issue.path, key].join('.'),
        expected: null,
        found: 'unknown',
      }));
    const found = shown(name, request, issue.path[0]);
    return [{ field: issue.path.join('.'), expected: expectation(issue), found }];
  });
  return { ok: false, problems };
}

function describe(name: EndpointName, { field, expected, found }: FieldProblem): string {
  const place = field === '' ? name : `${name}.${field}`;
  return expected === null ? `unknown field ${place}` : `${expected} for ${place}, was ${found}`;
}

function queryOf(fields: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(fields)) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      query.append(key, String(value));
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

/**
 * Checks and encodes a request as its endpoint declares it.
 * @throws SarrafError `INVALID_REQUEST` with every wrong field and its path. Nothing was sent then.
 */
export function encodeRequest<Name extends EndpointName>(
  name: Name,
  request: EndpointRequest<Name>,
): EncodedRequest {
  const endpoint: Endpoint = ENDPOINTS[name];
  const checked = checkRequest(name, request);
  if (!checked.ok) {
    const message = checked.problems.map((problem) => describe(name, problem)).join('; ');
    const paths = checked.problems.map(({ field }) => (field === '' ? name : `${name}.${field}`));
    throw new SarrafError('INVALID_REQUEST', message, { details: { endpoint: name, paths } });
  }
  const rest: Record<string, unknown> = { ...checked.fields };
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_placeholder, field: string) => {
    const value = rest[field];
    delete rest[field];
    return encodeURIComponent(String(value));
  });
  const sendsBody = endpoint.sends === 'json';
  return {
    method: endpoint.method,
    path: sendsBody ? path : path + queryOf(rest),
    body: sendsBody ? JSON.stringify(rest) : null,
  };
}
