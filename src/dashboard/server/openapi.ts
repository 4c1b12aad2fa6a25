import { z } from 'zod';
import { VERSION } from '../../exchange/version.ts';
import { DASHBOARD_ENDPOINTS, type EndpointShape } from '../schema/endpoints.ts';
import { errorReply } from '../schema/fields.ts';

export const API_ROOT = '/api/v1';

type Json = Readonly<Record<string, unknown>>;

const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: plainPairs,
  });
  return rest;
};

/** Rewrites a tuple as an array of two: tools that read OpenAPI do not support tuples. */
function plainPairs({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  const { prefixItems } = jsonSchema;
  if (prefixItems === undefined) return;
  delete jsonSchema.prefixItems;
  jsonSchema.items = { anyOf: prefixItems.filter((item) => typeof item === 'object') };
  jsonSchema.minItems = prefixItems.length;
  jsonSchema.maxItems = prefixItems.length;
}

/** Returns the API as an OpenAPI 3.1 document, generated from the schemas with which the server checks. */
export function dashboardOpenApi(): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const [name, shape] of Object.entries(DASHBOARD_ENDPOINTS) as [string, EndpointShape][]) {
    const path = `${API_ROOT}${shape.path}`.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [shape.method.toLowerCase()]: operationOf(name, shape) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'sarraf control API',
      version: VERSION,
      description:
        'What the page of a bot shows and does. Reading asks the exchange for nothing. Money and amounts are decimal texts, times are milliseconds since 1970.',
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }, { session: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        signature: { type: 'apiKey', in: 'header', name: 'x-sarraf-signature' },
        session: { type: 'apiKey', in: 'cookie', name: 'sarraf_session_PORT' },
      },
      schemas: { Error: schemaOf(errorReply, 'output') },
    },
  };
}

function operationOf(operationId: string, { path, role, summary, query, body, reply }: EndpointShape): Json {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', minLength: 1, maxLength: 100 },
  }));
  return {
    operationId,
    summary,
    ...(role === null ? { security: [] } : { 'x-role': role }),
    ...(role === 'signal' ? { security: [{ token: [] }, { signature: [] }, {}] } : {}),
    parameters: [...inPath, ...(query === undefined ? [] : queryParameters(query))],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: schemaOf(body, 'input') } },
          },
        }),
    responses: {
      [role === 'signal' ? 202 : 200]: {
        description: summary,
        content:
          reply === null
            ? { [mediaTypeOf(path)]: {} }
            : { 'application/json': { schema: schemaOf(reply, 'output') } },
      },
      default: {
        description: 'Why it was not done.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  };
}

function queryParameters(query: z.ZodObject): readonly Json[] {
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: 'input', unrepresentable: 'any' });
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

function mediaTypeOf(path: string): string {
  if (path === '/events') return 'text/event-stream';
  return path.endsWith('.json') ? 'application/json' : 'text/html';
}
