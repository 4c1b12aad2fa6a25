import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { ENDPOINTS } from './endpoints/index.ts';
import { VERSION } from './version.ts';

type Json = Readonly<Record<string, unknown>>;

export interface OpenApiOptions {
  readonly serviceName?: string;
  /** Base addresses. */
  readonly servers?: readonly string[];
}

const jsonSchema = (schema: z.ZodType): Json => {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return rest;
};

const content = (schema: Json): Json => ({ 'application/json': { schema } });

const FAILURE: Json = {
  type: 'object',
  properties: {
    status: { const: 'failed' },
    code: { type: ['string', 'integer'] },
    message: { type: 'string' },
    clientOrderId: { type: ['string', 'null'] },
  },
};

const DETAIL: Json = { type: 'object', properties: { detail: { type: 'string' } }, required: ['detail'] };
const NOT_FOUND: Json = {
  type: 'object',
  properties: { error: { const: 'NotFound' }, message: { type: 'string' } },
  required: ['error'],
};

function securityOf(endpoint: Endpoint): readonly Json[] {
  const key = { serviceKey: [], serviceSignature: [], serviceTimestamp: [] };
  switch (endpoint.access) {
    case 'none':
    case 'merchant':
      return [];
    case 'optional-token':
      return [{}, { token: [] }];
    case 'token':
      return [{ token: [] }];
    case 'READ':
    case 'TRADE':
    case 'WITHDRAW':
      return [{ token: [] }, key];
  }
}

/** Splits a request's fields into parameters and body, as the endpoint sends them. */
function inputOf(endpoint: Endpoint): Json {
  const { properties = {}, required = [] } = jsonSchema(endpoint.request) as {
    readonly properties?: Readonly<Record<string, Json>>;
    readonly required?: readonly string[];
  };
  const inPath = new Set([...endpoint.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]));
  const outside = Object.entries(properties).filter(([name]) => inPath.has(name) || endpoint.sends === 'query');
  const inside = Object.entries(properties).filter(([name]) => !inPath.has(name) && endpoint.sends === 'json');
  const parameters = outside.map(([name, schema]) => ({
    name,
    in: inPath.has(name) ? 'path' : 'query',
    required: inPath.has(name) || required.includes(name),
    schema,
  }));
  if (endpoint.sends !== 'json') return { parameters };
  const names = new Set(inside.map(([name]) => name));
  const body = {
    type: 'object',
    properties: Object.fromEntries(inside),
    required: required.filter((name) => names.has(name)),
  };
  return { parameters, requestBody: { required: body.required.length > 0, content: content(body) } };
}

function limitOf({ budget }: Endpoint): Json {
  return {
    budget: budget.name,
    limit: budget.limit,
    windowMs: budget.windowMs,
    per: budget.per,
    assumed: budget.assumed,
  };
}

/** Statuses that any call may end with, and those that only calls with credentials may. */
function refusalsOf(endpoint: Endpoint): Json {
  const failure = content({ $ref: '#/components/schemas/Failure' });
  const unauthorized = { description: 'The credentials are missing, bad or expired.', content: content(DETAIL) };
  return {
    '400': { description: 'Parameters are invalid or insufficient.', content: failure },
    ...(securityOf(endpoint).length === 0 ? {} : { '401': unauthorized }),
    '403': { description: 'Not permitted, or over the rate limit.' },
    '404': { description: 'There is no such object.', content: content(NOT_FOUND) },
    '413': { description: 'The body is too large.' },
    '429': { description: 'Over the rate limit: `backOff` seconds to wait.' },
  };
}

/** One way to call an endpoint: its own method, or one that deployments also answer to, which takes the same fields. */
function operationOf(endpoint: Endpoint, method: string): Json {
  return {
    operationId: method === endpoint.method ? endpoint.name : `${endpoint.name}By${method}`,
    summary: endpoint.summary,
    tags: [endpoint.section],
    ...(endpoint.deprecated === true ? { deprecated: true } : {}),
    ...(endpoint.experimental === true ? { 'x-experimental': true } : {}),
    ...(endpoint.alsoMethods === undefined ? {} : { 'x-also-methods': endpoint.alsoMethods }),
    'x-access': endpoint.access,
    'x-idempotent': endpoint.idempotent,
    'x-rate-limit': limitOf(endpoint),
    security: securityOf(endpoint),
    ...inputOf(endpoint),
    responses: {
      '200': {
        description: 'The answer, or a failed response.',
        content: content({ anyOf: [jsonSchema(endpoint.reply), { $ref: '#/components/schemas/Failure' }] }),
      },
      ...refusalsOf(endpoint),
    },
  };
}

const header = (name: string): Json => ({ type: 'apiKey', in: 'header', name });

/** The whole interface as an OpenAPI 3.1 document, from the declarations. Replies are described as they are on the wire. */
export function openApiDocument(options: OpenApiOptions = {}): Json {
  const { serviceName = 'service', servers = [] } = options;
  const prefix = serviceName.charAt(0).toUpperCase() + serviceName.slice(1);
  const paths: Record<string, Record<string, Json>> = {};
  for (const endpoint of Object.values(ENDPOINTS) as readonly Endpoint[]) {
    const item = (paths[endpoint.path] ??= {});
    const methods = [endpoint.method, ...(endpoint.alsoMethods ?? [])];
    for (const method of methods) item[method.toLowerCase()] ??= operationOf(endpoint, method);
  }
  return {
    openapi: '3.1.0',
    info: { title: `${prefix} exchange`, version: VERSION },
    servers: servers.map((url) => ({ url })),
    paths,
    components: {
      schemas: { Failure: FAILURE },
      securitySchemes: {
        token: { ...header('Authorization'), description: 'Token <ACCESS_TOKEN>' },
        serviceKey: header(`${prefix}-Key`),
        serviceSignature: header(`${prefix}-Signature`),
        serviceTimestamp: header(`${prefix}-Timestamp`),
      },
    },
  };
}
