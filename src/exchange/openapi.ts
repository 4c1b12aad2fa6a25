import { z } from 'zod';
import type { Endpoint } from './request-types.ts';
import { ENDPOINTS } from './endpoints.ts';
import { LEFT_OUT } from './request-rules.ts';
import { VERSION } from './version.ts';

type Json = Readonly<Record<string, unknown>>;

interface OpenApiOptions {
  readonly serviceName?: string;
  /** Base addresses of the exchange. */
  readonly servers?: readonly string[];
}

const jsonSchema = (schema: z.ZodType): Json => {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return rest;
};

const content = (schema: Json): Json => ({ 'application/json': { schema } });

const FAILED = { properties: { status: { const: 'failed' } }, required: ['status'] };

const FAILURE: Json = {
  type: 'object',
  properties: {
    status: { const: 'failed' },
    code: { type: ['string', 'integer'] },
    error: { type: 'string' },
    message: { type: 'string' },
    clientOrderId: { type: ['string', 'null'] },
    updatedStatus: { type: 'string' },
  },
  required: ['status'],
  anyOf: ['code', 'error', 'updatedStatus'].map((name) => ({ required: [name] })),
};

const HISTORY_ERROR: Json = {
  type: 'object',
  properties: { s: { const: 'error' }, errmsg: { type: 'string' } },
  required: ['s', 'errmsg'],
};

const LOGIN_FAILURE: Json = {
  type: 'object',
  properties: { non_field_errors: { type: 'array', items: { type: 'string' } }, code: { type: 'string' } },
  required: ['non_field_errors'],
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

/** JSON Schema of a request's declaration: its fields, and the rules between them. */
interface RequestSchema {
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
  readonly type?: string;
  readonly additionalProperties?: boolean;
  readonly [rule: string]: unknown;
}

/** Returns the example of a request in its declaration; null if it contains a secret. */
function sampleOf({ example }: Endpoint): Readonly<Record<string, unknown>> | null {
  return Object.values(example).some((value) => typeof value === 'string' && value.startsWith('env:'))
    ? null
    : example;
}

const exampleOf = (sample: Readonly<Record<string, unknown>> | null, name: string): Json =>
  sample?.[name] === undefined ? {} : { example: sample[name] };

/** Returns the schema of an optional field, which may also be an empty text, or null in a JSON body. */
const orLeftOut = (schema: Json, nothing: readonly unknown[]): Json => {
  const { description, ...rest } = schema;
  return { ...(description === undefined ? {} : { description }), anyOf: [rest, { enum: nothing }] };
};

/**
 * Splits a request's fields into parameters and body, as a method sends them: those of a GET in the query,
 * those of a POST in the body. OpenAPI cannot express rules between parameters, so only bodies have them.
 */
function inputOf(endpoint: Endpoint, method: string): Json {
  const {
    properties = {},
    required = [],
    type: _type,
    additionalProperties: _unknown,
    ...rules
  }: RequestSchema = jsonSchema(endpoint.request);
  const inPath = new Set([...endpoint.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]));
  const fields = Object.entries(properties).filter(([name]) => !inPath.has(name));
  const path = Object.entries(properties).filter(([name]) => inPath.has(name));
  const sample = sampleOf(endpoint);
  const parameters = path.map(([name, schema]) => ({
    name,
    in: 'path',
    required: true,
    schema,
    ...exampleOf(sample, name),
  }));
  const nullable = (name: string, schema: Json, nothing: readonly unknown[]): Json =>
    required.includes(name) ? schema : orLeftOut(schema, nothing);
  if (fields.length === 0) return { parameters };
  if (method === 'GET') {
    const query = fields.map(([name, schema]) => ({
      name,
      in: 'query',
      required: required.includes(name),
      schema: nullable(name, schema, ['']),
      ...exampleOf(sample, name),
    }));
    return { parameters: [...parameters, ...query] };
  }
  const body = {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, schema]) => [name, nullable(name, schema, LEFT_OUT)])),
    required: required.filter((name) => !inPath.has(name)),
    ...rules,
  };
  const isNeeded = !endpoint.request.safeParse({}).success;
  const example =
    sample === null
      ? {}
      : { example: Object.fromEntries(Object.entries(sample).filter(([name]) => !inPath.has(name))) };
  return {
    parameters,
    requestBody: { required: isNeeded, content: { 'application/json': { schema: body, ...example } } },
  };
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

const FAILURE_LINK = { $ref: '#/components/schemas/Failure' };

/** Returns schemas of failures that come with HTTP 200. */
const failuresOf = ({ name }: Endpoint): readonly Json[] =>
  name === 'history' ? [HISTORY_ERROR, FAILURE_LINK] : [FAILURE_LINK];

/** Returns the error statuses that any call may have, and those of calls with credentials. */
function refusalsOf(endpoint: Endpoint): Json {
  const failure = content(
    endpoint.name === 'login' ? { anyOf: [LOGIN_FAILURE, FAILURE_LINK] } : FAILURE_LINK,
  );
  const unauthorized = {
    description: 'The credentials are missing, bad or expired.',
    content: content(DETAIL),
  };
  return {
    '400': { description: 'Parameters are invalid or insufficient.', content: failure },
    ...(securityOf(endpoint).length === 0 ? {} : { '401': unauthorized }),
    '403': { description: 'Not permitted, or over the rate limit.' },
    '404': { description: 'There is no such object.', content: content(NOT_FOUND) },
    '413': { description: 'The body is too large.' },
    '429': { description: 'Over the rate limit: `backOff` seconds to wait.' },
  };
}

/** Returns one operation of an endpoint: with its own method, or another one that deployments accept. */
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
    ...inputOf(endpoint, method),
    ...(endpoint.failsInBody === true ? { 'x-fails-in-body': true } : {}),
    responses: {
      '200': {
        description:
          endpoint.failsInBody === true
            ? 'The answer, or a failed response, which fields that are not as declared can get too.'
            : 'The answer, or a failed response.',
        content: content({
          anyOf: [{ ...jsonSchema(endpoint.reply), not: FAILED }, ...failuresOf(endpoint)],
        }),
      },
      ...refusalsOf(endpoint),
    },
  };
}

const header = (name: string): Json => ({ type: 'apiKey', in: 'header', name });

/** Returns the whole interface as an OpenAPI 3.1 document, with replies as on the wire. */
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
