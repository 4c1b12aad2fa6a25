import type { z } from 'zod';
import { SarrafError } from '../domain/errors.ts';
import type { Endpoint } from './endpoint.ts';
import { ENDPOINTS, type EndpointName, type EndpointRequest } from './endpoints/index.ts';

export interface EncodedRequest {
  readonly method: Endpoint['method'];
  /** With the query. */
  readonly path: string;
  readonly body: string | null;
}

/** Fields whose values no message may show. */
const SECRET_FIELDS: ReadonlySet<string> = new Set(['password', 'api']);
const SHOWN_LENGTH = 60;

/** Built on first use, one an endpoint. */
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

function shown(request: unknown, path: readonly PropertyKey[]): string {
  const field = path[0];
  if (field === undefined) return 'something else';
  if (SECRET_FIELDS.has(String(field))) return 'hidden';
  const value: unknown = (request as Readonly<Record<PropertyKey, unknown>>)[field];
  if (value === undefined) return 'missing';
  const plain = value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  const text = plain ? JSON.stringify(value) : Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
}

function describe(issue: z.core.$ZodIssue, context: { readonly name: string; readonly request: unknown }): string {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `unknown field ${[context.name, ...issue.path, key].join('.')}`).join('; ');
  }
  const place = [context.name, ...issue.path].join('.');
  return `${expectation(issue)} for ${place}, was ${shown(context.request, issue.path)}`;
}

function queryOf(fields: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(fields)) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      query.append(key, String(value));
    }
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

/**
 * A request as its endpoint declares it, checked strictly.
 * @throws SarrafError `INVALID_REQUEST` that names every field that is wrong, with its path. Nothing was sent then.
 */
export function encodeRequest<Name extends EndpointName>(name: Name, request: EndpointRequest<Name>): EncodedRequest {
  const endpoint: Endpoint = ENDPOINTS[name];
  const parsed = strictSchema(name).safeParse(request);
  if (!parsed.success) {
    const message = parsed.error.issues.map((issue) => describe(issue, { name, request })).join('; ');
    const paths = parsed.error.issues.flatMap((issue) =>
      (issue.code === 'unrecognized_keys' ? issue.keys : ['']).map((key) =>
        [name, ...issue.path, key].filter((part) => part !== '').join('.'),
      ),
    );
    throw new SarrafError('INVALID_REQUEST', message, { details: { endpoint: name, paths } });
  }
  const rest: Record<string, unknown> = { ...parsed.data };
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
